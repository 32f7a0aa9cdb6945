/**
 * Downloaded chapters, which the service worker gives as one file: played as any file is, in every browser, with no
 * script at the end of a chapter. What follows them comes from elsewhere.
 */

import { CueIndex, RATE_HZ, lengthOf } from "./cue-index.js";
import { neighbour } from "./plan.js";

/** @typedef {import("./plan.js").Cursor} Cursor */
/** @typedef {import("./plan.js").Target} Target */
/** @typedef {import("./types.js").ChapterIndex} ChapterIndex */
/**
 * @typedef {object} Run  chapters in a row
 * @property {string} url
 * @property {number[]} chapters
 * @property {number[]} starts_samples  of each of them in the file
 * @property {(chapter: number) => Promise<ChapterIndex|null>} index  of the chapter as it was downloaded
 */

const AHEAD_S = 300; // the time line reaches this far in front of the voice

export class FileSource {
  cues;
  /** Seconds of the file at which the sentence asked for begins. */
  start_s;
  #audio;
  #chapters;
  #run;
  #onStall;
  /** Place in the run of the next chapter of the time line. */
  #at;
  #closed = false;
  #filling = false;

  /**
   * @param {HTMLAudioElement} audio
   * @param {import("./chapters.js").Chapters} chapters
   * @param {Cursor} cursor  in a chapter whose index is loaded, and is that of the run
   * @param {Run} run
   * @param {import("./source-mse.js").OnStall} onStall
   */
  constructor(audio, chapters, cursor, run, onStall) {
    this.#audio = audio;
    this.#chapters = chapters;
    this.#run = run;
    this.#onStall = onStall;
    this.#at = run.chapters.indexOf(cursor.chapter);
    this.cues = new CueIndex(run.starts_samples[this.#at]);
    const index = /** @type {ChapterIndex} */ (chapters.peek(cursor.chapter));
    const before = index.sentences.slice(0, cursor.at).reduce((all, entry) => all + lengthOf(entry), 0);
    this.start_s = (run.starts_samples[this.#at] + before) / RATE_HZ;
    this.#place(index);
    audio.src = run.url;
    this.pump();
  }

  /** Lengthen the time line by the chapter that the voice comes near, and have its text at hand. */
  async pump() {
    if (this.#filling || this.#closed) return;
    this.#filling = true;
    try {
      while (!this.#closed && this.cues.end_samples / RATE_HZ - this.#audio.currentTime < AHEAD_S) {
        const next = this.#run.chapters[this.#at] ?? this.#beyond;
        if (next === null) break;
        if (this.#chapters.peek(next) === undefined) await this.#chapters.load(next);
        if (this.#at >= this.#run.chapters.length) break;
        const index = await this.#run.index(next);
        if (!index) throw new Error("A downloaded chapter is not here any more.");
        if (!this.#closed) this.#place(index);
      }
      if (!this.#closed) this.#onStall(null, null);
    } catch (error) {
      // What is here plays on; whoever hears the end of it is told then.
      if (!this.#closed && this.cues.end_samples / RATE_HZ - this.#audio.currentTime < 1) this.#onStall(null, /** @type {Error} */ (error));
    } finally {
      this.#filling = false;
    }
  }

  /** @param {Target} target @returns {number|null} */
  landing(target) {
    const placed = this.cues.find(target.chapter, target.sentence);
    return placed && CueIndex.timeOf(placed, target.word, target.offset_samples);
  }

  /** What follows the file; null at the book's end. */
  get next() {
    const chapter = this.#beyond;
    return chapter === null ? null : { chapter, at: 0 };
  }

  close() {
    this.#closed = true;
  }

  get #beyond() {
    return neighbour(this.#chapters.list, /** @type {number} */ (this.#run.chapters.at(-1)));
  }

  /** @param {ChapterIndex} index */
  #place(index) {
    index.sentences.forEach((entry, at) => lengthOf(entry) && this.cues.append(index.chapter, at, entry));
    this.#at += 1;
  }
}
