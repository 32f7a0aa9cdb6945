/** What is read of a book: a bar a chapter, what is passed over and why, and chapters turned on and off. In: `app`, `book`. */

import { areaHref } from "../lib/areas.js";
import { bookApi } from "../lib/book-api.js";
import { h } from "../lib/dom.js";
import { counted, percent, span } from "../lib/format.js";
import { reasonOf, whyNot } from "../lib/rules.js";

/** @typedef {import("../lib/book-api.js").Ledger} Ledger */
/** @typedef {import("../lib/types.js").ChapterRow} ChapterRow */
/** @typedef {import("../lib/types.js").BookDetail} BookDetail */

const SENTENCES = 40; // of a chapter that is not read that are shown; its page in “Text and sound” has all

class CoverageBars extends HTMLElement {
  /** Set before it is connected. @type {import("../dashboard.js").App} */
  app = /** @type {any} */ (null);
  /** @type {BookDetail} */
  #book = /** @type {any} */ (null);
  /** @type {string[]} */
  path = [];
  /** @type {Map<number, Ledger>} */
  #ledgers = new Map();
  #only = h("input", { type: "checkbox", onchange: () => this.#filter() });
  #sum = h("p", { class: "quiet" });
  #refused = h("ul", { class: "odd" });
  #rows = h("ol", { class: "rows coverage", role: "list" });
  #said = h("p", { class: "said", role: "status" });

  get book() {
    return this.#book;
  }

  set book(book) {
    this.#book = book;
    if (this.isConnected) this.#update();
  }

