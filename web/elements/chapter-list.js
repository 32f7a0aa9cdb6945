/**
 * The chapters of a book in a dialog. In: `show(rows, current)`. Out: `chapter` {number}, `read` {number} to have it read,
 * `sheet` {name} "find", "bookmarks", "jumps" or "downloads" to see those.
 */

import { h } from "../lib/dom.js";
import { percent, span } from "../lib/format.js";
import { icon } from "../lib/icons.js";
import { whyNot } from "../lib/rules.js";

/** @typedef {import("../lib/types.js").ChapterRow} ChapterRow */

class ChapterList extends HTMLElement {
  #list = h("ol", { role: "list" });
  #dialog = h("dialog", { class: "sheet", "aria-label": "Chapters" });

  connectedCallback() {
    const close = h("button", { class: "round", type: "button", "aria-label": "Close", onclick: () => this.#dialog.close() }, icon("close"));
    this.#dialog.replaceChildren(h("header", {}, h("h2", {}, "Chapters"), close), this.#others(), this.#list);
    // A click on the dialog itself is one on the backdrop: its content covers the rest.
    this.#dialog.addEventListener("click", (event) => event.target === this.#dialog && this.#dialog.close());
    this.replaceChildren(this.#dialog);
  }

  get open() {
    return this.#dialog.open;
  }

  /** @param {readonly ChapterRow[]} rows @param {number|null} current */
  show(rows, current) {
    this.#list.replaceChildren(...rows.map((row) => this.#row(row, row.number === current)));
    if (this.#dialog.open) return;
    this.#dialog.showModal();
    /** @type {HTMLElement|null} */ (this.#list.querySelector("[aria-current]"))?.scrollIntoView({ block: "center" });
  }

  #others() {
    const open = (/** @type {string} */ name) => () => {
      this.#dialog.close();
      this.dispatchEvent(new CustomEvent("sheet", { detail: { name }, bubbles: true }));
    };
    const button = (/** @type {string} */ name, /** @type {Parameters<typeof icon>[0]} */ shape, /** @type {string} */ label) =>
      h("button", { class: "chip", type: "button", "aria-haspopup": "dialog", onclick: open(name) }, icon(shape), label);
    return h("div", { class: "chips others" }, button("find", "find", "Find in this book"), button("bookmarks", "ribbon", "Bookmarks"), button("jumps", "undo", "Where you were"), button("downloads", "download", "Downloads"));
  }

  /** @param {ChapterRow} row @param {boolean} current */
  #row(row, current) {
    const spoken = row.enabled && row.sentences > 0;
    const choose = () => {
      this.#dialog.close();
      this.dispatchEvent(new CustomEvent("chapter", { detail: { number: row.number }, bubbles: true }));
    };
    const read = () => this.dispatchEvent(new CustomEvent("read", { detail: { number: row.number }, bubbles: true }));
    const title = row.title || `Chapter ${row.number}`;
    return h(
      "li", { class: row.enabled ? null : "off" },
      h(
        "button", { type: "button", class: "chapter-row", disabled: !spoken, "aria-current": current ? "true" : null, onclick: choose },
        h("span", { class: "title" }, title),
        h("span", { class: "note" }, note(row)),
      ),
      row.enabled || row.sentences === 0 ? null : h("button", { type: "button", class: "button read-it", "aria-label": `Read ${title} aloud`, onclick: read }, "Read it"),
    );
  }
}

/** @param {ChapterRow} row */
function note(row) {
  if (!row.enabled) return whyNot(row.rule);
  if (row.sentences === 0) return "No text";
  if (row.rendered >= row.sentences) return span(row.audio_s);
  return row.rendered ? `${percent(row.rendered, row.sentences)} % rendered` : "Not rendered yet";
}

customElements.define("chapter-list", ChapterList);
