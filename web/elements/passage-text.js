/** A passage whose words can be tapped. In: `text`, `light(place)`. Out: `word` {place}, in code points. */

import { wordsOf } from "../lib/audition-text.js";
import { cutIntoWords } from "../lib/codepoints.js";
import { h } from "../lib/dom.js";

class PassageText extends HTMLElement {
  #text = "";
  /** @type {{char_start: number, char_end: number}[]} */
  #words = [];
  /** @type {HTMLElement[]} */
  #spans = [];
  #lit = -1;

  connectedCallback() {
    this.addEventListener("click", (event) => {
      const span = /** @type {HTMLElement} */ (event.target).closest?.("[data-word]");
      const word = span && this.#words[Number(/** @type {HTMLElement} */ (span).dataset.word)];
      if (word) this.dispatchEvent(new CustomEvent("word", { detail: { place: word.char_start }, bubbles: true }));
    });
  }

  get text() {
    return this.#text;
  }

  set text(text) {
    this.#text = text;
    this.#words = wordsOf(text);
    this.#spans = [];
    this.#lit = -1;
    const parts = cutIntoWords(text, this.#words).map((part) => {
      if (part.word < 0) return part.text;
      const span = h("span", { class: "word", "data-word": part.word }, part.text);
      this.#spans.push(span);
      return span;
    });
    this.replaceChildren(...parts);
  }

  /** The word at a place, or so many words further on. @param {number} place @param {number} steps */
  step(place, steps) {
    const now = this.#words.findIndex((word) => word.char_end > place);
    const word = this.#words[Math.min(this.#words.length - 1, Math.max(0, (now < 0 ? this.#words.length : now) + steps))];
    return word ? word.char_start : 0;
  }

  /** Light the word at a place; -1 none. @param {number} place */
  light(place) {
    const word = place < 0 ? -1 : this.#words.findIndex(({ char_end }) => char_end > place);
    if (word === this.#lit) return;
    this.#spans[this.#lit]?.classList.remove("lit");
    this.#spans[word]?.classList.add("lit");
    this.#lit = word;
  }
}

customElements.define("passage-text", PassageText);
