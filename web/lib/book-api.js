/** What only the pages about a single book ask of the server: ledger, guesses, rules of every layer, and readings. */

import { call, json, send } from "./api.js";

/** @typedef {{word: string, count: number, phonemes?: string, places: {chapter: number, sentence: string, text: string, audio: string}[]}} Guess  `audio` is empty where nothing is rendered */
/** @typedef {{state: "none"|"reading"|"there"|"old"|"failed", trouble: string|null, total: number,
 *   words: {word: string, phonemes: string, count: number, chapter: number, sentence: string, text: string}[]}} WordList */
/** @typedef {{line: number, written: string, kind: "words"|"phonemes"|"stress"|"skip"|"default", words: string|null, american: string|null, british: string|null, stress: number|null}} Rule */
/** @typedef {{id: string, kind: "household"|"author"|"series"|"book", name: string, file: string, rules: number}} Layer */
/** @typedef {Layer & {text: string, lines: Rule[], complaints: {line: number, message: string}[]}} RuleFile */
/** @typedef {{text: string, tag: string}} Rules */
/** @typedef {{written: boolean, sentences: number, rendered: number, render_s: number|null, applied: number, file: RuleFile, books: {book: string, title: string, sentences: number}[], uncounted: string[], tag: string}} Change */
/** @typedef {{number: number, title: string, rule: string|null, spoken: number, silent: Record<string, number>, silences: {rule: string, characters: number, text: string}[]}} Ledger */
/** @typedef {{spoken: number, silent: Record<string, number>, chapters: Ledger[], refused: {doc: string, reason: string}[]}} Coverage */
/** @typedef {{sentence: string, spoken: string, phonemes: string, words: {word: string, char_start: number, char_end: number, phonemes: string}[], unknown: string[], rules: string[]}} Read */

/** @param {string} book @param {string} layer  "" for the book's own */
const rulesPath = (book, layer) => (layer ? `/lexicon/${encodeURIComponent(layer)}` : `/books/${encodeURIComponent(book)}/lexicon`);

export const bookApi = {
  /** @param {string} book @returns {Promise<Coverage>} */
  coverage: (book) => json(`/books/${encodeURIComponent(book)}/coverage`),
  /** Words that no dictionary has, the most frequent first. @param {string} book @returns {Promise<Guess[]>} */
  guesses: async (book) => (await json(`/books/${encodeURIComponent(book)}/guesses`)).words,
  /** Words that will have to be guessed, in the whole book. @param {string} book @returns {Promise<WordList>} */
  words: (book) => json(`/books/${encodeURIComponent(book)}/words`, { cache: "no-store" }),
  /** Have them found. @param {string} book @returns {Promise<WordList>} */
  findWords: (book) => json(`/books/${encodeURIComponent(book)}/words`, { method: "POST" }),
  /** @returns {Promise<Layer[]>} */
  layers: async () => (await json("/lexicon")).layers,
  /** @param {string} book @param {string} layer @returns {Promise<RuleFile & {tag: string}>} */
  rules: async (book, layer) => {
    const response = await call(rulesPath(book, layer), { cache: "no-cache" });
    return { ...(await response.json()), tag: response.headers.get("etag") ?? "*" };
  },
  /** Write rules, or only tell what that would change. @param {string} book @param {string} layer @param {Rules} rules @param {boolean} [dry] @returns {Promise<Change>} */
  saveRules: async (book, layer, { text, tag }, dry = false) => {
    const options = send("PUT", { text });
    const path = `${rulesPath(book, layer)}?${dry ? "dry_run=true" : "apply=true"}`;
    const response = await call(path, { ...options, headers: { ...options.headers, "if-match": tag } });
    return { ...(await response.json()), tag: response.headers.get("etag") ?? "*" };
  },
  /** What is written of a book by hand. @param {string} book @param {Record<string, unknown>} told @returns {Promise<import("./types.js").BookDetail>} */
  writeAbout: (book, told) => json(`/books/${encodeURIComponent(book)}/about`, send("PATCH", told)),
  /** A picture for its cover. @param {string} book @param {File} file @returns {Promise<import("./types.js").BookDetail>} */
  sendCover: (book, file) => json(`/books/${encodeURIComponent(book)}/cover`, { method: "PUT", headers: { "content-type": file.type }, body: file }),
  /** @param {string} book @returns {Promise<import("./types.js").BookDetail>} */
  ownCover: (book) => json(`/books/${encodeURIComponent(book)}/cover`, { method: "DELETE" }),
  /** How a text is read, without a sound. @param {string} book @param {string} text @param {string} [rules] @returns {Promise<{sentences: Read[], problems: string[]}>} */
  readAs: (book, text, rules = "") => json("/preview", send("POST", { book, text, rules, inline: false, audio: false })),
  /** The same, said. @param {string} book @param {string} text @param {string} [rules] @returns {Promise<{audio: string, problems: string[]}>} */
  hear: (book, text, rules = "") => json("/preview", send("POST", { book, text, rules, inline: false })),
  /** Sentences to listen to, of one book or of all. @param {string} book  "" for all @returns {Promise<{items: import("./types.js").EarsItem[], total: number}>} */
  ears: (book) => json(`/ears?limit=100&order=oldest${book ? `&book=${encodeURIComponent(book)}` : ""}`),
};

/** Text longer than this is not read in one go. */
export const LONGEST_READ = 2000;

/**
 * What a change of rules would do, in a sentence.
 * @param {Change} change
 * @param {(seconds: number) => string} span
 */
export function changed({ sentences, rendered, render_s, books, uncounted }, span) {
  const some = (/** @type {number} */ count) => `${count.toLocaleString("en")} ${count === 1 ? "sentence" : "sentences"}`;
  const rest = uncounted.length ? " Not all books were looked into." : "";
  if (!sentences) return `No sentence would be said otherwise.${rest}`;
  const where = books.length > 1 ? ` in ${books.length} books` : "";
  const work = rendered ? (render_s === null ? `${some(rendered)} rendered again` : `about ${span(render_s)} of work`) : "nothing to render again";
  return `Changes ${some(sentences)}${where}, ${work}.${rest}`;
}
