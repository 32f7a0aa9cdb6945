/** What the shelf says of a book: how much is left, and what of it can be heard. Pure. */

import { percent, span } from "./format.js";

/** @typedef {import("./types.js").Book} Book */

/** Seconds that are left to hear, at a speed. @param {Book} book @param {number} speed */
export const leftOf = (book, speed) => (book.length_s * (1 - book.progress)) / speed;

/** How much there is to hear, or is left of it. @param {Book} book @param {number} [speed] */
export function lengthNote(book, speed = 1) {
  if (book.finished) return "Finished";
  return book.position ? `${span(leftOf(book, speed))} left` : span(book.length_s / speed);
}

/** What of a book can be heard yet; empty where that is all of it. @param {Book} book */
export function renderNote(book) {
  const { total, rendered, failed } = book.sentences;
  if (book.state === "missing") return "its file is missing, its audio is kept";
  if (rendered + failed >= total) return "";
  if (rendered > 0) return `${percent(rendered, total)} % rendered`;
  return book.paused || book.render === "paused" ? "rendered when you listen" : "waiting to be rendered";
}

/** Both in one line. @param {Book} book @param {number} [speed] */
export const noteOf = (book, speed = 1) => [lengthNote(book, speed), book.finished ? "" : renderNote(book)].filter(Boolean).join(" · ");

/** `Barsoom 2`; the name alone where the book does not say which it is. @param {Book} book */
export const seriesNote = ({ series, series_index }) => [series, series_index ?? ""].filter((part) => part !== null && part !== "").join(" ");

/**
 * Books one after the other as they come, those of a series together; `name` is null for those of none.
 * @param {Book[]} books
 * @returns {{name: string|null, books: Book[]}[]}
 */
export function bySeries(books) {
  /** @type {{name: string|null, books: Book[]}[]} */
  const groups = [];
  for (const book of books) {
    const last = groups.at(-1);
    if (last && last.name === book.series) last.books.push(book);
    else groups.push({ name: book.series, books: [book] });
  }
  return groups;
}
