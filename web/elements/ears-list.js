/** Sentences that somebody should listen to: play one, accept it, have it rendered otherwise, or say how it is said. */

import { areaHref } from "../lib/areas.js";
import { h } from "../lib/dom.js";
import { ago, counted } from "../lib/format.js";
import { keepFresh } from "../lib/fresh.js";
import { icon } from "../lib/icons.js";
import { playSounds, stopSounds } from "../lib/playlist.js";

/** @typedef {import("../lib/types.js").EarsItem} EarsItem */

const SHOWN = 5;
const MORE = 20;

class EarsList extends HTMLElement {
  /** Set before it is connected. @type {import("../dashboard.js").App} */
  app = /** @type {any} */ (null);
  /** @type {ReturnType<typeof keepFresh>|null} */
  #fresh = null;
  #limit = SHOWN;
  #count = h("span", { class: "badge" });
  #rows = h("ul", { class: "rows", role: "list" });
  #said = h("p", { class: "visually-hidden", role: "status" });
  #more = h("button", { class: "button more", type: "button", onclick: () => this.#showMore() });
  /** What is on show, so that a row somebody works in stays the same one. @type {Map<string, {told: string, row: HTMLElement}>} */
  #shown = new Map();

  connectedCallback() {
    this.#fresh = keepFresh(() => this.#load(), this.app.live, ["ears.changed", "render.progress", "book.removed", "book.renewed"], this.app.fail, 2000);
  }

  disconnectedCallback() {
    this.#fresh?.stop();
    stopSounds();
  }

  async #load() {
    const { items, total } = await this.app.api.ears({ limit: this.#limit });
    if (!total && !this.querySelector("say-otherwise")) {
      this.#shown.clear();
      return this.replaceChildren();
    }
    if (!this.firstElementChild) {
      const intro = h("p", { class: "quiet pad" }, "These sentences sounded odd, to Lectern or to one of you. Listen, and say what is to become of them.");
      const all = h("a", { class: "quiet-link", href: areaHref("listen") }, "One after the other, by keyboard");
      this.replaceChildren(h("section", { class: "card", "aria-labelledby": "ears-title" }, h("h2", { id: "ears-title" }, "Sentences to check ", this.#count), intro, all, this.#rows, this.#more, this.#said));
    }
    this.#count.textContent = String(total);
    this.#show(items);
    this.#more.hidden = items.length >= total;
    this.#more.textContent = `Show more of ${counted(total, "sentence")}`;
  }

  /** @param {EarsItem[]} items */
  #show(items) {
    const before = this.#shown;
    this.#shown = new Map();
    for (const item of items) {
      const key = `${item.book} ${item.chapter} ${item.sentence}`;
      const told = JSON.stringify({ ...item, at: "" });
      const old = before.get(key);
      this.#shown.set(key, old?.told === told || old?.row.querySelector("say-otherwise") ? old : { told, row: this.#row(item) });
    }
    // What somebody writes in goes away when they close it, and not before.
    for (const [key, old] of before) if (!this.#shown.has(key) && old.row.querySelector("say-otherwise")) this.#shown.set(key, old);
    const rows = [...this.#shown.values()].map(({ row }) => row);
    for (const row of [...this.#rows.children]) if (!rows.includes(/** @type {HTMLElement} */ (row))) row.remove();
    rows.forEach((row, at) => this.#rows.children[at] !== row && this.#rows.insertBefore(row, this.#rows.children[at] ?? null));
  }

  #showMore() {
    this.#limit = Math.min(100, this.#limit + MORE);
    this.#fresh?.refresh();
  }

  /** @param {EarsItem} item */
  #row(item) {
    const around = [item.before?.text, item.text, item.after?.text].map((text, at) =>
      text ? h("span", { class: at === 1 ? "it" : "around" }, text) : null,
    );
    const play = h("button", { class: "round", type: "button", "aria-label": "Play the sentence" }, icon("play"));
    play.addEventListener("click", () => this.#play(play, [[item.audio, around[1]]]));
    const context = h("button", { class: "button", type: "button" }, "Play in context");
    context.addEventListener("click", () => {
      const all = /** @type {[string|null|undefined, HTMLElement|null][]} */ ([[item.before?.audio, around[0]], [item.audio, around[1]], [item.after?.audio, around[2]]]);
      this.#play(context, all);
    });
    const row = h(
      "li", { class: "row ears", "data-state": item.state },
      play,
      h(
        "div", { class: "words" },
        h("p", { class: "quiet" }, `${item.title} · ${item.chapter_title || `Chapter ${item.chapter}`} · ${ago(item.at)}`),
        h("p", { class: "heard" }, ...around.flatMap((one) => (one ? [one, " "] : []))),
        h("p", { class: "why" }, item.reason, ...(item.note ? [" “", item.note, "”"] : [])),
        this.#acts(item, context),
      ),
    );
    return row;
  }

  /** @param {EarsItem} item @param {HTMLElement} context */
  #acts(item, context) {
    /** @param {string} name @param {"accepted"|"again"|"earlier"} state @param {string} said */
    const act = (name, state, said) => h("button", { class: "button", type: "button", onclick: () => this.#say(item, state, said) }, name);
    const otherwise = h("button", { class: "button", type: "button", "aria-expanded": "false" }, "Say a word otherwise");
    otherwise.addEventListener("click", () => this.#sayOtherwise(item, otherwise));
    return h(
      "div", { class: "acts" },
      context,
      act("It is good", "accepted", "It stays as it is."),
      item.again ? h("span", { class: "quiet" }, "It is rendered again; what it has plays until then.") : act("Render it again", "again", "It is rendered again, in another way."),
      item.earlier && !item.again ? act("Put the earlier one back", "earlier", "The earlier sound is back.") : null,
      otherwise,
    );
  }

  /** @param {HTMLElement} button @param {[string|null|undefined, HTMLElement|null][]} sounds */
  #play(button, sounds) {
    if (button.classList.contains("on")) return stopSounds();
    const there = sounds.filter(([url]) => url);
    playSounds(there.map(([url]) => /** @type {string} */ (url)), (at) => {
      button.classList.toggle("on", at >= 0);
      if (button.classList.contains("round")) {
        button.replaceChildren(icon(at >= 0 ? "pause" : "play"));
        button.setAttribute("aria-label", at >= 0 ? "Stop" : "Play the sentence");
      }
      there.forEach(([, span], i) => span?.classList.toggle("lit", i === at));
    });
  }

  /** @param {EarsItem} item @param {HTMLElement} button */
  #sayOtherwise(item, button) {
    const row = /** @type {HTMLElement} */ (button.closest("li"));
    const open = row.querySelector("say-otherwise");
    button.setAttribute("aria-expanded", String(!open));
    if (open) {
      open.remove();
      return this.#fresh?.refresh();
    }
    row.append(Object.assign(document.createElement("say-otherwise"), { app: this.app, item }));
    row.querySelector("input")?.focus();
  }

  /** @param {EarsItem} item @param {"accepted"|"again"|"earlier"} state @param {string} said */
  async #say(item, state, said) {
    stopSounds();
    try {
      await this.app.api.sayEars(item.book, item.chapter, item.sentence, state);
      this.#said.textContent = said;
    } catch (error) {
      this.app.fail(/** @type {Error} */ (error));
    }
    this.#fresh?.refresh();
  }
}

customElements.define("ears-list", EarsList);
