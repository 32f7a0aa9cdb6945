/** The chapters of a book in a dialog. In: `show(rows, current)`. Out: `chapter` {number}. */

import { h } from "../lib/dom.js";
import { percent, span } from "../lib/format.js";
import { icon } from "../lib/icons.js";

/** @typedef {import("../lib/types.js").ChapterRow} ChapterRow */

const RULES = /** @type {Record<string, string>} */ ({
  cover: "cover page", toc: "table of contents", copyright: "copyright page", "pg-licence": "licence text",
});

class ChapterList extends HTMLElement {
  #list = h("ol", { role: "list" });
  #dialog = h("dialog", { class: "sheet", "aria-label": "Chapters" });

  connectedCallback() {
    const close = h("button", { class: "round", type: "button", "aria-label": "Close", onclick: () => this.#dialog.close() }, icon("close"));
    this.#dialog.replaceChildren(h("header", {}, h("h2", {}, "Chapters"), close), this.#list);
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

  /** @param {ChapterRow} row @param {boolean} current */
  #row(row, current) {
    const spoken = row.enabled && row.sentences > 0;
    const choose = () => {
      this.#dialog.close();
      this.dispatchEvent(new CustomEvent("chapter", { detail: { number: row.number }, bubbles: true }));
    };
    return h(
      "li", {},
      h(
        "button", { type: "button", class: "chapter-row", disabled: !spoken, "aria-current": current ? "true" : null, onclick: choose },
        h("span", { class: "title" }, row.title || `Chapter ${row.number}`),
        h("span", { class: "note" }, note(row)),
      ),
    );
  }
}

/** @param {ChapterRow} row */
function note(row) {
  if (!row.enabled) return `Not read: ${RULES[row.rule ?? ""] ?? row.rule ?? "turned off"}`;
  if (row.sentences === 0) return "No text";
  if (row.rendered >= row.sentences) return span(row.audio_s);
  return row.rendered ? `${percent(row.rendered, row.sentences)} % rendered` : "Not rendered yet";
}

customElements.define("chapter-list", ChapterList);
