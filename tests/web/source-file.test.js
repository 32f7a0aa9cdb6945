import assert from "node:assert/strict";
import { test } from "node:test";
import { FileSource } from "../../web/lib/source-file.js";

const SECOND = 24_000;
const row = (number) => ({ number, title: "", enabled: true, rule: null, sentences: 2, rendered: 2, audio_s: 9, complete: true });
const ready = (id, seconds) => ({ id, text: id, file: "x", samples: (seconds - 1) * SECOND, gap_after_samples: SECOND, words: [] });
const index = (chapter, ...sentences) => ({ chapter, sentences });

/** Chapters 1 to 3 of a book of four, downloaded; the audio element only remembers. */
async function source(cursor, { broken = false, lost = false } = {}) {
  const all = new Map([
    [1, index(1, ready("a", 100), ready("b", 100))],
    [2, index(2, ready("c", 200), { id: "x", text: "x", failed: "no" }, ready("d", 200))],
    [3, index(3, ready("e", 10))],
    [4, index(4, ready("f", 10))],
  ]);
  const audio = { src: "", currentTime: 0 };
  const loaded = new Map([[cursor.chapter, all.get(cursor.chapter)]]);
  const chapters = {
    list: [1, 2, 3, 4].map(row),
    peek: (number) => loaded.get(number),
    load: async (number) => {
      if (broken) throw new Error("nobody answers");
      return loaded.set(number, all.get(number));
    },
  };
  const run = { url: "/kept/b/run.m4a", chapters: [1, 2, 3], starts_samples: [0, 200, 600].map((s) => s * SECOND), index: async (number) => (lost ? null : all.get(number)) };
  const stalls = [];
  const made = new FileSource(audio, chapters, cursor, run, (wait, problem) => stalls.push(problem?.message ?? wait));
  audio.currentTime = made.start_s;
  const pump = async () => {
    await made.pump();
    await new Promise((done) => setTimeout(done, 1));
  };
  await pump();
  return { audio, loaded, made, pump, stalls };
}

const placed = (made) => made.cues.placed.map((item) => [item.entry.id, item.start_samples / SECOND]);

test("the time line is the file's, from the chapter of the voice on", async () => {
  const { audio, made, stalls } = await source({ chapter: 2, at: 2 });
  assert.equal(audio.src, "/kept/b/run.m4a");
  assert.equal(made.start_s, 400);
  assert.deepEqual(placed(made), [["c", 200], ["d", 400], ["e", 600]]);
  assert.equal(made.cues.at(450).placed.entry.id, "d");
  assert.equal(stalls.at(-1), null);
});

test("later chapters are looked up when the voice comes near, and what follows the file before it ends", async () => {
  const { audio, loaded, made, pump } = await source({ chapter: 1, at: 0 });
  assert.deepEqual(placed(made), [["a", 0], ["b", 100], ["c", 200], ["d", 400]]);
  assert.deepEqual([...loaded.keys()], [1, 2]);
  audio.currentTime = 350;
  await pump();
  assert.deepEqual([...loaded.keys()], [1, 2, 3, 4]);
  assert.deepEqual(placed(made).at(-1), ["e", 600]);
  assert.deepEqual(made.next, { chapter: 4, at: 0 });
});

test("a jump lands in the file, or not at all", async () => {
  const { made } = await source({ chapter: 2, at: 0 });
  assert.equal(made.landing({ chapter: 2, sentence: "d", offset_samples: SECOND }), 401);
  assert.equal(made.landing({ chapter: 1, sentence: "a" }), null);
});

test("while there is sound ahead nobody is told of trouble; at its end they are", async () => {
  const { audio, pump, stalls } = await source({ chapter: 3, at: 0 }, { broken: true });
  assert.deepEqual(stalls, [null]);
  audio.currentTime = 609.5;
  await pump();
  assert.deepEqual(stalls, [null, "nobody answers"]);
});

test("a chapter that is not here any more is no reason to stop before it", async () => {
  const { audio, made, pump, stalls } = await source({ chapter: 2, at: 0 }, { lost: true });
  audio.currentTime = 350;
  await pump();
  assert.deepEqual([placed(made).length, stalls], [2, [null, null]]);
});
