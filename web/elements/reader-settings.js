/** How the text looks and how the voice sounds, in a dialog that leaves the text in view; each is kept in this browser. */

import { canBoost } from "../lib/boost.js";
import { Cleanup, h } from "../lib/dom.js";
import { icon } from "../lib/icons.js";
import { TEXT_PX } from "../lib/settings.js";

const SKIPS_S = [5, 10, 15, 30, 60];
const seconds = SKIPS_S.map((value) => /** @type {const} */ ([value, `${value} s`]));

class ReaderSettings extends HTMLElement {
  /** Set before it is connected. @type {typeof import("../lib/settings.js").settings} */
  settings = /** @type {any} */ (null);
  #dialog = h("dialog", { class: "sheet low", "aria-label": "Text and sound" });
  #cleanup = new Cleanup();

  connectedCallback() {
    const close = h("button", { class: "round", type: "button", "aria-label": "Close", onclick: () => this.#dialog.close() }, icon("close"));
    this.#dialog.replaceChildren(h("header", {}, h("h2", {}, "Text and sound"), close), this.#text(), this.#sound(), this.#buttons());
    this.#dialog.addEventListener("click", (event) => event.target === this.#dialog && this.#dialog.close());
    this.replaceChildren(this.#dialog);
  }

  disconnectedCallback() {
    this.#cleanup.run();
  }

  show() {
    if (!this.#dialog.open) this.#dialog.showModal();
  }

  #text() {
    const { theme, font, text_px, leading, measure_rem, justify, silent } = this.settings;
    const wide = this.#slider("Width of the lines", measure_rem, { min: 22, max: 56, step: 1 }, (value) => `about ${Math.round(value * 1.9)} letters`);
    wide.classList.add("wide-only");
    return h(
      "section", {},
      this.#choice("Colours", theme, [["system", "Auto"], ["light", "Light"], ["sepia", "Sepia"], ["dark", "Dark"]], "swatches"),
      this.#choice("Letters", font, [["serif", "Serif"], ["sans", "Sans"], ["mono", "Mono"]], "faces"),
      this.#slider("Size", text_px, TEXT_PX, (value) => `${value} px`),
      this.#slider("Space between lines", leading, { min: 1.3, max: 2.2, step: 0.05 }, (value) => value.toFixed(2)),
      wide,
      this.#choice("Right edge", justify, [["no", "Ragged"], ["yes", "Even"]]),
      this.#choice("What is not read aloud", silent, [["shown", "Shown in grey"], ["hidden", "Left out"]]),
    );
  }

  #sound() {
    const { pauses, boost, offset_ms } = this.settings;
    const louder = canBoost()
      ? this.#choice("Louder than the voice is", boost, [[1, "Off"], [1.5, "A little"], [2, "More"], [3, "Much"]])
      : h("p", { class: "quiet" }, "Louder than the voice is: not on this device. It would fall silent when the screen is locked.");
    return h(
      "section", {},
      h("h3", {}, "Sound"),
      this.#choice("Pauses", pauses, [[1, "Usual"], [0.5, "Half"], [0.25, "Short"], [0, "As spoken"]]),
      h("p", { class: "quiet" }, "“As spoken” keeps their length at any speed. While the page is out of sight they are as usual: they go with the speed."),
      louder,
      this.#slider("Move the light", offset_ms, { min: -500, max: 500, step: 10 }, (value) => (value ? `${value > 0 ? "+" : "−"}${Math.abs(value)} ms` : "exact")),
      h("p", { class: "quiet" }, "To the right the light comes earlier, to the left later. Wireless headphones often hold the voice back a little."),
    );
  }

  #buttons() {
    const { back_s, forward_s, lock, step, tap } = this.settings;
    const steps = this.#choice("Outer buttons", step, [["sentence", "Sentence"], ["chapter", "Chapter"]]);
    steps.classList.add("narrow-only");
    return h(
      "section", {},
      h("h3", {}, "Buttons"),
      this.#choice("Skip back", back_s, seconds),
      this.#choice("Skip forward", forward_s, seconds),
      steps,
      this.#choice("On the lock screen and in the car", lock, [["skip", "Skip"], ["chapter", "Chapters"]]),
      this.#choice("A tap on a word", tap, [["go", "Goes there"], ["menu", "Opens its menu"]]),
      h("p", { class: "quiet" }, "Hold a word, or select some text, for its menu in either case."),
      h("div", { class: "setting" }, h("button", { class: "button", type: "button", onclick: () => this.#reset() }, "All as it was at first")),
    );
  }

  #reset() {
    for (const signal of Object.values(this.settings)) signal.reset();
  }

  /**
   * @param {string} label
   * @param {import("../lib/signal.js").Signal<number>} signal
   * @param {{min: number, max: number, step: number}} range
   * @param {(value: number) => string} say
   */
  #slider(label, signal, range, say) {
    const input = h("input", { type: "range", "aria-label": label, ...range });
    const shown = h("output", {});
    input.addEventListener("input", () => (signal.value = Number(input.value)));
    this.#cleanup.add(
      signal.subscribe((value) => {
        input.value = String(value);
        input.style.setProperty("--share", String((value - range.min) / (range.max - range.min)));
        input.setAttribute("aria-valuetext", say(value));
        shown.textContent = say(value);
      }),
    );
    return h("div", { class: "setting" }, h("span", { class: "name", "aria-hidden": "true" }, label, shown), input);
  }

  /**
   * @template {string|number} T
   * @param {string} label
   * @param {import("../lib/signal.js").Signal<T>} signal
   * @param {readonly (readonly [T, string])[]} values
   * @param {string} [look]
   */
  #choice(label, signal, values, look = "") {
    const buttons = values.map(([value, name]) => h("button", { class: "chip", type: "button", "data-value": value, onclick: () => (signal.value = value) }, name));
    this.#cleanup.add(signal.subscribe((now) => buttons.forEach((button, i) => button.setAttribute("aria-pressed", String(values[i][0] === now)))));
    return h("div", { class: "setting", role: "group", "aria-label": label }, h("span", { class: "name" }, label), h("div", { class: `chips ${look}` }, ...buttons));
  }
}

customElements.define("reader-settings", ReaderSettings);
