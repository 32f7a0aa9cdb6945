/** A shelf of thousands, asked for page by page: a field to look for books, their order, and a button for more of them. */

import { h } from "./dom.js";
import { counted } from "./format.js";
import { shelfHref } from "./router.js";

/** @typedef {import("./types.js").Book} Book */

const STEP = 60;
const MOST = 600; // in one answer
const FEW = 12; // so few are seen at a glance: nothing to look for
const TYPING_MS = 200;
const ORDERS = { added: "Newest first", title: "By title", author: "By author", series: "By series", opened: "Last listened to" };
/** @type {Record<string, [string, string]>} */
const SHOWN = {
  all: ["All", ""], begun: ["In progress", "You have begun no book."], new: ["New", "You have begun every book."],
  finished: ["Finished", "You have finished no book yet."],
  rendered: ["Ready to hear", "No book is wholly rendered yet. You can listen to any of them all the same."],
};

export class Paging {
  #count = STEP;
  #asked = 0;
  #reload;
  #auto;
  #text;
  #show = "all";
  #shown;
  #field = h("input", { type: "search", class: "find", enterkeyhint: "search", autocomplete: "off" });
  #order = h(
    "select", { class: "order", "aria-label": "Order" },
    ...Object.entries(ORDERS).map(([value, name]) => h("option", { value }, name)),
  );
  /** @type {HTMLElement[]} */
  #chips;
  #filters = h("div", { class: "chips filters", role: "group", "aria-label": "Which books" });
  /** Goes above the books. */
  tools = h("div", { class: "shelf-tools", role: "search", hidden: true }, this.#field, this.#filters, this.#order);
  /** Goes below them: shows more when it is pressed, or comes into view. */
  more = h("button", { class: "button more", type: "button", hidden: true, onclick: () => this.#grow() });
  /** Says that nothing was found. */
  none = h("p", { class: "quiet pad", role: "status", hidden: true });
  #seen = new IntersectionObserver((entries) => entries.some((entry) => entry.isIntersecting) && this.#grow(), { rootMargin: "600px" });

  /**
   * @param {() => void} reload  called when other books are to be shown
   * @param {{auto?: boolean, text?: boolean, shown?: Record<string, [string, string]>}} [options]  more by scrolling; a shelf to
   *   listen from, searched in its text too; which books can be asked for: the name, and what is said where there are none
   */
  constructor(reload, { auto = false, text = false, shown = SHOWN } = {}) {
    this.#shown = shown;
    this.#chips = Object.entries(shown).map(([value, [name]]) =>
      h("button", { class: "chip", type: "button", "data-show": value, "aria-pressed": String(value === "all"), onclick: () => this.#choose(value) }, name));
    this.#filters.append(...this.#chips);
    this.#reload = reload;
    this.#auto = auto;
    this.#text = text;
    this.#field.placeholder = text ? "Search" : "Find a title, author or series";
    this.#field.setAttribute("aria-label", text ? "Find books and passages" : "Find books");
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

  /** What is looked for; in quotes, or with a space at its end, it is a whole word to the text. */
  get query() {
    return this.#field.value.trim();
  }

  get sort() {
    return this.#order.value;
  }

  /** Whether these are not all books. */
  get narrowed() {
    return this.query !== "" || this.#show !== "all";
  }

  /** The address of the shelf as it is shown. */
  get href() {
    return shelfHref({ q: this.query, show: this.#show === "all" ? "" : this.#show, sort: this.sort === "added" ? "" : this.sort });
  }

  /** @param {import("./router.js").Asked} asked */
  set asked({ q = "", show = "all", sort = "added" }) {
    this.#field.value = q;
    if (sort in ORDERS) this.#order.value = sort;
    this.#press(show in this.#shown ? show : "all");
  }

  /**
   * The books to show and how many there are in all; null when others were asked for in the meantime.
   * @param {typeof import("./api.js").api} api
   */
  async load(api) {
    const asked = ++this.#asked;
    const pages = [];
    for (let offset = 0; offset < this.#count; offset += MOST) {
      pages.push(api.page({ sort: this.sort, q: this.query, show: this.#show, limit: Math.min(MOST, this.#count - offset), offset }));
    }
    const found = await Promise.all(pages);
    if (asked !== this.#asked) return null;
    const books = found.flatMap((page) => page.books);
    const { total } = found[0];
    const few = !this.narrowed && total <= FEW;
    this.tools.hidden = few && !(this.#text && total);
    this.#order.hidden = few;
    this.#filters.hidden = few || (this.#shown === SHOWN && !this.#text);
    this.more.hidden = books.length >= total;
    this.more.textContent = `Show more of ${counted(total, "book")}`;
    this.none.hidden = !this.narrowed || total > 0;
    this.none.textContent = this.query ? `No book has “${this.query}” in its title, authors or series.` : this.#shown[this.#show][1];
    // A book that comes twice slipped from one page to the next between two answers.
    return { books: [...new Map(books.map((book) => [book.id, book])).values()], total };
  }

  stop() {
    this.#seen.disconnect();
  }

  /** @param {string} show */
  #choose(show) {
    this.#press(show);
    this.#begin();
  }

  /** @param {string} show */
  #press(show) {
    this.#show = show;
    for (const chip of this.#chips) chip.setAttribute("aria-pressed", String(chip.dataset.show === show));
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
