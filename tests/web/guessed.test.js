import assert from "node:assert/strict";
import { test } from "node:test";
import { standing, together } from "../../web/lib/guessed-words.js";

const place = (/** @type {string} */ audio) => ({ chapter: 1, sentence: "s-1", text: "Queequeg slept.", audio });
const found = (/** @type {string} */ word, count = 1) => ({ word, phonemes: "kw", count, chapter: 1, sentence: "s-1", text: `${word} slept.` });
const whole = (/** @type {object} */ other = {}) => /** @type {any} */ ({ state: "none", trouble: null, total: 0, words: [], ...other });

test("what is rendered and what will be guessed is one list", () => {
  const rendered = [{ word: "Queequeg", count: 2, places: [place("/a")] }, { word: "Old", count: 9, places: [place("/b")] }];
  assert.deepEqual(together(rendered, whole()).map(({ word }) => word), ["Old", "Queequeg"]);
  const all = together(rendered, whole({ state: "there", total: 2, words: [found("Queequeg", 40), found("Pequod", 40)] }));
  assert.deepEqual(all.map(({ word, count, places }) => [word, count, places[0].audio]), [["Pequod", 40, ""], ["Queequeg", 40, "/a"], ["Old", 9, "/b"]]);
});

test("it is said what the list is of, and what can be asked for", () => {
  const [part, done, none] = [{ rendered: 3, total: 9 }, { rendered: 9, total: 9 }, { rendered: 0, total: 9 }];
  assert.deepEqual(standing(whole(), 2, part), { note: "2 words in what is rendered so far.", ask: "Look through the whole book" });
  assert.equal(standing(whole(), 0, none).ask, "Look through the whole book");
  assert.deepEqual(standing(whole(), 2, done), { note: "2 words in the whole book.", ask: "" });
  assert.equal(standing(whole({ state: "reading" }), 2, part).ask, "Reading …");
  assert.deepEqual(standing(whole({ state: "failed", trouble: "No." }), 2, part), { note: "No.", ask: "Try again" });
  const many = whole({ state: "there", total: 1500, words: Array.from({ length: 1000 }, (_, at) => found(`w${at}`)) });
  assert.deepEqual(standing(many, 1000, none), { note: "1,500 words in the whole book. The 1,000 most frequent are listed.", ask: "" });
  assert.match(standing(whole({ state: "old", total: 2, words: [found("a"), found("b")] }), 2, part).note, /^2 words in the whole book when/);
  assert.equal(standing(whole({ state: "there" }), 0, none).note, "Every word of the book is in the dictionary.");
});
