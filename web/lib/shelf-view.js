/** Books as the shelf shows them: the one to go on with, those begun beside it, and covers in rows. */

import { h } from "./dom.js";
import { counted } from "./format.js";
import { bookHref } from "./router.js";
import { bySeries, lengthNote, noteOf, renderNote, seriesNote } from "./shelf-words.js";

/** @typedef {import("./types.js").Book} Book */
/** @typedef {(key: string, book: Book) => HTMLElement} CoverOf  the same element for the same key */

/** How far the place is, over how much can be heard. Its text stands beside it. @param {Book} book */
function meter(book) {
  const { total, rendered } = book.sentences;
  const heard = book.finished ? 1 : book.progress;
  if (!book.position) return null;
  return h("span", { class: "meter heard", "aria-hidden": "true", "--share": heard, "--ready": rendered / Math.max(total, 1) });
}

/** The book last listened to. @param {Book} book @param {CoverOf} cover @param {number} speed */
export function hero(book, cover, speed) {
  const chapter = book.position && book.chapters > 1 ? `Chapter ${book.position.chapter} of ${book.chapters}` : "";
  const where = [chapter, lengthNote(book, speed), renderNote(book)].filter(Boolean).join(" · ");
  return h(
    "a", { class: "hero", href: bookHref(book.id), "data-book": `hero-${book.id}` },
    cover(`hero-${book.id}`, book),
    h(
      "span", { class: "words" },
      h("span", { class: "eyebrow" }, "Continue listening"),
      h("span", { class: "title" }, book.title),
      h("span", { class: "author" }, book.authors.join(", ")),
      h("span", { class: "where" }, where),
      meter(book),
      h("span", { class: "button primary" }, "Continue"),
    ),
  );
}

/** Others that were begun, to go on with. @param {Book[]} books @param {CoverOf} cover @param {number} speed */
export function begun(books, cover, speed) {
  if (!books.length) return null;
  return h(
    "section", { class: "begun" },
    h("h2", { class: "eyebrow" }, "Also begun"),
    h("ul", { class: "strip", role: "list", tabindex: "-1" }, ...books.map((book) =>
      h("li", {}, h(
        "a", { class: "small-book", href: bookHref(book.id), "data-book": `begun-${book.id}` },
        cover(`begun-${book.id}`, book),
        h("span", { class: "words" }, h("span", { class: "title" }, book.title), h("span", { class: "note" }, lengthNote(book, speed)), meter(book)),
      )))),
  );
}

/** @param {Book} book @param {CoverOf} cover @param {number} speed @param {boolean} [inSeries]  the series stands above */
function onShelf(book, cover, speed, inSeries = false) {
  const series = inSeries ? (book.series_index === null ? "" : `Book ${book.series_index}`) : seriesNote(book);
  return h("li", {}, h(
    "a", { class: "on-shelf", href: bookHref(book.id), "data-book": book.id },
    cover(book.id, book),
    h("span", { class: "title" }, book.title),
    h("span", { class: "author" }, book.authors.join(", ")),
    series ? h("span", { class: "series" }, series) : null,
    meter(book),
    h("span", { class: "note" }, [noteOf(book, speed), book.here ? "on this device" : ""].filter(Boolean).join(" · ")),
  ));
}

/**
 * All books, or those that were asked for.
 * @param {Book[]} books @param {string} title @param {CoverOf} cover @param {number} speed @param {boolean} together  series by series
 */
export function rows(books, title, cover, speed, together) {
  const list = (/** @type {Book[]} */ some, inSeries = false) =>
    h("ul", { class: "shelf", role: "list" }, ...some.map((book) => onShelf(book, cover, speed, inSeries)));
  if (!together || books.every((book) => !book.series)) return h("section", {}, h("h2", { class: "eyebrow" }, title), list(books));
  return h(
    "section", {},
    h("h2", { class: "eyebrow" }, title),
    ...bySeries(books).map(({ name, books: some }) =>
      h("div", { class: "series-group" }, h("h3", {}, name ?? "Other books", h("span", { class: "quiet" }, counted(some.length, "book"))), list(some, name !== null))),
  );
}

/** Nothing on the shelf. @param {string} folder  empty for somebody who may only listen */
export function empty(folder) {
  if (!folder) return h("section", { class: "empty" }, h("p", { class: "lead" }, "No books yet."), h("p", {}, "Whoever runs this Lectern puts them here."));
  return h(
    "section", { class: "empty" },
    h("p", { class: "lead" }, "No books yet."),
    h("p", {}, "Put an EPUB into this folder and it appears here, ready to listen to within a minute:"),
    h("p", {}, h("code", {}, folder)),
    h("p", {}, h("a", { class: "button", href: "/dashboard" }, "Or add one on the dashboard")),
  );
}
