/** Words of a book that no dictionary has, the most frequent first, each heard in its sentence. In: `app`, `book`. Out: `edit`. */

import { areaHref } from "../lib/areas.js";
import { LONGEST_READ, bookApi } from "../lib/book-api.js";
import { h } from "../lib/dom.js";
import { counted } from "../lib/format.js";
import { keepFresh } from "../lib/fresh.js";
import { icon } from "../lib/icons.js";
import { playSounds, stopSounds } from "../lib/playlist.js";
import { standing, together } from "../lib/guessed-words.js";
import { around } from "../lib/words-of.js";

/** @typedef {import("../lib/book-api.js").Guess} Guess */

const SHOWN = 30;
const EVENTS = ["render.progress", "book.changed", "book.renewed"];

class GuessList extends HTMLElement {
  /** Set before it is connected. @type {import("../dashboard.js").App} */
  app = /** @type {any} */ (null);
  /** @type {import("../lib/types.js").BookDetail} */
  book = /** @type {any} */ (null);
  /** @type {string[]} */
  path = [];
  /** @type {Guess[]} */
  #guesses = [];
  /** What is known of the whole book. @type {import("../lib/book-api.js").WordList} */
  #whole = { state: "none", trouble: null, total: 0, words: [] };
  #limit = SHOWN;
  #off = () => {};
  #ask = h("button", { class: "button", type: "button", hidden: true, onclick: () => this.#look() });
  #find = h("input", { class: "field", type: "search", placeholder: "Find a word", "aria-label": "Find a word", oninput: () => this.#show() });
  #note = h("p", { class: "quiet", role: "status" });
  #rows = h("ol", { class: "rows guesses", role: "list" });
  #more = h("button", { class: "button more", type: "button", onclick: () => this.#showMore() });
  /** Rows stay the same ones, so that focus and sound keep their place. @type {Map<string, {told: string, row: HTMLElement}>} */
  #known = new Map();
  /** @type {ReturnType<typeof keepFresh>|null} */
  #fresh = null;

  connectedCallback() {
    const intro = h("p", { class: "quiet pad" }, "No dictionary has these words, so the voice guessed how they are said. Names are most often wrong: listen, and say it otherwise once for the whole book.");
    this.replaceChildren(h("section", { class: "card", "aria-label": "Words that the voice guessed" }, intro, this.#find, h("div", { class: "acts" }, this.#note, this.#ask), this.#rows, this.#more));
    this.#fresh = keepFresh(() => this.#load(), this.app.live, EVENTS, this.app.fail, 10_000);
    this.#off = this.app.live.on(["words.found"], (data) => data?.id === this.book.id && this.#load().catch(this.app.fail));
  }

  disconnectedCallback() {
    this.#fresh?.stop();
    this.#off();
    stopSounds();
  }

  async #load() {
    const [rendered, whole] = await Promise.all([bookApi.guesses(this.book.id), bookApi.words(this.book.id)]);
    this.#whole = whole;
    this.#guesses = together(rendered, whole);
    this.#show();
  }

  /** Have the whole book read through. */
  async #look() {
    if (this.#whole.state === "reading") return;
    try {
      const { state } = await bookApi.findWords(this.book.id);
      this.#whole = { ...this.#whole, state, trouble: null };
    } catch (error) {
      this.#whole = { ...this.#whole, state: "failed", trouble: /** @type {Error} */ (error).message };
    }
    this.#show();
  }

  /** A rule was written or taken away: what was read through before may be read otherwise now. */
  renewRules() {
    this.#load().catch(this.app.fail);
  }

  #showMore() {
    this.#limit += 4 * SHOWN;
    const first = this.#rows.children.length;
    this.#show();
    this.#rows.children[first]?.querySelector("button")?.focus();
  }

