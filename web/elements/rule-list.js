/** Pronunciation rules that hold for a book: heard, changed, removed, moved to the household, written to a file and read from one. */

import { bookApi, changed } from "../lib/book-api.js";
import { h } from "../lib/dom.js";
import { counted, span } from "../lib/format.js";
import { icon } from "../lib/icons.js";
import { editable, fileName, lineAt, together, withRule, withoutLine } from "../lib/rule-text.js";

/** @typedef {import("../lib/book-api.js").RuleFile & {tag: string}} Rules */
/** @typedef {import("../lib/book-api.js").Rule} Rule */

const MOST_BYTES = 1_000_000;

class RuleList extends HTMLElement {
  /** Set before it is connected. @type {import("../dashboard.js").App} */
  app = /** @type {any} */ (null);
  /** @type {import("../lib/types.js").BookDetail} */
  book = /** @type {any} */ (null);
  /** @type {string[]} */
  path = [];
  /** @type {Rules|null} */
  #rules = null;
  /** Rules before the last change that was made here. @type {{layer: string, text: string, tag: string}[]} */
  #before = [];
  #turn = 0;
  #layer = h("select", { class: "field", "aria-label": "Pronunciations of", onchange: () => this.#attempt(() => this.#load()) });
  #rows = h("ul", { class: "rows rules", role: "list" });
  #odd = h("ul", { class: "odd" });
  #said = h("p", { class: "said", role: "status" });
  #undo = h("button", { class: "button", type: "button", hidden: true, onclick: () => this.#attempt(() => this.#takeBack()) }, "Undo");
  #file = h("input", { type: "file", accept: ".txt,text/plain", class: "visually-hidden", tabindex: -1, "aria-label": "File with pronunciations", onchange: () => this.#attempt(() => this.#readFile()) });
  #waiting = h("div", { class: "import", hidden: true });

