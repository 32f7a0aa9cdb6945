/**
 * What is looked for in the text of the open book, and what is found, in a dialog that stays as it was left.
 *
 * In: `app`, `book` (its id), `show()`. Out: `place` {chapter, sentence, word} to go to what was chosen.
 */

import { Cleanup, h } from "../lib/dom.js";
import { icon } from "../lib/icons.js";

const TYPING_MS = 250;
const HINT = "Sentences with these words, in reading order. In quotes, words stand beside each other.";

class BookSearch extends HTMLElement {
  /** Set before it is connected. @type {import("../player.js").App} */
  app = /** @type {any} */ (null);
  book = "";
  #field = h("input", { type: "search", class: "find", enterkeyhint: "search", autocomplete: "off", placeholder: "Find in this book", "aria-label": "Find in this book" });
  #hint = h("p", { class: "quiet said" }, HINT);
  #hits = /** @type {any} */ (document.createElement("search-hits"));
  #dialog = h("dialog", { class: "sheet finding", "aria-label": "Find in this book" });
  #cleanup = new Cleanup();
  #timer = 0;

  connectedCallback() {
    Object.assign(this.#hits, { app: this.app, book: this.book });
    const close = h("button", { class: "round", type: "button", "aria-label": "Close", onclick: () => this.#dialog.close() }, icon("close"));
    this.#dialog.replaceChildren(h("header", {}, this.#field, close), this.#hint, this.#hits);
    this.#cleanup.listen(this.#dialog, "click", (event) => event.target === this.#dialog && this.#dialog.close());
    this.#cleanup.listen(this.#field, "input", () => this.#soon(TYPING_MS));
    this.#cleanup.listen(this.#field, "keydown", (event) => this.#onKey(event));
    this.#cleanup.listen(this.#hits, "hit", (event) => this.#choose(event));
    this.replaceChildren(this.#dialog);
  }

  disconnectedCallback() {
    this.#cleanup.run();
    clearTimeout(this.#timer);
  }

  show() {
    if (this.#dialog.open) return;
    this.#dialog.showModal();
    this.#field.focus();
    this.#field.select();
    this.#hits.querySelector("[aria-current]")?.scrollIntoView({ block: "center" });
  }

  /** @param {number} wait_ms */
  #soon(wait_ms) {
    clearTimeout(this.#timer);
    this.#timer = window.setTimeout(() => {
      this.#hits.query = this.#field.value.trim();
      this.#hint.hidden = this.#field.value.trim() !== "";
    }, wait_ms);
  }

  /** @param {KeyboardEvent} event */
  #onKey(event) {
    if (event.key === "ArrowDown") {
      event.preventDefault();
      this.#hits.querySelector("a")?.focus();
    } else if (event.key === "Enter" && !event.isComposing) {
      this.#soon(0);
      if (matchMedia("(pointer: coarse)").matches) this.#field.blur(); // the keyboard makes room for what is found
    }
  }

  /** @param {CustomEvent<{chapter: number, sentence: string}>} event */
  #choose(event) {
    event.preventDefault();
    event.stopPropagation();
    this.#dialog.close();
    this.dispatchEvent(new CustomEvent("place", { detail: { ...event.detail, word: 0 }, bubbles: true }));
  }
}

customElements.define("book-search", BookSearch);
