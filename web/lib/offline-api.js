/**
 * The API, with what is kept on this device for the time when nobody answers: the shelf, an open book, its chapters and
 * the place in it. A server that sleeps is known by its silence only, so whoever has the answer here does not wait long.
 */

import { ApiError, SILENT } from "./api.js";
import { searchHere } from "./offline-search.js";
import * as store from "./offline-store.js";
import { passes } from "./trouble.js";

/** @typedef {typeof import("./api.js").api} Api */
/** @typedef {import("./types.js").Book} Book */
/** @typedef {import("./types.js").Position} Position */
/** @typedef {import("./downloads.js").Downloads} Downloads */

const PATIENCE_MS = 3000;
const MOST_PATIENCE_MS = 30_000;
export const AWAY = "These are the books on this device. The others are shown when Lectern answers.";

/**
 * @param {Api} api
 * @param {Downloads} downloads
 * @param {import("./kept.js").Kept} kept
 * @param {number} [patience_ms]
 * @returns {Api}
 */
export function withKept(api, downloads, kept, patience_ms = PATIENCE_MS) {
  const { away } = downloads;
  /**
   * What the server says; where it is silent, what is here.
   * @template T
   * @param {() => Promise<T>} ask @param {() => Promise<T|null>} find
   * @returns {Promise<T>}
   */
  const first = async (ask, find) => {
    await downloads.ready;
    let over = false;
    const asked = ask().then((answer) => {
      // Late, but there: this server is slow, and no sleeper.
      if (over) patience_ms = Math.min(2 * patience_ms, MOST_PATIENCE_MS);
      away.value = false;
      return answer;
    });
    asked.catch(() => undefined); // it may fail when nobody waits for it any more
    const here = await find();
    if (here === null) return asked;
    const silent = Symbol("silent");
    const patience = new Promise((resolve) => setTimeout(() => resolve(silent), away.value ? 0 : patience_ms));
    try {
      const answer = await Promise.race([asked, patience]);
      if (answer !== silent) return /** @type {T} */ (answer);
    } catch (error) {
      if (!passes(error)) throw error;
    }
    over = !away.value;
    away.value = true;
    return here;
  };
  const places = new Places(kept);
  return {
    ...api,
    status: () => first(api.status, async () => (downloads.records.length ? silentStatus(downloads) : null)),
    page: async (asked) => marked(downloads, await first(() => api.page(asked), async () => shelf(downloads, places, asked))),
    book: (id) => first(() => api.book(id), async () => (isHere(downloads, id) ? (downloads.of(id)?.book ?? null) : null)),
    chapter: (id, number) => first(() => api.chapter(id, number), () => keptChapter(downloads, id, number)),
    beside: (id, number) => first(() => api.beside(id, number), () => keptJson(downloads, id, `beside-${number}`)),
    search: async (asked, signal) => {
      try {
        return await answered(api.search(asked, signal), away.value ? patience_ms : MOST_PATIENCE_MS);
      } catch (error) {
        const found = !signal?.aborted && passes(error) && asked.book ? await keptHits(downloads, asked) : null;
        if (found) return found;
        throw error;
      }
    },
    bookmarks: (id) => first(() => noted(downloads, id, api.bookmarks(id)), () => keptJson(downloads, id, "bookmarks")),
    position: (id, device) =>
      first(
        async () => {
          const before = places.of(id);
          return places.heard(id, await api.position(id, device), before);
        },
        async () => (downloads.of(id) ? (places.of(id) ?? downloads.of(id)?.book.position ?? null) : null),
      ),
    savePosition: async (id, letter, leaving) => {
      if (downloads.of(id)) places.keep(id, letter);
      // Whoever opens a book must not wait for a report that cannot arrive: it is sent when the line is back.
      if (away.value && !leaving) throw new ApiError(SILENT);
      return api.savePosition(id, letter, leaving);
    },
  };
}

/** The last place in each book that this device has told or heard of. */
class Places {
  #kept;

  /** @param {import("./kept.js").Kept} kept */
  constructor(kept) {
    this.#kept = kept;
  }

