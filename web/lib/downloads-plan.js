/** What is to be kept of a book on this device, and how much that is. Pure. */

/** @typedef {import("./types.js").BookDetail} BookDetail */
/** @typedef {import("./types.js").ChapterRow} ChapterRow */
/** @typedef {import("./offline-store.js").Wish} Wish */
/** @typedef {import("./offline-store.js").Record} Record */
/** @typedef {{chapter: number, share: number}} Spot  `share`: how much of the chapter lies behind the voice, 0 to 1 */

export const BYTES_PER_S = 8_000; // of speech at 64 kbit/s; used until the book itself shows better
const S_PER_SENTENCE = 6; // until the chapter itself shows better

/** @type {Readonly<Wish>} */
export const NOTHING = Object.freeze({ whole: false, hours: 0, chapters: [] });

/** @param {Wish} wish */
export const isNothing = (wish) => !wish.whole && !wish.hours && !wish.chapters.length;

/** Chapters that are read aloud, in their order. @param {BookDetail} book */
export const spoken = (book) => book.chapters_list.filter((row) => row.enabled && row.sentences > 0);

/** How long a chapter is, or will be. @param {ChapterRow} row */
export function length_s(row) {
  if (row.complete || !row.rendered) return row.rendered ? row.audio_s : row.sentences * S_PER_SENTENCE;
  return (row.audio_s / row.rendered) * row.sentences;
}

/** How much space some chapters take. @param {BookDetail} book @param {readonly ChapterRow[]} rows */
export function bytesOf(book, rows) {
  const pace = book.audio_s > 60 && book.audio_bytes > 0 ? book.audio_bytes / book.audio_s : BYTES_PER_S;
  return rows.reduce((all, row) => all + length_s(row) * pace, 0);
}

/** The chapters from the voice on that make up so many hours; the one of the voice is always among them. @param {BookDetail} book @param {number} hours @param {Spot|null} spot */
export function ahead(book, hours, spot) {
  const rows = spoken(book);
  const first = Math.max(0, rows.findIndex((row) => row.number === spot?.chapter));
  const found = [];
  let left_s = hours * 3600 + (spot ? spot.share * length_s(rows[first] ?? { rendered: 0, sentences: 0 }) : 0);
  for (const row of rows.slice(first)) {
    if (left_s <= 0) break;
    found.push(row);
    left_s -= length_s(row);
  }
  return found;
}

/** What is to be here, what comes next first: from the voice to the end of the book, then from its beginning. @param {BookDetail} book @param {Wish} wish @param {Spot|null} spot @returns {ChapterRow[]} */
export function wanted(book, wish, spot) {
  const rows = spoken(book);
  const near = new Set(wish.hours ? ahead(book, wish.hours, spot).map((row) => row.number) : []);
  const ours = rows.filter((row) => wish.whole || near.has(row.number) || wish.chapters.includes(row.number));
  const before = (/** @type {ChapterRow} */ row) => (spot && row.number < spot.chapter ? 1 : 0);
  return [...ours].sort((one, other) => before(one) - before(other) || one.number - other.number);
}

/** What is wanted still when some chapters are taken away: those do not come back by themselves. @param {BookDetail} book @param {Wish} wish @param {Spot|null} spot @param {number[]} gone @returns {Wish} */
export function without(book, wish, spot, gone) {
  const now = wanted(book, wish, spot).map((row) => row.number);
  if (now.some((number) => gone.includes(number))) return { whole: false, hours: 0, chapters: now.filter((number) => !gone.includes(number)) };
  return wish;
}

/** What is kept of a book: bytes and seconds. @param {Record} record */
export function held(record) {
  const kept = Object.values(record.chapters);
  return { chapters: kept.length, bytes: kept.reduce((all, one) => all + one.bytes, 0), s: kept.reduce((all, one) => all + one.samples / 24_000, 0) };
}

/** Chapters that are kept and lie behind the voice. @param {Record} record @param {Spot|null} spot */
export function heard(record, spot) {
  return spot ? Object.keys(record.chapters).map(Number).filter((number) => number < spot.chapter) : [];
}
