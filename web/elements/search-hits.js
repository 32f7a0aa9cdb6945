/**
 * Sentences that hold what is looked for, in all books or in one, each a way to it.
 *
 * In: `app`, `query`, `book` to search only that one. Each hit is a link to its sentence; `hit` {chapter, sentence} tells
 * that one was chosen, and prevented, nothing is opened.
 */

import { h } from "../lib/dom.js";
import { counted } from "../lib/format.js";
import { bookHref } from "../lib/router.js";
import { snippet } from "../lib/snippet.js";

/** @typedef {import("../lib/types.js").Hit} Hit */

const STEP = 20;
const SOON_MS = 400; // until it is said that it takes a while
const LEAST = 2; // characters: one alone is on every page, but for one that is a word

class SearchHits extends HTMLElement {
  /** Set before it is connected. @type {import("../player.js").App} */
  app = /** @type {any} */ (null);
  /** @type {string|null} */
  book = null;
  #query = "";
  #asking = new AbortController();
  /** @type {Hit[]} */
  #found = [];
  #title = h("h2", { class: "eyebrow", "aria-live": "polite" });
  #list = h("ol", { class: "hits", role: "list" });
  #more = h("button", { class: "button more", type: "button", hidden: true, onclick: () => this.#ask() }, "Show more");

  #section = h("section", { hidden: true }, this.#title, this.#list, this.#more);

  connectedCallback() {
    this.append(this.#section);
  }

  get query() {
    return this.#query;
  }

  set query(query) {
    if (query === this.#query) return;
    this.#query = query;
    this.#asking.abort();
    this.#found = [];
    if (Array.from(query).length < LEAST && !/\p{Ideographic}/u.test(query)) this.#hide();
    else this.#ask();
  }

  #hide() {
    this.#section.hidden = true;
    this.#title.textContent = "";
  }

  async #ask() {
    const asking = (this.#asking = new AbortController());
    this.#more.disabled = true;
    const slow = setTimeout(() => !asking.signal.aborted && this.#say("Looking …"), SOON_MS);
    try {
      const offset = this.#found.length;
      const told = await this.app.api.search({ q: this.#query, ...(this.book && { book: this.book }), limit: STEP, offset }, asking.signal);
      if (asking.signal.aborted) return;
      this.#found.push(...told.hits);
      this.#show(told, offset);
    } catch (error) {
      if (!asking.signal.aborted) this.#fail(/** @type {Error} */ (error));
    }
    clearTimeout(slow);
    this.#more.disabled = false;
  }

  /** @param {string} said */
  #say(said) {
    this.#section.hidden = false;
    this.#title.textContent = said;
  }

  /** @param {import("../lib/types.js").Hits} told @param {number} offset */
  #show({ hits, total, more, here }, offset) {
    const count = more ? `more than ${counted(total, "passage")}` : counted(total, "passage");
    const where = here ? "In the chapters on this device" : this.book ? "In this book" : "In the text";
    this.#say(total ? `${where}: ${count}` : here ? `Nothing in the chapters on this device has “${this.#query}”.` : `Nothing in the text${this.book ? " of this book" : ""} has “${this.#query}”.`);
    const rows = hits.map((hit, at) => this.#row(hit, this.#found[offset + at - 1]));
    if (offset) this.#list.append(...rows);
    else this.#list.replaceChildren(...rows);
    if (offset) /** @type {HTMLElement|undefined} */ (rows[0]?.querySelector("a"))?.focus();
    this.#more.hidden = hits.length < STEP || (this.#found.length >= total && !more);
    this.#more.textContent = "Show more passages";
  }

  /** @param {Hit} hit @param {Hit|undefined} before  whose book and chapter need not be said again */
  #row(hit, before) {
    const where = [this.book ? "" : hit.title, hit.chapter_title || `Chapter ${hit.chapter}`].filter(Boolean).join(" · ");
    const same = before?.book === hit.book && before.chapter === hit.chapter;
    const text = snippet(hit.text, hit.marks).map(({ text, marked }) => (marked ? h("mark", {}, text) : text));
    const choose = (/** @type {Event} */ event) => {
      this.#list.querySelector("[aria-current]")?.removeAttribute("aria-current");
      /** @type {HTMLElement} */ (event.currentTarget).setAttribute("aria-current", "true");
      const told = new CustomEvent("hit", { detail: { chapter: hit.chapter, sentence: hit.sentence }, bubbles: true, cancelable: true });
      if (!this.dispatchEvent(told)) event.preventDefault();
    };
    return h("li", {}, h(
      "a", { class: "hit", href: bookHref(hit.book, hit), onclick: choose },
      h("span", { class: same ? "visually-hidden" : "where" }, where),
      h("span", { class: "text" }, ...text),
    ));
  }

  /** @param {Error} error */
  #fail(error) {
    this.#say(`The text cannot be searched now. ${error.message}`);
    if (!this.#found.length) this.#list.replaceChildren(); // what was found stays, and more is tried again
    this.#more.hidden = false;
    this.#more.textContent = "Try again";
  }
}

customElements.define("search-hits", SearchHits);
