/** Moving about: by seconds, sentences and chapters, and the chapter's own clock. */

import { ChapterClock } from "./chapter-clock.js";
import { RATE_HZ } from "./cue-index.js";
import { neighbour, stepSentence } from "./plan.js";

/** @typedef {import("./playback.js").Why} Why */

const RESTART_S = 4; // further into a chapter, "back" means its beginning

export class Travel {
  #playback;
  #chapters;
  /** @type {WeakMap<object, ChapterClock>} one for each edition of an index */
  #clocks = new WeakMap();

  /**
   * @param {import("./playback.js").Playback} playback
   * @param {import("./chapters.js").Chapters} chapters
   */
  constructor(playback, chapters) {
    this.#playback = playback;
    this.#chapters = chapters;
  }

  /** Clock of the chapter that is being read. */
  get clock() {
    const index = this.#playback.index;
    if (!index) return undefined;
    const known = this.#clocks.get(index) ?? new ChapterClock(index);
    this.#clocks.set(index, known);
    return known;
  }

  /** Seconds from the chapter's start to what is heard now. */
  get chapter_s() {
    const cue = this.#playback.cue.value;
    return cue && this.clock ? this.clock.startOf(cue.at) / RATE_HZ + this.#playback.inside_s : 0;
  }

  /** Length of the chapter in seconds; partly an estimate until it is rendered. */
  get total_s() {
    return (this.clock?.total_samples ?? 0) / RATE_HZ;
  }

  /** @param {number} seconds  of listening, backwards when negative */
  async skip(seconds) {
    const cue = this.#playback.cue.value;
    if (!cue || !this.clock) return;
    const to_s = this.chapter_s + seconds;
    const beyond = to_s >= this.total_s && neighbour(this.#chapters.list, cue.chapter) !== null;
    await (beyond ? this.chapterStep(1, false, "skip") : this.seek(to_s, "skip"));
  }

  /** @param {number} seconds  from the chapter's start; clamped into it @param {Why} [why] */
  async seek(seconds, why) {
    const [index, clock] = [this.#playback.index, this.clock];
    if (!index?.sentences.length || !clock) return;
    const { at, offset_samples } = clock.find(Math.round(seconds * RATE_HZ));
    await this.#playback.goTo({ chapter: index.chapter, sentence: index.sentences[at].id, offset_samples }, why);
  }

  /** @param {1|-1} step */
  async sentenceStep(step) {
    const [cue, index] = [this.#playback.cue.value, this.#playback.index];
    if (!cue || !index) return;
    const at = stepSentence(index, cue.at, step);
    if (at !== null) await this.#playback.goTo({ chapter: cue.chapter, sentence: index.sentences[at].id }, "skip");
    else await this.chapterStep(step, step < 0, "skip");
  }

  /**
   * @param {1|-1} step
   * @param {boolean} [last]  land on the chapter's last sentence
   * @param {Why} [why]
   */
  async chapterStep(step, last = false, why = "jump") {
    const cue = this.#playback.cue.value;
    const chapter = cue && neighbour(this.#chapters.list, cue.chapter, step);
    if (chapter) await this.goToChapter(chapter, last, why);
  }

  /** To the chapter's beginning; from there, to that of the chapter before. */
  async chapterBack() {
    const cue = this.#playback.cue.value;
    if (!cue) return;
    if (this.chapter_s > RESTART_S || neighbour(this.#chapters.list, cue.chapter, -1) === null) await this.goToChapter(cue.chapter);
    else await this.chapterStep(-1);
  }

  /** @param {number} chapter @param {boolean} [last] @param {Why} [why] */
  async goToChapter(chapter, last = false, why = "jump") {
    const entry = (await this.#chapters.load(chapter)).sentences.at(last ? -1 : 0);
    if (entry) await this.#playback.goTo({ chapter, sentence: entry.id }, why);
  }
}
