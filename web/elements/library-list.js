/** All books with how far they are rendered. Out: `delete` {book}, `details` {book}. */

import { areaHref } from "../lib/areas.js";
import { h } from "../lib/dom.js";
import { counted, percent, size, span, wait } from "../lib/format.js";
import { fileTrouble } from "../lib/file-words.js";
import { keepFresh } from "../lib/fresh.js";
import { Paging } from "../lib/paging.js";
import { icon } from "../lib/icons.js";
import { bookHref } from "../lib/router.js";

/** @typedef {import("../lib/types.js").Book} Book */
/** @typedef {{row: HTMLElement, show: (book: Book) => void}} Row */

const EVENTS = ["book.added", "book.changed", "book.removed", "import.duplicate", "render.progress"];
/** Which books can be asked for, and what is said where there are none. @type {Record<string, [string, string]>} */
const SHOWN = {
  all: ["All", ""],
  missing: ["File is missing", "The file of every book is in the library folder."],
  twice: ["There twice", "No book lies in the library folder twice."],
};

class LibraryList extends HTMLElement {
  /** Set before it is connected. @type {import("../dashboard.js").App} */
  app = /** @type {any} */ (null);
  /** @type {ReturnType<typeof keepFresh>|null} */
  #fresh = null;
  /** @type {Map<string, Row>} rows stay where they are, so that focus and pointer keep their target */
  #rows = new Map();
  #list = h("ul", { class: "rows", role: "list" });
  #empty = h("p", { class: "quiet pad", hidden: true }, "No books yet. Drop an EPUB on this page: it is read at once, and the first sentence can be heard within seconds.");

  #paging = new Paging(() => this.#load().catch(this.app.fail), { shown: SHOWN });

  connectedCallback() {
    const { tools, none, more } = this.#paging;
    this.#paging.start();
    this.replaceChildren(h("section", { class: "card" }, h("h2", {}, "Books"), tools, this.#empty, this.#list, none, more));
    this.#fresh = keepFresh(() => this.#load(), this.app.live, EVENTS, this.app.fail, 1500);
  }

  disconnectedCallback() {
    this.#fresh?.stop();
    this.#paging.stop();
  }

  async #load() {
    const page = await this.#paging.load(this.app.api);
    if (page === null) return;
    const { books } = page;
    this.#empty.hidden = books.length > 0 || this.#paging.narrowed;
    const ids = new Set(books.map((book) => book.id));
    for (const [id, { row }] of this.#rows) {
      if (ids.has(id)) continue;
      row.remove();
      this.#rows.delete(id);
    }
    for (const [at, book] of books.entries()) {
      const known = this.#rows.get(book.id) ?? this.#add(book);
      known.show(book);
      const there = this.#list.children[at];
      if (there !== known.row) this.#list.insertBefore(known.row, there ?? null);
    }
  }

  /** @param {Book} first @returns {Row} */
  #add(first) {
    let book = first;
    const cover = /** @type {any} */ (document.createElement("book-cover"));
    const name = h("a", { class: "name", href: `/${bookHref(book.id)}` });
    const authors = h("p", { class: "quiet" });
    const note = h("p", { class: "quiet note" });
    const file = h("p", { class: "file-trouble", hidden: true });
    const meter = h("span", { class: "meter", role: "progressbar", "aria-valuemin": 0, "aria-valuemax": 100 });
    const details = () => this.dispatchEvent(new CustomEvent("details", { detail: { book }, bubbles: true }));
    const remove = () => this.dispatchEvent(new CustomEvent("delete", { detail: { book }, bubbles: true }));
    const about = h("button", { class: "quiet-link open-page", type: "button", "aria-haspopup": "dialog", onclick: details }, "Voice and chapters");
    const trash = h("button", { class: "round", type: "button", "aria-haspopup": "dialog", onclick: remove }, icon("trash"));
    let called = "";
    const row = h(
      "li", { class: "row book-row" },
      h("a", { class: "cover-link", href: `/${bookHref(book.id)}`, tabindex: -1, "aria-hidden": "true" }, cover),
      h(
        "div", { class: "words" },
        name, authors, meter, note, file,
        h("div", { class: "doors" }, about, h("a", { class: "quiet-link open-page", href: areaHref("book", book.id) }, "Text, words and pronunciations")),
      ),
      trash,
    );
    const show = (/** @type {Book} */ now) => {
      book = now;
      const face = JSON.stringify([now.title, now.authors, now.thumbnail]);
      if (face !== called) {
        called = face;
        cover.book = now;
        name.textContent = now.title;
        authors.textContent = now.authors.join(", ");
        meter.setAttribute("aria-label", `${now.title}, rendered`);
        about.setAttribute("aria-label", `Voice and chapters of ${now.title} …`);
        trash.setAttribute("aria-label", `Delete ${now.title} …`);
      }
      const share = percent(now.sentences.rendered, now.sentences.total);
      meter.style.setProperty("--share", String(share / 100));
      meter.setAttribute("aria-valuenow", String(share));
      meter.classList.toggle("full", share === 100);
      note.textContent = describe(now, share);
      file.textContent = fileTrouble(now);
      file.hidden = !file.textContent;
    };
    this.#list.append(row);
    const entry = { row, show };
    this.#rows.set(first.id, entry);
    return entry;
  }
}

const ONLY = /** @type {Record<string, string>} */ ({ ahead: "rendered ahead of you", sample: "only its beginning is rendered", paused: "not rendered for now" });

/** @param {Book} book */
const toGo = (book) => [ONLY[book.render], book.eta_s ? `about ${wait(book.eta_s)} to go` : ""].filter(Boolean).join(", ");

/** @param {Book} book @param {number} share */
function describe(book, share) {
  const { total, rendered, failed } = book.sentences;
  const parts = share === 100
    ? [span(book.audio_s), size(book.audio_bytes + (book.other_bytes ?? 0))]
    : [`${rendered.toLocaleString("en")} of ${counted(total, "sentence")}`, book.paused ? "rendered again when somebody listens" : toGo(book)];
  if (!book.words) parts.push("sentences light up, single words do not");
  if (failed) parts.push(`${counted(failed, "sentence")} could not be read`);
  return parts.filter(Boolean).join(" · ");
}

customElements.define("library-list", LibraryList);
