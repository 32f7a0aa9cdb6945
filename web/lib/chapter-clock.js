/** Time within a chapter, with an estimate for what is not rendered yet. Pure. */

import { RATE_HZ, isRendered, lastAtOrBelow, lengthOf } from "./cue-index.js";

/** @typedef {import("./types.js").ChapterIndex} ChapterIndex */

/** Kokoro reads about 15 characters a second; used until the chapter itself shows better. */
const SAMPLES_PER_CHARACTER = RATE_HZ / 15;

export class ChapterClock {
  /** @type {number[]} start of each sentence, in samples */
  #starts = [];
  /** Length of the chapter in samples. */
  total_samples = 0;

  /** @param {ChapterIndex} index */
  constructor(index) {
    const rendered = index.sentences.filter(isRendered);
    const characters = rendered.reduce((sum, entry) => sum + entry.text.length, 0);
    const samples = rendered.reduce((sum, entry) => sum + lengthOf(entry), 0);
    const pace = characters > 200 ? samples / characters : SAMPLES_PER_CHARACTER;
    for (const entry of index.sentences) {
      this.#starts.push(this.total_samples);
      if (entry.failed) continue;
      this.total_samples += isRendered(entry) ? lengthOf(entry) : Math.round(entry.text.length * pace);
    }
  }

  /**
   * Start of sentence number `at`, in samples from the chapter's start.
   * @param {number} at
   */
  startOf(at) {
    return this.#starts[at] ?? this.total_samples;
  }

  /**
   * Sentence at a time of the chapter, and how far into it.
   * @param {number} samples  clamped into the chapter
   * @returns {{at: number, offset_samples: number}}
   */
  find(samples) {
    const inside = Math.min(Math.max(samples, 0), Math.max(this.total_samples - 1, 0));
    const at = Math.max(lastAtOrBelow(this.#starts, inside, (start) => start), 0);
    return { at, offset_samples: inside - this.startOf(at) };
  }
}
