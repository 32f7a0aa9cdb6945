/** What is to be on this device of an open book. In: `app`, `book`, `show()`. */

import { bytesOf, heard, length_s, spoken } from "../lib/downloads-plan.js";
import { keptNote, roomNote, rowState } from "../lib/downloads-words.js";
import { Cleanup, h } from "../lib/dom.js";
import { size } from "../lib/format.js";
import { icon } from "../lib/icons.js";
import { shell, whyNotOffline } from "../lib/offline-shell.js";

/** @typedef {import("../lib/types.js").ChapterRow} ChapterRow */

const HOURS = /** @type {[number, string][]} */ ([[1, "Next hour"], [3, "3 hours"], [8, "8 hours"]]);

class DownloadSheet extends HTMLElement {
  /** @type {import("../player.js").App} */
  app = /** @type {any} */ (null);
  /** As it is now. @type {import("../lib/types.js").BookDetail} */
  book = /** @type {any} */ (null);
  #cleanup = new Cleanup();
  #said = h("p", { class: "kept-note", role: "status" });
  #problem = h("p", { class: "kept-problem", role: "alert", hidden: true });
  #choices = h("div", { class: "chips", role: "group", "aria-label": "Keep on this device" });
  #hint = h("p", { class: "quiet" });
  #list = h("ol", { role: "list", class: "kept-rows" });
  #acts = h("div", { class: "chips kept-acts" });
  #room = h("p", { class: "quiet" });
  #dialog = h("dialog", { class: "sheet", "aria-label": "Downloads" });
  #drawn = "";

