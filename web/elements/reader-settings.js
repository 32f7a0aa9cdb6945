/** Text size, skip length and the timing of the light, in a dialog; each is kept in this browser. */

import { Cleanup, h } from "../lib/dom.js";
import { icon } from "../lib/icons.js";

const SKIPS_S = [10, 15, 30, 60];

class ReaderSettings extends HTMLElement {
  /** Set before it is connected. @type {typeof import("../lib/settings.js").settings} */
  settings = /** @type {any} */ (null);
  #dialog = h("dialog", { class: "sheet", "aria-label": "Settings" });
  #cleanup = new Cleanup();

  connectedCallback() {
    const { text_px, skip_s, offset_ms } = this.settings;
    const close = h("button", { class: "round", type: "button", "aria-label": "Close", onclick: () => this.#dialog.close() }, icon("close"));
    this.#dialog.replaceChildren(
      h("header", {}, h("h2", {}, "Text and sound"), close),
      this.#slider("Size of the text", text_px, { min: 14, max: 34, step: 1 }, (value) => `${value} px`),
      this.#choice("Skip by", skip_s, SKIPS_S, (value) => `${value} s`),
      this.#slider("Move the light", offset_ms, { min: -500, max: 500, step: 10 }, (value) => (value ? `${value > 0 ? "+" : "−"}${Math.abs(value)} ms` : "exact")),
      h("p", { class: "quiet" }, "To the right the light comes earlier, to the left later. Wireless headphones often hold the voice back a little."),
      h("p", { class: "quiet keys" }, "Keys: space plays and pauses, ← → skip, J and K go to the next and previous sentence, [ and ] change the speed."),
    );
    this.#dialog.addEventListener("click", (event) => event.target === this.#dialog && this.#dialog.close());
    this.replaceChildren(this.#dialog);
  }

  disconnectedCallback() {
    this.#cleanup.run();
  }

  show() {
    this.#dialog.showModal();
  }

  /**
   * @param {string} label
   * @param {import("../lib/signal.js").Signal<number>} signal
   * @param {{min: number, max: number, step: number}} range
   * @param {(value: number) => string} say
   */
  #slider(label, signal, range, say) {
    const input = h("input", { type: "range", ...range });
    const shown = h("output", {});
    input.addEventListener("input", () => (signal.value = Number(input.value)));
    this.#cleanup.add(
      signal.subscribe((value) => {
        input.value = String(value);
        input.style.setProperty("--share", String((value - range.min) / (range.max - range.min)));
        shown.textContent = say(value);
      }),
    );
    return h("label", { class: "setting" }, h("span", { class: "name" }, label, shown), input);
  }

  /**
   * @param {string} label
   * @param {import("../lib/signal.js").Signal<number>} signal
   * @param {number[]} values
   * @param {(value: number) => string} say
   */
  #choice(label, signal, values, say) {
    const buttons = values.map((value) => h("button", { class: "chip", type: "button", onclick: () => (signal.value = value) }, say(value)));
    this.#cleanup.add(signal.subscribe((now) => buttons.forEach((button, i) => button.setAttribute("aria-pressed", String(values[i] === now)))));
    return h("div", { class: "setting", role: "group", "aria-label": label }, h("span", { class: "name" }, label), h("div", { class: "chips" }, ...buttons));
  }
}

customElements.define("reader-settings", ReaderSettings);
