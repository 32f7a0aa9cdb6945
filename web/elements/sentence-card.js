/**
 * The sentence that is looked at, beside the text: heard, and what is known of its sound.
 *
 * In: `app`, `book`, `show(index, at)`, `renew(index)`, `mean(word)`, `playing`. Out: `sound` {act}, `edit` {word, text, book}.
 */

import { RATE_HZ, isRendered } from "../lib/cue-index.js";
import { bookApi } from "../lib/book-api.js";
import { h } from "../lib/dom.js";
import { icon } from "../lib/icons.js";
import { playSounds } from "../lib/playlist.js";
import { textOfWord } from "../lib/words-of.js";

/** @typedef {import("../lib/types.js").ChapterIndex} ChapterIndex */
/** @typedef {import("../lib/types.js").SentenceEntry & {guessed?: string[]|null, ears?: string|null, again?: string|null}} Entry */

class SentenceCard extends HTMLElement {
  /** Set before it is connected. @type {import("../dashboard.js").App} */
  app = /** @type {any} */ (null);
  /** @type {import("../lib/types.js").BookDetail} */
  book = /** @type {any} */ (null);
  /** @type {ChapterIndex|null} */
  #index = null;
  #at = 0;
  #word = -1;
  #playing = false;
  #play = h("button", { class: "round play", type: "button", onclick: () => this.#act("play") });
  #where = h("p", { class: "quiet where" });
  #facts = h("div", { class: "facts-of" });
  #said = h("p", { class: "quiet", role: "status" });
  #how = h("details", { class: "how" }, h("summary", {}, "How it is said"));
  #reading = h("div", { class: "reading" });
  #again = h("button", { class: "button", type: "button", onclick: () => this.#tell("again", "It is rendered again, in another way. What it has plays until then.") }, "Render it again");
  #wrong = h("button", { class: "button", type: "button", onclick: () => this.#tell("wrong", "Noted: it waits under “Sentences to check”.") }, "It sounds wrong");