  connectedCallback() {
    const intro = h("p", { class: "quiet pad" }, "What of the book is read aloud, and what is passed over and why. Tick a chapter to have it read; press its bar to see what is passed over.");
    const only = h("label", { class: "option only" }, this.#only, "Only chapters that are not read");
    this.replaceChildren(h("section", { class: "card", "aria-label": "What is read" }, intro, this.#sum, this.#refused, only, this.#said, this.#rows));
    this.#load();
  }

  async #load() {
    this.#show();
    await this.#loadLedgers();
    this.#show();
  }

  async #loadLedgers() {
    try {
      const { chapters, refused, spoken, silent } = await bookApi.coverage(this.#book.id);
      this.#ledgers = new Map(chapters.map((one) => [one.number, one]));
      const passed = Object.values(silent).reduce((sum, characters) => sum + characters, 0);
      this.#sum.textContent = `${percent(spoken, spoken + passed)} % of the text is read. ${counted(passed, "character")} passed over${refused.length ? `; ${counted(refused.length, "page")} could not be read` : ""}.`;
      this.#refused.replaceChildren(...refused.map(({ doc, reason }) => h("li", {}, `Refused: ${doc}. ${reason}`)));
    } catch (error) {
      this.#sum.textContent = /** @type {Error} */ (error).message; // a book that an older version took in
    }
  }

  #show() {
    this.#rows.replaceChildren(...this.#book.chapters_list.map((chapter) => this.#row(chapter)));
    this.#filter();
  }

  #filter() {
    for (const row of this.#rows.children) /** @type {HTMLElement} */ (row).hidden = this.#only.checked && row.classList.contains("on");
  }

  /** What the switches say, where somebody else turned one. */
  #update() {
    this.#book.chapters_list.forEach((chapter, at) => {
      const row = this.#rows.children[at];
      if (!row) return;
      row.classList.toggle("on", chapter.enabled);
      /** @type {HTMLInputElement} */ (row.querySelector("input")).checked = chapter.enabled;
      /** @type {HTMLElement} */ (row.querySelector(".note")).textContent = note(chapter);
      const ledger = this.#ledgers.get(chapter.number);
      if (!ledger) return;
      row.querySelector(".bar")?.replaceWith(segments(ledger));
      row.querySelector(".told")?.replaceChildren(`. ${told(ledger)}`);
    });
  }

  /** @param {ChapterRow} chapter */
  #row(chapter) {
    const name = chapter.title || `Chapter ${chapter.number}`;
    const ledger = this.#ledgers.get(chapter.number);
    const input = h("input", { type: "checkbox", role: "switch", checked: chapter.enabled, "aria-label": `Read ${name}` });
    input.addEventListener("change", () => this.#turn(chapter.number, input));
    const panel = h("div", { class: "passed", id: `passed-${chapter.number}`, hidden: true });
    const bar = h("button", { class: "coverage-bar", type: "button", "aria-expanded": "false", "aria-controls": panel.id }, h("span", { class: "title" }, name), ledger ? segments(ledger) : null, h("span", { class: "quiet note" }, note(chapter)), ledger ? h("span", { class: "visually-hidden told" }, `. ${told(ledger)}`) : null);
    bar.addEventListener("click", () => {
      const open = panel.hidden;
      bar.setAttribute("aria-expanded", String(open));
      panel.hidden = !open;
      if (open) this.#fill(panel, chapter, ledger);
    });
    return h("li", { class: `row cover-row${chapter.enabled ? " on" : ""}` }, bar, input, panel);
  }

  /** @param {HTMLElement} panel @param {ChapterRow} chapter @param {Ledger} [ledger] */
  async #fill(panel, chapter, ledger) {
    const link = h("a", { class: "quiet-link", href: areaHref("book", this.#book.id, "text", String(chapter.number)) }, "The whole chapter, with its sound");
    const groups = ledger ? passedOver(ledger) : [];
    panel.replaceChildren(ledger ? h("p", { class: "quiet" }, told(ledger)) : "", ...groups, link);
    const now = this.#book.chapters_list.find((one) => one.number === chapter.number);
    if (now?.enabled ?? chapter.enabled) return;
    try {
      const { sentences } = await this.app.api.chapter(this.#book.id, chapter.number);
      const shown = sentences.slice(0, SENTENCES).map(({ text }) => h("p", {}, text));
      const rest = sentences.length > SENTENCES ? [h("p", { class: "quiet" }, `… and ${counted(sentences.length - SENTENCES, "sentence")} more`)] : [];
      link.before(h("div", { class: "unread" }, h("p", { class: "eyebrow" }, whyNot(chapter.rule)), ...shown, ...rest));
    } catch (error) {
      link.before(h("p", { class: "said-here" }, /** @type {Error} */ (error).message));
    }
  }

  /** @param {number} number @param {HTMLInputElement} input */
  async #turn(number, input) {
    const wanted = input.checked;
    input.disabled = true;
    try {
      const book = await this.app.api.turnChapter(this.#book.id, number, wanted);
      await this.#loadLedgers();
      this.book = book;
      const title = this.#book.chapters_list.find((one) => one.number === number)?.title ?? "";
      this.#said.textContent = wanted ? `“${title}” is read from now on.` : `“${title}” is passed over. Audio that it has stays.`;
    } catch (error) {
      input.checked = !wanted;
      this.#said.textContent = /** @type {Error} */ (error).message;
    }
    input.disabled = false;
    input.focus();
  }
}

/** @param {ChapterRow} chapter */
const note = (chapter) => (chapter.enabled ? (chapter.complete ? span(chapter.audio_s) : counted(chapter.sentences, "sentence")) : whyNot(chapter.rule));

/** @param {Ledger} ledger */
const passed = ({ silent }) => Object.values(silent).reduce((sum, characters) => sum + characters, 0);

/** The bar itself: how much is read, how much is not. @param {Ledger} ledger */
function segments(ledger) {
  const all = ledger.spoken + passed(ledger) || 1;
  return h("span", { class: "bar", "aria-hidden": "true" }, h("span", { class: "spoken", "--part": ledger.spoken / all }), h("span", { class: "skipped", "--part": passed(ledger) / all }));
}

/** @param {Ledger} ledger */
function told(ledger) {
  const rules = Object.entries(ledger.silent).sort((a, b) => b[1] - a[1]).map(([rule, characters]) => `${reasonOf(rule)} ${characters.toLocaleString("en")}`);
  return `${counted(ledger.spoken, "character")} read, ${passed(ledger).toLocaleString("en")} passed over${rules.length ? `: ${rules.join(", ")}` : ""}.`;
}

/** @param {Ledger} ledger */
function passedOver({ silences }) {
  const shown = silences.filter(({ text }) => text.trim());
  const rules = [...new Set(shown.map(({ rule }) => rule))];
  return rules.map((rule) => {
    const texts = shown.filter((one) => one.rule === rule).map(({ text }) => text);
    return h("div", { class: "unread" }, h("p", { class: "eyebrow" }, `${whyNot(rule)} (${texts.length})`), ...texts.slice(0, SENTENCES).map((text) => h("p", {}, text)));
  });
}

customElements.define("coverage-bars", CoverageBars);
