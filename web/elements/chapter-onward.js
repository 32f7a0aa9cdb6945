/** What comes under a chapter's text. In: `next`, the row of the chapter after it, or null. Out: `chapter` {number}. */

import { h } from "../lib/dom.js";

class ChapterOnward extends HTMLElement {
  connectedCallback() {
    this.className = "onward";
    this.setAttribute("role", "navigation");
    this.setAttribute("aria-label", "Chapters");
  }

  /** @param {import("../lib/types.js").ChapterRow|null} row */
  set next(row) {
    const go = () => this.dispatchEvent(new CustomEvent("chapter", { detail: { number: row?.number }, bubbles: true }));
    const button = row && h("button", { class: "button", type: "button", onclick: go }, h("span", { class: "quiet" }, "Next chapter"), row.title || `Chapter ${row.number}`);
    this.replaceChildren(button ?? h("p", { class: "quiet" }, "The end"));
  }
}

customElements.define("chapter-onward", ChapterOnward);
