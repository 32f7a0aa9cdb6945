/** Plays the sentences of a chapter one after the other from their files, and tells which word is being said. */

import { BASE } from "./api.js";
import { RATE_HZ, isRendered, wordAt } from "./cue-index.js";

/** @typedef {import("./types.js").ChapterIndex} ChapterIndex */
/** @typedef {import("./types.js").SentenceEntry} SentenceEntry */

/** @param {ChapterIndex} index @param {SentenceEntry} entry */
export const soundOf = ({ book, chapter }, { id, sha256 }) => `${BASE}/books/${book}/chapters/${chapter}/sentences/${id}.m4a?v=${(sha256 ?? "").slice(0, 16)}`;

export class LinePlayer {
  #audio = new Audio();
  /** @type {ChapterIndex|null} */
  #index = null;
  #at = -1;
  #word = -1;
  #frame = 0;
  #gap = 0;
  #tell;

  /** @param {(cue: {sentence: string, word: number}|null, playing: boolean) => void} tell  null when it is over */
  constructor(tell) {
    this.#tell = tell;
    this.#audio.addEventListener("ended", () => this.#next());
    this.#audio.addEventListener("error", () => this.#audio.src && this.#next());
  }

  get playing() {
    return this.#frame !== 0;
  }

  /** Play from a sentence on, or from a word of it. @param {ChapterIndex} index @param {number} at @param {number} [word] */
  play(index, at, word = 0) {
    this.stop();
    this.#index = index;
    this.#start(at, word);
  }

  stop() {
    cancelAnimationFrame(this.#frame);
    clearTimeout(this.#gap);
    this.#frame = 0;
    this.#audio.pause();
    if (this.#index && this.#at >= 0) this.#tell({ sentence: this.#index.sentences[this.#at].id, word: -1 }, false);
  }

  /** A newer index of the same chapter. @param {ChapterIndex} index */
  renew(index) {
    if (this.#index?.chapter === index.chapter && this.#index.sentences.length === index.sentences.length) this.#index = index;
  }

  /** @param {number} at @param {number} [word] */
  #start(at, word = 0) {
    const index = /** @type {ChapterIndex} */ (this.#index);
    const entry = index.sentences[at];
    cancelAnimationFrame(this.#frame); // that of the sentence before, which went on through the pause
    this.#at = at;
    this.#word = -1;
    this.#audio.src = soundOf(index, entry);
    const start_samples = word > 0 ? entry.words?.[word]?.start : 0;
    if (start_samples) this.#audio.currentTime = start_samples / RATE_HZ;
    this.#audio.play().catch((error) => error.name !== "AbortError" && this.#over());
    this.#tell({ sentence: entry.id, word: -1 }, true);
    this.#frame = requestAnimationFrame(() => this.#look());
  }

  #look() {
    const index = /** @type {ChapterIndex} */ (this.#index);
    const entry = index.sentences[this.#at];
    const word = wordAt(entry, this.#audio.currentTime * RATE_HZ);
    if (word !== this.#word) this.#tell({ sentence: entry.id, word: (this.#word = word) }, true);
    this.#frame = requestAnimationFrame(() => this.#look());
  }

  /** The pause after a sentence, then the next that has a sound. */
  #next() {
    if (!this.#index) return;
    const { sentences } = this.#index;
    let at = this.#at + 1;
    while (at < sentences.length && !isRendered(sentences[at])) at += 1;
    if (at >= sentences.length) return this.#over();
    this.#gap = window.setTimeout(() => this.#start(at), (1000 * (sentences[this.#at].gap_after_samples ?? 0)) / RATE_HZ);
  }

  #over() {
    this.stop();
    this.#tell(null, false);
  }
}
