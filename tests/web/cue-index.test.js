import assert from "node:assert/strict";
import { test } from "node:test";
import { CueIndex, RATE_HZ, lastAtOrBelow, lengthOf, wordAt } from "../../web/lib/cue-index.js";

const word = (start, end) => ({ start, end, char_start: 0, char_end: 1 });
const entry = (id, samples, gap, words) => ({
  id, text: id, block: "paragraph", block_index: 0, file: `${id}.m4a`, samples, gap_after_samples: gap, words,
});
const A = entry("a", 48_000, 24_000, [word(1_200, 12_000), word(12_000, 24_000), word(30_000, 46_000)]);
const B = entry("b", 24_000, 0, [word(2_400, 20_000)]);
const C = entry("c", 72_000, 12_288, []);

function timeline() {
  const cues = new CueIndex();
  cues.append(1, 0, A);
  cues.append(1, 3, B);
  cues.append(2, 0, C);
  return cues;
}

test("a sentence starts where the audio and the pause before it end", () => {
  assert.deepEqual(timeline().placed.map((item) => item.start_samples), [0, 72_000, 96_000]);
  assert.equal(timeline().end_samples, 96_000 + 84_288);
});

test("every sample belongs to the sentence and word a plain search finds", () => {
  const cues = timeline();
  const plain = (samples) => {
    const placed = [...cues.placed].reverse().find((item) => item.start_samples <= samples) ?? cues.placed[0];
    const words = placed.entry.words.filter((item) => item.start <= samples - placed.start_samples);
    return [placed.entry.id, words.length - 1];
  };
  for (let samples = 0; samples < cues.end_samples + 5_000; samples += 97) {
    // `at` gives one sample of grace, so it is asked about the sample before.
    const { placed, word: found } = cues.at((samples - 1) / RATE_HZ);
    assert.deepEqual([placed.entry.id, found], plain(samples), `at sample ${samples}`);
  }
});

test("a seek to a word that lands on a microsecond finds that word", () => {
  const cues = timeline();
  for (const placed of cues.placed) {
    placed.entry.words.forEach((_, number) => {
      const seconds = CueIndex.timeOf(placed, number);
      for (const landed of [seconds, Math.floor(seconds * 1e6) / 1e6, Math.round(seconds * 1e6) / 1e6]) {
        const found = cues.at(landed);
        assert.equal(found.placed, placed);
        // Word 0 means the sentence from its start, where no word is said yet.
        assert.equal(found.word, number === 0 ? -1 : number);
      }
    });
  }
});

test("an offset into a sentence is honoured when no word is asked for", () => {
  const [, placed] = timeline().placed;
  assert.equal(CueIndex.timeOf(placed, 0, 12_000), (72_000 + 12_000) / RATE_HZ);
});

test("an empty time line says nothing; one with sentences is never without", () => {
  assert.equal(new CueIndex().at(3), null);
  assert.equal(timeline().at(-5).placed.entry.id, "a");
  assert.equal(timeline().at(1e9).placed.entry.id, "c");
});

test("the same sentence id in two chapters is told apart", () => {
  const cues = new CueIndex();
  cues.append(1, 0, A);
  const second = cues.append(2, 7, { ...A });
  assert.equal(cues.find(2, "a"), second);
  assert.equal(second.at, 7);
  assert.equal(cues.find(3, "a"), null);
});

test("a sentence without audio takes no time", () => {
  assert.equal(lengthOf({ ...A, file: null }), 0);
  assert.equal(lengthOf(C), 84_288);
});

test("the last word stays lit through the pause", () => {
  assert.equal(wordAt(A, 71_999), 2);
  assert.equal(wordAt(A, 0), -1);
});

test("the binary search agrees with a walk", () => {
  for (const items of [[], [5], [1, 4, 4, 9], Array.from({ length: 50 }, (_, i) => i * 3)]) {
    for (let value = -2; value < 160; value += 1) {
      const walked = items.reduce((found, item, i) => (item <= value ? i : found), -1);
      assert.equal(lastAtOrBelow(items, value, (item) => item), walked);
    }
  }
});