  #show() {
    const wanted = this.#find.value.trim().toLowerCase();
    const found = this.#guesses.filter(({ word }) => word.toLowerCase().includes(wanted));
    this.#find.hidden = this.#guesses.length <= 8;
    const { note, ask } = standing(this.#whole, this.#guesses.length, this.book.sentences);
    this.#note.textContent = wanted ? `${counted(found.length, "word")} with “${this.#find.value.trim()}”.` : note;
    this.#ask.hidden = !ask;
    this.#ask.textContent = ask;
    this.#ask.setAttribute("aria-disabled", String(this.#whole.state === "reading"));
    const rows = found.slice(0, this.#limit).map((guess) => this.#row(guess));
    if (rows.length !== this.#rows.children.length || rows.some((row, at) => row !== this.#rows.children[at])) this.#rows.replaceChildren(...rows);
    this.#more.hidden = found.length <= this.#limit;
    this.#more.textContent = `Show more of ${counted(found.length, "word")}`;
  }

  /** @param {Guess} guess */
  #row(guess) {
    const told = JSON.stringify(guess);
    const known = this.#known.get(guess.word);
    if (known?.told === told) return known.row;
    const row = this.#make(guess);
    this.#known.set(guess.word, { told, row });
    return row;
  }

  /** @param {Guess} guess */
  #make({ word, count, places, phonemes }) {
    let [at, turn] = [0, 0];
    const play = h("button", { class: "round", type: "button", "aria-label": `Hear “${word}” in its sentence`, onclick: () => listen() }, icon("play"));
    const sentence = h("p", { class: "heard" });
    const where = h("p", { class: "quiet" });
    const show = () => {
      const { text, chapter, sentence: sid } = places[at];
      const [before, found, after] = around(text, word);
      sentence.replaceChildren(before, h("mark", {}, found), after);
      const title = this.book.chapters_list.find((one) => one.number === chapter)?.title || `Chapter ${chapter}`;
      where.replaceChildren(h("a", { class: "quiet-link", href: areaHref("book", this.book.id, "text", String(chapter), sid) }, title));
    };
    const trouble = h("p", { class: "said-here", role: "alert" });
    const listen = async () => {
      if (play.classList.contains("on")) return stopSounds();
      const mine = (turn += 1);
      trouble.textContent = "";
      play.toggleAttribute("data-waits", !places[at].audio);
      try {
        const sound = places[at].audio || (await this.#said(places[at].text, word));
        if (mine !== turn || !play.isConnected) return;
        playSounds([sound], (now) => {
          play.classList.toggle("on", now >= 0);
          play.replaceChildren(icon(now >= 0 ? "pause" : "play"));
        });
      } catch (error) {
        trouble.textContent = /** @type {Error} */ (error).message;
      }
      play.removeAttribute("data-waits");
    };
    const next = h("button", { class: "button", type: "button", onclick: () => ((at = (at + 1) % places.length), show(), listen()) }, "Another sentence");
    const edit = h("button", { class: "button", type: "button", onclick: () => this.#edit(word, places[at].text), "aria-haspopup": "dialog" }, "Say it otherwise");
    next.hidden = places.length < 2;
    show();
    return h(
      "li", { class: "row guess" }, play,
      h("div", { class: "words" }, h("p", { class: "name" }, word, " ", h("span", { class: "quiet" }, `in ${counted(count, "sentence")}`), phonemes ? h("span", { class: "phonemes" }, ` /${phonemes}/`) : null), sentence, where, trouble, h("div", { class: "acts" }, edit, next)),
    );
  }

  /** A sentence that is not rendered, said once. @param {string} text @param {string} word  of a very long one the part that has it */
  async #said(text, word) {
    const from = Math.max(0, text.indexOf(word) - LONGEST_READ / 2);
    return (await bookApi.hear(this.book.id, text.length > LONGEST_READ ? text.slice(from, from + LONGEST_READ) : text)).audio;
  }

  /** @param {string} word @param {string} text */
  #edit(word, text) {
    stopSounds();
    this.dispatchEvent(new CustomEvent("edit", { detail: { book: this.book, word, text }, bubbles: true }));
  }
}

customElements.define("guess-list", GuessList);
