/** A keyboard of sounds. Out: `phoneme` {symbol}; "" takes the last one away. */

import { h } from "../lib/dom.js";
import { PHONEMES } from "../lib/phoneme-list.js";

class PhonemeKeys extends HTMLElement {
  connectedCallback() {
    if (this.firstElementChild) return;
    const key = (/** @type {string} */ symbol, /** @type {string} */ word) => {
      const label = symbol === "ˈ" || symbol === "ˌ" ? `Stress mark ${word}` : `${symbol} as in ${word}`;
      const shown = symbol === "ˈ" ? "strong" : symbol === "ˌ" ? "weak" : word;
      return h("button", { class: "key", type: "button", "aria-label": label, onclick: () => this.#press(symbol) }, h("span", { class: "symbol" }, symbol), h("span", { class: "as-in" }, shown));
    };
    const back = h("button", { class: "key", type: "button", "aria-label": "Take the last sound away", onclick: () => this.#press("") }, h("span", { class: "symbol" }, "⌫"), h("span", { class: "as-in" }, "delete"));
    this.append(
      ...PHONEMES.map(({ name, keys }) =>
        h("div", { role: "group", "aria-label": name }, h("p", { class: "eyebrow" }, name), h("div", { class: "keyboard" }, ...keys.map(([symbol, word]) => key(symbol, word)), name === "Stress" ? back : null)),
      ),
    );
    this.addEventListener("keydown", (event) => this.#walk(event));
    // One stop for the tab key; the arrows go on from there.
    this.#keys.forEach((one, at) => (one.tabIndex = at === 0 ? 0 : -1));
  }

  get #keys() {
    return [...this.querySelectorAll("button")];
  }

  /** @param {string} symbol */
  #press(symbol) {
    this.dispatchEvent(new CustomEvent("phoneme", { detail: { symbol }, bubbles: true }));
  }

  /** @param {KeyboardEvent} event */
  #walk(event) {
    const keys = this.#keys;
    const at = keys.indexOf(/** @type {HTMLButtonElement} */ (event.target));
    const to = { ArrowRight: at + 1, ArrowLeft: at - 1, ArrowDown: below(keys, at, 1), ArrowUp: below(keys, at, -1), Home: 0, End: keys.length - 1 }[event.key];
    if (at < 0 || to === undefined || !keys[to]) return;
    event.preventDefault();
    keys[at].tabIndex = -1;
    keys[to].tabIndex = 0;
    keys[to].focus();
  }
}

/** The key over or under one, by where they lie. @param {HTMLElement[]} keys @param {number} at @param {1|-1} way */
function below(keys, at, way) {
  const from = keys[at]?.getBoundingClientRect();
  if (!from) return -1;
  let best = -1;
  let least = Infinity;
  keys.forEach((key, i) => {
    const box = key.getBoundingClientRect();
    const down = (box.top - from.top) * way;
    const distance = down * 10 + Math.abs(box.left - from.left);
    if (down > 4 && distance < least) [best, least] = [i, distance];
  });
  return best;
}

customElements.define("phoneme-keys", PhonemeKeys);
