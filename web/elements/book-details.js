/** What a book is, what changed in it, and what of it is read. In: `show(book)`. */

import { areaHref } from "../lib/areas.js";
import { h } from "../lib/dom.js";
import { ago, counted, span } from "../lib/format.js";
import { icon } from "../lib/icons.js";
import { whyNot } from "../lib/rules.js";

/** @typedef {import("../lib/types.js").BookDetail} BookDetail */
/** @typedef {import("../lib/types.js").Edition} Edition */
/** @typedef {import("../lib/types.js").ChapterRow} ChapterRow */

const NOTES = /** @type {const} */ ([
  ["skipped", "Not read"],
  ["inline", "After the paragraph that refers to them"],
  ["end", "At the end of the chapter"],
]);
const ROLES = /** @type {Record<string, string>} */ ({
  trl: "translated by", edt: "edited by", ill: "illustrated by", nrt: "read by", aui: "introduction by", aft: "afterword by",
});

class BookDetails extends HTMLElement {
  /** Set before it is connected. @type {import("../dashboard.js").App} */
  app = /** @type {any} */ (null);
  #title = h("h2", { id: "details-title" });
  #body = h("div", { class: "details-body" });
  #said = h("p", { class: "said", role: "status" });
  #dialog = h("dialog", { class: "sheet wide", "aria-labelledby": "details-title" });
  #book = "";
  #read = h("section", {});

