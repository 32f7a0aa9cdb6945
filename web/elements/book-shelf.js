/** The shelf: the book to go on with, all books, and what is found in their text. */

import { h } from "../lib/dom.js";
import { keepFresh } from "../lib/fresh.js";
import { counted } from "../lib/format.js";
import { Paging } from "../lib/paging.js";
import { begun, empty, hero, rows } from "../lib/shelf-view.js";

/** @typedef {import("../lib/types.js").Book} Book */

const EVENTS = ["book.added", "book.changed", "book.removed", "import.started", "import.refused", "library.notice", "render.progress", "position"];
const BEGUN = 7; // to go on with: one large, the others in a row

class BookShelf extends HTMLElement {
  /** Set before it is connected. @type {import("../player.js").App} */
  app = /** @type {any} */ (null);
  /** What is to be looked for at first. @type {import("../lib/router.js").Asked} */
  asked = {};
  /** @type {ReturnType<typeof keepFresh>|null} */
  #fresh = null;
  /** @type {Map<string, {element: HTMLElement, face: string}>} kept between loads, so that no image is fetched or drawn twice */
  #covers = new Map();
  #off = () => {};
  #shown = "";
  #kept = /** @type {any} */ (document.createElement("download-list"));
  #hits = /** @type {any} */ (document.createElement("search-hits"));
  #paging = new Paging(() => this.#look(), { auto: true, text: true });
  #hero = h("div", {});
  #books = h("div", {});
  #note = h("p", { class: "quiet importing", role: "status", hidden: true });

  connectedCallback() {
    document.title = "Lectern";
    this.#kept.app = this.#hits.app = this.app;
    this.#paging.asked = this.asked;
    this.#hits.query = this.#paging.query;
    this.replaceChildren(header(this.#kept));
    this.#paging.start();
    this.#fresh = keepFresh(() => this.#load(), this.app.live, EVENTS, (error) => this.#fail(error), 3000);
    // Where nobody answered, what is shown is tried again when somebody does.
    this.#off = this.app.live.connected.subscribe((up) => up && this.querySelector(".failure") && this.#fresh?.refresh());
  }

  disconnectedCallback() {
    this.#off();
    this.#fresh?.stop();
    this.#paging.stop();
  }

  /** Something else is looked for. */
  #look() {
    this.#hits.query = this.#paging.query;
    // Whoever comes back from a book finds what was found.
    history.replaceState(history.state, "", this.#paging.href);
    this.#load().catch((error) => this.#fail(error));
  }

  async #load() {
    const { api, settings } = this.app;
    const last = api.page({ sort: "opened", show: "begun", limit: BEGUN });
    const [page, opened, status] = await Promise.all([this.#paging.load(api), last, api.status()]);
    if (page === null) return;
    const { books, total } = page;
    const { query, narrowed } = this.#paging;
    const going = narrowed ? [] : opened.books.filter((book) => book.position && !book.finished);
    const speed = settings.speed.value;
    const news = JSON.stringify([books, total, going, narrowed, speed, status.importing, status.waiting, status.notice, status.library]);
    if (news === this.#shown && !this.querySelector(".failure")) return;
    this.#shown = news;
    const focused = document.activeElement?.closest("[data-book]")?.getAttribute("data-book");
    const cover = (/** @type {string} */ key, /** @type {Book} */ book) => this.#cover(key, book);
    this.#hero.replaceChildren(...[going[0] && hero(going[0], cover, speed), begun(going.slice(1), cover, speed)].filter((part) => part instanceof Node));
    const title = query ? `${counted(total, "book")} found` : narrowed || going.length ? counted(total, "book") : "Your books";
    const none = !books.length && (narrowed ? h("div", {}) : empty(status.library));
    this.#books.replaceChildren(none || rows(books, title, cover, speed, this.#paging.sort === "series"));
    this.#tell(status);
    this.#place();
    if (focused) /** @type {HTMLElement|null} */ (this.querySelector(`[data-book="${CSS.escape(focused)}"]`))?.focus();
  }

  /** @param {import("../lib/types.js").Status} status */
  #tell(status) {
    this.#note.hidden = !status.importing.length && !status.notice;
    const more = status.waiting ? `, ${counted(status.waiting, "more file")} to come` : "";
    this.#note.textContent = status.notice ?? `Reading ${status.importing.join(", ")}${more} …`;
  }

  /** Put the parts where they belong, if they are not there. */
  #place() {
    if (this.contains(this.#books) && !this.querySelector(".failure")) return;
    const { tools, none, more } = this.#paging;
    this.replaceChildren(header(this.#kept), this.#hero, tools, this.#books, none, more, this.#hits, this.#note);
  }

  /** @param {string} key @param {Book} book */
  #cover(key, book) {
    const face = JSON.stringify([book.title, book.authors, book.thumbnail]);
    const known = this.#covers.get(key) ?? { element: document.createElement("book-cover"), face: "" };
    if (known.face !== face) Object.assign(known.element, { book });
    known.face = face;
    this.#covers.set(key, known);
    return known.element;
  }

  /** @param {Error} error */
  #fail(error) {
    if (this.querySelector(".failure")) return;
    const again = h("button", { class: "button", onclick: () => this.#fresh?.refresh() }, "Try again");
    const note = h("div", { class: "failure", role: "alert" }, h("p", {}, error.message), again);
    if (this.childElementCount > 1) this.querySelector("header")?.after(note);
    else this.replaceChildren(header(this.#kept), note);
  }
}

/** @param {any} kept */
function header(kept) {
  const ways = h("nav", { class: "ways" }, kept.button, h("a", { class: "quiet-link", href: "/dashboard" }, "Dashboard"));
  return h("header", { class: "masthead" }, h("h1", { class: "wordmark" }, "Lectern"), ways, kept);
}

customElements.define("book-shelf", BookShelf);
