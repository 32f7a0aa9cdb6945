import assert from "node:assert/strict";
import { test } from "node:test";
import { cutIntoWords, utf16Offsets } from "../../web/lib/codepoints.js";

const spans = (...pairs) => pairs.map(([char_start, char_end]) => ({ char_start, char_end }));
const show = (parts) => parts.map(({ text, word }) => (word < 0 ? text : `[${word}:${text}]`)).join("");

test("plain text is cut where the spans say", () => {
  assert.equal(show(cutIntoWords("She waited.", spans([0, 3], [4, 10]))), "[0:She] [1:waited].");
});

test("characters beyond the basic plane count once", () => {
  const text = "“Go on, 😀 go!” 𝔄lpha";
  assert.equal(show(cutIntoWords(text, spans([1, 3], [4, 6], [10, 12], [15, 20]))), "“[0:Go] [1:on], 😀 [2:go]!” [3:𝔄lpha]");
});

test("a combining mark is a code point of its own", () => {
  assert.equal(show(cutIntoWords("Cafe\u0301 now", spans([0, 5], [6, 9]))), "[0:Cafe\u0301] [1:now]");
});

test("offsets end with the length of the text", () => {
  assert.deepEqual(utf16Offsets("a😀b"), [0, 1, 3, 4]);
  assert.deepEqual(utf16Offsets(""), [0]);
});

test("whatever the spans, the parts joined are the text", () => {
  const text = "one 😀 two three";
  const wild = [
    spans(), spans([0, 99]), spans([-3, 2], [50, 60]), spans([0, 5], [3, 8]), spans([4, 2], [6, 6]), spans([8, 12], [0, 3]),
  ];
  for (const words of wild) assert.equal(cutIntoWords(text, words).map((part) => part.text).join(""), text);
});

test("a word that a wild span swallowed does not shift the numbers of the others", () => {
  assert.equal(show(cutIntoWords("one two three", spans([0, 7], [4, 7], [8, 13]))), "[0:one two] [2:three]");
});
