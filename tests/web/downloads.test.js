import assert from "node:assert/strict";
import { test } from "node:test";
import { ahead, bytesOf, heard, held, length_s, NOTHING, wanted, without } from "../../web/lib/downloads-plan.js";
import { rowState } from "../../web/lib/downloads-words.js";
import { rows } from "../../web/lib/offline-store.js";
import { Signal } from "../../web/lib/signal.js";

const HOUR = 3600;
const row = (number, more = {}) => ({ number, title: `T${number}`, enabled: true, rule: null, sentences: 600, rendered: 600, audio_s: HOUR, complete: true, ...more });
const book = (...list) => ({ id: "b", chapters_list: list, audio_s: 10 * HOUR, audio_bytes: 360_000_000 });
const kept = (number, samples = HOUR * 24_000) => [number, { tag: "t", bytes: 1000, samples, print: "", audio_s: HOUR }];
const numbers = (list) => list.map((one) => one.number);

test("hours are counted from the voice, and the rest of its chapter is the first of them", () => {
  const four = book(row(1), row(2), row(3, { enabled: false }), row(4), row(5, { sentences: 0, rendered: 0 }), row(6));
  assert.deepEqual(numbers(ahead(four, 1, { chapter: 2, share: 0 })), [2]);
  assert.deepEqual(numbers(ahead(four, 1, { chapter: 2, share: 0.1 })), [2, 4]);
  assert.deepEqual(numbers(ahead(four, 2, null)), [1, 2]);
  assert.deepEqual(numbers(ahead(four, 99, { chapter: 4, share: 1 })), [4, 6]);
  assert.deepEqual(ahead(book(), 1, null), []);
});

test("what comes next is fetched first, what lies behind the voice last", () => {
  const five = book(row(1), row(2), row(3), row(4), row(5));
  assert.deepEqual(numbers(wanted(five, { ...NOTHING, whole: true }, { chapter: 4, share: 0 })), [4, 5, 1, 2, 3]);
  assert.deepEqual(numbers(wanted(five, { whole: false, hours: 1, chapters: [1, 5] }, { chapter: 3, share: 0 })), [3, 5, 1]);
  assert.deepEqual(wanted(five, NOTHING, { chapter: 3, share: 0 }), []);
});

test("what is taken away does not come back by itself; what lies behind the voice changes no wish", () => {
  const four = book(row(1), row(2), row(3), row(4));
  const spot = { chapter: 3, share: 0 };
  assert.deepEqual(without(four, { ...NOTHING, whole: true }, spot, [2]), { whole: false, hours: 0, chapters: [3, 4, 1] });
  assert.deepEqual(without(four, { ...NOTHING, hours: 2 }, spot, [4]), { whole: false, hours: 0, chapters: [3] });
  assert.deepEqual(without(four, { ...NOTHING, hours: 2 }, spot, [1, 2]), { ...NOTHING, hours: 2 });
  assert.deepEqual(without(four, { ...NOTHING, chapters: [1, 2] }, null, [1]), { ...NOTHING, chapters: [2] });
});

test("what is not rendered yet is estimated from what is", () => {
  assert.equal(length_s(row(1, { rendered: 300, audio_s: 1000, complete: false })), 2000);
  assert.equal(length_s(row(1, { rendered: 0, audio_s: 0, complete: false })), 3600);
  assert.equal(bytesOf(book(row(1), row(2)), [row(1)]), 36_000_000);
  assert.equal(bytesOf({ ...book(row(1)), audio_s: 0, audio_bytes: 0 }, [row(1)]), HOUR * 8000);
});

test("what is here is added up, and what was heard is behind the voice", () => {
  const record = { book: book(row(1), row(2)), wish: NOTHING, chapters: Object.fromEntries([kept(1), kept(2)]) };
  assert.deepEqual(held(record), { chapters: 2, bytes: 2000, s: 2 * HOUR });
  assert.deepEqual(heard(record, { chapter: 2, share: 0.5 }), [1]);
  assert.deepEqual(heard(record, null), []);
});

test("chapters that follow one another are one file; a gap, or more than ten hours, begins another", () => {
  const list = [row(1), row(2), row(3, { enabled: false }), row(4), row(5), row(6, { sentences: 0 }), row(7)];
  const record = (...chapters) => ({ book: book(...list), wish: NOTHING, chapters: Object.fromEntries(chapters) });
  assert.deepEqual(rows(record(kept(1), kept(2), kept(4), kept(7))), [[1, 2, 4], [7]]);
  assert.deepEqual(rows(record(kept(2), kept(5))), [[2], [5]]);
  assert.deepEqual(rows(record(kept(1, 6 * HOUR * 24_000), kept(2, 5 * HOUR * 24_000), kept(4))), [[1], [2, 4]]);
  assert.deepEqual(rows(record()), []);
});

test("each chapter says what is with it", () => {
  const downloads = (record, progress = null) => ({
    of: () => record, wish: () => record?.wish ?? NOTHING, spot: () => null, progress: new Signal(progress),
  });
  const two = book(row(1), row(2, { complete: false, rendered: 300, audio_s: HOUR / 2 }));
  const whole = { book: two, wish: { ...NOTHING, whole: true }, chapters: Object.fromEntries([kept(1)]) };
  const [first, second] = two.chapters_list;
  assert.deepEqual(rowState(downloads(undefined), two, first), { say: "1 h · 36 MB", act: "fetch", share: null });
  assert.deepEqual(rowState(downloads(undefined), two, second), { say: "1 h · about 36 MB", act: "fetch", share: null });
  assert.deepEqual(rowState(downloads(whole), two, first), { say: "1 h · 1.0 KB", act: "remove", share: null });
  assert.deepEqual(rowState(downloads(whole), two, second), { say: "When it is rendered", act: "leave", share: 0 });
  const progress = { book: "b", chapter: 2, bytes: 500, of: 2000 };
  assert.deepEqual(rowState(downloads(whole, progress), two, second), { say: "25 % of 2.0 KB", act: "leave", share: 0.25 });
});
