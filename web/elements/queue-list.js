/** What is rendered next, book by book, and the order that somebody puts them in. */

import { h } from "../lib/dom.js";
import { dragRow } from "../lib/drag-row.js";
import { counted, wait } from "../lib/format.js";
import { keepFresh } from "../lib/fresh.js";
import { house } from "../lib/house-api.js";
import { icon } from "../lib/icons.js";
import { byHand, inTurn, moved, waitsFor } from "../lib/queue-order.js";

/** @typedef {import("../lib/queue-order.js").QueueBook} QueueBook */
/** @typedef {{li: HTMLElement, grip: HTMLElement, show: (item: QueueBook) => void}} Row */

const SHOWN = 8;
const EVENTS = ["book.added", "book.changed", "book.removed", "queue.changed", "rules.changed", "render.progress", "render.state"];

class QueueList extends HTMLElement {
  /** Set before it is connected. @type {import("../dashboard.js").App} */
  app = /** @type {any} */ (null);
  /** @type {ReturnType<typeof keepFresh>|null} */
  #fresh = null;
  /** @type {QueueBook[]} */
  #books = [];
  /** @type {Map<string, Row>} */
  #rows = new Map();
  #all = false;
  #held = false;
  /** The order that is to be sent, while another is on its way. @type {string[]|null} */
  #wanted = null;
  #sending = false;
  #list = h("ol", { class: "rows", role: "list" });
  #rest = h("p", { class: "quiet pad" });
  #more = h("button", { class: "button", type: "button", hidden: true, onclick: () => ((this.#all = true), this.#show()) });
  #own = h("div", { class: "own", hidden: true });
  #ownSaid = h("span", { class: "quiet" });
  #said = h("p", { class: "visually-hidden", role: "status" });
  #problem = h("p", { class: "said-here", role: "alert" });

