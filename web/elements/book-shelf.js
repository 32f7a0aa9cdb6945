/** The shelf: the book to go on with, and all books. */

import { h } from "../lib/dom.js";
import { keepFresh } from "../lib/fresh.js";
import { counted, percent, span } from "../lib/format.js";
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

  connectedCallback() {
    document.title = "Lectern";
    const names = ["book.added", "book.changed", "book.removed", "import.started", "import.refused", "render.progress", "position"];
    this.#fresh = keepFresh(() => this.#load(), this.app.live, names, (error) => this.#fail(error), 3000);
  }

  disconnectedCallback() {
    this.#fresh?.stop();
  }

  async #load() {
    const [books, status] = await Promise.all([this.app.api.books(), this.app.api.status()]);
    const news = JSON.stringify([books, status.importing, status.library]);
    if (news === this.#shown && !this.querySelector(".failure")) return;
    this.#shown = news;
    const opened = books.filter((book) => book.position).sort((a, b) => String(b.opened ?? "").localeCompare(String(a.opened ?? "")));
    const focused = document.activeElement?.closest("[data-book]")?.getAttribute("data-book");
    this.replaceChildren(
      header(),
      ...(opened.length ? [hero(opened[0], this.#cover(`hero-${opened[0].id}`, opened[0]))] : []),
      books.length ? shelf(books, opened.length > 0, (book) => this.#cover(book.id, book)) : empty(status.library),
      ...(status.importing.length ? [h("p", { class: "quiet importing", role: "status" }, `Reading ${status.importing.join(", ")} …`)] : []),
    );
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

/** @param {Book[]} books @param {boolean} titled @param {(book: Book) => HTMLElement} cover */
function shelf(books, titled, cover) {
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
  return h("section", {}, h("h2", { class: "eyebrow" }, titled ? counted(books.length, "book") : "Your books"), list);
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
