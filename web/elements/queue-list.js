/** What is rendered next. */

import { h } from "../lib/dom.js";
import { counted, wait } from "../lib/format.js";
import { keepFresh } from "../lib/fresh.js";

const SHOWN = 8;

class QueueList extends HTMLElement {
  /** Set before it is connected. @type {import("../dashboard.js").App} */
  app = /** @type {any} */ (null);
  /** @type {ReturnType<typeof keepFresh>|null} */
  #fresh = null;
  #body = h("div", {});

  connectedCallback() {
    this.replaceChildren(h("section", { class: "card" }, h("h2", {}, "Next in line"), this.#body));
    this.#fresh = keepFresh(() => this.#load(), this.app.live, ["book.added", "book.changed", "book.removed", "render.progress", "render.state"], this.app.fail, 2000);
  }

  disconnectedCallback() {
    this.#fresh?.stop();
  }

  async #load() {
    const { items, total, eta_s } = await this.app.api.queue();
    const rest = total - Math.min(items.length, SHOWN);
    const rows = items.slice(0, SHOWN).map((item) =>
      h(
        "li", { class: "row slim" },
        h("div", { class: "words" }, h("p", { class: "name" }, item.title), h("p", { class: "quiet" }, `Chapter ${item.chapter} · ${counted(item.remaining_sentences, "sentence")}`)),
        h("span", { class: "quiet" }, item.eta_s ? `about ${wait(item.eta_s)}` : ""),
      ),
    );
    this.#body.replaceChildren(
      rows.length
        ? h("ol", { class: "rows", role: "list" }, ...rows)
        : h("p", { class: "quiet pad" }, "Nothing is waiting. A new book is rendered as soon as it is added, and from wherever you start to listen."),
      ...(rest > 0 ? [h("p", { class: "quiet pad" }, `and ${counted(rest, "more chapter")}${eta_s ? `, all of it in about ${wait(eta_s)}` : ""}`)] : []),
    );
  }
}

customElements.define("queue-list", QueueList);
