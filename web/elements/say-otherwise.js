/** One word said otherwise in a whole book: heard first, then used, then taken back if it was no good. */

import { attempt, h } from "../lib/dom.js";
import { counted, span } from "../lib/format.js";
import { playSounds } from "../lib/playlist.js";

/** @typedef {{text: string, tag: string}} Rules */

const LONGEST = 80; // characters that somebody would have said otherwise together

class SayOtherwise extends HTMLElement {
  /** Set before it is connected. @type {{api: typeof import("../lib/api.js").api}} */
  app = /** @type {any} */ (null);
  /** Set before it is connected; `word` is the one that is meant. @type {{book: string, text: string, word?: string}} */
  item = /** @type {any} */ (null);
  #word = h("select", { name: "word" });
  #sound = h("input", { name: "sound", required: true, autocomplete: "off", spellcheck: "false", maxlength: 200, placeholder: "ras-KOHL-ni-kof" });
  #said = h("p", { class: "said", role: "status" });
  #undo = h("button", { class: "button", type: "button", hidden: true, onclick: () => this.#attempt(() => this.#takeBack()) }, "Undo");
  /** @type {{before: string, tag: string}|null} the rules before the one that was made here */
  #made = null;

  connectedCallback() {
    const words = [...new Set(this.item.text.match(/[\p{L}\p{N}]+(?:['’-][\p{L}\p{N}]+)*/gu) ?? [])];
    const meant = this.item.word && this.item.word.length <= LONGEST ? [this.item.word] : [];
    // Long words first: it is names that are said wrong.
    const listed = new Set([...meant, ...words.sort((a, b) => b.length - a.length)]);
    this.#word.replaceChildren(...[...listed].map((word) => h("option", {}, word)));
    const form = h(
      "form", { class: "otherwise" },
      h("label", {}, h("span", { class: "eyebrow" }, "Word"), this.#word),
      h("label", {}, h("span", { class: "eyebrow" }, "Say it like"), this.#sound),
      h("div", { class: "acts" },
        h("button", { class: "button", type: "submit" }, "Try it"),
        h("button", { class: "button primary", type: "button", onclick: () => this.#attempt(() => this.#use()) }, "Use it in this book"),
        this.#undo,
      ),
      h("p", { class: "quiet" }, "Write it as it sounds, the stressed syllable in capitals. Only sentences with the word are rendered again."),
      this.#said,
    );
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      this.#attempt(() => this.#try());
    });
    this.replaceChildren(form);
  }

  get #rule() {
    return `${this.#word.value} = ${this.#sound.value.trim()}`;
  }

  /** The book's rules with the new one, which goes before older ones for the word. @param {string} text */
  #with(text) {
    return `${text}${text && !text.endsWith("\n") ? "\n" : ""}${this.#rule}\n`;
  }

  async #try() {
    this.#said.textContent = "One moment …";
    const { api } = this.app;
    const rules = await api.rules(this.item.book);
    const [heard, change] = await Promise.all([
      api.preview(this.item.book, this.item.text, this.#rule),
      api.saveRules(this.item.book, { ...rules, text: this.#with(rules.text) }, true),
    ]);
    if (heard.problems.length) throw new Error(heard.problems.join(" "));
    this.#said.textContent = touched(change);
    if (heard.audio) playSounds([heard.audio], () => undefined);
  }

  async #use() {
    if (!this.#sound.reportValidity()) return;
    const { api } = this.app;
    const before = await api.rules(this.item.book);
    const check = await api.preview(this.item.book, this.#word.value, this.#rule);
    if (check.problems.length) throw new Error(check.problems.join(" "));
    const change = await api.saveRules(this.item.book, { ...before, text: this.#with(before.text) });
    this.#made = { before: before.text, tag: change.tag };
    this.#said.textContent = `From now on it is said so. ${counted(change.applied, "sentence")} rendered again; the old sound plays until then.`;
    this.#undo.hidden = false;
  }

  async #takeBack() {
    if (!this.#made) return;
    const change = await this.app.api.saveRules(this.item.book, { text: this.#made.before, tag: this.#made.tag });
    this.#made = null;
    this.#undo.hidden = true;
    this.#said.textContent = `It is said as before. ${counted(change.applied, "sentence")} get the old sound back.`;
  }

  /** @param {() => Promise<unknown>} work */
  #attempt(work) {
    return attempt([...this.querySelectorAll("button")], this.#said, work);
  }
}

/** @param {import("../lib/types.js").RulesChange} change */
function touched({ sentences, rendered, render_s }) {
  if (!sentences) return "No sentence of this book would be said otherwise.";
  const time = rendered && render_s ? `, which takes about ${span(render_s)}` : "";
  return `${counted(sentences, "sentence")} of this book would be said so; ${rendered} of them would be rendered again${time}.`;
}

customElements.define("say-otherwise", SayOtherwise);
