/** Fetches what is wanted: a book after the other, a chapter after the other, a piece after the other. */

import { NOTHING, wanted } from "./downloads-plan.js";
import * as store from "./offline-store.js";

/** @typedef {import("./offline-store.js").Record} Record */
/** @typedef {import("./types.js").ChapterIndex} ChapterIndex */

const SOON_MS = 5000; // while a book is rendered, news come with every sentence
const AGAIN_MS = 30_000;
const NO_ROOM = "There is no room left on this device. Remove a download that you have heard, then it goes on.";

/** The chapter is another one than a moment ago: begin with it again. */
class Changed extends Error {}

export class Fetching {
  #api;
  #downloads;
  #running = false;
  #again = false;
  /** @type {AbortController|null} */
  #abort = null;
  #book = "";
  /** Chapters that cannot be had just now. @type {Set<number>} */
  #passed = new Set();
  /** @type {ReturnType<typeof setTimeout>|undefined} */
  #timer;

  /** @param {typeof import("./api.js").api} api @param {import("./downloads.js").Downloads} downloads */
  constructor(api, downloads) {
    this.#api = api;
    this.#downloads = downloads;
  }

  /** Look again in a while, if nobody has until then. @param {number} [wait_ms] */
  soon(wait_ms = SOON_MS) {
    this.#timer ??= setTimeout(() => ((this.#timer = undefined), this.#downloads.go()), wait_ms);
  }

