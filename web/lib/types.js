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
 * @property {string} rendition
 * @property {string} title
 * @property {number} revision
 * @property {boolean} complete
 * @property {number} priming  samples that a decoder gives before the first one of a file
 * @property {string|null} [silence]  missing where the files cannot be joined
 * @property {number[]} breaks  ordinals of blocks that are scene breaks
 * @property {SentenceEntry[]} sentences
 *
 * @typedef {object} Changes  what an index that was fetched earlier lacks
 * @property {string} rendition
 * @property {number} revision
 * @property {boolean} complete
 * @property {number} samples_total
 * @property {string|null} codec_config
 * @property {string|null} silence
 * @property {boolean} whole  it cannot be told: fetch the chapter again
 * @property {SentenceEntry[]} sentences  those that changed
 *
 * @typedef {{silences: {rule: string, characters: number, text: string, doc: string, before: number}[],
 *   pictures: {url: string, alt: string, width: number, height: number, before: number}[]}} Beside
 *   `before`: the `block_index` that it stands before
 *
 * @typedef {{chapter: number, sentence: string, word: number}} Place
 * @typedef {Place & {device?: string|null, updated?: string}} Spot
 * @typedef {Spot & {own?: Spot|null, applied?: boolean, unapplied?: "stale"|"older"|"elsewhere"|null}} Position
 *   `own`: where the device that asks was, if another one has moved on since
 * @typedef {{entry: number, reason: "played"|"jump"|"stay"|"undo"|"moved", left: Spot, arrived: Spot}} Jump
 * @typedef {Place & {id: string, chapter_title: string, text: string, note: string|null, created: string}} Bookmark
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
 * @property {string} [file]  name of the file that its text was read from
 * @property {string[]} [copies]  where its files lie in the library folder, where they are several
 * @property {string|null} opened
 * @property {number} chapters
 * @property {{total: number, rendered: number, failed: number}} sentences
 * @property {number} audio_s
 * @property {number} length_s  to hear all of it; in part estimated
 * @property {number} progress  share of it before the place, 0 to 1
 * @property {boolean} finished
 * @property {number} audio_bytes
 * @property {number} [other_bytes]  in other voices and of earlier editions
 * @property {number|null} eta_s
 * @property {Position|null} position
 * @property {boolean} sample
 * @property {boolean} [here]  something of it is on this device
 * @property {boolean} [paused]  its audio was deleted; nothing is rendered until somebody listens
 * @property {"all"|"ahead"|"sample"|"paused"} render  how much of it is rendered
 * @property {boolean} render_chosen  somebody chose that for this book; else it is the household's rule
 *
 * @typedef {{book: string, title: string, chapter: number, chapter_title: string, sentence: string, text: string,
 *   marks: {char_start: number, char_end: number}[]}} Hit
 * @typedef {{hits: Hit[], total: number, more: boolean, here?: boolean}} Hits  `more`: than `total`, too many to be counted;
 *   `here`: only in what this device has of the book, as nobody answers
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
 *   edition: number, rendition: string, editions: Edition[], notes: "skipped"|"inline"|"end", files: string[],
 *   by_hand: string[], own: {title: string, subtitle: string|null, authors: string[], series: string|null,
 *     series_index: number|null, cover: boolean}|null}} BookDetail
 *   `by_hand`: parts that a person wrote; `own`: what the book says of them itself
 * @typedef {{until: string, file: string, same_file: boolean, kept: number, new: number, gone: number,
 *   chapters: {number: number, title: string, new: number, gone: number}[]}} Edition
 *
 * @typedef {{id: string, name: string, language: string, speaks: string, gender: "female"|"male", grade: string|null}} Voice
 * @typedef {{name: string, voice: string, speaks: string, shares: {voice: string, weight: number}[]}} Blend
 *   `voice` is its recipe, which is what a book keeps of it
 * @typedef {{voice: string, speed: number, bitrate: number}} Sound
 * @typedef {Sound & {id: string, plays: boolean, current: boolean, sentences: number, audio_s: number,
 *   audio_bytes: number, freed_bytes: number}} Rendition
 * @typedef {{renditions: Rendition[], language: string, sentences: number, speech_s: number, render_s: number|null}} Renditions
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
 * @property {number} audio_bytes
 * @property {string|null} space  a sentence where there is more audio than the household wants
 *
 * @typedef {{state: "starting"|"idle"|"rendering"|"waiting"|"down"|"no-model", detail: string|null, until?: string|null, speed: number|null,
 *   device?: string|null, warning?: string|null, now: {book: string, chapter: number, sentence: string, text: string}|null}} WorkerState
 * @typedef {{paused: boolean, quiet: {start: string, end: string}[], battery: "on"|"listening"|"off", low_power: "on"|"listening"|"off",
 *   share: number, ahead_minutes: number, render: "all"|"ahead"|"sample"|"paused", cap_bytes: number|null,
 *   warning: string|null, power: {battery: boolean|null, low_power: boolean|null}, audio_bytes: number}} Rules
 * @typedef {{text: string, audio: string|null}} Neighbour
 * @typedef {{book: string, title: string, chapter: number, chapter_title: string, sentence: string, text: string,
 *   before: Neighbour|null, after: Neighbour|null, state: "gate"|"listener"|"redone", reason: string,
 *   note: string|null, at: string, audio: string, again: boolean, earlier: boolean}} EarsItem
 * @typedef {{sentences: number, rendered: number, render_s: number|null, applied: number, tag: string,
 *   file: {complaints: {line: number, message: string}[]}}} RulesChange
 * @typedef {{id: string|number, name: string, kind: string, reason: string, at: string, here: boolean}} Refusal
 * @typedef {{name: string, ok: boolean|null, detail: string, remedy: string|null}} Check
 * @typedef {{person: string, role: "owner"|"listener", name: string, login: string|null, device: string|null, via: string}} Me
 * @typedef {{name: string, login: string|null, who: string, via: string, seen: string, refused: string|null}} Device
 * @typedef {{id: string, login: string, name: string, role: "owner"|"listener", added: string|null, devices: Device[]}} Person
 * @typedef {{people: Person[], owner: string|null, devices: Device[], visitors: Device[], tailscale: string, warning: string|null}} People
 */
export {};
