import assert from "node:assert/strict";
import { test } from "node:test";

import { speedRows, times } from "../../web/lib/speed-words.js";

const NOW_MS = new Date(2026, 5, 30, 15, 20).getTime();
const HOUR_MS = 3_600_000;
/** @param {number} ago_h @param {number} audio_s @param {number} work_s */
const hour = (ago_h, audio_s, work_s) => ({ at: new Date((Math.floor(NOW_MS / HOUR_MS) - ago_h) * HOUR_MS).toISOString(), audio_s, work_s });

test("a speed has as many digits as say something", () => {
  assert.deepEqual([0.456, 3.21, 12.4].map(times), ["0.46×", "3.2×", "12×"]);
});

test("where nothing was rendered there is no plot", () => {
  assert.equal(speedRows([], 30, NOW_MS), null);
  assert.equal(speedRows([hour(1, 0, 0)], 30, NOW_MS), null);
  assert.equal(speedRows([hour(24 * 31, 60, 60)], 30, NOW_MS), null); // on a day that is not shown any more
});

test("the first hours have a bar each", () => {
  const told = speedRows([hour(3, 600, 200), hour(0, 100, 100)], 30, NOW_MS);
  assert.ok(told);
  assert.equal(told.rows.length, 48);
  assert.deepEqual(told.rows.slice(-4).map(({ value }) => value), [3, 0, 0, 1]);
  assert.match(told.rows[44].words, /: 3\.0×, 10 min of audio in 3 min$/);
  assert.match(told.rows[45].words, /: nothing$/);
  assert.equal(told.said, "2.3× the speed of speech in the last 48 hours: 12 min of audio in 5 min of work.");
  assert.match(told.label, /each hour of the last 48 hours, 1\.0× to 3\.0× the speed of speech$/);
  assert.equal(told.ends[1], "now");
});

test("later a day has one, with what its hours made in all", () => {
  const told = speedRows([hour(14, 7200, 3600), hour(13, 600, 600), hour(24 * 29, 100, 50)], 30, NOW_MS);
  assert.ok(told);
  assert.equal(told.rows.length, 30);
  assert.equal(told.rows[0].value, 2); // 29 days ago
  assert.equal(told.rows[29].value, 7800 / 4200);
  assert.match(told.rows[29].words, /: 1\.9×, 2 h 10 min of audio in 1 h 10 min$/);
  assert.match(told.label, /each day of the last 30 days, 1\.9× to 2\.0×/);
});
