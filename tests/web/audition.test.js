import assert from "node:assert/strict";
import { test } from "node:test";

import { joined, landing, placeAt, shuffled, strung, timeOf, wordAt, wordsOf } from "../../web/lib/audition-text.js";

const TEXT = "The lamp burned. Who lit it?";
const said = (starts, length_s = 0.2) =>
  wordsOf(TEXT).map((word, at) => ({ ...word, start_s: starts[at], end_s: starts[at] + length_s }));
const slow = { audio_s: 6, words: said([0.1, 1, 2, 3.5, 4, 5]) };
const fast = { audio_s: 3, words: said([0.05, 0.5, 0.9, 1.6, 2, 2.5]) };

test("words of a text, in code points, with apostrophes and accents inside", () => {
  const text = "😀 Don’t — Ní Dhuibhne, e\u0301te\u0301!";
  const points = [...text];
  const words = wordsOf(text).map(({ char_start, char_end }) => points.slice(char_start, char_end).join(""));
  assert.deepEqual(words, ["Don’t", "Ní", "Dhuibhne", "e\u0301te\u0301"]);
});

test("the word being said, or in a pause the next", () => {
  assert.equal(wordAt(slow.words, 0), 0);
  assert.equal(wordAt(slow.words, 1.1), 1);
  assert.equal(wordAt(slow.words, 1.5), 2);
  assert.equal(wordAt(slow.words, 99), 5);
  assert.equal(wordAt([], 1), -1);
});

test("every word of one recording lands on the same word of another", () => {
  slow.words.forEach((word, at) => {
    for (const at_s of [word.start_s, word.start_s + 0.1]) assert.equal(landing(slow, at_s, fast, TEXT.length), at === 0 ? 0 : fast.words[at].start_s);
    assert.equal(placeAt(fast, landing(slow, word.start_s, fast, TEXT.length), TEXT.length), word.char_start);
  });
});

test("a recording whose words are cut otherwise is landed in at the word that holds the place", () => {
  const words = [fast.words[0], { ...fast.words[1], char_end: fast.words[2].char_end }, ...fast.words.slice(3)];
  assert.equal(timeOf({ audio_s: 3, words }, fast.words[2].char_start, TEXT.length), fast.words[1].start_s);
});

test("without words it is the share of the text", () => {
  const bare = { audio_s: 10, words: [] };
  assert.equal(timeOf(bare, 14, 28), 5);
  assert.equal(placeAt(bare, 5, 28), 14);
  assert.equal(landing(bare, 5, fast, TEXT.length), 0.9);
});

test("sentences are joined, and their recordings strung together", () => {
  const sentences = [{ text: "😀 One.", block_index: 1 }, { text: "Two.", block_index: 1 }, { text: "Three.", block_index: 2 }];
  const { text, starts } = joined(sentences);
  assert.equal(text, "😀 One. Two.\n\nThree.");
  starts.forEach((start, at) => assert.equal([...text].slice(start, start + [...sentences[at].text].length).join(""), sentences[at].text));
  const word = { char_start: 0, char_end: 3, start_s: 0.1, end_s: 0.3 };
  const made = strung([{ audio_s: 1, gap_s: 0.5, words: [word] }, { audio_s: 2, gap_s: 0, words: [word] }], starts);
  assert.equal(made.audio_s, 3.5);
  assert.deepEqual(made.begins, [0, 1.5]);
  assert.deepEqual([made.words[1].char_start, made.words[1].start_s], [starts[1], 1.6]);
});

test("another order has the same members", () => {
  assert.deepEqual(shuffled([1, 2, 3], () => 0), [2, 3, 1]);
  assert.deepEqual([...shuffled([1, 2, 3, 4])].sort(), [1, 2, 3, 4]);
});
