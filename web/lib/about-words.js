/** What is typed of a book by hand, as the server takes it. Pure. */

/** @typedef {import("./types.js").BookDetail} BookDetail */
/** @typedef {{title: string, subtitle: string, authors: string, series: string, series_index: string}} Typed */
/** @typedef {"title"|"subtitle"|"authors"|"series"|"cover"} Part */

export const MOST_PICTURE_BYTES = 20_000_000;
export const PICTURES = ["image/jpeg", "image/png", "image/webp"];

/** @param {string} text */
const plain = (text) => text.split(/\s+/u).filter(Boolean).join(" ");

/** One name a line. @param {string} text */
export const authorsOf = (text) => [...new Set(text.split("\n").map(plain).filter(Boolean))];

/** What the fields have. @param {Pick<BookDetail, keyof Typed>} book @returns {Typed} */
export const fieldsOf = (book) => ({
  title: book.title,
  subtitle: book.subtitle ?? "",
  authors: book.authors.join("\n"),
  series: book.series ?? "",
  series_index: book.series_index === null ? "" : String(book.series_index),
});

/**
 * What changed between the fields as they were and as they are typed, or a sentence why that cannot be.
 * @param {Typed} before @param {Typed} typed @returns {{told: Record<string, unknown>, trouble: string, at: string}}
 */
export function changes(before, typed) {
  /** @type {Record<string, unknown>} */
  const told = {};
  const trouble = (/** @type {string} */ sentence, /** @type {string} */ at) => ({ told: {}, trouble: sentence, at });
  if (!plain(typed.title)) return trouble("A book has a title: write one, or go back to the book's own.", "title");
  const number = typed.series_index.trim().replace(",", ".");
  if (number && !/^\d{1,5}(?:\.\d{1,3})?$/.test(number)) return trouble("The number in the series is one such as 2 or 2.5.", "series_index");
  if (number && !plain(typed.series)) return trouble("A number is in a series: name the series too, or leave the number out.", "series");
  if (plain(typed.title) !== plain(before.title)) told.title = plain(typed.title);
  if (plain(typed.subtitle) !== plain(before.subtitle)) told.subtitle = plain(typed.subtitle);
  if (authorsOf(typed.authors).join("\n") !== authorsOf(before.authors).join("\n")) told.authors = authorsOf(typed.authors);
  if (plain(typed.series) !== plain(before.series) || number !== before.series_index) {
    told.series = plain(typed.series);
    if (number) told.series_index = Number(number);
  }
  return { told, trouble: "", at: "" };
}

/** What the book says of a part itself, in words; null where nobody wrote another thing. @param {BookDetail} book @param {Part} part */
export function itself(book, part) {
  const { own } = book;
  if (!own || !book.by_hand.includes(part)) return null;
  if (part === "cover") return own.cover ? "You chose this cover; the book has one of its own." : "You chose this cover; the book has none of its own.";
  if (part === "authors") return own.authors.length ? `The book says: ${own.authors.join(", ")}` : "The book names no author.";
  if (part === "series") return own.series ? `The book says: ${own.series}${own.series_index === null ? "" : `, ${own.series_index}`}` : "The book names no series.";
  return own[part] ? `The book says: ${own[part]}` : "The book has none.";
}

/** Why a file is not sent as a cover; empty where it is. @param {{type: string, size: number}} file */
export function whyNoPicture({ type, size }) {
  if (!PICTURES.includes(type)) return "That is no JPEG, PNG or WebP picture: choose a picture of one of these kinds.";
  return size > MOST_PICTURE_BYTES ? "That picture is larger than 20 MB, the most that is taken: choose a smaller one." : "";
}
