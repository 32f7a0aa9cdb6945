/** Decisions of playback, as pure functions: what to append next, what to drop, where a jump lands. */

import { CueIndex, isRendered } from "./cue-index.js";

/** @typedef {import("./types.js").ChapterIndex} ChapterIndex */
/** @typedef {import("./types.js").ChapterRow} ChapterRow */
/** @typedef {import("./types.js").SentenceEntry} SentenceEntry */
/** @typedef {{chapter: number, at: number}} Cursor  chapter number, ordinal of the sentence in it */
/** @typedef {{chapter: number, sentence: string, word?: number, offset_samples?: number}} Target */
/**
 * @typedef {{kind: "append", cursor: Cursor, entry: SentenceEntry} | {kind: "load", chapter: number}
 *   | {kind: "wait", cursor: Cursor, entry: SentenceEntry} | {kind: "end"}} Step
 */

export const AHEAD_S = 75; // kept in the buffer in front of the voice
export const BEHIND_S = 45; // kept behind it, for short jumps back
const EVICT_STEP_S = 30; // evict in strides, not at every sentence

/**
 * Next chapter that is read aloud after `number` (before it for `step` -1), or null.
 * @param {readonly ChapterRow[]} chapters
 * @param {number} number
 * @param {1|-1} [step]
 */
export function neighbour(chapters, number, step = 1) {
  const inOrder = step > 0 ? chapters : [...chapters].reverse();
  const found = inOrder.find((row) => (row.number - number) * step > 0 && row.enabled && row.sentences > 0);
  return found?.number ?? null;
}

/**
 * What the stream needs at `cursor`. Sentences that were given up are passed over; what is not rendered is waited for.
 * @param {readonly ChapterRow[]} chapters
 * @param {(number: number) => ChapterIndex|undefined} indexOf  undefined while a chapter's index is not loaded
 * @param {Cursor} cursor
 * @returns {Step}
 */
export function nextStep(chapters, indexOf, cursor) {
  /** @type {number|null} */
  let chapter = cursor.chapter;
  for (let at = cursor.at; chapter !== null; chapter = neighbour(chapters, chapter), at = 0) {
    const index = indexOf(chapter);
    if (!index) return { kind: "load", chapter };
    for (; at < index.sentences.length; at += 1) {
      const entry = index.sentences[at];
      if (isRendered(entry)) return { kind: "append", cursor: { chapter, at }, entry };
      if (!entry.failed) return { kind: "wait", cursor: { chapter, at }, entry };
    }
  }
  return { kind: "end" };
}

/**
 * Whether more should be fetched.
 * @param {number} end_s  end of what the stream has been given
 * @param {number} now_s
 */
export function isHungry(end_s, now_s) {
  return end_s - now_s < AHEAD_S;
}

/**
 * Time before which the buffer may be dropped, or null while that is not worth it.
 * @param {number} start_s  start of the buffer
 * @param {number} now_s
 */
export function evictBefore(start_s, now_s) {
  const limit = now_s - BEHIND_S;
  return limit - start_s > EVICT_STEP_S ? limit : null;
}

/**
 * Time to seek to when the buffer already holds `target`, else null: the stream must start again there.
 * @param {CueIndex} cues
 * @param {readonly {start: number, end: number}[]} buffered  seconds
 * @param {Target} target
 */
export function landing(cues, buffered, target) {
  const placed = cues.find(target.chapter, target.sentence);
  if (!placed) return null;
  const time = CueIndex.timeOf(placed, target.word, target.offset_samples);
  const held = buffered.some(({ start, end }) => time >= start - 0.001 && time < end - 0.05);
  return held ? time : null;
}

/**
 * `step` sentences on from `cursor` within the loaded chapter, passing over those that were given up;
 * null past either end.
 * @param {ChapterIndex} index
 * @param {number} at
 * @param {1|-1} step
 */
export function stepSentence(index, at, step) {
  for (let next = at + step; next >= 0 && next < index.sentences.length; next += step) {
    if (!index.sentences[next].failed) return next;
  }
  return null;
}

/**
 * Whether this browser should be given HLS. iPhones have no MediaSource, and keep HLS alive under lock; Chromium
 * says "maybe" to HLS and then mishandles a growing playlist, so only WebKit is believed.
 * @param {{vendor: string, hls: boolean, managed: boolean, mediaSource: boolean}} browser
 */
export function prefersHls({ vendor, hls, managed, mediaSource }) {
  return vendor.startsWith("Apple") && hls && (managed || !mediaSource);
}
