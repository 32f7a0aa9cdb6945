/**
 * Books that are kept in this browser, in its Cache storage, one cache a book: what the server says of the book and its
 * chapters, covers, and the chapters' sound in pieces. The service worker (sw.js) plays it from there.
 *
 *     /kept/BOOK.json                    in the cache of all books: Record
 *     /kept/BOOK/chapter-N.json          the chapter's index; beside-N.json what stands beside it; bookmarks.json
 *     /api/v1/books/BOOK/…               covers and pictures, by the addresses that pages show them from
 *     /kept/BOOK/N-TAG/K                 piece K of its file, which the tag names
 *     /kept/BOOK/N-TAG/index.json        what it says, where another has taken its place: it may be playing
 *     /kept/BOOK/RUN.json, RUN.head/K    chapters in a row as one file: see sw.js; asked for as RUN.m4a
 */

import { isRendered, lengthOf } from "./cue-index.js";
import { joinHeads, readHead } from "./offline-mp4.js";

/** @typedef {import("./types.js").BookDetail} BookDetail */
/** @typedef {import("./types.js").ChapterIndex} ChapterIndex */
/** @typedef {import("./offline-mp4.js").Head} Head */
/** @typedef {{tag: string, bytes: number, samples: number, print: string, audio_s: number}} KeptChapter
 *   `print`: of which sounds it consists; `audio_s`: as the book's list of chapters has it */
/** @typedef {{whole: boolean, hours: number, chapters: number[]}} Wish  what the listener wants to have here of a book */
/** @typedef {import("./source-file.js").Run} KeptRun */
/**
 * @typedef {object} Record  of a book
 * @property {BookDetail} book  as the server told it last
 * @property {Wish} wish
 * @property {{[number: number]: KeptChapter}} chapters
 */

export const PIECE_BYTES = 512 * 1024; // what is lost when a download breaks off, and what a player reads at a time
const RUN_SAMPLES = 10 * 3600 * 24_000; // a longer row is played in several files
const RECORDS = "lectern-kept";

/** @param {string} book */
const cacheOf = (book) => caches.open(`lectern-book-${book}`);

/** What names the sounds of a chapter: as long as it is the same, so is its file. @param {ChapterIndex} index */
export const printOf = (index) => {
  const made = index.sentences.filter(isRendered).map((entry) => `${entry.sha256} ${entry.gap_after_samples};`);
  return `${made.length}.${samplesOf(index)}.${hashed(made.join(""))}`;
};

/** Length of a chapter's sound. @param {ChapterIndex} index */
export const samplesOf = (index) => index.sentences.reduce((all, entry) => all + lengthOf(entry), 0);

/** @returns {Promise<Record[]>} */
export async function records() {
  const cache = await caches.open(RECORDS);
  return Promise.all((await cache.keys()).map(async (key) => (await cache.match(key))?.json()));
}

/** @param {string} book @returns {Promise<Record|null>} */
export async function recordOf(book) {
  const found = await (await caches.open(RECORDS)).match(`/kept/${book}.json`);
  return found ? found.json() : null;
}

/** @param {Record} record */
export async function keepRecord(record) {
  await (await caches.open(RECORDS)).put(`/kept/${record.book.id}.json`, asJson(record));
}

/** All of a book. @param {string} book */
export async function forget(book) {
  await (await caches.open(RECORDS)).delete(`/kept/${book}.json`);
  await caches.delete(`lectern-book-${book}`);
}

/** Throw away what no book here owns: a page may have been closed while it was taking one away. @param {string[]} books */
export async function tidy(books) {
  for (const name of await caches.keys()) if (name.startsWith("lectern-book-") && !books.includes(name.slice(13))) await caches.delete(name);
}

/** What the server said of a book, by a name of ours; null where it is not here. @param {string} book @param {string} name @returns {Promise<any>} */
export async function keptJson(book, name) {
  if (!(await caches.has(`lectern-book-${book}`))) return null;
  const found = await (await cacheOf(book)).match(`/kept/${book}/${name}.json`);
  return found ? found.json() : null;
}

/** @param {string} book @param {string} name @param {unknown} value */
export async function keepJson(book, name, value) {
  await (await cacheOf(book)).put(`/kept/${book}/${name}.json`, asJson(value));
}

