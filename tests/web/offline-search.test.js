import assert from "node:assert/strict";
import { test } from "node:test";
import { searchHere } from "../../web/lib/offline-search.js";

const chapter = (number, ...texts) => ({ title: `Part ${number}`, index: { chapter: number, sentences: texts.map((text, at) => ({ id: `${number}-${at}`, text })) } });
const BOOK = [
  chapter(1, "The Café was shut.", "Nobody lit a lamp 💡, no lamps at all.", "A clamp lay there."),
  chapter(2, "先生、お化けの夢だ。", "It rained; the lamp was shut."),
];
const found = (q) => searchHere(q, BOOK).map(({ sentence, text, marks }) => [sentence, marks.map(({ char_start, char_end }) => Array.from(text).slice(char_start, char_end).join(""))]);

test("words are found at their beginning, whatever their case and accents, in reading order", () => {
  assert.deepEqual(found("LAMP"), [["1-1", ["lamp", "lamp"]], ["2-1", ["lamp"]]]);
  assert.deepEqual(found("cafe"), [["1-0", ["Café"]]]);
  assert.deepEqual(found("shut the"), [["1-0", ["The", "shut"]], ["2-1", ["the", "shut"]]]);
  assert.equal(searchHere("rained", BOOK)[0].chapter_title, "Part 2");
});

test("what is quoted stands together, and a script without spaces is found inside", () => {
  assert.deepEqual(found('"was shut" lamp'), [["2-1", ["lamp", "was shut"]]]);
  assert.deepEqual(found("化け"), [["2-0", ["化け"]]]);
});

test("what is no word finds nothing", () => {
  for (const q of ["", "  ", '"', "…", '""']) assert.deepEqual(found(q), []);
});
