/** Moving about: by seconds, sentences and chapters, and the chapter's own clock. */

import { ChapterClock } from "./chapter-clock.js";
import { RATE_HZ } from "./cue-index.js";
import { neighbour, stepSentence } from "./plan.js";

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
    await (beyond ? this.chapterStep(1) : this.seek(to_s));
  }

  /** @param {number} seconds  from the chapter's start; clamped into it */
  async seek(seconds) {
    const [index, clock] = [this.#playback.index, this.clock];
    if (!index?.sentences.length || !clock) return;
    const { at, offset_samples } = clock.find(Math.round(seconds * RATE_HZ));
    await this.#playback.goTo({ chapter: index.chapter, sentence: index.sentences[at].id, offset_samples });
  }

  /** @param {1|-1} step */
  async sentenceStep(step) {
    const [cue, index] = [this.#playback.cue.value, this.#playback.index];
    if (!cue || !index) return;
    const at = stepSentence(index, cue.at, step);
    if (at !== null) await this.#playback.goTo({ chapter: cue.chapter, sentence: index.sentences[at].id });
    else await this.chapterStep(step, step < 0);
  }

  /**
   * @param {1|-1} step
   * @param {boolean} [last]  land on the chapter's last sentence
   */
  async chapterStep(step, last = false) {
    const cue = this.#playback.cue.value;
    const chapter = cue && neighbour(this.#chapters.list, cue.chapter, step);
    if (chapter) await this.goToChapter(chapter, last);
  }

  /** @param {number} chapter @param {boolean} [last] */
  async goToChapter(chapter, last = false) {
    const entry = (await this.#chapters.load(chapter)).sentences.at(last ? -1 : 0);
    if (entry) await this.#playback.goTo({ chapter, sentence: entry.id });
  }
}