  /** @param {string} book @returns {Position|null} */
  of(book) {
    try {
      return JSON.parse(this.#kept.get(`place.${book}`) ?? "null");
    } catch {
      return null;
    }
  }

  /** @param {string} book @param {import("./types.js").Place} place */
  keep(book, { chapter, sentence, word }) {
    this.#kept.set(`place.${book}`, JSON.stringify({ chapter, sentence, word }));
  }

  /** An answer may come late: what was told since it was asked for counts. @param {string} book @param {Position|null} position @param {Position|null} before */
  heard(book, position, before) {
    const ours = position?.own ?? position;
    const still = JSON.stringify(this.of(book)) === JSON.stringify(before);
    if (ours && ours.sentence && still) this.keep(book, ours);
    return position;
  }
}

/** The bookmarks of a book that is kept, for later. @param {Downloads} downloads @param {string} id @param {Promise<import("./types.js").Bookmark[]>} asked */
async function noted(downloads, id, asked) {
  const bookmarks = await asked;
  if (isHere(downloads, id)) await store.keepJson(id, "bookmarks", bookmarks).catch(() => undefined); // no room: then not
  return bookmarks;
}

/** A book of which nothing has arrived yet cannot be opened. @param {Downloads} downloads @param {string} id */
const isHere = (downloads, id) => Object.keys(downloads.of(id)?.chapters ?? {}).length > 0;

/** @param {Downloads} downloads @param {string} id @param {string} name */
const keptJson = async (downloads, id, name) => (isHere(downloads, id) ? store.keptJson(id, name) : null);

/** @param {Downloads} downloads @param {string} id @param {number} number */
async function keptChapter(downloads, id, number) {
  return downloads.of(id)?.chapters[number] ? store.keptIndex(id, number) : null;
}

/** Nobody waits longer for an answer than this. @template T @param {Promise<T>} asked @param {number} patience_ms @returns {Promise<T>} */
const answered = (asked, patience_ms) =>
  Promise.race([asked, new Promise((_, reject) => setTimeout(() => reject(new ApiError(SILENT)), patience_ms))]);

/** What is found in the chapters of a book that are here; null where none is. @param {Downloads} downloads @param {{q: string, book?: string, limit: number, offset?: number}} asked */
async function keptHits(downloads, { q, book = "", limit, offset = 0 }) {
  if (!isHere(downloads, book)) return null;
  const rows = downloads.of(book)?.book.chapters_list.filter((row) => downloads.of(book)?.chapters[row.number]) ?? [];
  const texts = await Promise.all(rows.map(async ({ number, title }) => ({ title, index: await store.keptIndex(book, number) })));
  const hits = searchHere(q, /** @type {{title: string, index: import("./types.js").ChapterIndex}[]} */ (texts.filter(({ index }) => index)));
  return { hits: hits.slice(offset, offset + limit).map((hit) => ({ ...hit, book })), total: hits.length, more: false, here: true };
}

/** Those of which something is here are marked. @param {Downloads} downloads @param {{books: Book[], total: number}} page */
const marked = (downloads, page) => ({ ...page, books: page.books.map((book) => (isHere(downloads, book.id) ? { ...book, here: true } : book)) });

/** @param {Downloads} downloads @param {Places} places @param {{sort?: string, q?: string, show?: string, limit: number, offset?: number}} asked */
function shelf(downloads, places, { sort, q = "", show = "all", limit, offset = 0 }) {
  const books = downloads.records.filter((record) => Object.keys(record.chapters).length).map(({ book }) => ({ ...book, position: places.of(book.id) ?? book.position }));
  if (!books.length) return null;
  const words = q.toLowerCase().split(/\s+/).filter(Boolean);
  const is = (/** @type {Book} */ book) => show === "all" || show === "rendered" || show === (book.finished ? "finished" : book.position ? "begun" : "new");
  const found = books.filter((book) => is(book) && words.every((word) => [book.title, ...book.authors, book.series].join(" ").toLowerCase().includes(word)));
  const by = (/** @type {Book} */ book) => (sort === "title" ? book.title_sort : sort === "author" ? (book.author_sort ?? "") : "");
  found.sort((one, other) => by(one).localeCompare(by(other)) || (other.opened ?? "").localeCompare(one.opened ?? ""));
  return { books: found.slice(offset, offset + limit), total: found.length };
}

/** @param {Downloads} downloads @returns {import("./types.js").Status} */
function silentStatus({ records }) {
  return {
    version: "", library: "", url: "", worker: { state: "down", detail: null, speed: null, now: null }, books: records.length,
    rendered_s: 0, importing: [], waiting: 0, notice: AWAY, polled: null, audio_bytes: 0, space: null,
  };
}