  connectedCallback() {
    const close = h("button", { class: "round", type: "button", "aria-label": "Close", onclick: () => this.#dialog.close() }, icon("close"));
    this.#dialog.replaceChildren(
      h("header", {}, h("h2", {}, "Downloads"), close),
      h("div", { class: "kept-body" }, this.#said, this.#problem, this.#choices, this.#hint), this.#list, h("div", { class: "kept-body" }, this.#acts, this.#room),
    );
    this.#dialog.addEventListener("click", (event) => event.target === this.#dialog && this.#dialog.close());
    this.#dialog.addEventListener("close", () => this.#cleanup.run());
    this.replaceChildren(this.#dialog);
  }

  disconnectedCallback() {
    this.#cleanup.run();
  }

  async show() {
    const { downloads, api } = this.app;
    this.#drawn = "";
    this.#dialog.showModal();
    const draw = () => this.#draw();
    this.#cleanup.add(...[downloads.changed, downloads.progress, downloads.problem, downloads.lasting, shell].map((signal) => /** @type {any} */ (signal).subscribe(draw)));
    this.#cleanup.add(this.app.live.on(["render.progress", "book.changed"], (data) => (data.book ?? data.id) === this.book.id && this.#fresh()));
    await this.#fresh();
  }

  /** How much is rendered changes all the time. */
  async #fresh() {
    this.book = await this.app.api.book(this.book.id).catch(() => this.book);
    this.#draw();
  }

  #draw() {
    const { downloads } = this.app;
    const why = whyNotOffline(shell.value);
    for (const part of [this.#choices, this.#hint, this.#list, this.#acts, this.#room]) part.hidden = why !== null;
    say(this.#said, why ?? keptNote(downloads, this.book));
    this.#problem.hidden = why !== null || !downloads.problem.value;
    say(this.#problem, downloads.problem.value ?? "");
    if (why !== null) return;
    const wish = downloads.wish(this.book.id);
    const rows = spoken(this.book).map((row) => ({ row, state: rowState(downloads, this.book, row) }));
    const drawn = JSON.stringify([wish, rows.map(({ row, state }) => [row.number, state.act, state.share === null])]);
    if (drawn !== this.#drawn) this.#drawAll(rows);
    this.#drawn = drawn;
    for (const { row, state } of rows) this.#drawRow(row, state);
    const hours = wish.hours && !wish.whole;
    say(this.#hint, hours ? "More is fetched as you go on listening, while Lectern is open." : wish.whole ? "It is fetched while Lectern is open, and goes on where it was." : "What is on this device plays without a connection.");
    downloads.room().then((room) => say(this.#room, roomNote(room, downloads.lasting.value)));
  }

  /** @param {{row: ChapterRow, state: import("../lib/downloads-words.js").RowState}[]} rows */
  #drawAll(rows) {
    const { downloads } = this.app;
    const wish = downloads.wish(this.book.id);
    const focused = /** @type {HTMLElement|null} */ (document.activeElement)?.dataset.key;
    const chip = (/** @type {string} */ label, /** @type {boolean} */ on, /** @type {Partial<typeof wish>} */ change) =>
      h("button", { class: "chip", type: "button", "aria-pressed": String(on), "data-key": label, onclick: () => downloads.choose(this.book, { ...wish, whole: false, hours: 0, ...(on ? {} : change) }) }, label);
    const whole = `Whole book, ${size(bytesOf(this.book, spoken(this.book)))}`;
    const long_s = spoken(this.book).reduce((all, row) => all + length_s(row), 0);
    const hours = HOURS.filter(([hours]) => hours * 3600 < long_s || wish.hours === hours); // more than there is needs no choice
    this.#choices.replaceChildren(...hours.map(([hours, label]) => chip(label, !wish.whole && wish.hours === hours, { hours })), chip(whole, wish.whole, { whole: true }));
    this.#list.replaceChildren(...rows.map(({ row, state }) => this.#row(row, state)));
    const past = heard(downloads.of(this.book.id) ?? /** @type {any} */ ({ chapters: {} }), downloads.spot(this.book.id));
    const remove = (/** @type {string} */ label, /** @type {number[]|null} */ chapters) =>
      h("button", { class: "chip", type: "button", onclick: () => downloads.remove(this.book.id, chapters) }, label);
    this.#acts.replaceChildren(...(past.length ? [remove("Remove what you have heard", past)] : []), ...(downloads.of(this.book.id) ? [remove("Remove all", null)] : []));
    if (focused) /** @type {HTMLElement|null} */ (this.#dialog.querySelector(`[data-key="${CSS.escape(focused)}"]`))?.focus();
  }

  /** @param {ChapterRow} row @param {import("../lib/downloads-words.js").RowState} state */
  #row(row, state) {
    const { downloads } = this.app;
    const title = row.title || `Chapter ${row.number}`;
    const { chapters } = downloads.wish(this.book.id);
    const fetch = () => downloads.choose(this.book, { ...downloads.wish(this.book.id), chapters: [...chapters, row.number] });
    const stop = () => downloads.remove(this.book.id, [row.number]);
    const [name, shape, act] = /** @type {[string, "download"|"trash"|"close", () => unknown]} */ (
      { fetch: [`Download ${title}`, "download", fetch], remove: [`Remove ${title} from this device`, "trash", stop], leave: [`Do not download ${title}`, "close", stop] }[state.act]
    );
    return h(
      "li", { "data-chapter": row.number, "data-act": state.act },
      h("span", { class: "title" }, title),
      h("span", { class: "note" }),
      state.share === null ? null : h("span", { class: "meter", "aria-hidden": "true" }),
      h("button", { class: "round", type: "button", "aria-label": name, title: name, "data-key": String(row.number), onclick: act }, icon(shape)),
    );
  }

  /** @param {ChapterRow} row @param {import("../lib/downloads-words.js").RowState} state */
  #drawRow(row, state) {
    const item = this.#list.querySelector(`[data-chapter="${row.number}"]`);
    say(/** @type {HTMLElement} */ (item?.querySelector(".note")), state.say);
    /** @type {HTMLElement|null|undefined} */ (item?.querySelector(".meter"))?.style.setProperty("--share", String(state.share ?? 0));
  }
}

/** What is said again is not read out again. @param {HTMLElement} element @param {string} text */
function say(element, text) {
  if (element.textContent !== text) element.textContent = text;
}

customElements.define("download-sheet", DownloadSheet);
