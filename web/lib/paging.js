/** A shelf of thousands, asked for page by page: a field to look for books, their order, and a button for more of them. */

import { h } from "./dom.js";
import { counted } from "./format.js";

/** @typedef {import("./types.js").Book} Book */

const STEP = 60;
const MOST = 600; // in one answer
const FEW = 12; // so few are seen at a glance: nothing to look for
const TYPING_MS = 200;
const ORDERS = { added: "Newest first", title: "By title", author: "By author", series: "By series", opened: "Last listened to" };

export class Paging {
  #count = STEP;
  #asked = 0;
  #reload;
  #field = h("input", { type: "search", class: "find", placeholder: "Find a title, author or series", "aria-label": "Find books" });
  #order = h(
    "select", { class: "order", "aria-label": "Order" },
    ...Object.entries(ORDERS).map(([value, name]) => h("option", { value }, name)),
  );
  /** Goes above the books. */
  tools = h("div", { class: "shelf-tools", role: "search", hidden: true }, this.#field, this.#order);
  /** Goes below them: shows more when it is pressed, or comes into view. */
  more = h("button", { class: "button more", type: "button", hidden: true, onclick: () => this.#grow() });
  /** Says that nothing was found. */
  none = h("p", { class: "quiet pad", role: "status", hidden: true });
  #seen = new IntersectionObserver((entries) => entries.some((entry) => entry.isIntersecting) && this.#grow(), { rootMargin: "600px" });

  #auto;

  /** @param {() => void} reload  called when other books are to be shown @param {boolean} [auto]  more by scrolling */
  constructor(reload, auto = false) {
    this.#reload = reload;
    this.#auto = auto;
    /** @type {ReturnType<typeof setTimeout>|undefined} */
    let timer;
    this.#field.addEventListener("input", () => {
      clearTimeout(timer);
      timer = setTimeout(() => this.#begin(), TYPING_MS);
    });
    this.#order.addEventListener("change", () => this.#begin());
  }

  start() {
    if (this.#auto) this.#seen.observe(this.more);
  }

  get query() {
    return /** @type {HTMLInputElement} */ (this.#field).value.trim();
  }

  /**
   * The books to show and how many there are in all; null when others were asked for in the meantime.
   * @param {typeof import("./api.js").api} api
   */
  async load(api) {
    const asked = ++this.#asked;
    const sort = /** @type {HTMLSelectElement} */ (this.#order).value;
    const pages = [];
    for (let offset = 0; offset < this.#count; offset += MOST) {
      pages.push(api.page({ sort, q: this.query, limit: Math.min(MOST, this.#count - offset), offset }));
    }
    const found = await Promise.all(pages);
    if (asked !== this.#asked) return null;
    const books = found.flatMap((page) => page.books);
    const { total } = found[0];
    this.tools.hidden = !this.query && total <= FEW;
    this.more.hidden = books.length >= total;
    this.more.textContent = `Show more of ${counted(total, "book")}`;
    this.none.hidden = !this.query || total > 0;
    this.none.textContent = `No book has “${this.query}” in its title, authors or series.`;
    // A book that comes twice slipped from one page to the next between two answers.
    return { books: [...new Map(books.map((book) => [book.id, book])).values()], total };
  }

  stop() {
    this.#seen.disconnect();
  }

  #begin() {
    this.#count = STEP;
    this.#reload();
  }

  #grow() {
    if (this.more.hidden) return;
    this.more.hidden = true; // until the answer tells that there are still more
    this.#count += STEP;
    this.#reload();
  }
}
