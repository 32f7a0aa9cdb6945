/** The last jumps in a dialog, each to be gone back to. In: `places`, `show()`. Out: `gone` when the place is another one. */

import { h } from "../lib/dom.js";
import { ago, quoted } from "../lib/format.js";
import { icon } from "../lib/icons.js";

const SHOWN = 20;
const NONE = "No jumps yet. When you tap a word, choose a chapter or skip a minute or more, the place you left is kept here.";

class JumpList extends HTMLElement {
  /** @type {import("../lib/places.js").Places|null} */
  places = null;
  #list = h("ol", { role: "list", class: "spots" });
  #said = h("p", { class: "quiet said", role: "status" });
  #dialog = h("dialog", { class: "sheet", "aria-label": "Where you were" });

  connectedCallback() {
    const close = h("button", { class: "round", type: "button", "aria-label": "Close", onclick: () => this.#dialog.close() }, icon("close"));
    this.#dialog.replaceChildren(h("header", {}, h("h2", {}, "Where you were"), close), this.#said, this.#list);
    this.#dialog.addEventListener("click", (event) => event.target === this.#dialog && this.#dialog.close());
    this.replaceChildren(this.#dialog);
  }

  async show() {
    this.#list.replaceChildren();
    this.#said.textContent = "Loading …";
    this.#dialog.showModal();
    try {
      const jumps = (await this.places?.jumps()) ?? [];
      this.#said.textContent = jumps.length ? "" : NONE;
      this.#list.replaceChildren(...jumps.slice(0, SHOWN).map((jump) => this.#row(jump)));
      /** @type {HTMLElement|null} */ (this.#list.querySelector("button"))?.focus();
    } catch (error) {
      this.#said.textContent = /** @type {Error} */ (error).message;
    }
  }

  /** @param {{entry: number, at: string, left: import("../lib/places.js").Shown}} jump */
  #row({ entry, at, left }) {
    const go = async () => {
      try {
        await this.places?.backFrom(entry);
        this.#dialog.close();
        this.dispatchEvent(new CustomEvent("gone", { bubbles: true }));
      } catch (error) {
        this.#said.textContent = /** @type {Error} */ (error).message;
      }
    };
    return h(
      "li", {},
      h(
        "button", { type: "button", class: "spot", onclick: go },
        h("span", { class: "about" }, h("span", { class: "chapter" }, left.title), h("span", {}, ago(at))),
        h("span", { class: "text" }, left.text ? quoted(left.text, 110) : "Go back there"),
      ),
    );
  }
}

customElements.define("jump-list", JumpList);
