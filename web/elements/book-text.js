/** A book's text beside its sound, chapter by chapter. In: `app`, `book`, `path` [chapter, sentence]. */

import { areaHref } from "../lib/areas.js";
import { Besides } from "../lib/beside.js";
import { isRendered } from "../lib/cue-index.js";
import { Cleanup, h } from "../lib/dom.js";
import { icon } from "../lib/icons.js";
import { LinePlayer } from "../lib/line-player.js";

/** @typedef {import("../lib/types.js").ChapterIndex} ChapterIndex */
/** @typedef {import("../lib/types.js").BookDetail} BookDetail */

const TYPING = "input, textarea, select, [contenteditable], dialog";
const PAUSE_MS = 1500; // between two looks at a chapter that is being rendered

class BookText extends HTMLElement {
  /** Set before it is connected. @type {import("../dashboard.js").App} */
  app = /** @type {any} */ (null);
  /** @type {BookDetail} */
  book = /** @type {any} */ (null);
  /** @type {string[]} */
  #path = [];
  /** @type {ChapterIndex|null} */
  #index = null;
  #at = 0; // the sentence that is looked at
  #chosen = false;
  #choice = h("select", { class: "field", "aria-label": "Chapter" });
  #before = h("button", { class: "round", type: "button", "aria-label": "Chapter before", onclick: () => this.#step(-1) }, icon("previous"));
  #after = h("button", { class: "round", type: "button", "aria-label": "Next chapter", onclick: () => this.#step(1) }, icon("next"));
  #note = h("p", { class: "quiet", role: "status" });
  #text = /** @type {any} */ (document.createElement("chapter-text"));
  #card = /** @type {any} */ (document.createElement("sentence-card"));
  #player = new LinePlayer((cue, playing) => this.#heard(cue, playing));
  #cleanup = new Cleanup();

