/** The takes of a passage: rendered sentences of a book where a rendition has them all, else said now. Each made once. */

import { auditionApi } from "./audition-api.js";
import { strung } from "./audition-text.js";

/** @typedef {import("./audition-stage.js").Loaded} Loaded */
/** @typedef {import("./audition-stage.js").Stage} Stage */
/** @typedef {{voice: string, speed: number}} Contestant */
/**
 * @typedef {object} Passage
 * @property {string} id
 * @property {string} title
 * @property {string} listen_for
 * @property {string} text
 * @property {string} language
 * @property {{id: string, chapter: number, sentences: string[], starts: number[]}|null} book  where it is one's own
 */

export const MOST_KEPT = 60; // takes in memory: a megabyte or two each

/** @param {Contestant} one */
export const nameOf = ({ voice, speed }) => (speed === 1 ? voice : `${voice} ${speed}`);

export class Takes {
  #stage;
  #api;
  /** @type {Map<string, Promise<Loaded>>} */
  #made = new Map();
  /** One is said after the other: the voice is one. @type {Promise<unknown>} */
  #queue = Promise.resolve();

  /** @param {Stage} stage @param {typeof import("./api.js").api} api */
  constructor(stage, api) {
    this.#stage = stage;
    this.#api = api;
  }

  /** @param {Passage} passage @param {Contestant} one @returns {Promise<Loaded>} */
  get(passage, one) {
    const key = JSON.stringify([passage.book?.id, passage.text, nameOf(one)]);
    const there = this.#made.get(key);
    if (there) return there;
    const made = this.#queue.then(() => this.#make(passage, one));
    this.#queue = made.catch(() => {});
    this.#made.set(key, made);
    made.catch(() => this.#made.delete(key)); // the next try asks again
    for (const old of [...this.#made.keys()].slice(0, -MOST_KEPT)) this.#made.delete(old);
    return made;
  }

  /** @param {Passage} passage @param {Contestant} one @returns {Promise<Loaded>} */
  async #make(passage, one) {
    const rendered = await this.#rendered(passage, one);
    if (rendered) return rendered;
    const take = await auditionApi.take({ text: passage.text, voice: one.voice, speed: one.speed, book: passage.book?.id });
    return { ...take, buffer: await this.#stage.decode(take.audio, take.audio_s) };
  }

  /** Null where no rendition has all of it. @param {Passage} passage @param {Contestant} one @returns {Promise<Loaded|null>} */
  async #rendered({ book }, one) {
    if (!book || one.voice.includes(":")) return null;
    const { renditions } = await this.#api.renditions(book.id);
    const kept = renditions.find((rendition) => rendition.current && rendition.voice === one.voice && rendition.speed === one.speed);
    if (!kept) return null;
    const { sentences } = await auditionApi.pieces(book.id, kept.id, book.chapter);
    const pieces = book.sentences.flatMap((id) => sentences.find(({ sentence }) => sentence === id) ?? []);
    if (pieces.length < book.sentences.length || pieces.some(({ audio }) => audio === null)) return null;
    const parts = await Promise.all(pieces.map(async ({ audio, audio_s, gap_s }) => ({ buffer: await this.#stage.decode(/** @type {string} */ (audio), audio_s), gap_s })));
    const { audio_s, words } = strung(pieces, book.starts);
    return { audio_s, words, timed: words.length > 0, buffer: this.#stage.string(parts) };
  }
}
