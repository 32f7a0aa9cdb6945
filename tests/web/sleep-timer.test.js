import assert from "node:assert/strict";
import { test } from "node:test";
import { Signal } from "../../web/lib/signal.js";
import { FADE_MS, REWIND_S, SleepTimer } from "../../web/lib/sleep-timer.js";

/** A voice at the beginning of chapter 1 of 3, each of four sentences, and a clock that is told. */
function night() {
  const told = { now: 1_000_000, skipped: [], pauses: 0, chapter_s: 0 };
  const audio = Object.assign(new EventTarget(), { volume: 1 });
  const playback = {
    cue: new Signal({ chapter: 1, at: 0, sentence: "a", word: 0 }),
    state: new Signal("paused"),
    speed: 2,
    lastOf: () => 3,
    pause: () => ((told.pauses += 1), (playback.state.value = "paused")),
    play: () => (playback.state.value = "playing"),
    go: (chapter, at) => (playback.cue.value = { chapter, at, sentence: `${chapter}-${at}`, word: 0 }),
  };
  const travel = { total_s: 100, skip: (seconds) => told.skipped.push(seconds), get chapter_s() { return told.chapter_s; } };
  const timer = new SleepTimer(playback, travel, audio, () => told.now);
  /** Let time pass, with an event of the audio every `every` ms. */
  const pass = (ms, every = 250) => {
    for (let gone = 0; gone < ms; gone += every) {
      told.now += every;
      audio.dispatchEvent(new Event("timeupdate"));
    }
  };
  return { told, audio, playback, timer, pass };
}

test("after so many minutes of sound it grows quiet and stops", () => {
  const { told, audio, playback, timer, pass } = night();
  playback.play();
  timer.set({ kind: "minutes", count: 5 });
  pass(5 * 60_000 - FADE_MS);
  assert.equal(audio.volume, 1);
  pass(FADE_MS / 2);
  assert.ok(Math.abs(audio.volume - 0.5) < 0.02);
  assert.equal(told.pauses, 0);
  pass(FADE_MS / 2);
  assert.deepEqual([told.pauses, timer.plan.value, audio.volume], [1, null, 1]);
});

test("a pause does not count, nor an hour in which nothing sounded", () => {
  const { told, playback, timer, pass } = night();
  timer.set({ kind: "minutes", count: 10 });
  playback.play();
  pass(60_000);
  playback.pause();
  told.now += 3_600_000;
  playback.play();
  pass(1000);
  assert.equal(timer.left.value, 10 * 60_000 - 61_000);
  told.now += 3_600_000; // the machine slept: no events, no sound
  pass(1000);
  assert.ok(timer.left.value > 8 * 60_000);
});

test("whoever wakes up hears a little again, once", () => {
  const { told, playback, timer, pass } = night();
  playback.play();
  timer.set({ kind: "minutes", count: 5 });
  pass(5 * 60_000);
  assert.deepEqual(told.skipped, []);
  playback.play();
  assert.deepEqual(told.skipped, [-REWIND_S]);
  playback.pause();
  playback.play();
  assert.deepEqual(told.skipped, [-REWIND_S]);
});

test("at the end of the chapter it stops where the next begins, and goes on there", () => {
  const { told, audio, playback, timer, pass } = night();
  playback.play();
  timer.set({ kind: "chapters", count: 1 });
  playback.go(1, 3);
  told.chapter_s = 90;
  pass(250);
  assert.equal(audio.volume, (10 * 1000) / 2 / FADE_MS);
  assert.equal(told.pauses, 0);
  playback.go(2, 0);
  assert.deepEqual([told.pauses, timer.plan.value, audio.volume], [1, null, 1]);
  playback.play();
  assert.deepEqual(told.skipped, []);
});

test("a jump into another chapter is not its end", () => {
  const { told, playback, timer } = night();
  playback.play();
  timer.set({ kind: "chapters", count: 2 });
  playback.go(2, 0); // from the first sentence
  playback.go(2, 3);
  playback.go(1, 3); // back
  assert.equal(timer.left.value, 2);
  playback.go(2, 0);
  playback.go(2, 3);
  assert.equal(timer.left.value, 1);
  playback.pause();
  playback.go(3, 0); // while it pauses
  assert.equal(told.pauses, 1);
});

test("the end of the book ends it, and turned off it does nothing", () => {
  const { told, playback, timer, pass } = night();
  playback.play();
  timer.set({ kind: "chapters", count: 1 });
  playback.state.value = "ended";
  assert.equal(timer.plan.value, null);
  playback.play();
  timer.set({ kind: "minutes", count: 5 });
  timer.set(null);
  pass(10 * 60_000);
  assert.equal(told.pauses, 0);
  timer.set({ kind: "minutes", count: 5 });
  timer.close();
  pass(10 * 60_000);
  assert.equal(told.pauses, 0);
});
