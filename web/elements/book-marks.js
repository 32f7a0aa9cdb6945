/**
 * Bookmarks: a button that sets one on the sentence that plays, a word on it, and the list in a dialog.
 *
 * In: `bookmarks`, `playback`, `show(id)`, `mark(place)`. Out: `place` {chapter, sentence, word} to go there.
 */

import { Cleanup, h } from "../lib/dom.js";
import { ago, opening, quoted } from "../lib/format.js";
import { icon } from "../lib/icons.js";
import { placeOf } from "../lib/places.js";

/** @typedef {import("../lib/types.js").Bookmark} Bookmark */

const SHOWN_MS = 9000;
const NONE = "No bookmarks yet. The ribbon beside the time, or the key B, keeps the sentence that plays here.";

class BookMarks extends HTMLElement {
  /** @type {import("../lib/playback.js").Playback|null} */
  playback = null;
  /** To be put where there is room for it. */
  button = h("button", { class: "round ribbon", type: "button", "aria-label": "Bookmark this sentence", title: "Bookmark this sentence", onclick: () => this.mark() }, icon("ribbon"));
  /** @type {import("../lib/bookmarks.js").Bookmarks|null} */
  #bookmarks = null;
  #word = h("div", { class: "brief", hidden: true });
  #said = h("p", { role: "status" });
  #acts = h("div", { class: "acts" });
  #list = h("ol", { role: "list", class: "spots" });
  #none = h("p", { class: "quiet said" });
  #problem = h("p", { class: "quiet said", role: "status" });
  #dialog = h("dialog", { class: "sheet", "aria-label": "Bookmarks" });
  #cleanup = new Cleanup();
  #timer = 0;

