import assert from "node:assert/strict";
import { test } from "node:test";
import { authorsOf, changes, fieldsOf, itself, whyNoPicture } from "../../web/lib/about-words.js";

const BOOK = /** @type {any} */ ({ title: "The Lamp", subtitle: null, authors: ["A. Writer", "B. Writer"], series: "Lights", series_index: 2 });
const typed = (/** @type {object} */ other) => ({ ...fieldsOf(BOOK), ...other });

test("only what changed is told, and white space is no change", () => {
  const before = fieldsOf(BOOK);
  assert.deepEqual(changes(before, typed({ title: " The  Lamp ", authors: "A. Writer\n\n B. Writer \n" })), { told: {}, trouble: "", at: "" });
  assert.deepEqual(changes(before, typed({ title: "The Gate" })).told, { title: "The Gate" });
  assert.deepEqual(changes(before, typed({ authors: "" })).told, { authors: [] });
  assert.deepEqual(changes(before, typed({ subtitle: "Or not" })).told, { subtitle: "Or not" });
  assert.deepEqual(changes(before, typed({ series_index: "2,5" })).told, { series: "Lights", series_index: 2.5 });
  assert.deepEqual(changes(before, typed({ series_index: "" })).told, { series: "Lights" });
  assert.deepEqual(changes(before, typed({ series: "", series_index: "" })).told, { series: "" });
});

test("what cannot be is said at its field", () => {
  const before = fieldsOf(BOOK);
  assert.equal(changes(before, typed({ title: " " })).at, "title");
  assert.equal(changes(before, typed({ series: "" })).at, "series");
  for (const number of ["two", "-1", "1e9", "1.2.3"]) assert.equal(changes(before, typed({ series_index: number })).at, "series_index", number);
  assert.deepEqual(authorsOf("A\nB\nA\n"), ["A", "B"]);
});

test("what the book says itself is told where somebody wrote another thing", () => {
  const own = { title: "Lamp", subtitle: null, authors: [], series: "Lights", series_index: 1, cover: true };
  const book = { ...BOOK, own, by_hand: ["title", "subtitle", "authors", "series", "cover"] };
  assert.equal(itself(book, "title"), "The book says: Lamp");
  assert.equal(itself(book, "subtitle"), "The book has none.");
  assert.equal(itself(book, "authors"), "The book names no author.");
  assert.equal(itself(book, "series"), "The book says: Lights, 1");
  assert.match(itself(book, "cover") ?? "", /one of its own/);
  assert.equal(itself({ ...book, by_hand: ["title"] }, "series"), null);
  assert.equal(itself({ ...BOOK, own: null, by_hand: [] }, "title"), null);
});

test("a picture of another kind or too large is not sent", () => {
  assert.equal(whyNoPicture({ type: "image/png", size: 20_000_000 }), "");
  assert.match(whyNoPicture({ type: "image/png", size: 20_000_001 }), /20 MB/);
  assert.match(whyNoPicture({ type: "image/gif", size: 1 }), /JPEG, PNG or WebP/);
  assert.match(whyNoPicture({ type: "", size: 1 }), /JPEG, PNG or WebP/);
});
