/** The shelf: the book to go on with, and all books. */

import { h } from "../lib/dom.js";
import { keepFresh } from "../lib/fresh.js";
import { counted, percent, span } from "../lib/format.js";
import { Paging } from "../lib/paging.js";
import { bookHref } from "../lib/router.js";

/** @typedef {import("../lib/types.js").Book} Book */

class BookShelf extends HTMLElement {
  /** Set before it is connected. @type {import("../player.js").App} */
  app = /** @type {any} */ (null);
  /** @type {ReturnType<typeof keepFresh>|null} */
  #fresh = null;
  /** @type {Map<string, HTMLElement>} kept between loads, so that no image is fetched or drawn twice */
  #covers = new Map();
  #shown = "";
  #paging = new Paging(() => this.#load().catch((error) => this.#fail(error)), true);
  #hero = h("div", {});
  #books = h("div", {});
  #note = h("p", { class: "quiet importing", role: "status", hidden: true });

  connectedCallback() {
    document.title = "Lectern";
    this.replaceChildren(header());
    this.#paging.start();
    const names = ["book.added", "book.changed", "book.removed", "import.started", "import.refused", "library.notice", "render.progress", "position"];
    this.#fresh = keepFresh(() => this.#load(), this.app.live, names, (error) => this.#fail(error), 3000);
  }

  disconnectedCallback() {
    this.#fresh?.stop();
    this.#paging.stop();
  }

  async #load() {
    const { api } = this.app;
    const [page, last, status] = await Promise.all([this.#paging.load(api), api.page({ sort: "opened", limit: 1 }), api.status()]);
    if (page === null) return;
    const { books, total } = page;
    const opened = last.books.filter((book) => book.position);
    const news = JSON.stringify([books, total, opened, status.importing, status.waiting, status.notice, status.library]);
    if (news === this.#shown && !this.querySelector(".failure")) return;
    this.#shown = news;
    const focused = document.activeElement?.closest("[data-book]")?.getAttribute("data-book");
    this.#hero.replaceChildren(...opened.map((book) => hero(book, this.#cover(`hero-${book.id}`, book))));
    const none = !books.length && !this.#paging.query;
    const title = this.#paging.query ? `${counted(total, "book")} found` : opened.length ? counted(total, "book") : "Your books";
    this.#books.replaceChildren(none ? empty(status.library) : shelf(books, title, (book) => this.#cover(book.id, book)));
    this.#note.hidden = !status.importing.length && !status.notice;
    const more = status.waiting ? `, ${counted(status.waiting, "more file")} to come` : "";
    this.#note.textContent = status.notice ?? `Reading ${status.importing.join(", ")}${more} …`;
    if (!this.contains(this.#books) || this.querySelector(".failure")) {
      const { tools, none: nothing, more: button } = this.#paging;
      this.replaceChildren(header(), this.#hero, tools, this.#books, nothing, button, this.#note);
    }
    if (focused) /** @type {HTMLElement|null} */ (this.querySelector(`[data-book="${CSS.escape(focused)}"]`))?.focus();
  }

  /** @param {string} key @param {Book} book */
  #cover(key, book) {
    const known = this.#covers.get(key) ?? document.createElement("book-cover");
    if (!this.#covers.has(key)) Object.assign(known, { book });
    this.#covers.set(key, known);
    return known;
  }

  /** @param {Error} error */
  #fail(error) {
    if (this.querySelector(".failure")) return;
    const again = h("button", { class: "button", onclick: () => this.#fresh?.refresh() }, "Try again");
    const note = h("div", { class: "failure", role: "alert" }, h("p", {}, error.message), again);
    if (this.childElementCount > 1) this.querySelector("header")?.after(note);
    else this.replaceChildren(header(), note);
  }
}

function header() {
  return h("header", { class: "masthead" }, h("h1", { class: "wordmark" }, "Lectern"), h("a", { class: "quiet-link", href: "/dashboard" }, "Dashboard"));
}

/** The book last listened to. @param {Book} book @param {HTMLElement} cover */
function hero(book, cover) {
  const where = [book.position && book.chapters > 1 ? `Chapter ${book.position.chapter} of ${book.chapters}` : "", renderNote(book)].filter(Boolean);
  return h(
    "a", { class: "hero", href: bookHref(book.id), "data-book": `hero-${book.id}` },
    cover,
    h(
      "span", { class: "words" },
      h("span", { class: "eyebrow" }, "Continue listening"),
      h("span", { class: "title" }, book.title),
      h("span", { class: "author" }, book.authors.join(", ")),
      h("span", { class: "where" }, where.join(" · ")),
      h("span", { class: "button primary" }, "Continue"),
    ),
  );
}

/** @param {Book[]} books @param {string} title @param {(book: Book) => HTMLElement} cover */
function shelf(books, title, cover) {
  const list = h("ul", { class: "shelf", role: "list" });
  for (const book of books) {
    const { total, rendered } = book.sentences;
    list.append(
      h(
        "li", {},
        h(
          "a", { class: "on-shelf", href: bookHref(book.id), "data-book": book.id },
          cover(book),
          h("span", { class: "title" }, book.title),
          h("span", { class: "author" }, book.authors.join(", ")),
          rendered < total
            ? h("span", { class: "meter", role: "img", "aria-label": renderNote(book), "--share": rendered / Math.max(total, 1) })
            : null,
          h("span", { class: "note" }, renderNote(book)),
        ),
      ),
    );
  }
  return h("section", {}, h("h2", { class: "eyebrow" }, title), list);
}

/** How much of a book can be heard. @param {Book} book */
function renderNote(book) {
  const { total, rendered } = book.sentences;
  if (book.state === "missing") return "File is missing; its audio is kept";
  if (rendered >= total) return span(book.audio_s);
  if (rendered === 0) return book.paused ? "Rendered when you listen" : "Waiting to be rendered";
  return `${percent(rendered, total)} % rendered`;
}

/** @param {string} folder */
function empty(folder) {
  return h(
    "section", { class: "empty" },
    h("p", { class: "lead" }, "No books yet."),
    h("p", {}, "Put an EPUB into this folder and it appears here, ready to listen to within a minute:"),
    h("p", {}, h("code", {}, folder)),
    h("p", {}, h("a", { class: "button", href: "/dashboard" }, "Or add one on the dashboard")),
  );
}

customElements.define("book-shelf", BookShelf);
