/** When the voice is to stop: a button with the moon, and the sheet it opens. In: `timer`. */

import { Cleanup, h } from "../lib/dom.js";
import { clock } from "../lib/format.js";
import { icon } from "../lib/icons.js";
import { REWIND_S } from "../lib/sleep-timer.js";

const MINUTES = [5, 10, 15, 30, 45, 60];
const CHAPTERS = /** @type {[number, string][]} */ ([[1, "End of the chapter"], [2, "End of the next"], [3, "In 3 chapters"]]);

class SleepSheet extends HTMLElement {
  /** To be put where there is room for it. */
  button = h("button", { class: "round sleep", type: "button", popovertarget: "sleep-sheet", "aria-label": "Sleep timer", title: "Sleep timer" }, icon("moon"), h("span", { class: "left", "aria-hidden": "true" }));
  #sheet = h("div", { id: "sleep-sheet", class: "sheet small", popover: "auto", role: "dialog", "aria-label": "Sleep timer" });
  #said = h("p", { class: "sleep-now", role: "status" });
  #cleanup = new Cleanup();

  connectedCallback() {
    this.replaceChildren(this.#sheet);
  }

  disconnectedCallback() {
    this.#cleanup.run();
  }

  /** @param {import("../lib/sleep-timer.js").SleepTimer} timer */
  set timer(timer) {
    this.#cleanup.run();
    const choose = (/** @type {import("../lib/sleep-timer.js").Plan|null} */ plan) => () => {
      timer.set(plan);
      this.#sheet.hidePopover();
    };
    const off = h("button", { class: "chip", type: "button", onclick: choose(null) }, "Off");
    const minutes = MINUTES.map((count) => h("button", { class: "chip", type: "button", onclick: choose({ kind: "minutes", count }) }, `${count} min`));
    const chapters = CHAPTERS.map(([count, name]) => h("button", { class: "chip", type: "button", onclick: choose({ kind: "chapters", count }) }, name));
    this.#sheet.replaceChildren(
      this.#said,
      h("div", { class: "chips", role: "group", "aria-label": "Stop after" }, ...minutes),
      h("div", { class: "chips", role: "group", "aria-label": "Stop where" }, ...chapters, off),
      h("p", { class: "quiet" }, `The voice grows quiet, then stops. When you go on, it begins ${REWIND_S} seconds before.`),
    );
    const show = () => this.#show(timer);
    this.#cleanup.add(timer.plan.subscribe(show), timer.left.subscribe(show), () => timer.close());
  }

  /** @param {import("../lib/sleep-timer.js").SleepTimer} timer */
  #show(timer) {
    const plan = timer.plan.value;
    const left = timer.left.value;
    const short = !plan ? "" : plan.kind === "minutes" ? clock(Math.ceil(left / 1000)) : `${left} ch.`;
    const long = !plan ? "Sleep timer" : plan.kind === "minutes" ? `Sleep timer, ${Math.ceil(left / 60_000)} minutes left` : `Sleep timer, ${left === 1 ? "to the end of the chapter" : `${left} chapters left`}`;
    /** @type {HTMLElement} */ (this.button.lastElementChild).textContent = short;
    if (this.button.getAttribute("aria-label") !== long) this.button.setAttribute("aria-label", long);
    this.button.toggleAttribute("data-on", plan !== null);
    const told = !plan ? "Stop by itself" : plan.kind === "minutes" ? `Stops in ${Math.ceil(left / 60_000)} min` : left === 1 ? "Stops at the end of the chapter" : `Stops in ${left} chapters`;
    if (this.#said.textContent !== told) this.#said.textContent = told;
  }
}

customElements.define("sleep-sheet", SleepSheet);
