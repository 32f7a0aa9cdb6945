/**
 * The menu of a word or of selected text, above the controls.
 *
 * In: `app`, `text` (the chapter-text), `playback`, `marks`, `wrong`, `bookId`; `atVoice()` opens it for the word that
 * is read. Out: `place` {chapter, sentence, word} to go there, from a tap on a word or from the menu.
 */

import { Cleanup, h } from "../lib/dom.js";
import { opening } from "../lib/format.js";
import { icon } from "../lib/icons.js";
import { bare, sites } from "../lib/lookup.js";

/** @typedef {{sentence: string, word: number, text: string, chosen: HTMLElement|null}} Spot  `chosen`: lit here */

const SETTLE_MS = 200; // a selection changes at every move of the finger

class TextMenu extends HTMLElement {
  /** Set before it is connected. @type {import("../player.js").App} */
  app = /** @type {any} */ (null);
  /** The chapter-text; set before it is connected. @type {any} */
  text = null;
  /** @type {import("../lib/playback.js").Playback|null} */
  playback = null;
  /** The book-marks. @type {any} */
  marks = null;
  /** The sounds-wrong. @type {any} */
  wrong = null;
  bookId = "";
  #said = h("p", {});
  #acts = h("div", { class: "acts", role: "group", "aria-label": "With this text" });
  #sites = h("div", { class: "sites", hidden: true });
  #menu = h("section", { hidden: true, class: "word-menu", role: "dialog", "aria-label": "Selected text" });
  #body = h("div", {});
  #dialog = h("dialog", { class: "sheet", "aria-label": "Pronunciation" });
  #cleanup = new Cleanup();
  #timer = 0;
  #dismissed = false;
  /** @type {Spot|null} */
  #spot = null;

