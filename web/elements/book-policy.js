/** How much of a book is rendered. In: `app`, `book`. */

import { h } from "../lib/dom.js";
import { POLICIES, policyName } from "../lib/rendering.js";

/** @typedef {import("../lib/types.js").BookDetail} BookDetail */

class BookPolicy extends HTMLElement {
  /** Set before it is connected. @type {import("../dashboard.js").App} */
  app = /** @type {any} */ (null);
  /** @type {BookDetail} */
  book = /** @type {any} */ (null);
  #said = h("p", { class: "said-here", role: "alert" });
  /** @type {HTMLInputElement[]} */
  #inputs = [];

  connectedCallback() {
    const house = this.book.render_chosen ? "As for every book" : `As for every book: ${policyName(this.book.render).toLowerCase()}`;
    const options = [["house", house], ...POLICIES];
    this.#inputs = options.map(([value]) => h("input", { type: "radio", name: "render", value, onchange: () => this.#choose(value) }));
    this.replaceChildren(
      h(
        "fieldset", { class: "part" },
        h("legend", {}, "How much is rendered"),
        ...options.map(([, words], i) => h("label", { class: "option" }, this.#inputs[i], h("span", {}, words))),
        h("p", { class: "quiet" }, "Whoever listens is served in any case: then it is rendered a little ahead of them."),
        this.#said,
      ),
    );
    this.#show();
  }

  #show() {
    const chosen = this.book.render_chosen ? this.book.render : "house";
    for (const input of this.#inputs) input.checked = input.value === chosen;
  }

  /** @param {string} value */
  async #choose(value) {
    this.#said.textContent = "";
    try {
      this.book = await this.app.api.chooseRender(this.book.id, value);
    } catch (error) {
      this.#said.textContent = /** @type {Error} */ (error).message;
    }
    this.#show();
  }
}

customElements.define("book-policy", BookPolicy);
