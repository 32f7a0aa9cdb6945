import assert from "node:assert/strict";
import { test } from "node:test";

import { bookHref, parseRoute, shelfHref } from "../../web/lib/router.js";
import { bySeries, leftOf, noteOf, seriesNote } from "../../web/lib/shelf-words.js";
import { snippet } from "../../web/lib/snippet.js";

const BOOK = {
  state: "ready", length_s: 7200, progress: 0, finished: false, position: null, paused: false, render: "all",
  sentences: { total: 100, rendered: 100, failed: 0 }, series: null, series_index: null,
};
const place = { chapter: 1, sentence: "a-1", word: 0 };

test("a book says how much there is to hear, or is left at the speed that is chosen", () => {
  assert.equal(noteOf(BOOK), "2 h");
  assert.equal(noteOf({ ...BOOK, position: place, progress: 0.25 }), "1 h 30 min left");
  assert.equal(noteOf({ ...BOOK, position: place, progress: 0.25 }, 1.5), "1 h left");
  assert.equal(leftOf({ ...BOOK, progress: 0.5 }, 2), 1800);
  assert.equal(noteOf({ ...BOOK, position: place, progress: 1, finished: true, sentences: { total: 9, rendered: 1, failed: 0 } }), "Finished");
});

test("what cannot be heard yet is said with it", () => {
  const some = { total: 100, rendered: 1, failed: 0 };
  assert.equal(noteOf({ ...BOOK, sentences: some }), "2 h · 1 % rendered");
  assert.equal(noteOf({ ...BOOK, sentences: { ...some, rendered: 0 } }), "2 h · waiting to be rendered");
  assert.equal(noteOf({ ...BOOK, render: "paused", sentences: { ...some, rendered: 0 } }), "2 h · rendered when you listen");
  assert.equal(noteOf({ ...BOOK, sentences: { total: 100, rendered: 98, failed: 2 } }), "2 h");
  assert.match(noteOf({ ...BOOK, state: "missing" }), /file is missing/);
});

test("books of a series stand together, the others after each other", () => {
  const books = [["A", 1], ["A", 2], ["B", 1], [null, null], [null, null]].map(([series, series_index]) => ({ ...BOOK, series, series_index }));
  assert.deepEqual(bySeries(books).map(({ name, books: some }) => [name, some.length]), [["A", 2], ["B", 1], [null, 2]]);
  assert.deepEqual([books[0], books[4], { series: "A", series_index: null }, { series: "A", series_index: 0 }].map(seriesNote), ["A 1", "", "A", "A 0"]);
});

test("addresses lead to a sentence, and to a shelf as it was looked at", () => {
  const spot = { chapter: 3, sentence: "a&b-1" };
  assert.deepEqual(parseRoute(bookHref("x", spot)), { page: "book", id: "x", spot });
  assert.deepEqual(parseRoute(bookHref("x")), { page: "book", id: "x", spot: null });
  assert.deepEqual(parseRoute("#/book/x?chapter=nine&sentence=s"), { page: "book", id: "x", spot: null });
  assert.deepEqual(parseRoute(shelfHref({ q: "a & b", show: "", sort: "title" })), { page: "shelf", asked: { q: "a & b", sort: "title" } });
  assert.equal(shelfHref({}), "#/");
  assert.deepEqual(parseRoute("#/book/%E0%A4%A"), { page: "book", id: "%E0%A4%A", spot: null });
});

test("a passage that was found is shown with its marks, in code points, and cut where it is long", () => {
  const parts = snippet("The 💡 lamp went out.", [{ char_start: 6, char_end: 10 }]);
  assert.deepEqual(parts, [{ text: "The 💡 ", marked: false }, { text: "lamp", marked: true }, { text: " went out.", marked: false }]);
  assert.deepEqual(snippet("No mark.", []), [{ text: "No mark.", marked: false }]);
  const long = `${"word ".repeat(100)}lamp ${"word ".repeat(100)}`;
  const shown = snippet(long, [{ char_start: 500, char_end: 504 }]);
  assert.deepEqual(shown.filter((part) => part.marked).map((part) => part.text), ["lamp"]);
  const text = shown.map((part) => part.text).join("");
  assert.ok(text.length < 230 && text.startsWith("… word") && text.endsWith("word …"), text);
  const early = snippet(long, [{ char_start: 0, char_end: 4 }]).map((part) => part.text).join("");
  assert.ok(early.startsWith("word word") && early.endsWith(" …"));
  const one = snippet("x".repeat(500), [{ char_start: 400, char_end: 401 }]);
  assert.ok(one.some((part) => part.marked && part.text === "x"));
});
