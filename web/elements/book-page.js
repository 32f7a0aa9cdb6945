/** A book's own page on the dashboard: its parts, one at a time. In: `app`, `path` [book, part, …]. */

import { areaHref } from "../lib/areas.js";
import { h } from "../lib/dom.js";
import { counted } from "../lib/format.js";
import { icon } from "../lib/icons.js";
import { bookHref } from "../lib/router.js";

/** @typedef {import("../lib/types.js").BookDetail} BookDetail */

const PARTS = /** @type {const} */ ([
  ["text", "Text and sound", "book-text"],
  ["words", "Guessed words", "guess-list"],
  ["rules", "Pronunciations", "rule-list"],
  ["read", "What is read", "coverage-bars"],
  ["listen", "Sentences to check", "ears-queue"],
  ["about", "Title and cover", "book-about"],
]);

class BookPage extends HTMLElement {
  /** Set before it is connected. @type {import("../dashboard.js").App} */
  app = /** @type {any} */ (null);
  /** @type {string[]} */
  #path = [];
  /** @type {BookDetail|null} */
  #book = null;
  /** @type {any} the part that is open */
  #part = null;
  #title = h("h2", { class: "page-title", tabindex: -1 });
  #about = h("p", { class: "quiet" });
  #links = h("nav", { class: "parts chips", "aria-label": "Parts of this page" });
  #place = h("div", { class: "part-place" });
  #editor = /** @type {any} */ (document.createElement("say-editor"));
  #off = () => {};

  connectedCallback() {
    this.#editor.app = this.app;
    this.addEventListener("edit", (event) => this.#editor.edit(/** @type {CustomEvent} */ (event).detail));
    this.addEventListener("ruled", () => this.#part?.renewRules?.());
    this.#off = this.app.live.on(["book.changed", "book.renewed", "resync"], (data) => (!data?.id || data.id === this.#book?.id) && this.#renew());
    this.replaceChildren(
      h("header", { class: "page-head" },
        h("a", { class: "quiet-link back", href: "#/" }, icon("back"), "Dashboard"),
        this.#title, this.#about, this.#links,
      ),
      this.#place, this.#editor,
    );
    this.#show();
  }

  disconnectedCallback() {
    this.#off();
  }

  get path() {
    return this.#path;
  }

  set path(path) {
    this.#path = path;
    if (this.isConnected) this.#show();
  }

  async #show() {
    const [id = "", part = "text", ...rest] = this.#path;
    if (this.#book?.id !== id) {
      this.#part = null;
      this.#place.replaceChildren(h("p", { class: "quiet pad", role: "status" }, "One moment …"));
      try {
        this.#book = await this.app.api.book(id);
      } catch (error) {
        this.#title.textContent = "This book is not here";
        return this.#place.replaceChildren(h("p", { class: "trouble", role: "alert" }, /** @type {Error} */ (error).message));
      }
      if (id !== this.#path[0] || !this.isConnected) return; // somebody went on meanwhile
    }
    const book = this.#book;
    const [name, label, tag] = PARTS.find(([one]) => one === part) ?? PARTS[0];
    document.title = `${book.title} · ${label} · Lectern`;
    this.#head(book, name);
    if (this.#part?.localName === tag) return void (this.#part.path = rest);
    this.#part = Object.assign(document.createElement(tag), { app: this.app, book, path: rest });
    this.#place.replaceChildren(this.#part);
  }

  /** @param {BookDetail} book @param {string} open */
  #head(book, open) {
    this.#title.textContent = book.title;
    const { total, rendered } = book.sentences;
    const made = rendered < total ? `${rendered.toLocaleString("en")} of ${counted(total, "sentence")} rendered` : "all of it rendered";
    this.#about.replaceChildren([book.authors.join(", "), made].filter(Boolean).join(" · "), " · ", h("a", { class: "quiet-link", href: `/${bookHref(book.id)}` }, "Listen to it"));
    this.#links.replaceChildren(
      ...PARTS.map(([name, label]) => h("a", { class: "chip", href: areaHref("book", book.id, name), "aria-current": name === open && "page" }, label)),
    );
    this.#links.querySelector("[aria-current]")?.scrollIntoView({ block: "nearest", inline: "center" });
  }

  /** What the head tells of has changed; the part keeps itself up to date. */
  async #renew() {
    if (!this.#book) return;
    const book = await this.app.api.book(this.#book.id).catch(() => null);
    if (!book || book.id !== this.#path[0] || !this.isConnected) return;
    this.#book = book;
    const open = PARTS.find(([name]) => name === this.#path[1]) ?? PARTS[0];
    // A word that somebody has chosen with the keyboard keeps the focus.
    if (!this.#links.contains(document.activeElement)) this.#head(book, open[0]);
    if (this.#part) this.#part.book = book;
  }
}

customElements.define("book-page", BookPage);