  /** What is wanted of a book has changed: do not go on with it. @param {string} book */
  stop(book) {
    if (this.#book === book) this.#abort?.abort();
  }

  /** One page of this browser fetches at a time; the others see what it has kept when they open a book. */
  async go() {
    if (this.#running) return void (this.#again = true);
    this.#running = true;
    const work = () => this.#all();
    try {
      await this.#downloads.ready;
      if (navigator.locks) await navigator.locks.request("lectern-downloads", { ifAvailable: true }, (lock) => (lock ? work() : this.soon(AGAIN_MS)));
      else await work();
    } finally {
      this.#running = false;
    }
    if (this.#again) this.#again = false, this.#downloads.go();
  }

  async #all() {
    for (const { book } of this.#downloads.records) {
      try {
        await this.#one(book.id);
      } catch (error) {
        if (this.#abort?.signal.aborted) continue;
        const stop = this.explain(/** @type {Error & {status?: number}} */ (error));
        if (stop) break;
      } finally {
        this.#book = "";
        this.#downloads.progress.value = null;
      }
    }
  }

  /** @param {Error & {status?: number}} error @returns {boolean} whether other books would fare no better */
  explain(error) {
    const full = error.name === "QuotaExceededError";
    this.#downloads.problem.value = full ? NO_ROOM : error.message;
    if (!full) this.soon(AGAIN_MS);
    return full || !error.status;
  }

  /** @param {string} id */
  async #one(id) {
    const known = this.#downloads.of(id);
    if (!known || !wanted(known.book, known.wish, this.#downloads.spot(id)).length) return;
    const { signal } = (this.#abort = new AbortController());
    this.#book = id;
    this.#passed.clear();
    this.#downloads.problem.value = null;
    await this.#renew(id);
    for (;;) {
      const record = this.#downloads.of(id);
      if (signal.aborted || !record) return;
      const rows = wanted(record.book, record.wish, this.#downloads.spot(id)).filter((row) => row.complete && !this.#passed.has(row.number));
      const next = rows.find((row) => record.chapters[row.number]?.audio_s !== row.audio_s); // not here, or as it was once
      if (!next) return;
      await this.#chapter(id, next.number, signal);
    }
  }

  /** Bring up to date what is known of a book. What was kept of another edition, or of another voice, is no use any more. @param {string} id */
  async #renew(id) {
    const book = await this.#api.book(id).catch((error) => this.#gone(id, error));
    const before = this.#downloads.of(id);
    if (!before) return;
    const moved = before.book.edition !== book.edition || before.book.rendition !== book.rendition;
    for (const [number, { tag }] of moved ? Object.entries(before.chapters) : []) {
      await store.setAside(id, Number(number), tag);
      await store.forgetText(id, Number(number));
    }
    const record = this.#downloads.of(id); // somebody may have chosen anew while the pieces went
    if (!record) return;
    await this.#downloads.save({ ...record, book, chapters: moved ? {} : record.chapters });
    for (const url of [book.cover, book.thumbnail]) if (url) await store.keepAddress(id, url, moved).catch(() => undefined);
  }

  /** A book that was deleted on the server: what is here of it stays, more does not come. @param {string} id @param {Error & {status?: number}} error @returns {Promise<never>} */
  async #gone(id, error) {
    const record = this.#downloads.of(id);
    if (error.status === 404 && record) await this.#downloads.save({ ...record, wish: NOTHING });
    throw error;
  }

  /** @param {string} id @param {number} number @param {AbortSignal} signal */
  async #chapter(id, number, signal) {
    try {
      const index = await this.#api.chapter(id, number);
      if (!index.complete) throw new Changed();
      const { tag, bytes } = await this.#api.chapterFile(id, number, signal);
      // As it was once it can be heard until all of the new one is here; what broke off in between goes.
      await store.forgetChapter(id, number, tag, ...this.#tagOf(id, number));
      await this.#pieces(id, number, tag, bytes, signal);
      const { whole, sentences } = await this.#api.changes(index);
      if (whole || sentences.length) throw new Changed();
      signal.throwIfAborted();
      for (const old of this.#tagOf(id, number)) if (old !== tag) await store.setAside(id, number, old);
      await this.#text(id, index);
      const record = this.#downloads.of(id);
      if (!record || signal.aborted) return;
      const row = record.book.chapters_list.find((one) => one.number === number);
      const kept = { tag, bytes, samples: store.samplesOf(index), print: store.printOf(index), audio_s: row?.audio_s ?? 0 };
      await this.#downloads.save({ ...record, chapters: { ...record.chapters, [number]: kept } });
      await this.#downloads.lay(id); // what was here before goes when the book is opened again
    } catch (error) {
      const { status } = /** @type {{status?: number}} */ (error);
      const changed = error instanceof Changed || status === 412;
      if (!changed && status !== 409) throw error;
      this.#passed.add(number);
      if (changed) this.soon();
      else this.#downloads.problem.value = /** @type {Error} */ (error).message; // files that cannot be joined to one
    }
  }

  /** @param {string} id @param {number} number */
  #tagOf(id, number) {
    const kept = this.#downloads.of(id)?.chapters[number];
    return kept ? [kept.tag] : [];
  }

  /** What is read of a chapter, with its pictures. @param {string} id @param {ChapterIndex} index */
  async #text(id, index) {
    const beside = await this.#api.beside(id, index.chapter);
    for (const { url } of beside.pictures) await store.keepAddress(id, url).catch(() => undefined); // one that is broken is no reason to lack the rest
    await store.keepJson(id, `beside-${index.chapter}`, beside);
    await store.keepJson(id, `chapter-${index.chapter}`, index);
  }

  /** @param {string} id @param {number} number @param {string} tag @param {number} bytes @param {AbortSignal} signal */
  async #pieces(id, number, tag, bytes, signal) {
    const here = await store.piecesOf(id, number, tag);
    for (let at = 0, piece = 0; at < bytes; at += store.PIECE_BYTES, piece += 1) {
      this.#downloads.progress.value = { book: id, chapter: number, bytes: at, of: bytes };
      if (here.has(piece)) continue;
      const end = Math.min(at + store.PIECE_BYTES, bytes);
      const got = await this.#api.filePiece(id, number, { start: at, end, tag }, signal);
      if (got.byteLength !== end - at) throw new Changed();
      signal.throwIfAborted();
      await store.keepPiece(id, number, tag, piece, got);
    }
  }
}
