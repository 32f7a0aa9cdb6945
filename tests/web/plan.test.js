import assert from "node:assert/strict";
import { test } from "node:test";
import { CueIndex } from "../../web/lib/cue-index.js";
import * as plan from "../../web/lib/plan.js";

const sentence = (id, state = "ready") => ({
  id, text: id, block: "paragraph", block_index: 0, words: [{ start: 1_000, end: 2_000, char_start: 0, char_end: 1 }, { start: 12_000, end: 13_000, char_start: 0, char_end: 1 }],
  ...(state === "ready" ? { file: "x", samples: 24_000, gap_after_samples: 0 } : {}),
  ...(state === "failed" ? { failed: "it broke the voice" } : {}),
});
const row = (number, sentences, enabled = true) => ({ number, title: "", enabled, rule: null, sentences, rendered: 0, audio_s: 0, complete: false });
const index = (chapter, ...sentences) => ({ chapter, sentences, breaks: [], revision: 1 });
const ROWS = [row(1, 1, false), row(2, 2), row(3, 0), row(4, 2)];

const lookup = (...indexes) => (number) => indexes.find((item) => item.chapter === number);

test("what is rendered is appended", () => {
  const step = plan.nextStep(ROWS, lookup(index(2, sentence("a"), sentence("b"))), { chapter: 2, at: 1 });
  assert.equal(step.kind, "append");
  assert.deepEqual(step.cursor, { chapter: 2, at: 1 });
});

test("what is not rendered is waited for", () => {
  const step = plan.nextStep(ROWS, lookup(index(2, sentence("a"), sentence("b", "text"))), { chapter: 2, at: 1 });
  assert.equal(step.kind, "wait");
  assert.equal(step.entry.id, "b");
});

test("a sentence that was given up is passed over, even at a chapter's end", () => {
  const two = index(2, sentence("a", "failed"), sentence("b", "failed"));
  const step = plan.nextStep(ROWS, lookup(two, index(4, sentence("c"))), { chapter: 2, at: 0 });
  assert.deepEqual(step.cursor, { chapter: 4, at: 0 });
});

test("the stream runs on over chapters that are off or empty, and asks for an index it lacks", () => {
  const two = index(2, sentence("a"));
  assert.deepEqual(plan.nextStep(ROWS, lookup(two), { chapter: 2, at: 1 }), { kind: "load", chapter: 4 });
});

test("after the last chapter comes the end", () => {
  assert.deepEqual(plan.nextStep(ROWS, lookup(index(4, sentence("a"))), { chapter: 4, at: 1 }), { kind: "end" });
});

test("neighbours are chapters that are read", () => {
  assert.equal(plan.neighbour(ROWS, 0), 2);
  assert.equal(plan.neighbour(ROWS, 2), 4);
  assert.equal(plan.neighbour(ROWS, 4), null);
  assert.equal(plan.neighbour(ROWS, 4, -1), 2);
  assert.equal(plan.neighbour(ROWS, 2, -1), null);
});

test("a jump lands in the buffer only where the buffer is", () => {
  const cues = new CueIndex();
  for (const id of ["a", "b", "c"]) cues.append(2, 0, sentence(id));
  const held = [{ start: 0.9, end: 2.4 }];
  assert.equal(plan.landing(cues, held, { chapter: 2, sentence: "b" }), 1);
  assert.equal(plan.landing(cues, held, { chapter: 2, sentence: "b", word: 1 }), 1.5);
  assert.equal(plan.landing(cues, held, { chapter: 2, sentence: "b", offset_samples: 6_000 }), 1.25);
  assert.equal(plan.landing(cues, held, { chapter: 2, sentence: "a" }), null, "evicted");
  assert.equal(plan.landing(cues, held, { chapter: 2, sentence: "c", word: 1 }), null, "not fetched yet");
  assert.equal(plan.landing(cues, held, { chapter: 4, sentence: "b" }), null, "another chapter");
});

test("the buffer is kept a good minute ahead, and dropped in strides behind", () => {
  assert.equal(plan.isHungry(80, 10), true);
  assert.equal(plan.isHungry(86, 10), false);
  assert.equal(plan.evictBefore(0, 60), null);
  assert.equal(plan.evictBefore(0, 100), 100 - plan.BEHIND_S);
  assert.equal(plan.evictBefore(50, 100), null);
});

test("steps by sentence pass over what was given up and stop at the chapter's ends", () => {
  const two = index(2, sentence("a"), sentence("b", "failed"), sentence("c"));
  assert.equal(plan.stepSentence(two, 0, 1), 2);
  assert.equal(plan.stepSentence(two, 2, -1), 0);
  assert.equal(plan.stepSentence(two, 2, 1), null);
  assert.equal(plan.stepSentence(two, 0, -1), null);
});

test("only WebKit that needs it is given HLS", () => {
  const is = (vendor, hls, managed, mediaSource) => plan.prefersHls({ vendor, hls, managed, mediaSource });
  assert.equal(is("Apple Computer, Inc.", true, true, false), true, "iPhone");
  assert.equal(is("Apple Computer, Inc.", true, false, false), true, "iPhone before 17.1");
  assert.equal(is("Apple Computer, Inc.", true, true, true), true, "Safari on a Mac");
  assert.equal(is("Apple Computer, Inc.", false, false, true), false, "WebKitGTK");
  assert.equal(is("Google Inc.", true, false, true), false, "Chromium says maybe");
  assert.equal(is("", false, false, true), false, "Firefox");
});