/** @param {string} book @param {number} chapter @returns {Promise<ChapterIndex|null>} */
export const keptIndex = (book, chapter) => keptJson(book, `chapter-${chapter}`);

/** A picture that the page asks for by its own address. @param {string} book @param {string} url @param {boolean} [anew]  it may be another one by now */
export async function keepAddress(book, url, anew = false) {
  const cache = await cacheOf(book);
  if (anew) await cache.delete(url);
  if (await cache.match(url)) return;
  const response = await fetch(url);
  const isPicture = (response.headers.get("content-type") ?? "").startsWith("image/"); // a page to log in is none
  if (response.ok && isPicture) await cache.put(url, response);
}

/** Numbers of the pieces of a file that are here. @param {string} book @param {number} chapter @param {string} tag @returns {Promise<Set<number>>} */
export async function piecesOf(book, chapter, tag) {
  const start = `/kept/${book}/${chapter}-${tag}/`;
  const paths = (await (await cacheOf(book)).keys()).map((key) => new URL(key.url).pathname);
  return new Set(paths.filter((path) => path.startsWith(start)).map((path) => Number(path.slice(start.length))));
}

/** @param {string} book @param {number} chapter @param {string} tag @param {number} number @param {ArrayBuffer} bytes */
export async function keepPiece(book, chapter, tag, number, bytes) {
  await (await cacheOf(book)).put(`/kept/${book}/${chapter}-${tag}/${number}`, new Response(bytes));
}

/** All of a chapter; with `tags`, only its sound, but for those files and what was set aside. @param {string} book @param {number} chapter @param {string[]} tags */
export async function forgetChapter(book, chapter, ...tags) {
  const cache = await cacheOf(book);
  const paths = (await cache.keys()).map((key) => new URL(key.url).pathname);
  const stay = tags.length ? [...tags.map((tag) => `/kept/${book}/${chapter}-${tag}/`), ...asideIn(paths)] : [];
  for (const path of paths) if (path.startsWith(`/kept/${book}/${chapter}-`) && !stay.some((start) => path.startsWith(start))) await cache.delete(path);
  if (!tags.length) await forgetText(book, chapter);
}

/** What is read of a chapter, and its pictures. @param {string} book @param {number} chapter */
export async function forgetText(book, chapter) {
  const cache = await cacheOf(book);
  for (const key of await cache.keys()) {
    const path = new URL(key.url).pathname;
    if ([`/kept/${book}/chapter-${chapter}.json`, `/kept/${book}/beside-${chapter}.json`].includes(path) || path.includes(`/chapters/${chapter}/pictures/`)) await cache.delete(key);
  }
}

/** Leave the sound of a chapter here, though another takes its place: it may be playing. @param {string} book @param {number} chapter @param {string} tag */
export async function setAside(book, chapter, tag) {
  const index = await keptIndex(book, chapter);
  if (index) await keepJson(book, `${chapter}-${tag}/index`, index);
}

/** Chapters of a record whose pieces are all here: a browser short of space may have thrown some away. @param {Record} record @returns {Promise<Set<number>>} */
export async function soundOf(record) {
  const { id } = record.book;
  if (!(await caches.has(`lectern-book-${id}`))) return new Set();
  const paths = new Set((await (await cacheOf(id)).keys()).map((key) => new URL(key.url).pathname));
  const whole = (/** @type {[string, KeptChapter]} */ [number, { tag, bytes }]) =>
    paths.has(`/kept/${id}/chapter-${number}.json`) &&
    Array.from({ length: Math.ceil(bytes / PIECE_BYTES) }, (_, k) => paths.has(`/kept/${id}/${number}-${tag}/${k}`)).every(Boolean);
  return new Set(Object.entries(record.chapters).filter(whole).map(([number]) => Number(number)));
}

/**
 * Chapters that follow one another, each row of them to be played as one file. Pure.
 * @param {Record} record
 */
export function rows(record) {
  /** @type {number[][]} */
  const found = [];
  let open = false;
  let samples = 0;
  for (const { number } of record.book.chapters_list.filter((row) => row.enabled && row.sentences > 0)) {
    const kept = record.chapters[number];
    if (kept && open && samples + kept.samples <= RUN_SAMPLES) found[found.length - 1].push(number);
    else if (kept) found.push([number]), (samples = 0);
    open = Boolean(kept);
    samples += kept?.samples ?? 0;
  }
  return found;
}

