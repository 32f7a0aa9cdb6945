import assert from "node:assert/strict";
import { test } from "node:test";
import { HlsSource } from "../../web/lib/source-hls.js";

const SECOND = 24_000;
const row = (number, enabled = true) => ({ number, title: "", enabled, rule: null, sentences: 3, rendered: 3, audio_s: 9, complete: true });
const ready = (id, seconds) => ({ id, text: id, file: "x", samples: seconds * SECOND, gap_after_samples: 0, words: [] });

/** A source over chapters whose indexes are at hand, with an audio element that only remembers. */
async function source(indexes, cursor = { chapter: 1, at: 0 }) {
  const audio = { src: "", currentTime: 0 };
  const loaded = new Map();
  const chapters = {
    list: Object.keys(indexes).map((number) => row(Number(number))),
    peek: (number) => loaded.get(number),
    load: async (number) => loaded.set(number, { chapter: number, sentences: indexes[number] }),
  };
  const stalls = [];
  const url = (chapter, from, file, on) => `${chapter}/${on ? "stream-on" : "stream"}/${from}/${file}`;
  const made = new HlsSource(audio, chapters, cursor, { url, bytes: null }, (wait) => stalls.push(wait));
  const pump = async () => {
    await made.pump();
    await new Promise((done) => setTimeout(done, 1));
  };
  await pump();
  return { audio, loaded, made, pump, stalls };
}

test("it starts with a playlist that runs on, at the sentence asked for, once three segments are there", async () => {
  const { audio, made } = await source({ 1: [ready("a", 5), ready("b", 10), ready("c", 10)], 2: [ready("d", 5)] }, { chapter: 1, at: 1 });
  assert.equal(audio.src, "1/stream-on/b/playlist.m3u8");
  assert.deepEqual(made.cues.placed.map((item) => [item.chapter, item.at, item.start_samples / SECOND]), [[1, 1, 0], [1, 2, 10], [2, 0, 20]]);
});

test("with too little rendered it waits, and says for what; then it starts by itself", async () => {
  const text = { id: "b", text: "b" };
  const indexes = { 1: [ready("a", 5), text] };
  const { audio, loaded, pump, stalls } = await source(indexes);
  assert.equal(audio.src, "");
  assert.deepEqual(stalls.at(-1), { chapter: 1, at: 1 });
  loaded.set(1, { chapter: 1, sentences: [ready("a", 5), ready("b", 15)] });
  await pump();
  assert.equal(audio.src, "1/stream-on/a/playlist.m3u8");
  assert.equal(stalls.at(-1), null);
});

test("a short book starts although it never fills three segments", async () => {
  const { audio } = await source({ 1: [ready("a", 2)] });
  assert.equal(audio.src, "1/stream-on/a/playlist.m3u8");
});

test("later chapters are looked up when the voice comes near, not all at once", async () => {
  const indexes = Object.fromEntries([1, 2, 3, 4].map((number) => [number, [ready(`s${number}`, 200)]]));
  const { audio, loaded, pump } = await source(indexes);
  assert.deepEqual([...loaded.keys()], [1, 2]);
  audio.currentTime = 350;
  await pump();
  assert.deepEqual([...loaded.keys()], [1, 2, 3, 4]);
});

test("the source is never changed while it plays", async () => {
  const { audio, pump } = await source({ 1: [ready("a", 30)], 2: [ready("b", 30)] });
  const first = audio.src;
  audio.currentTime = 45;
  await pump();
  assert.equal(audio.src, first);
});
