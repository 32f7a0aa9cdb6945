/** The keys of the reader in a dialog. In: `show()`. */

import { h } from "../lib/dom.js";
import { icon } from "../lib/icons.js";
import { KEYS, keyName } from "../lib/keys.js";

class KeyList extends HTMLElement {
  #dialog = h("dialog", { class: "sheet wide", "aria-label": "Keys" });

  connectedCallback() {
    const close = h("button", { class: "round", type: "button", "aria-label": "Close", onclick: () => this.#dialog.close() }, icon("close"));
    const row = (/** @type {import("../lib/keys.js").Key} */ { keys, says }) =>
      h("div", {}, h("dt", {}, ...keys.map((key) => h("kbd", {}, keyName(key)))), h("dd", {}, says));
    this.#dialog.replaceChildren(h("header", {}, h("h2", {}, "Keys"), close), h("dl", { class: "keys" }, ...KEYS.map(row)));
    this.#dialog.addEventListener("click", (event) => event.target === this.#dialog && this.#dialog.close());
    this.#dialog.addEventListener("keydown", (event) => event.key === "?" && this.#dialog.close());
    this.replaceChildren(this.#dialog);
  }

  show() {
    if (!this.#dialog.open) this.#dialog.showModal();
  }
}

customElements.define("key-list", KeyList);