  connectedCallback() {
    this.#word.replaceChildren(this.#said, this.#acts);
    const close = h("button", { class: "round", type: "button", "aria-label": "Close", onclick: () => this.#dialog.close() }, icon("close"));
    this.#dialog.replaceChildren(h("header", {}, h("h2", {}, "Bookmarks"), close), this.#none, this.#problem, this.#list);
    this.#dialog.addEventListener("click", (event) => event.target === this.#dialog && this.#dialog.close());
    this.replaceChildren(this.#word, this.#dialog);
    // Nothing goes away under somebody's finger or focus.
    for (const name of ["focusin", "pointerenter"]) this.#cleanup.listen(this.#word, name, () => clearTimeout(this.#timer));
    for (const name of ["focusout", "pointerleave"]) this.#cleanup.listen(this.#word, name, () => this.#hideLater());
  }

  disconnectedCallback() {
    this.#cleanup.run();
    clearTimeout(this.#timer);
  }

  /** @param {import("../lib/bookmarks.js").Bookmarks} bookmarks */
  set bookmarks(bookmarks) {
    this.#bookmarks = bookmarks;
    const light = () => {
      const cue = this.playback?.cue.value;
      this.button.toggleAttribute("data-on", Boolean(bookmarks.of(cue?.chapter, cue?.sentence)));
    };
    this.#cleanup.add(
      bookmarks.list.subscribe(() => (light(), this.#dialog.open && !this.#dialog.querySelector("form, [data-gone]") && this.#fill())),
      this.playback?.cue.subscribe(light) ?? (() => undefined),
    );
  }

  /** Keep the sentence that plays, or another one. @param {import("../lib/types.js").Place} [place] @param {string} [said] its text */
  async mark(place, said) {
    const cue = this.playback?.cue.value;
    const text = place ? said : cue && this.playback?.index?.sentences[cue.at]?.text;
    const bookmarks = this.#bookmarks;
    const where = place ?? (cue && placeOf(cue));
    if (!where || !bookmarks) return;
    const known = bookmarks.of(where.chapter, where.sentence);
    try {
      const mark = known ?? (await bookmarks.add(where));
      const note = /** @type {[string, () => void]} */ ([mark.note ? "Change the note" : "Add a note", () => this.show(mark.id)]);
      const remove = () => this.#takeBack(mark, known ? "The bookmark is removed." : "Taken back.");
      this.#tell(`${known ? "Bookmarked already:" : "Bookmarked:"} ${quoted(text || mark.text, 60)}`, [note, [known ? "Remove it" : "Take that back", remove]]);
    } catch (error) {
      this.#tell(/** @type {Error} */ (error).message, []);
    }
  }

  /** @param {Bookmark} mark @param {string} said */
  async #takeBack(mark, said) {
    try {
      await this.#bookmarks?.remove(mark);
      this.#tell(said, [["Put it back", () => this.#putBack(mark)]]);
    } catch (error) {
      this.#tell(/** @type {Error} */ (error).message, []);
    }
  }

  /** @param {Bookmark} mark */
  async #putBack(mark) {
    await this.#bookmarks?.add(mark).then(() => this.#tell("The bookmark is back.", []), (error) => this.#tell(error.message, []));
  }

  /** @param {string} said @param {[string, () => void][]} acts */
  #tell(said, acts) {
    const inside = this.#word.contains(document.activeElement);
    this.#word.hidden = false;
    this.#said.textContent = said;
    this.#acts.replaceChildren(...acts.map(([name, run]) => h("button", { class: "button", type: "button", onclick: run }, name)));
    if (inside) /** @type {HTMLElement} */ (this.#acts.querySelector("button") ?? this.button).focus();
    this.#hideLater();
  }

  #hideLater() {
    clearTimeout(this.#timer);
    this.#timer = window.setTimeout(() => !this.#word.contains(document.activeElement) && (this.#word.hidden = true), SHOWN_MS);
  }

  /** The list; with an id, the note of that one is open to be written. @param {string} [id] */
  show(id) {
    this.#word.hidden = true;
    this.#problem.textContent = "";
    this.#fill();
    if (!this.#dialog.open) this.#dialog.showModal();
    const row = /** @type {HTMLElement|null} */ (id ? this.#list.querySelector(`[data-mark="${CSS.escape(id)}"]`) : null);
    row?.scrollIntoView({ block: "center" });
    row?.querySelector("button.edit")?.dispatchEvent(new MouseEvent("click"));
    this.#bookmarks?.load().catch((error) => (this.#problem.textContent = error.message));
  }

  #fill() {
    const marks = this.#bookmarks?.list.value ?? [];
    this.#none.textContent = marks.length ? "" : NONE;
    this.#list.replaceChildren(...marks.map((mark) => this.#row(mark)));
  }

  /** @param {Bookmark} mark @returns {HTMLElement} */
  #row(mark) {
    const title = mark.chapter_title || `Chapter ${mark.chapter}`;
    const name = opening(mark.text, 40);
    const go = () => {
      this.#dialog.close();
      this.dispatchEvent(new CustomEvent("place", { detail: { chapter: mark.chapter, sentence: mark.sentence, word: mark.word }, bubbles: true }));
    };
    const row = h(
      "li", { "data-mark": mark.id },
      h(
        "button", { type: "button", class: "spot", onclick: go },
        h("span", { class: "about" }, h("span", { class: "chapter" }, title), h("span", {}, ago(mark.created))),
        h("span", { class: "text" }, quoted(mark.text, 160)),
        mark.note ? h("span", { class: "note" }, mark.note) : null,
      ),
      h("button", { type: "button", class: "round edit", "aria-label": `${mark.note ? "Change" : "Add"} the note: ${name}`, onclick: () => this.#edit(row, mark) }, icon("pencil")),
      h("button", { type: "button", class: "round remove", "aria-label": `Remove the bookmark: ${name}`, onclick: () => this.#remove(row, mark) }, icon("trash")),
    );
    return row;
  }

  /** @param {HTMLElement} row @param {Bookmark} mark */
  #edit(row, mark) {
    const text = h("textarea", { rows: 3, maxlength: 2000, "aria-label": "Note" });
    text.value = mark.note ?? "";
    const done = (/** @type {Bookmark} */ shown) => {
      const fresh = this.#row(shown);
      item.replaceWith(fresh);
      /** @type {HTMLElement} */ (fresh.querySelector(".edit")).focus();
    };
    const save = async (/** @type {Event} */ event) => {
      event.preventDefault();
      await this.#attempt(async () => {
        await this.#bookmarks?.note(mark, text.value);
        done({ ...mark, note: text.value.trim() || null });
      });
    };
    const form = h(
      "form", { class: "noting", onsubmit: save },
      h("p", { class: "text" }, quoted(mark.text, 160)), text,
      h("div", { class: "acts" }, h("button", { class: "button primary", type: "submit" }, "Save"), h("button", { class: "button", type: "button", onclick: () => done(mark) }, "Cancel")),
    );
    const item = h("li", { "data-mark": mark.id }, form);
    form.addEventListener("keydown", (event) => {
      if (event.key !== "Escape") return;
      event.preventDefault(); // leaves the note, not the list
      done(mark);
    });
    row.replaceWith(item);
    text.focus();
  }

  /** @param {HTMLElement} row @param {Bookmark} mark */
  async #remove(row, mark) {
    await this.#attempt(async () => {
      const undo = () => this.#attempt(async () => {
        const again = await this.#bookmarks?.add(mark);
        const fresh = this.#row(again ?? mark);
        gone.replaceWith(fresh);
        /** @type {HTMLElement} */ (fresh.querySelector(".spot")).focus();
      });
      const gone = h("li", { class: "gone", "data-gone": "" }, h("span", { class: "quiet" }, "Removed."), h("button", { class: "button", type: "button", onclick: undo }, "Undo"));
      row.replaceWith(gone);
      gone.querySelector("button")?.focus();
      await this.#bookmarks?.remove(mark).catch((error) => {
        gone.replaceWith(row);
        throw error;
      });
    });
  }

  /** @param {() => Promise<unknown>} act */
  async #attempt(act) {
    this.#problem.textContent = "";
    await act().catch((error) => (this.#problem.textContent = error.message));
  }
}

customElements.define("book-marks", BookMarks);