  connectedCallback() {
    const add = h("button", { class: "button primary", type: "button", onclick: () => this.#edit(), "aria-haspopup": "dialog" }, icon("add"), "Add one");
    const save = h("button", { class: "button", type: "button", onclick: () => this.#attempt(() => this.#save()) }, icon("download"), "Save as a file");
    const read = h("button", { class: "button", type: "button", onclick: () => this.#file.click() }, "Read from a file");
    const intro = h("p", { class: "quiet pad" }, "How words are said that the voice gets wrong. The book’s own go before those of its series, its author and every book.");
    this.replaceChildren(
      h("section", { class: "card", "aria-label": "Pronunciations" }, intro, h("div", { class: "acts" }, this.#layer, add), this.#rows, this.#odd,
        h("div", { class: "acts" }, this.#said, this.#undo), this.#waiting, h("div", { class: "acts" }, save, read, this.#file)),
    );
    this.#attempt(() => this.#begin());
    this.#off = this.app.live.on(["lexicon.changed", "resync"], () => this.renewRules());
  }

  #off = () => {};

  disconnectedCallback() {
    this.#off();
  }

  /** Rules were written elsewhere. */
  renewRules() {
    this.#load().catch((error) => (this.#said.textContent = error.message));
  }

  async #begin() {
    const { authors, series } = this.book;
    const layers = (await bookApi.layers()).filter(({ kind, name }) => kind === "household" || (kind === "author" && authors.includes(name)) || (kind === "series" && series === name));
    const named = (/** @type {import("../lib/book-api.js").Layer} */ one) => (one.kind === "household" ? "Every book" : one.kind === "author" ? `All books of ${one.name}` : `The series ${one.name}`);
    this.#layer.replaceChildren(h("option", { value: "" }, "This book"), ...layers.reverse().map((one) => h("option", { value: one.id }, named(one))));
    await this.#load();
  }

  async #load() {
    const turn = (this.#turn += 1);
    const layer = this.#layer.value;
    const rules = await bookApi.rules(this.book.id, layer);
    if (turn !== this.#turn) return; // asked again meanwhile
    this.#rules = rules;
    // Somebody has written since: going back would undo their work too.
    if (this.#before.some((one) => one.layer === layer && one.tag !== rules.tag)) this.#forget();
    const none = layer ? "Nothing is said otherwise here yet." : "Nothing is said otherwise in this book yet.";
    this.#rows.replaceChildren(...(rules.lines.length ? rules.lines.map((rule) => this.#row(rule, rules)) : [h("li", { class: "quiet pad" }, none)]));
    this.#odd.replaceChildren(...rules.complaints.map(({ line, message }) => h("li", {}, line ? `Line ${line}, “${lineAt(rules.text, line)}”, is passed over: ${message}` : message)));
  }

  #forget() {
    this.#before = [];
    this.#undo.hidden = true;
  }

  /** @param {Rule} rule @param {Rules} rules */
  #row(rule, rules) {
    const line = lineAt(rules.text, rule.line);
    const act = (/** @type {string} */ name, /** @type {() => Promise<unknown>} */ work) =>
      h("button", { class: "button", type: "button", "aria-label": `${name}: ${rule.written}`, onclick: () => this.#attempt(work) }, name);
    return h(
      "li", { class: "row rule" },
      h("div", { class: "words" }, h("p", { class: "name" }, rule.written), h("p", { class: "quiet" }, meaning(rule))),
      h("div", { class: "acts" },
        editable(line) ? h("button", { class: "button", type: "button", "aria-haspopup": "dialog", "aria-label": `Change: ${rule.written}`, onclick: () => this.#edit(rule) }, "Change") : null,
        this.#layer.value === "household" ? null : act("Use it in every book", () => this.#promote(line, rule.line)),
        act("Remove", () => this.#change(withoutLine(rules.text, rule.line), `“${rule.written}” is said as the voice has it.`)),
      ),
    );
  }

  /** @param {Rule} [rule] */
  async #edit(rule) {
    const line = rule && { word: rule.written, layer: this.#layer.value, line: rule.line };
    const text = rule ? await this.#sentenceWith(rule.written) : "";
    this.dispatchEvent(new CustomEvent("edit", { detail: { book: this.book, layer: this.#layer.value, word: "", text, ...line }, bubbles: true }));
  }

  /** Somewhere to hear it in. @param {string} word */
  async #sentenceWith(word) {
    const { hits } = await this.app.api.search({ q: word, book: this.book.id, limit: 1 }).catch(() => ({ hits: [] }));
    return hits[0]?.text ?? "";
  }

  /** @param {string} text @param {string} said */
  async #change(text, said) {
    if (!this.#rules) return;
    const layer = this.#layer.value;
    const before = this.#rules;
    this.#forget();
    const change = await bookApi.saveRules(this.book.id, layer, { text, tag: before.tag });
    this.#before = [{ layer, text: before.text, tag: change.tag }];
    this.#told(`${said} ${change.applied ? `${counted(change.applied, "sentence")} rendered again.` : ""}`);
    await this.#load();
  }

  /** @param {string} line @param {number} number */
  async #promote(line, number) {
    if (!this.#rules) return;
    const layer = this.#layer.value;
    this.#forget();
    const household = await bookApi.rules(this.book.id, "household");
    const made = await bookApi.saveRules(this.book.id, "household", { text: withRule(household.text, line), tag: household.tag });
    const own = await bookApi.saveRules(this.book.id, layer, { text: withoutLine(this.#rules.text, number), tag: this.#rules.tag });
    this.#before = [{ layer: "household", text: household.text, tag: made.tag }, { layer, text: this.#rules.text, tag: own.tag }];
    this.#told(`Every book says it so now. ${made.applied ? `${counted(made.applied, "sentence")} rendered again.` : ""}`);
    await this.#load();
  }

  async #takeBack() {
    for (const { layer, text, tag } of this.#before.splice(0)) await bookApi.saveRules(this.book.id, layer, { text, tag });
    this.#told("It is as it was before.");
    await this.#load();
  }

  /** @param {string} said */
  #told(said) {
    this.#said.textContent = said.trim();
    this.#undo.hidden = this.#before.length === 0;
  }

  async #save() {
    await this.#load(); // what has just been added is there already, but may not be here yet
    const rules = this.#rules;
    if (!rules) return;
    if (!rules.text) return this.#told("There is nothing to save yet.");
    const name = this.#layer.value ? rules.name : this.book.title;
    const url = URL.createObjectURL(new Blob([rules.text], { type: "text/plain" }));
    h("a", { href: url, download: fileName(name) }).click();
    setTimeout(() => URL.revokeObjectURL(url), 60_000);
    this.#told(`Saved as “${fileName(name)}”.`);
  }

  /** What a file would change is told before anything is written. */
  async #readFile() {
    const file = this.#file.files?.[0];
    this.#file.value = "";
    if (!file || !this.#rules) return;
    if (file.size > MOST_BYTES) throw new Error("This file is longer than 1 MB, the most that pronunciations may have.");
    const more = new TextDecoder("utf-8", { fatal: true });
    let text;
    try {
      text = more.decode(await file.arrayBuffer());
    } catch {
      throw new Error(`“${file.name}” is no text in UTF-8. Save it as plain text (UTF-8), and read it again.`);
    }
    const { tag, text: here, lines } = this.#rules;
    const whole = together(here, text);
    const change = await bookApi.saveRules(this.book.id, this.#layer.value, { text: whole, tag }, true);
    const added = change.file.lines.length - lines.length;
    const odd = change.file.complaints.slice(this.#rules.complaints.length);
    this.#offer(file.name, whole, added, odd, change);
  }

  /** @param {string} name @param {string} whole @param {number} added @param {{line: number, message: string}[]} odd @param {import("../lib/book-api.js").Change} change */
  #offer(name, whole, added, odd, change) {
    const close = () => (this.#waiting.hidden = true);
    const use = () => (close(), this.#attempt(() => this.#change(whole, `${counted(added, "pronunciation")} added.`)));
    this.#waiting.replaceChildren(
      h("p", {}, added > 0 ? `“${name}” has ${counted(added, "pronunciation")} that ${added === 1 ? "is" : "are"} not here yet. ${changed(change, span)}` : `“${name}” has nothing that is not here already.`),
      odd.length ? h("ul", { class: "odd" }, ...odd.slice(0, 5).map(({ line, message }) => h("li", {}, `“${lineAt(whole, line)}” is passed over: ${message}`))) : "",
      h("div", { class: "acts" }, added > 0 ? h("button", { class: "button primary", type: "button", onclick: use }, "Add them") : "", h("button", { class: "button", type: "button", onclick: close }, added > 0 ? "Leave it" : "Close")),
    );
    this.#waiting.hidden = false;
    this.#waiting.querySelector("button")?.focus();
  }

  /** @param {() => Promise<unknown>} work */
  async #attempt(work) {
    this.#said.textContent = "";
    try {
      await work();
    } catch (error) {
      this.#said.textContent = /** @type {Error} */ (error).message;
    }
  }
}

/** @param {Rule} rule */
function meaning({ kind, words, american, british, stress }) {
  if (kind === "words") return `read as “${words}”`;
  if (kind === "skip") return "not said";
  if (kind === "default") return "as the dictionary has it";
  if (kind === "stress") return stress ? `stressed on syllable ${stress}` : "without a stress";
  return american === british ? `said /${american}/` : `said /${american}/, British /${british}/`;
}

customElements.define("rule-list", RuleList);
