/** What the doctor found, and what to do about it. */

import { h } from "../lib/dom.js";
import { keepFresh } from "../lib/fresh.js";
import { icon } from "../lib/icons.js";
import { withCode } from "../lib/words.js";

/** @typedef {import("../lib/types.js").Check} Check */

class HealthList extends HTMLElement {
  /** Set before it is connected. @type {import("../dashboard.js").App} */
  app = /** @type {any} */ (null);
  /** @type {ReturnType<typeof keepFresh>|null} */
  #fresh = null;
  #list = h("ul", { class: "rows", role: "list" });
  #note = h("p", { class: "quiet pad" }, "Looking …");

  connectedCallback() {
    this.replaceChildren(h("section", { class: "card" }, h("h2", {}, "Health"), this.#list, this.#note));
    this.#fresh = keepFresh(() => this.#load(), this.app.live, [], this.app.fail);
  }

  disconnectedCallback() {
    this.#fresh?.stop();
  }

  async #load() {
    const checks = await this.app.api.doctor();
    // Trouble first: what is well needs no reading.
    const order = (/** @type {Check} */ check) => (check.ok === false ? 0 : check.ok === null ? 1 : 2);
    this.#list.replaceChildren(...[...checks].sort((a, b) => order(a) - order(b)).map(row));
    this.#note.hidden = checks.length > 0;
    this.#note.textContent = "No checks were made.";
  }
}

/** @param {Check} check */
function row({ name, ok, detail, remedy }) {
  const [shape, word] = ok ? ["good", "well"] : ok === false ? ["bad", "trouble"] : ["unsure", "not known"];
  return h(
    "li", { class: "row slim" },
    h("span", { class: `mark ${shape}`, role: "img", "aria-label": word }, icon(shape)),
    h("div", { class: "words" }, h("p", { class: "name" }, name), h("p", { class: "quiet" }, ...withCode(detail)), !ok && remedy ? h("p", { class: "remedy" }, ...withCode(remedy)) : null),
  );
}

customElements.define("health-list", HealthList);
