/** Deletes a book, or only its audio: two actions with names, each saying what it does. In: `ask(book)`. */

import { h } from "../lib/dom.js";
import { size } from "../lib/format.js";

/** @typedef {import("../lib/types.js").Book} Book */

class DeleteDialog extends HTMLElement {
  /** Set before it is connected. @type {import("../dashboard.js").App} */
  app = /** @type {any} */ (null);
  #title = h("h2", { id: "delete-title" });
  #audioNote = h("span", { class: "what" });
  #said = h("p", { class: "said", role: "alert" });
  #dialog = h("dialog", { class: "sheet", "aria-labelledby": "delete-title" });
  /** @type {Book|null} */
  #book = null;

  connectedCallback() {
    const act = (/** @type {"audio"|"everything"} */ what, /** @type {string} */ name, /** @type {Node} */ note) =>
      h("button", { class: "choice", type: "button", onclick: () => this.#remove(what) }, h("span", { class: "name" }, name), note);
    this.#dialog.replaceChildren(
      h("header", {}, this.#title),
      h(
        "div", { class: "choices" },
        act("audio", "Delete the audio", this.#audioNote),
        act("everything", "Delete the book and its audio", h("span", { class: "what" }, "The book leaves the shelf, with its audio and your place in it. Its file goes from the library folder into “removed”, in Lectern’s data folder, and can be put back.")),
        this.#said,
        h("button", { class: "button", type: "button", autofocus: true, onclick: () => this.#dialog.close() }, "Keep everything"),
      ),
    );
    this.#dialog.addEventListener("click", (event) => event.target === this.#dialog && this.#dialog.close());
    this.replaceChildren(this.#dialog);
  }

  /** @param {Book} book */
  ask(book) {
    this.#book = book;
    this.#said.textContent = "";
    this.#title.textContent = book.title;
    const bytes = book.audio_bytes + (book.other_bytes ?? 0);
    const freed = bytes ? `Frees ${size(bytes)}${book.other_bytes ? ", what there is in other voices with it" : ""}. ` : "";
    this.#audioNote.textContent = `${freed}The book stays on the shelf with your place, and is rendered again when you listen to it.`;
    this.#dialog.showModal();
  }

  /** @param {"audio"|"everything"} what */
  async #remove(what) {
    if (!this.#book) return;
    const buttons = [...this.#dialog.querySelectorAll("button")];
    buttons.forEach((button) => (button.disabled = true));
    try {
      await this.app.api.remove(this.#book.id, what);
      this.#dialog.close();
      this.dispatchEvent(new CustomEvent("deleted", { detail: { book: this.#book, what }, bubbles: true }));
    } catch (error) {
      this.#said.textContent = /** @type {Error} */ (error).message;
    } finally {
      buttons.forEach((button) => (button.disabled = false));
    }
  }
}

customElements.define("delete-dialog", DeleteDialog);