  connectedCallback() {
    const close = h("button", { class: "round", type: "button", "aria-label": "Close", onclick: () => this.#dialog.close() }, icon("close"));
    this.#dialog.replaceChildren(h("header", {}, this.#title, close), this.#said, this.#body);
    this.#dialog.addEventListener("click", (event) => event.target === this.#dialog && this.#dialog.close());
    this.#dialog.addEventListener("close", () => this.#body.replaceChildren()); // a voice that is tried out falls silent
    this.#body.addEventListener("voiced", (event) => {
      const old = this.#read;
      old.replaceWith(this.#chapters(/** @type {CustomEvent} */ (event).detail.book));
    });
    this.replaceChildren(this.#dialog);
  }

  /** @param {import("../lib/types.js").Book} book */
  async show(book) {
    this.#book = book.id;
    this.#title.textContent = book.title;
    this.#said.textContent = "";
    this.#body.replaceChildren();
    this.#dialog.showModal();
    try {
      const detail = await this.app.api.book(book.id);
      if (this.#book === book.id) this.#fill(detail);
    } catch (error) {
      this.#said.textContent = /** @type {Error} */ (error).message;
    }
  }

  /** @param {BookDetail} book */
  #fill(book) {
    const correct = h("a", { class: "quiet-link", href: areaHref("book", book.id, "about"), onclick: () => this.#dialog.close() }, "Correct title and cover");
    const parts = [about(book, correct), changes(book.editions), this.#voice(book), this.#policy(book), this.#notes(book), this.#chapters(book), oddities(book.warnings)];
    this.#body.replaceChildren(...parts.filter((part) => part !== null));
  }

  /** @param {BookDetail} book */
  #voice(book) {
    return Object.assign(document.createElement("book-voice"), { app: this.app, book });
  }

  /** @param {BookDetail} book */
  #policy(book) {
    return Object.assign(document.createElement("book-policy"), { app: this.app, book });
  }

  /** @param {BookDetail} book */
  #notes(book) {
    const choice = (/** @type {string} */ value, /** @type {string} */ words) => {
      const input = h("input", { type: "radio", name: "notes", value, checked: book.notes === value });
      input.addEventListener("change", () => this.#act("Reading the book anew …", () => this.app.api.chooseNotes(book.id, value)));
      return h("label", { class: "option" }, input, words);
    };
    return h("fieldset", { class: "part" }, h("legend", {}, "Notes"), ...NOTES.map(([value, words]) => choice(value, words)));
  }

  /** @param {BookDetail} book */
  #chapters(book) {
    const row = (/** @type {ChapterRow} */ chapter) => {
      const input = h("input", { type: "checkbox", role: "switch", checked: chapter.enabled });
      input.addEventListener("change", () => this.#act("", () => this.app.api.turnChapter(book.id, chapter.number, input.checked)));
      const note = chapter.enabled ? (chapter.complete ? span(chapter.audio_s) : counted(chapter.sentences, "sentence")) : whyNot(chapter.rule);
      return h("li", {}, h("label", { class: "option" }, input, h("span", { class: "title" }, chapter.title), h("span", { class: "quiet" }, note)));
    };
    return this.#read = h(
      "section", { class: "part" },
      h("h3", {}, "What is read"),
      h("p", { class: "quiet" }, "Title pages, contents and licences are passed over by themselves. Turn on what you want to hear."),
      h("ol", { class: "switches", role: "list" }, ...book.chapters_list.map(row)),
    );
  }

  /** @param {string} doing @param {() => Promise<BookDetail>} work */
  async #act(doing, work) {
    const focused = this.#body.contains(document.activeElement) ? [...this.#body.querySelectorAll("input")].findIndex((input) => input === document.activeElement) : -1;
    this.#said.textContent = doing;
    this.#body.toggleAttribute("inert", doing !== "");
    try {
      this.#fill(await work());
      this.#said.textContent = "";
    } catch (error) {
      this.#said.textContent = /** @type {Error} */ (error).message;
      this.#fill(await this.app.api.book(this.#book));
    } finally {
      this.#body.removeAttribute("inert");
      if (focused >= 0) this.#body.querySelectorAll("input")[focused]?.focus();
    }
  }
}

/** @param {BookDetail} book @param {HTMLElement} correct  the way to where it is written otherwise */
function about(book, correct) {
  const people = book.contributors.map(({ name, role }) => `${ROLES[role] ?? "with"} ${name}`);
  const printed = [book.publisher, book.published].filter(Boolean).join(", ");
  const series = book.series ? `${book.series}${book.series_index === null ? "" : `, ${book.series_index}`}` : "";
  const lines = [book.authors.join(", "), people.join(" · "), series, printed].filter(Boolean);
  const text = (book.description ?? "").split("\n\n").filter(Boolean);
  return h("section", { class: "part about" }, ...lines.map((line) => h("p", {}, line)), ...text.map((line) => h("p", { class: "quiet" }, line)), h("p", {}, correct));
}

/** @param {Edition[]} editions */
function changes(editions) {
  if (!editions.length) return null;
  const item = (/** @type {Edition} */ edition) => {
    const what = edition.new || edition.gone
      ? `${counted(edition.new, "sentence")} new or changed, ${edition.gone.toLocaleString("en")} gone, ${edition.kept.toLocaleString("en")} kept with their audio`
      : "Only what it says of itself changed; all its audio stays";
    const from = edition.same_file ? "Read in another way" : `Another edition took the place of ${edition.file}`;
    const chapters = edition.chapters.map((one) => `${one.title}: ${one.new} new, ${one.gone} gone`);
    return h(
      "li", {},
      h("p", {}, `${from}, `, h("time", { datetime: edition.until }, ago(edition.until)), "."),
      h("p", { class: "quiet" }, `${what}.`),
      chapters.length ? h("details", {}, h("summary", {}, counted(chapters.length, "chapter changed", "chapters changed")), h("ul", {}, ...chapters.map((line) => h("li", {}, line)))) : null,
    );
  };
  return h("section", { class: "part" }, h("h3", {}, "What changed"), h("ul", { class: "history", role: "list" }, ...editions.map(item)));
}

/** @param {string[]} warnings */
function oddities(warnings) {
  if (!warnings.length) return null;
  return h("section", { class: "part" }, h("h3", {}, "Odd in its file"), h("ul", { class: "odd" }, ...warnings.map((line) => h("li", {}, line))));
}

customElements.define("book-details", BookDetails);
