/** Files that did not become books, each with the reason and the way out. */

import { h } from "../lib/dom.js";
import { ago } from "../lib/format.js";
import { keepFresh } from "../lib/fresh.js";
import { icon } from "../lib/icons.js";

class RefusalList extends HTMLElement {
  /** Set before it is connected. @type {import("../dashboard.js").App} */
  app = /** @type {any} */ (null);
  /** @type {ReturnType<typeof keepFresh>|null} */
  #fresh = null;

  connectedCallback() {
    this.#fresh = keepFresh(() => this.#load(), this.app.live, ["import.refused", "book.added", "book.changed"], this.app.fail);
  }

  disconnectedCallback() {
    this.#fresh?.stop();
  }

  async #load() {
    const refusals = await this.app.api.refusals();
    if (!refusals.length) return this.replaceChildren();
    this.replaceChildren(
      h(
        "section", { class: "card", "aria-live": "polite" },
        h("h2", {}, "Could not be added"),
        h("ul", { class: "rows", role: "list" }, ...refusals.map((refusal) => this.#row(refusal))),
      ),
    );
  }

  /** @param {import("../lib/types.js").Refusal} refusal */
  #row(refusal) {
    const dismiss = async () => {
      await this.app.api.dismiss(refusal.id).catch(this.app.fail);
      this.#fresh?.refresh();
    };
    const readInEnglish = async () => {
      await this.app.api.readRefused(refusal.id, "en").catch(this.app.fail);
      this.#fresh?.refresh();
    };
    const offer = refusal.kind === "language" && refusal.here
      ? h("button", { class: "button", type: "button", onclick: readInEnglish }, "Read it as English")
      : null;
    return h(
      "li", { class: "row" },
      h("span", { class: "mark bad" }, icon("bad")),
      h("div", { class: "words" }, h("p", { class: "name" }, refusal.name), h("p", {}, refusal.reason), h("p", { class: "quiet" }, ago(refusal.at)), offer),
      h("button", { class: "round", type: "button", "aria-label": `Dismiss ${refusal.name}`, onclick: dismiss }, icon("close")),
    );
  }
}

customElements.define("refusal-list", RefusalList);
