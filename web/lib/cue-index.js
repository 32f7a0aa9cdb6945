/**
 * Which sentence and word is heard at a time, and the way back. Pure; samples inside, seconds at the edge.
 *
 * A time line is a row of placed sentences. Each starts where the one before ends, and is as long as its audio and
 * the pause after it (docs/store-format.md), so the row may run on across chapters.
 */

/** @typedef {import("./types.js").SentenceEntry} SentenceEntry */
/**
 * @typedef {object} Placed
 * @property {number} chapter
 * @property {number} at  ordinal of the sentence in its chapter
 * @property {SentenceEntry} entry
 * @property {number} start_samples
 * @property {number} end_samples
 */

export const RATE_HZ = 24_000;

/** A seek lands on a microsecond, not on a sample: one sample of grace finds the word that was asked for. */
const GRACE_SAMPLES = 1;

/**
 * Index of the last item whose `key` is at or below `value`; -1 when there is none. `items` ascend by `key`.
 * @template T
 * @param {readonly T[]} items
 * @param {number} value
 * @param {(item: T) => number} key
 */
export function lastAtOrBelow(items, value, key) {
  let low = 0;
  let high = items.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (key(items[middle]) <= value) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}

/**
 * Whether the sentence can be played.
 * @param {SentenceEntry} entry
 */
export function isRendered(entry) {
  return Boolean(entry.file) && Number(entry.samples) > 0;
}

/**
 * Whether the chapter's files can be joined to one stream; those of another renderer may not be.
 * @param {import("./types.js").ChapterIndex} index
 */
export function isJoinable(index) {
  return Boolean(index.silence) || !index.sentences.some(isRendered);
}

/**
 * Audio and the pause after it, in samples; 0 for a sentence without audio.
 * @param {SentenceEntry} entry
 */
export function lengthOf(entry) {
  return isRendered(entry) ? Number(entry.samples) + Number(entry.gap_after_samples ?? 0) : 0;
}

/**
 * Word that is being said at `samples` into the sentence: it stays lit until the next begins; -1 before the first.
 * @param {SentenceEntry} entry
 * @param {number} samples
 */
export function wordAt(entry, samples) {
  return lastAtOrBelow(entry.words ?? [], samples, (word) => word.start);
}

export class CueIndex {
  /** @type {Placed[]} */
  #placed = [];
  #start_samples;

  /** @param {number} [start_samples]  of the first sentence, where that is not the beginning of the sound */
  constructor(start_samples = 0) {
    this.#start_samples = start_samples;
  }

  get placed() {
    return /** @type {readonly Placed[]} */ (this.#placed);
  }

  get end_samples() {
    return this.#placed.at(-1)?.end_samples ?? this.#start_samples;
  }

  /**
   * Put a rendered sentence at the end of the time line.
   * @param {number} chapter
   * @param {number} at
   * @param {SentenceEntry} entry
   * @returns {Placed}
   */
  append(chapter, at, entry) {
    const start_samples = this.end_samples;
    const placed = { chapter, at, entry, start_samples, end_samples: start_samples + lengthOf(entry) };
    this.#placed.push(placed);
    return placed;
  }

  /**
   * What is heard at `seconds`; before the first sentence the first, after the last the last; null while empty.
   * @param {number} seconds
   * @returns {{placed: Placed, word: number}|null}
   */
  at(seconds) {
    const samples = Math.round(seconds * RATE_HZ) + GRACE_SAMPLES;
    const found = lastAtOrBelow(this.#placed, samples, (item) => item.start_samples);
    const placed = this.#placed[Math.max(found, 0)];
    return placed ? { placed, word: wordAt(placed.entry, samples - placed.start_samples) } : null;
  }

  /**
   * @param {number} chapter
   * @param {string} sentence
   * @returns {Placed|null}
   */
  find(chapter, sentence) {
    return this.#placed.find((item) => item.chapter === chapter && item.entry.id === sentence) ?? null;
  }

  /**
   * Seconds at which `word` of a placed sentence starts; its own start when it has no such word.
   * @param {Placed} placed
   * @param {number} [word]
   * @param {number} [offset_samples]  further into the sentence, instead of a word
   */
  static timeOf(placed, word = 0, offset_samples = 0) {
    // The first word means the sentence from its start: its lead-in belongs to it.
    const inside = word > 0 ? (placed.entry.words?.[word]?.start ?? 0) : offset_samples;
    return (placed.start_samples + inside) / RATE_HZ;
  }
}
