import assert from "node:assert/strict";
import { test } from "node:test";
import { opening, quoted } from "../../web/lib/format.js";
import { Signal } from "../../web/lib/signal.js";

globalThis.window = globalThis.document = new EventTarget();
const { Places } = await import("../../web/lib/places.js");

const ids = (chapter, count) => Array.from({ length: count }, (_, at) => ({ id: `${chapter}-${at}`, text: `Sentence ${at}.` }));
const settle = async () => { for (let i = 0; i < 20; i += 1) await Promise.resolve(); };
const cue = (chapter, at, word = 0) => ({ chapter, at, sentence: `${chapter}-${at}`, word });

/** An open book of two chapters with 100 sentences of ten seconds each. */
function open(state = "paused") {
  const posted = [];
  let answer = () => undefined;
  let live = {};
  const list = [1, 2].map((number) => ({ number, title: `The ${number}.`, enabled: true, sentences: 100 }));
  const playback = { cue: new Signal(cue(1, 0)), state: new Signal(state), onmove: () => undefined, went: [], goTo: async (place, why) => playback.went.push([place, why]) };
  const places = new Places({
    book: { id: "b" },
    api: { position: async () => null },
    live: { on: (name, listener) => { live[name] = listener; return () => undefined; } },
    outbox: { device: { id: "me", count: () => 1 }, post: async (book, told) => posted.push(told), deliver: async () => undefined, onAnswer: (listener) => { answer = listener; return () => undefined; } },
    chapters: { list, row: (number) => list.find((row) => row.number === number), load: async (number) => ({ sentences: ids(number, 100) }) },
    playback,
    travel: { clock: { startOf: (at) => at * 240_000 } },
    audio: Object.assign(new EventTarget(), { currentTime: 0, paused: true }),
    edition: () => 3,
  });
  const move = (to, why, from = playback.cue.value) => { playback.cue.value = to; playback.onmove(to, why, from); };
  return { places, playback, posted, move, answer: (told) => answer("b", told), tell: (told) => live.position({ book: "b", ...told }) };
}

test("what can be gone back from: a tap, a chapter, a long skip; not a step, nor a tap into the same sentence", () => {
  for (const [from, to, why, far] of [
    [cue(1, 20), cue(1, 22), "jump", true],
    [cue(1, 20, 5), cue(1, 20, 1), "jump", false],
    [cue(1, 20), cue(1, 22), "skip", false],
    [cue(1, 20), cue(1, 26), "skip", true],
    [cue(1, 99), cue(2, 0), "skip", false],
    [cue(1, 50), cue(2, 0), "skip", true],
    [cue(2, 1), cue(1, 99), "skip", false],
    [cue(1, 20), cue(2, 50), "undo", false],
  ]) {
    const { places, move } = open();
    move(to, why, from);
    assert.equal(places.left.value !== null, far, `${why} ${from.sentence} → ${to.sentence}`);
    places.close();
  }
});

test("the reason that is told: the very beginning always as a jump, a short step as what was played", () => {
  for (const [to, why, reasons] of [
    [cue(1, 0), "jump", ["jump"]],
    [cue(1, 0), "skip", ["jump"]],
    [cue(1, 2), "skip", ["played"]],
    [cue(1, 3), "played", ["played"]],
    [cue(1, 3), "undo", ["jump"]],
    [cue(1, 3), "told", []],
  ]) {
    const { places, move, posted } = open();
    move(to, why, cue(1, 4));
    places.keeper.flush();
    assert.deepEqual(posted.map((told) => told.reason), reasons, `${why} ${to.sentence}`);
    assert.ok(posted.every((told) => told.edition === 3));
    places.close();
  }
});

test("another device is told of while this one rests, never moves it, and is not asked about where it is the same place", async () => {
  const { places, playback, tell } = open();
  tell({ device: "me", chapter: 2, sentence: "2-5", word: 0 });
  await settle();
  assert.equal(places.elsewhere.value, null);
  tell({ device: "other", chapter: 2, sentence: "2-5", word: 0 });
  await settle();
  assert.equal(places.elsewhere.value.title, "The 2.");
  assert.equal(places.elsewhere.value.text, "Sentence 5.");
  assert.deepEqual(playback.went, []);
  tell({ device: "other", chapter: 1, sentence: "1-0", word: 0 });
  await settle();
  assert.equal(places.elsewhere.value, null);
  playback.state.value = "playing";
  tell({ device: "other", chapter: 2, sentence: "2-5", word: 0 });
  await settle();
  assert.equal(places.elsewhere.value, null);
});

test("going there is a jump; staying is told as such", async () => {
  const { places, playback, posted, answer } = open("playing");
  answer({ applied: false, unapplied: "elsewhere", device: "other", chapter: 2, sentence: "2-5", word: 3 });
  await settle();
  await places.goThere();
  assert.deepEqual(playback.went, [[{ chapter: 2, sentence: "2-5", word: 3 }, undefined]]);
  assert.equal(places.elsewhere.value, null);
  answer({ applied: false, unapplied: "elsewhere", device: "other", chapter: 2, sentence: "2-5", word: 3 });
  await settle();
  await places.stay();
  assert.equal(posted.at(-1).reason, "stay");
  assert.equal(places.elsewhere.value, null);
  answer({ applied: false, unapplied: "stale", device: "other", chapter: 2, sentence: "2-5", word: 3 });
  await settle();
  assert.equal(places.elsewhere.value, null);
});

test("the beginning of a text is cut between words", () => {
  assert.equal(opening("Short."), "Short.");
  assert.equal(opening("One two three four five six.", 14), "One two …");
  assert.ok(opening("x".repeat(200), 40).length <= 40);
  assert.equal(quoted("So it was."), "“So it was.”");
  assert.equal(quoted("“So it was,” she said."), "“So it was,” she said.");
  assert.equal(quoted("And so it was.”"), "And so it was.”"); // begun in the sentence before
});
