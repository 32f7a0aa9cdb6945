import assert from "node:assert/strict";
import { test } from "node:test";

import { byHand, inTurn, moved, waitsFor } from "../../web/lib/queue-order.js";

/** @param {string} names @param {Record<string, object>} [told] @returns {any[]} */
const line = (names, told = {}) => [...names].map((book) => ({ book, title: book, turn: null, listened: false, ...told[book] }));
const names = (/** @type {any[]} */ books) => books.map(({ book }) => book).join("");

test("a book goes to another place and no further than the ends", () => {
  assert.equal(names(moved(line("abcd"), "c", 0)), "cabd");
  assert.equal(names(moved(line("abcd"), "a", 2)), "bcad");
  assert.equal(names(moved(line("abcd"), "a", 9)), "bcda");
  assert.equal(names(moved(line("abcd"), "b", -1)), "bacd");
  assert.equal(names(moved(line("abcd"), "x", 0)), "abcd");
});

test("down to the last that was put somewhere all are in order by hand", () => {
  assert.deepEqual(byHand(line("cabd"), "c"), ["c"]);
  assert.deepEqual(byHand(line("bcad"), "a"), ["b", "c", "a"]);
  assert.deepEqual(byHand(line("abcd", { c: { turn: 1 } }), "a"), ["a", "b", "c"]);
});

test("who listens does not put a book in order by that", () => {
  assert.deepEqual(byHand(line("abcd", { a: { listened: true } }), "b"), ["b"]);
  assert.deepEqual(byHand(line("abcd", { a: { listened: true, turn: 2 } }), "b"), ["a", "b"]);
  assert.deepEqual(byHand(line("abcd", { a: { listened: true } }), "a"), ["a"]);
});

test("turns are counted anew", () => {
  assert.deepEqual(inTurn(line("abc", { c: { turn: 7 } }), ["b", "a"]).map(({ turn }) => turn), [2, 1, null]);
});

test("what waits is said in words", () => {
  const book = (/** @type {object} */ told) => waitsFor(/** @type {any} */ ({ chapter: 3, chapters: 1, listened: false, ...told }));
  assert.equal(book({}), "Chapter 3");
  assert.equal(book({ chapters: 12, listened: true }), "Chapter 3 and 11 more · somebody listens");
});
