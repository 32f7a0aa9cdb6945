/** One tap that says of the sentence that plays that it sounds wrong. What plays goes on. In: `api`, `playback`, `bookId`. */

import { h } from "../lib/dom.js";
import { icon } from "../lib/icons.js";

/** @typedef {{chapter: number, sentence: string, text: string}} Spot */

const SHOWN_MS = 9000;

class SoundsWrong extends HTMLElement {
  /** @type {typeof import("../lib/api.js").api} */
  api = /** @type {any} */ (null);
  /** @type {import("../lib/playback.js").Playback|null} */
  playback = null;
  bookId = "";
  /** To be put where there is room for it. */
  button = h("button", { class: "round wrong", type: "button", "aria-label": "This sounds wrong", title: "This sounds wrong", onclick: () => this.tell() }, icon("flag"));
  #said = h("p", { role: "status" });
  #acts = h("div", { class: "acts" });
  #timer = 0;

  connectedCallback() {
    this.hidden = true;
    this.replaceChildren(this.#said, this.#acts);
    // Nothing goes away under somebody's finger or focus.
    for (const name of ["focusin", "pointerenter"]) this.addEventListener(name, () => clearTimeout(this.#timer));
    for (const name of ["focusout", "pointerleave"]) this.addEventListener(name, () => this.#hideLater());
  }

  disconnectedCallback() {
    clearTimeout(this.#timer);
  }

  /** @param {Spot} [spot] another sentence than the one that plays */
  async tell(spot) {
    if (spot) return this.#complain({ chapter: spot.chapter, sentence: spot.sentence, text: spot.text }, null);
    const cue = this.playback?.cue.value;
    const index = this.playback?.index;
    if (!cue || !index) return;
    const told = (/** @type {number} */ at) => ({ chapter: cue.chapter, sentence: index.sentences[at].id, text: index.sentences[at].text });
    const one = told(cue.at);
    const earlier = cue.at > 0 ? told(cue.at - 1) : null;
    await this.#complain(one, earlier);
  }

  /** @param {Spot} one @param {Spot|null} earlier that may have been meant */
  async #complain(one, earlier) {
    const told = await this.#send(one, "wrong");
    if (!told) return;
    // What was said before, here or by somebody else, is not taken back with one tap.
    const back = told.changed ? [/** @type {[string, () => void]} */ (["Take that back", () => this.#withdraw(one)])] : [];
    const other = earlier ? [/** @type {[string, () => void]} */ (["It was the one before", () => this.#instead(one, earlier, told.changed)])] : [];
    const noted = told.changed ? "Noted: it waits on the dashboard to be listened to." : "It is on the dashboard’s list already.";
    this.#show(`${noted} “${short(one.text)}”`, [...back, ...other]);
  }

  /** @param {Spot} one */
  async #withdraw(one) {
    if (await this.#send(one, "withdrawn")) this.#show("Taken back.", []);
  }

  /** @param {Spot} one @param {Spot} earlier @param {boolean} said whether something was said of `one` just now */
  async #instead(one, earlier, said) {
    if (said) await this.api.sayEars(this.bookId, one.chapter, one.sentence, "withdrawn").catch(() => undefined);
    this.#complain(earlier, null);
  }

  /** What the server answers; null, and said, where it refuses. @param {Spot} spot @param {"wrong"|"withdrawn"} state */
  async #send(spot, state) {
    try {
      return await this.api.sayEars(this.bookId, spot.chapter, spot.sentence, state);
    } catch (error) {
      this.#show(/** @type {Error} */ (error).message, []);
      return null;
    }
  }

  /** @param {string} said @param {[string, () => void][]} acts */
  #show(said, acts) {
    const inside = this.contains(document.activeElement);
    this.hidden = false;
    this.#said.textContent = said;
    this.#acts.replaceChildren(...acts.map(([name, run]) => h("button", { class: "button", type: "button", onclick: run }, name)));
    if (inside) /** @type {HTMLElement} */ (this.#acts.querySelector("button") ?? this.button).focus();
    this.#hideLater();
  }

  #hideLater() {
    clearTimeout(this.#timer);
    this.#timer = window.setTimeout(() => !this.contains(document.activeElement) && (this.hidden = true), SHOWN_MS);
  }
}

/** @param {string} text */
const short = (text) => {
  const points = Array.from(text);
  return points.length > 60 ? `${points.slice(0, 58).join("").trimEnd()} …` : text;
};

customElements.define("sounds-wrong", SoundsWrong);
