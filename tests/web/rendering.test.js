import assert from "node:assert/strict";
import { test } from "node:test";

import { wait } from "../../web/lib/format.js";
import { aheadName, bytesOf, inWords } from "../../web/lib/rendering.js";

test("an amount of space is typed as people type it", () => {
  assert.equal(bytesOf(" 50 "), 50e9);
  assert.equal(bytesOf("1,5"), 1.5e9);
  assert.equal(bytesOf("0"), 0);
  assert.equal(bytesOf("  "), null);
  for (const none of ["much", "-1", "1 GB", "NaN"]) assert.ok(Number.isNaN(bytesOf(none)), none);
});

test("the rules are one line", () => {
  const rules = /** @type {any} */ ({ paused: false, quiet: [], share: 100, render: "all" });
  assert.match(inWords({ ...rules, paused: true }), /^Paused: only those who listen/);
  assert.equal(inWords(rules), "At any time · books are rendered to their end");
  const quiet = [{ start: "22:00", end: "07:00" }, { start: "12:00", end: "13:00" }];
  assert.equal(inWords({ ...rules, quiet, share: 50, render: "ahead" }), "Rests 22:00–07:00 and 12:00–13:00 · uses 50 % of the time · books: only ahead of where you are");
});

test("lengths and waits are said in words", () => {
  assert.deepEqual([30, 60, 90, 120].map(aheadName), ["30 minutes", "1 hour", "90 minutes", "2 hours"]);
  assert.deepEqual([90, 7200, 172_800, 1_000_000].map(wait), ["2 min", "2 h", "2 days", "12 days"]);
});
