/** What the audition asks of the server. */

import { json, send } from "./api.js";

/** @typedef {import("./audition-text.js").Span} Span */
/** @typedef {{id: string, title: string, listen_for: string, text: string}} BuiltIn */
/** @typedef {"declarative"|"yes-no"|"wh"|"one-word"} PairKind */
/** @typedef {{id: string, kind: PairKind, words: string}} Pair */
/** @typedef {{voice: string, name: string, language: string}} EngineVoice */
/** @typedef {{id: string, name: string, word_times: boolean, pronunciation: boolean, trouble: string|null, voices: EngineVoice[]}} Engine */
/** @typedef {{voice: string, stars: number, note: string, favourite: boolean}} Opinion */
/** @typedef {{voice: string, won: number, heard: number}} BlindScore */
/** @typedef {{voice: string, kind: PairKind, right: number, asked: number}} PairScore */
/** @typedef {{voices: Opinion[], blind: BlindScore[], pairs: PairScore[]}} Opinions */
/** @typedef {Opinions & {passages: BuiltIn[], minimal_pairs: Pair[], engines: Engine[], voice: string}} Audition */
/** @typedef {{voice: string, audio: string, audio_s: number, timed: boolean, words: Span[]}} Take */
/** @typedef {{sentence: string, text: string, block_index: number, audio: string|null, audio_s: number, gap_s: number, words: Span[]}} Piece */

export const auditionApi = {
  /** @returns {Promise<Audition>} */
  all: () => json("/audition", { cache: "no-cache" }),
  /** Have a text said. @param {{text: string, voice: string, speed?: number, book?: string}} asked @param {AbortSignal} [signal] @returns {Promise<Take>} */
  take: (asked, signal) => json("/audition/takes", { ...send("POST", asked), signal }),
  /** @param {Opinion} opinion @returns {Promise<Opinions>} */
  think: (opinion) => json("/audition/opinions", send("PUT", opinion)),
  /** @param {string[]} heard @param {string} won @returns {Promise<Opinions>} */
  judge: (heard, won) => json("/audition/blind", send("POST", { heard, won })),
  /** @param {{voice: string, pair: string, question: boolean, taken: boolean}} answer @returns {Promise<Opinions>} */
  answer: (answer) => json("/audition/answers", send("POST", answer)),
  /** @param {"blind"|"pairs"} what @returns {Promise<Opinions>} */
  forget: (what) => json(`/audition/scores?what=${what}`, { method: "DELETE" }),
  /** Have new books read with a voice. @param {string} value */
  useForNewBooks: (value) => json("/settings/voice", send("PUT", { value })),
  /** A chapter as a rendition has it. @param {string} book @param {string} rendition @param {number} chapter @returns {Promise<{voice: string, priming_s: number, sentences: Piece[]}>} */
  pieces: (book, rendition, chapter) => json(`/books/${book}/renditions/${encodeURIComponent(rendition)}/chapters/${chapter}`, { cache: "no-cache" }),
};
