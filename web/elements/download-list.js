/** All that is on this device, from the shelf. In: `app`; `button` to put elsewhere. */

import { held } from "../lib/downloads-plan.js";
import { roomNote } from "../lib/downloads-words.js";
import { Cleanup, h } from "../lib/dom.js";
import { counted, size, span } from "../lib/format.js";
import { icon } from "../lib/icons.js";
import { shell, whyNotOffline } from "../lib/offline-shell.js";
import { bookHref } from "../lib/router.js";

const NONE = "No downloads yet. Open a book and choose Downloads in its list of chapters; what is on this device plays without a connection.";

class DownloadList extends HTMLElement {
  /** Set before it is connected. @type {import("../player.js").App} */
  app = /** @type {any} */ (null);
  button = h("button", { class: "quiet-link", type: "button", "aria-haspopup": "dialog", onclick: () => this.#show() }, "Downloads");
  #cleanup = new Cleanup();
  #said = h("p", { class: "kept-note", role: "status" });
  #list = h("ul", { role: "list", class: "kept-rows" });
  #room = h("p", { class: "quiet" });
  #dialog = h("dialog", { class: "sheet", "aria-label": "Downloads" });

  connectedCallback() {
    const close = h("button", { class: "round", type: "button", "aria-label": "Close", onclick: () => this.#dialog.close() }, icon("close"));
    this.#dialog.replaceChildren(h("header", {}, h("h2", {}, "Downloads"), close), h("div", { class: "kept-body" }, this.#said), this.#list, h("div", { class: "kept-body" }, this.#room));
    this.#dialog.addEventListener("click", (event) => event.target === this.#dialog && this.#dialog.close());
    this.#dialog.addEventListener("close", () => this.#cleanup.run());
    this.replaceChildren(this.#dialog);
  }

  disconnectedCallback() {
    this.#cleanup.run();
  }

  #show() {
    const { downloads } = this.app;
    this.#dialog.showModal();
    for (const signal of [downloads.changed, downloads.lasting, shell]) this.#cleanup.add(/** @type {any} */ (signal).subscribe(() => this.#draw()));
  }

  async #draw() {
    const { downloads } = this.app;
    const why = whyNotOffline(shell.value);
    const records = downloads.records;
    const all = records.reduce((sum, record) => sum + held(record).bytes, 0);
    this.#said.textContent = why ?? (records.length ? `${counted(records.length, "book")}, ${size(all)} on this device.` : NONE);
    this.#list.replaceChildren(...records.map((record) => this.#row(record)));
    const room = await downloads.room();
    this.#room.textContent = why === null ? roomNote(room, downloads.lasting.value) : "";
  }

  /** @param {import("../lib/offline-store.js").Record} record */
  #row(record) {
    const { book, wish } = record;
    const here = held(record);
    const coming = wish.whole ? "whole book" : wish.hours ? `next ${counted(wish.hours, "hour")}` : "";
    const note = [here.chapters ? `${counted(here.chapters, "chapter")}, ${span(here.s)}` : "Nothing yet", here.chapters ? size(here.bytes) : "", coming].filter(Boolean).join(" · ");
    const name = `Remove ${book.title} from this device`;
    return h(
      "li", { "data-kept": book.id },
      h("a", { class: "title", href: bookHref(book.id) }, book.title),
      h("span", { class: "note" }, note),
      h("button", { class: "round", type: "button", "aria-label": name, title: name, onclick: () => this.app.downloads.remove(book.id, null) }, icon("trash")),
    );
  }
}

customElements.define("download-list", DownloadList);