  connectedCallback() {
    if (this.firstElementChild) return;
    const act = (/** @type {"before"|"after"} */ name, /** @type {string} */ label) =>
      h("button", { class: "round", type: "button", "aria-label": label, onclick: () => this.#act(name) }, icon(name === "before" ? "previous" : "next"));
    this.#how.append(this.#reading);
    this.#how.addEventListener("toggle", () => this.#how.open && this.#read());
    const keys = h("p", { class: "quiet keys-line" }, h("kbd", {}, "Space"), " plays, ", h("kbd", {}, "←"), " ", h("kbd", {}, "→"), " go on, ", h("kbd", {}, "E"), " says a word otherwise.");
    this.setAttribute("role", "group");
    this.setAttribute("aria-label", "Sentence");
    this.append(
      h("div", { class: "card-line" }, act("before", "Sentence before"), this.#play, act("after", "Next sentence"), this.#where),
      this.#said,
      h("details", { class: "more-of", open: matchMedia("(width >= 56rem)").matches },
        h("summary", {}, "About this sentence"),
        this.#facts,
        h("div", { class: "acts" }, h("button", { class: "button primary", type: "button", onclick: () => this.edit() }, "Say a word otherwise"), this.#wrong, this.#again),
        this.#how, keys,
      ),
    );
    this.#showPlay();
  }

  /** Number of the word that is meant, in the entry's words; -1 for none. */
  get word() {
    return this.#word;
  }

  /** @param {boolean} playing */
  set playing(playing) {
    if (playing === this.#playing) return;
    this.#playing = playing;
    this.#showPlay();
  }

  /** @type {Entry|null} */
  get #entry() {
    return this.#index?.sentences[this.#at] ?? null;
  }

  /** @param {ChapterIndex} index @param {number} at */
  show(index, at) {
    const same = this.#index?.chapter === index.chapter && this.#at === at;
    this.#index = index;
    this.#at = at;
    if (!same) {
      this.#word = -1;
      this.#said.textContent = "";
      this.#reading.replaceChildren();
      if (this.#how.open && !this.#playing) this.#read();
      else this.#how.open = false;
    }
    this.#facts.replaceChildren(...this.#known());
    this.#showPlay();
  }

  /** @param {ChapterIndex} index */
  renew(index) {
    this.show(index, this.#at);
  }

  /** @param {number} word */
  mean(word) {
    this.#word = word;
  }

  edit(word = this.#entry ? textOfWord(this.#entry, this.#word) : "") {
    const entry = this.#entry;
    if (entry) this.dispatchEvent(new CustomEvent("edit", { detail: { book: this.book, word, text: entry.text }, bubbles: true }));
  }

  /** A sentence without a sound of its own is said for the listener alone. */
  async hear() {
    const entry = this.#entry;
    if (!entry) return;
    this.#said.textContent = "One moment …";
    try {
      const { audio } = await bookApi.hear(this.book.id, entry.text);
      this.#said.textContent = "Said for you only: it is not rendered yet.";
      playSounds([audio], () => undefined);
    } catch (error) {
      this.#said.textContent = /** @type {Error} */ (error).message;
    }
  }

  *#known() {
    const entry = this.#entry;
    if (!entry) return;
    if (entry.failed) yield h("p", { class: "said-here" }, `Not read aloud: ${entry.failed}`);
    if (entry.again) yield h("p", { class: "quiet" }, "It is being rendered again.");
    if (entry.ears && entry.ears !== "accepted") yield h("p", { class: "quiet" }, "It waits to be listened to.");
    if (!entry.guessed?.length) return;
    const words = entry.guessed.map((word) => h("button", { class: "chip", type: "button", onclick: () => this.edit(word) }, word));
    yield h("p", { class: "eyebrow" }, entry.guessed.length === 1 ? "A word that the voice guessed" : "Words that the voice guessed");
    yield h("div", { class: "chips" }, ...words);
  }

  #showPlay() {
    const entry = this.#entry;
    const ready = entry && isRendered(entry);
    this.#play.replaceChildren(icon(this.#playing ? "pause" : "play"));
    this.#play.setAttribute("aria-label", this.#playing ? "Pause" : "Play from here");
    this.#again.disabled = this.#wrong.disabled = !ready;
    const length = ready ? ` · ${(Number(entry.samples) / RATE_HZ).toFixed(1)}\u00a0s` : "";
    this.#where.textContent = `${this.#at + 1} of ${this.#index?.sentences.length ?? 0}${length}`;
  }

  /** @param {"play"|"before"|"after"} act */
  #act(act) {
    this.dispatchEvent(new CustomEvent("sound", { detail: { act }, bubbles: true }));
  }

  /** @param {"wrong"|"again"} state @param {string} said */
  async #tell(state, said) {
    const entry = this.#entry;
    if (!entry || !this.#index) return;
    try {
      await this.app.api.sayEars(this.book.id, this.#index.chapter, entry.id, state);
      this.#said.textContent = said;
    } catch (error) {
      this.#said.textContent = /** @type {Error} */ (error).message;
    }
  }

  /** Word by word, as it would be read now; asked for only when somebody wants to see it, because rendering waits for it. */
  async #read() {
    const entry = this.#entry;
    if (!entry) return;
    this.#reading.replaceChildren(h("p", { class: "quiet" }, "One moment …"));
    try {
      const { sentences } = await bookApi.readAs(this.book.id, entry.text);
      if (entry.id !== this.#entry?.id) return;
      const guessed = new Set(sentences.flatMap(({ unknown }) => unknown.map((word) => word.toLowerCase())));
      const words = sentences.flatMap((one) => one.words).map(({ word, phonemes }) =>
        h("button", { class: "sounding", type: "button", onclick: () => this.edit(word) },
          h("span", { class: "written" }, word), h("span", { class: "phonemes", lang: "en-fonipa" }, phonemes), guessed.has(word.toLowerCase()) ? h("span", { class: "quiet" }, "guessed") : null),
      );
      const rules = sentences.flatMap((one) => one.rules).length;
      this.#reading.replaceChildren(h("div", { class: "soundings" }, ...words), ...(rules ? [h("p", { class: "quiet" }, `${rules} of your pronunciations at work here.`)] : []));
    } catch (error) {
      this.#reading.replaceChildren(h("p", { class: "said-here" }, /** @type {Error} */ (error).message));
    }
  }
}

customElements.define("sentence-card", SentenceCard);
