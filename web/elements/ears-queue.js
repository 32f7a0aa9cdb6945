/**
 * Sentences that wait to be listened to, one at a time, by keyboard or finger: both takes heard, then one key says what is to
 * become of it. In: `app`, `book` (null for those of all books). Out: `edit`.
 */

import { areaHref } from "../lib/areas.js";
import { bookApi } from "../lib/book-api.js";
import { Cleanup, h } from "../lib/dom.js";
import { ago, counted } from "../lib/format.js";
import { keepFresh } from "../lib/fresh.js";
import { icon } from "../lib/icons.js";
import { playSounds, stopSounds } from "../lib/playlist.js";

/** @typedef {import("../lib/types.js").EarsItem & {earlier_audio?: string|null}} Item */

const EVENTS = ["ears.changed", "render.progress", "book.removed", "book.renewed"];
const TYPING = "input, textarea, select, [contenteditable]";
/** Key, what it does, and its name. */
const ACTS = /** @type {const} */ ([
  ["1", "now", "This take"], ["2", "earlier", "The earlier take"], ["c", "around", "In context"],
  ["g", "accepted", "It is good"], ["r", "again", "Render it again"], ["z", "putBack", "Take the earlier one"], ["e", "otherwise", "Say a word otherwise"],
]);

class EarsQueue extends HTMLElement {
  /** Set before it is connected. @type {import("../dashboard.js").App} */
  app = /** @type {any} */ (null);
  /** @type {{id: string, title: string}|null} */
  book = null;
  /** @type {string[]} */
  path = [];
  /** @type {Item[]} */
  #items = [];
  #total = 0;
  #key = ""; // of the sentence that is looked at
  #at = 0;
  #told = "";
  #busy = false;
  #where = h("p", { class: "quiet", role: "status" });
  #said = h("p", { class: "said", role: "status" });
  #card = h("div", { class: "ears-card" });
  #cleanup = new Cleanup();