/** Lay out what can be played of a book. Files that are not of it any more go only `tidy`: one may be playing. @param {Record} record @param {boolean} tidy @returns {Promise<KeptRun[]>} */
export async function layRuns(record, tidy) {
  const { id } = record.book;
  const cache = await cacheOf(id);
  const runs = [];
  for (const chapters of rows(record)) {
    const name = `run-${chapters.map((number) => `${number}.${record.chapters[number].tag.slice(0, 8)}`).join("-")}`;
    const short = `run-${chapters[0]}-${hashed(name)}`;
    if (!(await cache.match(`/kept/${id}/${short}.json`))) await layRun(cache, record, chapters, short);
    let at = 0;
    const index = async (/** @type {number} */ number, tag = record.chapters[number].tag) => (await keptJson(id, `${number}-${tag}/index`)) ?? keptIndex(id, number);
    const starts_samples = chapters.map((number) => (at += record.chapters[number].samples) - record.chapters[number].samples);
    runs.push({ url: `/kept/${id}/${short}.m4a`, chapters, starts_samples, index: (/** @type {number} */ number) => index(number) });
  }
  if (tidy) await forgetRuns(cache, id, runs);
  return runs;
}

/** @param {Cache} cache @param {Record} record @param {number[]} chapters @param {string} name */
async function layRun(cache, record, chapters, name) {
  const { id } = record.book;
  const keys = chapters.map((number) => `/kept/${id}/${number}-${record.chapters[number].tag}/`);
  const { header, parts, size } = joinHeads(await Promise.all(keys.map((key) => headOf(cache, key))));
  for (let at = 0, number = 0; at < header.length; at += PIECE_BYTES, number += 1) {
    await cache.put(`/kept/${id}/${name}.head/${number}`, new Response(/** @type {any} */ (header.subarray(at, at + PIECE_BYTES))));
  }
  const all = [{ key: `/kept/${id}/${name}.head/`, from: 0, to: header.length }, ...parts.map((part, i) => ({ key: keys[i], ...part }))];
  await cache.put(`/kept/${id}/${name}.json`, asJson({ piece_bytes: PIECE_BYTES, size, parts: all }));
}

/** @param {Cache} cache @param {string} key @returns {Promise<Head>} */
async function headOf(cache, key) {
  let bytes = new Uint8Array(0);
  for (let number = 0; ; number += 1) {
    const piece = await cache.match(key + number);
    if (!piece) throw new RangeError("The audio that was kept here is not whole.");
    const more = new Uint8Array(await piece.arrayBuffer());
    const longer = new Uint8Array(bytes.length + more.length);
    longer.set(bytes), longer.set(more, bytes.length);
    bytes = longer;
    const head = readHead(bytes);
    if (head) return head;
  }
}

/** @param {Cache} cache @param {string} book @param {KeptRun[]} runs */
async function forgetRuns(cache, book, runs) {
  const names = runs.map((run) => run.url.replace(/\.m4a$/, "."));
  for (const key of await cache.keys()) {
    const path = new URL(key.url).pathname;
    if (path.startsWith(`/kept/${book}/run-`) && !names.some((name) => path.startsWith(name))) await cache.delete(key);
  }
}

/** Throw away the sound that was set aside. @param {Record} record */
export async function forgetAside(record) {
  const cache = await cacheOf(record.book.id);
  const paths = (await cache.keys()).map((key) => new URL(key.url).pathname);
  for (const start of asideIn(paths)) {
    const [, number, tag] = /\/(\d+)-([^/]+)\/$/.exec(start) ?? [];
    const back = record.chapters[Number(number)]?.tag === tag; // it has come back
    for (const path of paths) if (back ? path === `${start}index.json` : path.startsWith(start)) await cache.delete(path);
  }
}

/** How the addresses begin of sound that was set aside. @param {string[]} paths */
const asideIn = (paths) => paths.filter((path) => /\/\d+-[^/]+\/index\.json$/.test(path)).map((path) => path.slice(0, -"index.json".length));

/** @param {string} text */
function hashed(text) {
  let hash = 0x811c9dc5;
  for (let i = 0; i < text.length; i += 1) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193);
  return (hash >>> 0).toString(16);
}

/** @param {unknown} value */
const asJson = (value) => new Response(JSON.stringify(value), { headers: { "content-type": "application/json" } });
