/**
 * Shapes of what the server sends, as JSDoc only; field names are the API's own.
 *
 * @typedef {{start: number, end: number, char_start: number, char_end: number}} Word
 *   `start`/`end` in samples from the sentence's first sample; `char_*` in Unicode code points of its text.
 *
 * @typedef {object} SentenceEntry
 * @property {string} id
 * @property {string} text
 * @property {"heading"|"paragraph"|"verse"|"list_item"|"quotation"|"caption"|"table_row"|"code"|"note"} block
 * @property {number} block_index
 * @property {string|null} [sha256]
 * @property {string|null} [file]  absent or null until the sentence is rendered
 * @property {number|null} [samples]
 * @property {number|null} [speech_end]
 * @property {number|null} [gap_after_samples]
 * @property {Word[]|null} [words]
 * @property {string|null} [failed]  why this sentence was given up
 *
 * @typedef {object} ChapterIndex
 * @property {string} book
 * @property {number} chapter
 * @property {string} title
 * @property {number} revision
 * @property {boolean} complete
 * @property {number[]} breaks  ordinals of blocks that are scene breaks
 * @property {SentenceEntry[]} sentences
 *
 * @typedef {{chapter: number, sentence: string, word: number}} Place
 * @typedef {Place & {device?: string|null, updated?: string}} Position
 *
 * @typedef {object} Book
 * @property {string} id
 * @property {string} title
 * @property {string|null} subtitle
 * @property {string[]} authors
 * @property {string|null} series
 * @property {number|null} series_index
 * @property {string} title_sort
 * @property {string|null} author_sort
 * @property {string} language
 * @property {string|null} read_as  the language that somebody chose instead
 * @property {boolean} words  whether single words are timed
 * @property {string|null} cover
 * @property {string|null} thumbnail
 * @property {string} voice
 * @property {string} added
 * @property {"ready"|"missing"} state
 * @property {string|null} opened
 * @property {number} chapters
 * @property {{total: number, rendered: number, failed: number}} sentences
 * @property {number} audio_s
 * @property {number} audio_bytes
 * @property {number|null} eta_s
 * @property {Position|null} position
 * @property {boolean} sample
 * @property {boolean} [paused]  its audio was deleted; nothing is rendered until somebody listens
 *
 * @typedef {object} ChapterRow
 * @property {number} number
 * @property {string} title
 * @property {boolean} enabled
 * @property {string|null} rule
 * @property {number} sentences
 * @property {number} rendered
 * @property {number} audio_s
 * @property {boolean} complete
 *
 * @typedef {Book & {chapters_list: ChapterRow[], warnings: string[], contributors: {name: string, role: string}[],
 *   publisher: string|null, published: string|null, description: string|null,
 *   edition: number, editions: Edition[], notes: "skipped"|"inline"|"end"}} BookDetail
 * @typedef {{until: string, file: string, same_file: boolean, kept: number, new: number, gone: number,
 *   chapters: {number: number, title: string, new: number, gone: number}[]}} Edition
 *
 * @typedef {object} Status
 * @property {string} version
 * @property {string} library
 * @property {string} url
 * @property {WorkerState} worker
 * @property {number} books
 * @property {number} rendered_s
 * @property {string[]} importing
 * @property {number} waiting
 * @property {string|null} notice
 * @property {string|null} polled
 *
 * @typedef {{state: "starting"|"idle"|"rendering"|"down"|"no-model", detail: string|null, speed: number|null,
 *   device?: string|null, warning?: string|null, now: {book: string, chapter: number, sentence: string, text: string}|null}} WorkerState
 * @typedef {{book: string, title: string, chapter: number, remaining_sentences: number, eta_s: number|null}} QueueItem
 * @typedef {{id: string|number, name: string, kind: string, reason: string, at: string, here: boolean}} Refusal
 * @typedef {{name: string, ok: boolean|null, detail: string, remedy: string|null}} Check
 */
export {};