  connectedCallback() {
    const usual = h("button", { class: "button", type: "button", onclick: () => this.#usual() }, "The usual order");
    this.#own.replaceChildren(this.#ownSaid, usual);
    this.replaceChildren(
      h("section", { class: "card" }, h("h2", {}, "Next in line"), this.#problem, this.#own, this.#list, this.#rest, this.#more, this.#said,
        h("p", { class: "visually-hidden", id: "queue-help" }, "Arrow keys move the book in line, Enter shows buttons for it.")),
    );
    this.#fresh = keepFresh(() => this.#load(), this.app.live, EVENTS, this.app.fail, 2000);
  }

  disconnectedCallback() {
    this.#fresh?.stop();
  }

  async #load() {
    const told = await this.app.api.queue();
    if (!this.#held && !this.#sending) this.#take(told);
  }

  /** @param {import("../lib/house-api.js").Queue} told */
  #take({ books, total, eta_s, by_hand }) {
    this.#books = books;
    this.#own.hidden = !by_hand;
    this.#ownSaid.textContent = `${counted(by_hand, "book stands", "books stand")} in your order. Whoever listens comes first in any case.`;
    const rest = total - books.reduce((sum, { chapters }) => sum + chapters, 0);
    const all = total && eta_s ? `All of it in about ${wait(eta_s)}.` : "";
    this.#rest.textContent = books.length
      ? [rest > 0 ? `${counted(rest, "more chapter")} of other books.` : "", all].filter(Boolean).join(" ")
      : "Nothing is waiting. A new book is rendered as soon as it is added, and from wherever you start to listen.";
    this.#rest.hidden = !this.#rest.textContent;
    this.#show();
  }

  #show() {
    const focused = /** @type {HTMLElement|null} */ (document.activeElement);
    const shown = this.#all ? this.#books : this.#books.slice(0, SHOWN);
    this.#more.hidden = shown.length === this.#books.length;
    this.#more.textContent = `All ${this.#books.length} books`;
    const ids = new Set(shown.map(({ book }) => book));
    for (const [book, { li }] of this.#rows) {
      if (!ids.has(book)) (li.remove(), this.#rows.delete(book));
    }
    shown.forEach((item, at) => {
      const row = this.#rows.get(item.book) ?? this.#row(item.book);
      row.show(item);
      if (this.#list.children[at] !== row.li) this.#list.insertBefore(row.li, this.#list.children[at] ?? null);
    });
    if (focused !== document.activeElement && this.#list.contains(focused)) focused?.focus(); // a row that moves loses it
  }

  /** @param {string} book @returns {Row} */
  #row(book) {
    const name = h("p", { class: "name" });
    const what = h("p", { class: "quiet" });
    const when = h("span", { class: "quiet when" });
    const act = (/** @type {string} */ words, /** @type {(at: number) => number} */ to) =>
      h("button", { class: "button", type: "button", onclick: () => this.#move(book, to(this.#at(book))) }, words);
    const acts = h("div", { class: "acts", hidden: true }, act("First", () => 0), act("Earlier", (at) => at - 1), act("Later", (at) => at + 1));
    const grip = h("button", { class: "round grip", type: "button", "aria-describedby": "queue-help", "aria-expanded": "false" }, icon("grip"));
    const li = h("li", { class: "row slim in-line" }, grip, h("div", { class: "words" }, name, what), when, acts);
    grip.addEventListener("click", () => {
      acts.hidden = !acts.hidden;
      grip.setAttribute("aria-expanded", String(!acts.hidden));
    });
    grip.addEventListener("keydown", (event) => this.#key(event, book));
    dragRow(grip, li, {
      begun: () => (this.#held = true),
      ended: (dropped) => {
        this.#held = false;
        const to = [...this.#list.children].indexOf(li);
        if (dropped && to !== this.#at(book)) this.#move(book, to);
        else this.#show();
        this.#fresh?.refresh();
      },
    });
    const show = (/** @type {QueueBook} */ item) => {
      name.textContent = item.title;
      what.textContent = `${waitsFor(item)} · ${counted(item.remaining_sentences, "sentence")}`;
      when.textContent = item.eta_s ? `about ${wait(item.eta_s)}` : "";
      grip.setAttribute("aria-label", `Move “${item.title}” in line`);
    };
    const row = { li, grip, show };
    this.#rows.set(book, row);
    return row;
  }

  /** @param {string} book */
  #at(book) {
    return this.#books.findIndex((item) => item.book === book);
  }

  /** @param {KeyboardEvent} event @param {string} book */
  #key(event, book) {
    const at = this.#at(book);
    const to = { ArrowUp: at - 1, ArrowDown: at + 1, Home: 0, End: this.#books.length - 1 }[event.key];
    if (to === undefined || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    this.#move(book, to);
  }

  /** @param {string} book @param {number} to */
  #move(book, to) {
    const books = moved(this.#books, book, to);
    const at = books.findIndex((item) => item.book === book);
    if (at !== this.#at(book) || (to === 0 && books[0].turn === null)) this.#order(inTurn(books, byHand(books, book)), byHand(books, book));
    this.#said.textContent = `“${books[at].title}” is number ${at + 1} of ${books.length} in line.`;
  }

  async #usual() {
    await this.#order(inTurn(this.#books, []), []);
    if (this.#own.hidden) this.#list.querySelector("button")?.focus(); // the button that was pressed is gone
    if (this.#own.hidden) this.#said.textContent = "The books are in the usual order.";
  }

  /** @param {QueueBook[]} books @param {string[]} order */
  async #order(books, order) {
    this.#books = books;
    this.#problem.textContent = "";
    this.#show();
    this.#wanted = order;
    if (this.#sending) return;
    this.#sending = true;
    let told = null;
    try {
      while (this.#wanted) {
        const next = this.#wanted;
        this.#wanted = null;
        told = await house.order(next);
      }
    } catch (error) {
      this.#problem.textContent = /** @type {Error} */ (error).message;
    }
    this.#sending = false;
    this.#wanted = null;
    if (told && !this.#problem.textContent && !this.#held) this.#take(told);
    else this.#fresh?.refresh();
  }
}

customElements.define("queue-list", QueueList);
