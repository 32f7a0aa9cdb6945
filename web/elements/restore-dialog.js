/** Goes back to a backup: says what that replaces, asks, and waits until Lectern has started again. In: `ask(backup)`. Out: `back`. */

import { h } from "../lib/dom.js";
import { house } from "../lib/house-api.js";

/** @typedef {import("../lib/house-api.js").Backup} Backup */

const AGAIN_MS = 15 * 60_000; // a backup with the audio is unpacked before Lectern answers

class RestoreDialog extends HTMLElement {
  #title = h("h2", { id: "restore-title" });
  #body = h("div", { class: "choices" });
  #dialog = h("dialog", { class: "sheet", "aria-labelledby": "restore-title" });
  #said = h("p", { class: "quiet", role: "status" });
  #trouble = h("p", { class: "said", role: "alert" });
  #keep = h("button", { class: "button", type: "button", autofocus: true, onclick: () => this.#dialog.close() }, "Keep everything as it is");
  #go = h("button", { class: "button danger", type: "button", onclick: () => this.#back() }, "Go back to it");
  #busy = false;
  /** @type {Backup|null} */
  #backup = null;

  connectedCallback() {
    this.#dialog.replaceChildren(h("header", {}, this.#title), this.#body);
    this.#dialog.addEventListener("cancel", (event) => this.#busy && event.preventDefault());
    this.replaceChildren(this.#dialog);
  }

  /** @param {Backup} backup @param {string} day */
  ask(backup, day) {
    this.#backup = backup;
    this.#title.textContent = `Back to ${day}?`;
    this.#said.textContent = this.#trouble.textContent = "";
    const sound = backup.audio ? "The audio in it comes back too." : "Audio that fits is kept, and the rest is rendered again.";
    this.#body.replaceChildren(
      h("p", {}, "What is in this backup takes the place of what is here: the books and their texts, everybody's places, bookmarks, pronunciations, choices and people. ", sound),
      h("p", {}, "What is here now is put aside in Lectern's data folder, whole. Nothing is deleted. Your settings and the files in the library folder stay as they are."),
      h("p", { class: "quiet" }, "The backup is checked first. Then Lectern starts again, and is away for a moment; with the audio, for some minutes. Whoever listens is interrupted."),
      this.#said, this.#trouble, h("div", { class: "acts" }, this.#keep, this.#go),
    );
    this.#dialog.showModal();
  }

  async #back() {
    if (!this.#backup || this.#busy) return;
    this.#busy = true;
    this.#keep.disabled = this.#go.disabled = true;
    this.#trouble.textContent = "";
    try {
      const before = (await house.backups()).restored?.at;
      this.#said.textContent = "The backup is being checked …";
      await house.restore(this.#backup.name);
      this.#said.textContent = "Lectern starts again with what is in the backup. This page goes on by itself.";
      await this.#answers(before);
      this.#dialog.close();
      this.dispatchEvent(new CustomEvent("back", { bubbles: true }));
    } catch (error) {
      this.#said.textContent = "";
      this.#trouble.textContent = /** @type {Error} */ (error).message;
    }
    this.#busy = false;
    this.#keep.disabled = this.#go.disabled = false;
    if (this.#dialog.open) this.#keep.focus();
  }

  /** Wait until it is told what became of it. @param {string|undefined} before */
  async #answers(before) {
    for (const end = Date.now() + AGAIN_MS; Date.now() < end; ) {
      await new Promise((resolve) => setTimeout(resolve, 1000));
      const told = await house.backups().catch(() => null);
      if (told?.restored && told.restored.at !== before) return;
    }
    throw new Error("Lectern does not answer yet. Look at the computer that it runs on: its log says what it does.");
  }
}

customElements.define("restore-dialog", RestoreDialog);
