import assert from "node:assert/strict";
import { test } from "node:test";
import { ChapterClock } from "../../web/lib/chapter-clock.js";

const ready = (text, samples, gap = 0) => ({ id: text, text, file: "x", samples, gap_after_samples: gap });
const clock = (...sentences) => new ChapterClock({ chapter: 1, sentences });

test("a rendered chapter's clock is exact", () => {
  const made = clock(ready("a", 24_000, 1_024), ready("b", 48_000));
  assert.equal(made.total_samples, 73_024);
  assert.equal(made.startOf(1), 25_024);
  assert.deepEqual(made.find(25_024), { at: 1, offset_samples: 0 });
  assert.deepEqual(made.find(25_023), { at: 0, offset_samples: 25_023 });
});

test("what is not rendered is estimated by the pace of what is", () => {
  const text = "x".repeat(250);
  const made = clock(ready(text, 500_000), { id: "b", text: "y".repeat(100) });
  assert.equal(made.total_samples, 500_000 + 100 * 2_000);
});

test("before the pace is known, speech of fifteen characters a second is assumed", () => {
  assert.equal(clock({ id: "a", text: "x".repeat(30) }).total_samples, 48_000);
});

test("a sentence that was given up takes no time", () => {
  assert.equal(clock({ id: "a", text: "xxx", failed: "no" }, ready("b", 10)).total_samples, 10);
});

test("times outside the chapter are clamped into it", () => {
  const made = clock(ready("a", 100), ready("b", 100));
  assert.deepEqual(made.find(-50), { at: 0, offset_samples: 0 });
  assert.deepEqual(made.find(9_999), { at: 1, offset_samples: 99 });
  assert.deepEqual(clock().find(10), { at: 0, offset_samples: 0 });
});