  connectedCallback() {
    const act = (/** @type {string} */ name, /** @type {Parameters<typeof icon>[0]} */ shape, /** @type {string} */ label, /** @type {(spot: Spot) => void} */ run) =>
      h("button", { class: `act ${name}`, type: "button", onclick: () => this.#spot && run(this.#spot) }, icon(shape), h("span", {}, label));
    this.#acts.replaceChildren(
      act("go", "play", "Go there", (spot) => this.#go(spot)),
      act("look", "find", "Look up", (spot) => this.#lookUp(spot)),
      act("mark", "ribbon", "Bookmark", (spot) => (this.close(), this.marks?.mark(this.#place(spot), this.#sentence(spot)?.text))),
      act("correct", "sound", "Say it otherwise", (spot) => this.#correct(spot)),
      act("amiss", "flag", "Sounds wrong", (spot) => (this.close(), this.wrong?.tell({ ...this.#place(spot), text: this.#sentence(spot)?.text ?? "" }))),
    );
    const close = h("button", { class: "round", type: "button", "aria-label": "Close", onclick: () => this.close() }, icon("close"));
    this.#menu.replaceChildren(h("div", { class: "head" }, this.#said, close), this.#acts, this.#sites);
    this.replaceChildren(this.#menu, this.#dialog);
    this.#listen();
  }

  disconnectedCallback() {
    this.#cleanup.run();
    clearTimeout(this.#timer);
  }

  #listen() {
    // A press on the menu leaves the selection as it is.
    this.#cleanup.listen(this.#menu, "pointerdown", (event) => event.target.closest("button") && event.preventDefault());
    // Wherever the focus is, but for what lies over the page: that goes first.
    this.#cleanup.listen(document, "keydown", (event) => event.key === "Escape" && !event.target.closest?.("dialog, [popover]") && this.close());
    this.#cleanup.listen(document, "selectionchange", () => {
      clearTimeout(this.#timer);
      this.#timer = window.setTimeout(() => this.#onSelection(), SETTLE_MS);
    });
    // The press that puts the menu away is not the one that sends the voice somewhere.
    this.#cleanup.listen(this.text, "pointerdown", () => (this.#dismissed = !this.#menu.hidden));
    this.#cleanup.listen(this.text, "go", (event) => this.#onTap(event.detail));
    this.#cleanup.listen(this.#dialog, "click", (event) => event.target === this.#dialog && this.#dialog.close());
    this.#cleanup.listen(this.#dialog, "close", () => this.#body.replaceChildren());
  }

  /** For the word that is read, with the focus in it: the way of the keyboard. */
  atVoice() {
    const cue = this.playback?.cue.value;
    const sentence = cue && this.text.querySelector(`[data-sentence="${CSS.escape(cue.sentence)}"]`);
    if (!cue || !sentence) return;
    const word = sentence.querySelector(`[data-word="${Math.max(cue.word, 0)}"]`);
    this.#open({ sentence: cue.sentence, word: Math.max(cue.word, 0), text: (word ?? sentence).textContent, chosen: word });
    /** @type {HTMLElement|null} */ (this.#acts.querySelector("button"))?.focus();
  }

  close() {
    if (this.#menu.hidden) return;
    this.#spot?.chosen?.classList.remove("chosen");
    this.#spot = null;
    if (this.#menu.contains(document.activeElement)) /** @type {HTMLElement|null} */ (document.querySelector(".play"))?.focus();
    this.#menu.hidden = true;
    if (!getSelection()?.isCollapsed) getSelection()?.removeAllRanges();
  }

  /** @param {Spot} spot */
  #open(spot) {
    this.#spot?.chosen?.classList.remove("chosen");
    this.#spot = spot;
    spot.chosen?.classList.add("chosen");
    this.#said.textContent = opening(spot.text.replace(/\s+/g, " ").trim(), 60);
    this.#sites.hidden = true;
    this.#acts.hidden = false;
    this.#menu.hidden = false;
  }

  /** @param {{sentence: string, word: number}} detail */
  #onTap(detail) {
    if (this.#dismissed) return this.close();
    if (this.app.settings.tap.value === "go") return this.#tell(detail);
    const word = this.text.querySelector(`[data-sentence="${CSS.escape(detail.sentence)}"] [data-word="${detail.word}"]`);
    this.#open({ ...detail, text: word?.textContent ?? "", chosen: word });
  }

  #onSelection() {
    const selection = getSelection();
    if (!selection || selection.isCollapsed || !selection.rangeCount) {
      if (this.#spot && !this.#spot.chosen && !this.contains(document.activeElement)) this.close();
      return;
    }
    const range = selection.getRangeAt(0);
    const text = selection.toString().trim();
    if (!text || !this.text.contains(range.startContainer)) return;
    const at = start(range, this.text);
    if (at) this.#open({ ...at, text, chosen: null });
  }

  /** @param {Spot} spot */
  #go(spot) {
    this.close();
    this.#tell(spot);
  }

  /** @param {{sentence: string, word: number}} at */
  #tell(at) {
    this.dispatchEvent(new CustomEvent("place", { detail: this.#place(at), bubbles: true }));
  }

  /** @param {{sentence: string, word: number}} at */
  #place({ sentence, word }) {
    return { chapter: this.text.index.chapter, sentence, word };
  }

  /** @param {Spot} spot @returns {import("../lib/types.js").SentenceEntry|undefined} */
  #sentence(spot) {
    return this.text.index.sentences.find((/** @type {import("../lib/types.js").SentenceEntry} */ entry) => entry.id === spot.sentence);
  }

  /** @param {Spot} spot */
  #lookUp(spot) {
    const mac = navigator.platform.startsWith("Mac") && navigator.maxTouchPoints === 0;
    const links = sites(spot.text, this.text.lang, mac).map(({ name, href }) => h("a", { href, target: "_blank", rel: "noopener noreferrer" }, name));
    this.#sites.replaceChildren(...links, h("p", { class: "quiet" }, "Opens another site in a new tab, which learns what you look up."));
    this.#acts.hidden = true;
    this.#sites.hidden = false;
    links[0].focus();
  }

  /** @param {Spot} spot */
  #correct(spot) {
    const sentence = this.#sentence(spot);
    if (!sentence) return;
    const item = { book: this.bookId, text: sentence.text, word: bare(spot.text) };
    const form = Object.assign(document.createElement("say-otherwise"), { app: this.app, item });
    const close = h("button", { class: "round", type: "button", "aria-label": "Close", onclick: () => this.#dialog.close() }, icon("close"));
    this.close();
    this.#body.replaceChildren(form);
    this.#dialog.replaceChildren(h("header", {}, h("h2", {}, "Say it otherwise"), close), this.#body);
    this.#dialog.showModal();
    form.querySelector("input")?.focus();
  }
}

/**
 * The first word of a range that lies in the text.
 * @param {Range} range @param {HTMLElement} text
 */
function start(range, text) {
  for (const sentence of /** @type {NodeListOf<HTMLElement>} */ (text.querySelectorAll("[data-sentence]"))) {
    if (!range.intersectsNode(sentence)) continue;
    const words = /** @type {HTMLElement[]} */ ([...sentence.querySelectorAll("[data-word]")]);
    const first = words.find((word) => range.intersectsNode(word) && !endsBefore(word, range));
    if (words.length === 0 || first) return { sentence: sentence.dataset.sentence ?? "", word: Number(first?.dataset.word ?? 0) };
  }
  return null;
}

/** Whether a range only touches the end of a word. @param {HTMLElement} word @param {Range} range */
function endsBefore(word, range) {
  const own = document.createRange();
  own.selectNodeContents(word);
  return own.compareBoundaryPoints(Range.START_TO_END, range) <= 0;
}

customElements.define("text-menu", TextMenu);