  connectedCallback() {
    const intro = h("p", { class: "quiet pad" }, "These sentences sounded odd, to Lectern or to one of you. Listen, and say what is to become of them: each answer goes on to the next.");
    const keys = h("p", { class: "quiet keys-line" }, ...ACTS.flatMap(([key, , name]) => [h("kbd", {}, key.toUpperCase()), ` ${name.toLowerCase()} `]), h("kbd", {}, "←"), " ", h("kbd", {}, "→"), " other sentences");
    this.replaceChildren(h("section", { class: "card", "aria-label": "Sentences to check" }, intro, this.#where, this.#card, this.#said, keys));
    const fresh = keepFresh(() => this.#load(), this.app.live, EVENTS, this.app.fail, 1500);
    this.#cleanup.add(() => fresh.stop(), stopSounds);
    this.#cleanup.listen(document, "keydown", (event) => this.#press(event));
    this.#refresh = fresh.refresh;
  }

  #refresh = () => {};

  disconnectedCallback() {
    this.#cleanup.run();
  }

  get #item() {
    return this.#items[this.#at] ?? null;
  }

  async #load() {
    const { items, total } = await bookApi.ears(this.book?.id ?? "");
    this.#items = items;
    this.#total = total;
    const at = items.findIndex((one) => keyOf(one) === this.#key);
    this.#at = at >= 0 ? at : Math.min(this.#at, Math.max(0, items.length - 1));
    this.#show();
  }

  /** @param {number} at */
  #turnTo(at) {
    if (!this.#items.length) return;
    stopSounds();
    this.#at = (at + this.#items.length) % this.#items.length;
    this.#said.textContent = "";
    this.#show();
  }

  #show() {
    const item = this.#item;
    this.#key = item ? keyOf(item) : "";
    this.#where.textContent = item ? `${this.#at + 1} of ${counted(this.#total, "sentence")}` : "Nothing waits to be listened to.";
    const told = item ? JSON.stringify({ ...item, at: "" }) : "";
    if (told === this.#told) return; // what plays, and where the focus is, stays
    const focused = this.#card.contains(document.activeElement) ? /** @type {HTMLElement} */ (document.activeElement).dataset.act : null;
    this.#told = told;
    this.#card.replaceChildren(...(item ? this.#lines(item) : []));
    if (focused) /** @type {HTMLElement|null} */ (this.#card.querySelector(`[data-act="${focused}"]`) ?? this.#card.querySelector("button"))?.focus();
  }

  /** @param {Item} item */
  #lines(item) {
    const part = (/** @type {string|undefined} */ text, /** @type {string} */ name) => (text ? [h("span", { class: name }, text), " "] : []);
    const place = h("a", { class: "quiet-link", href: areaHref("book", item.book, "text", String(item.chapter), item.sentence) }, item.chapter_title || `Chapter ${item.chapter}`);
    const button = (/** @type {typeof ACTS[number]} */ [key, act, name]) =>
      h("button", { class: `button${act === "accepted" ? " primary" : ""}`, type: "button", "data-act": act, "aria-keyshortcuts": key, onclick: () => this.#do(act) }, name);
    const can = ACTS.filter(([, act]) => this.#can(item, act));
    const sounds = new Set(["now", "earlier", "around"]);
    return [
      h("p", { class: "quiet" }, this.book ? "" : `${item.title} · `, place, ` · ${ago(item.at)}`),
      h("p", { class: "heard" }, ...part(item.before?.text, "around"), ...part(item.text, "it"), ...part(item.after?.text, "around")),
      h("p", { class: "why" }, item.reason, ...(item.note ? [" “", item.note, "”"] : []), item.again ? " It is being rendered again; what it has plays until then." : ""),
      h("div", { class: "acts takes" }, ...can.filter(([, act]) => sounds.has(act)).map(button)),
      h("div", { class: "acts" }, ...can.filter(([, act]) => !sounds.has(act)).map(button)),
      h("div", { class: "acts steps" },
        h("button", { class: "round", type: "button", "aria-label": "Sentence before", "data-act": "before", onclick: () => this.#turnTo(this.#at - 1) }, icon("previous")),
        h("button", { class: "round", type: "button", "aria-label": "Next sentence", "data-act": "after", onclick: () => this.#turnTo(this.#at + 1) }, icon("next")),
      ),
    ];
  }

  /** @param {Item} item @param {typeof ACTS[number][1]} act */
  #can(item, act) {
    if (act === "earlier") return Boolean(item.earlier_audio);
    if (act === "putBack") return item.earlier && !item.again;
    return act !== "again" || !item.again;
  }

  /** @param {KeyboardEvent} event */
  #press(event) {
    const target = /** @type {HTMLElement} */ (event.target);
    const typing = target.closest(`${TYPING}, dialog`); // what was closed just now keeps the focus for a moment, and is not seen
    if (event.altKey || event.ctrlKey || event.metaKey || typing?.getClientRects().length) return;
    const act = ACTS.find(([key]) => key === event.key.toLowerCase())?.[1] ?? (event.key === " " && !target.closest("button, a, summary") ? "now" : null);
    if (event.key === "ArrowLeft" || event.key === "ArrowRight") this.#turnTo(this.#at + (event.key === "ArrowLeft" ? -1 : 1));
    else if (act && this.#item) this.#do(act);
    else return;
    event.preventDefault();
  }

  /** @param {typeof ACTS[number][1]} act */
  #do(act) {
    const item = this.#item;
    if (!item || !this.#can(item, act)) return;
    if (act === "now") return this.#play(act, [[item.audio, ".it"]]);
    if (act === "earlier") return this.#play(act, [[/** @type {string} */ (item.earlier_audio), ".it"]]);
    if (act === "around") {
      const all = /** @type {[string|null|undefined, string][]} */ ([[item.before?.audio, ".around"], [item.audio, ".it"], [item.after?.audio, ".around:last-of-type"]]);
      return this.#play(act, all);
    }
    stopSounds();
    if (act === "otherwise") return void this.dispatchEvent(new CustomEvent("edit", { detail: { book: { id: item.book, title: item.title }, word: "", text: item.text }, bubbles: true }));
    this.#say(item, act === "putBack" ? "earlier" : act);
  }

  /** @param {string} act @param {[string|null|undefined, string][]} sounds */
  #play(act, sounds) {
    const button = this.#card.querySelector(`[data-act="${act}"]`);
    if (button?.classList.contains("on")) return stopSounds();
    const there = sounds.filter(([url]) => url);
    const spans = there.map(([, selector]) => this.#card.querySelector(`.heard ${selector}`));
    playSounds(there.map(([url]) => /** @type {string} */ (url)), (at) => {
      button?.classList.toggle("on", at >= 0);
      spans.forEach((span, i) => span?.classList.toggle("lit", i === at));
    });
  }

  /** @param {Item} item @param {"accepted"|"again"|"earlier"} state */
  async #say(item, state) {
    if (this.#busy) return;
    this.#busy = true;
    const said = { accepted: "It stays as it is.", again: "It is rendered again, in another way, and comes back here.", earlier: "The earlier take is back." }[state];
    try {
      await this.app.api.sayEars(item.book, item.chapter, item.sentence, state);
      this.#said.textContent = said;
      if (state !== "earlier") this.#key = keyOf(this.#items[(this.#at + 1) % this.#items.length] ?? item);
    } catch (error) {
      this.#said.textContent = /** @type {Error} */ (error).message;
    }
    this.#busy = false;
    await this.#load().catch(this.app.fail);
  }
}

/** @param {Item} item */
const keyOf = ({ book, chapter, sentence }) => `${book} ${chapter} ${sentence}`;

customElements.define("ears-queue", EarsQueue);