  connectedCallback() {
    this.#text.follow = true;
    this.#text.besides = new Besides((chapter) => this.app.api.beside(this.book.id, chapter));
    Object.assign(this.#card, { app: this.app, book: this.book });
    this.replaceChildren(
      h("div", { class: "chapter-line" }, this.#before, this.#choice, this.#after), this.#note,
      h("div", { class: "beside-sound" }, this.#text, this.#card),
    );
    this.#choice.addEventListener("change", () => this.#go(Number(this.#choice.value)));
    this.#cleanup.listen(this, "go", (event) => this.#chooseWord(event.detail));
    this.#cleanup.listen(this, "sound", (event) => this.#sound(event.detail.act));
    this.#cleanup.listen(document, "keydown", (event) => this.#key(event));
    this.#cleanup.add(this.app.live.on(["render.progress", "book.changed", "resync"], (data) => this.#stale(data)));
    this.#open();
  }

  disconnectedCallback() {
    this.#player.stop();
    this.#cleanup.run();
  }

  set path(/** @type {string[]} */ path) {
    this.#path = path;
    if (this.isConnected) this.#open();
  }

  /** The first chapter that is read, where none is asked for. */
  get #number() {
    const asked = Number(this.#path[0]);
    return asked || (this.book.chapters_list.find((one) => one.enabled) ?? this.book.chapters_list[0])?.number || 1;
  }

  async #open() {
    const number = this.#number;
    this.#player.stop();
    this.#choice.replaceChildren(
      ...this.book.chapters_list.map((one) => h("option", { value: one.number, selected: one.number === number }, `${one.title || `Chapter ${one.number}`}${one.enabled ? "" : " (not read)"}`)),
    );
    const numbers = this.book.chapters_list.map((one) => one.number);
    this.#before.disabled = numbers[0] === number;
    this.#after.disabled = numbers.at(-1) === number;
    try {
      const index = await this.app.api.chapter(this.book.id, number);
      if (number !== this.#number) return;
      this.#show(index);
    } catch (error) {
      this.#note.textContent = /** @type {Error} */ (error).message;
    }
  }

  /** @param {ChapterIndex} index */
  #show(index) {
    this.#index = index;
    this.#text.index = index;
    this.#tellWhatIsThere();
    const asked = index.sentences.findIndex((entry) => entry.id === this.#path[1]);
    this.#at = Math.max(0, asked);
    this.#chosen = asked >= 0;
    this.#text.follow = this.#chosen;
    this.#text.light(this.#chosen ? { sentence: index.sentences[asked].id, word: -1 } : null);
    if (this.#chosen) this.#text.follow = true; // comes into view
    this.#look();
  }

  #tellWhatIsThere() {
    const { sentences = [] } = this.#index ?? {};
    const silent = sentences.filter((entry) => !isRendered(entry)).length;
    this.#note.textContent = !sentences.length ? "Nothing stands here." : silent === sentences.length ? "Nothing of this chapter is rendered yet: its text can be read, and tried out." : "";
  }

  #look() {
    const index = this.#index;
    if (!index?.sentences.length) return void (this.#card.hidden = true);
    this.#card.hidden = false;
    this.#card.show(index, this.#at);
  }

  /** @param {{book?: string, id?: string, chapter?: number}} data */
  #stale({ book, id, chapter } = {}) {
    const other = (book ?? id ?? this.book.id) !== this.book.id || (chapter ?? this.#index?.chapter) !== this.#index?.chapter;
    if (other || this.#waiting) return;
    this.#waiting = window.setTimeout(() => ((this.#waiting = 0), this.#renew()), PAUSE_MS);
  }

  #waiting = 0;

  async #renew() {
    const index = this.#index;
    if (!index || !this.isConnected) return;
    const now = await this.app.api.chapter(this.book.id, index.chapter).catch(() => null);
    if (!now || this.#index?.chapter !== now.chapter || now.revision === this.#index.revision) return;
    this.#index = now;
    this.#text.index = now;
    this.#player.renew(now);
    this.#card.renew(now);
    this.#tellWhatIsThere();
  }

  /** @param {{sentence: string, word: number}} spot */
  #chooseWord({ sentence, word }) {
    const index = this.#index;
    const at = index?.sentences.findIndex((entry) => entry.id === sentence) ?? -1;
    if (!index || at < 0) return;
    this.#turnTo(at);
    this.#card.mean(word);
    this.#text.light({ sentence, word });
  }

  /** @param {number} at */
  #turnTo(at) {
    const index = this.#index;
    if (!index?.sentences[at]) return;
    if (this.#player.playing) this.#player.stop();
    this.#at = at;
    this.#text.follow = true;
    this.#text.light({ sentence: index.sentences[at].id, word: -1 });
    this.#look();
  }

  /** @param {"play"|"before"|"after"} act */
  #sound(act) {
    const index = this.#index;
    if (!index) return;
    if (act !== "play") return this.#turnTo(this.#at + (act === "before" ? -1 : 1));
    if (this.#player.playing) return this.#player.stop();
    if (!isRendered(index.sentences[this.#at])) return this.#card.hear();
    this.#text.follow = true;
    this.#player.play(index, this.#at, this.#card.word);
  }

  /** @param {{sentence: string, word: number}|null} cue @param {boolean} playing */
  #heard(cue, playing) {
    this.#card.playing = playing;
    if (!cue || !this.#index) return;
    this.#text.light(cue);
    const at = this.#index.sentences.findIndex((entry) => entry.id === cue.sentence);
    if (at === this.#at) return;
    this.#at = at;
    this.#look();
  }

  /** @param {KeyboardEvent} event */
  #key(event) {
    const target = /** @type {HTMLElement} */ (event.target);
    if (event.altKey || event.ctrlKey || event.metaKey || target.closest(TYPING)) return;
    const onButton = target.closest("button, a, summary");
    const acts = /** @type {Record<string, "play"|"before"|"after">} */ ({ ArrowLeft: "before", ArrowRight: "after", k: "before", j: "after" });
    if (event.key === "e") this.#card.edit();
    else if (event.key === " " && !onButton) this.#sound("play");
    else if (acts[event.key]) this.#sound(acts[event.key]);
    else return;
    event.preventDefault();
  }

  /** @param {number} by */
  #step(by) {
    const numbers = this.book.chapters_list.map((one) => one.number);
    const next = numbers[numbers.indexOf(this.#number) + by];
    if (next) this.#go(next);
  }

  /** @param {number} number */
  #go(number) {
    location.hash = areaHref("book", this.book.id, "text", String(number));
  }
}

customElements.define("book-text", BookText);
