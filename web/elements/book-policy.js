/** How much of a book is rendered, and whether it comes first. In: `app`, `book`. */

import { h } from "../lib/dom.js";
import { house } from "../lib/house-api.js";
import { POLICIES, policyName } from "../lib/rendering.js";

/** @typedef {import("../lib/types.js").BookDetail} BookDetail */

class BookPolicy extends HTMLElement {
  /** Set before it is connected. @type {import("../dashboard.js").App} */
  app = /** @type {any} */ (null);
  /** @type {BookDetail} */
  book = /** @type {any} */ (null);
  #said = h("p", { class: "said-here", role: "alert" });
  #first = h("button", { class: "button", type: "button", onclick: () => this.#goFirst() }, "Render it first");
  #firstSaid = h("span", { class: "quiet", role: "status" });
  /** @type {HTMLInputElement[]} */
  #inputs = [];

  connectedCallback() {
    const usual = this.book.render_chosen ? "As for every book" : `As for every book: ${policyName(this.book.render).toLowerCase()}`;
    const options = [["house", usual], ...POLICIES];
    this.#inputs = options.map(([value]) => h("input", { type: "radio", name: "render", value, onchange: () => this.#choose(value) }));
    this.replaceChildren(
      h(
        "fieldset", { class: "part" },
        h("legend", {}, "How much is rendered"),
        ...options.map(([, words], i) => h("label", { class: "option" }, this.#inputs[i], h("span", {}, words))),
        h("p", { class: "quiet" }, "Whoever listens is served in any case: then it is rendered a little ahead of them."),
        this.#said,
        h("div", { class: "doors" }, this.#first, this.#firstSaid),
      ),
    );
    this.#show();
  }

  #show() {
    const chosen = this.book.render_chosen ? this.book.render : "house";
    for (const input of this.#inputs) input.checked = input.value === chosen;
    const { total, rendered, failed } = this.book.sentences;
    this.#first.hidden = rendered + failed >= total || this.book.render === "paused";
  }

  /** Before all others, those included that were put in order by hand. */
  async #goFirst() {
    this.#said.textContent = "";
    try {
      const { books } = await this.app.api.queue();
      const others = books.filter(({ book, turn }) => turn !== null && book !== this.book.id);
      await house.order([this.book.id, ...others.map(({ book }) => book)]);
      this.#firstSaid.textContent = "It comes first from now on.";
    } catch (error) {
      this.#said.textContent = /** @type {Error} */ (error).message;
    }
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
