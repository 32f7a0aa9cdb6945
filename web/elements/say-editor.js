/**
 * A word said otherwise: written as it sounds or in phonemes, checked as it is typed, heard before and after, used, taken back.
 *
 * In: `app`, `edit({book, word, text, layer, line})`. Out: `ruled` when rules were written.
 */

import { bookApi, changed } from "../lib/book-api.js";
import { attempt, h } from "../lib/dom.js";
import { counted, span } from "../lib/format.js";
import { icon } from "../lib/icons.js";
import { hearButton } from "../lib/hear-button.js";
import { stopSounds } from "../lib/playlist.js";
import { RuleDesk } from "../lib/rule-desk.js";
import { editable, lineAt, ruleLine, tellsStress } from "../lib/rule-text.js";
import { wordsOf } from "../lib/words-of.js";

/** @typedef {import("../lib/rule-text.js").How} How */
/** @typedef {{book: {id: string, title: string}, word?: string, text?: string, layer?: string, line?: number}} Asked */

const PAUSE_MS = 450; // after the last key, before the server is asked
const LAYER_NAMES = /** @type {Record<string, string>} */ ({ book: "This book", household: "Every book" });

class SayEditor extends HTMLElement {
  /** Set before it is connected. @type {{api: typeof import("../lib/api.js").api}} */
  app = /** @type {any} */ (null);
  /** @type {Asked} */
  #asked = { book: { id: "", title: "" } };
  /** @type {How} */
  #how = "sound";
  #now = ""; // the phonemes of the word as it is said without the new rule
  #desk = new RuleDesk("");
  #turn = 0;
  /** @type {ReturnType<typeof setTimeout>|undefined} */
  #timer;
  #title = h("h2", { id: "say-title" }, "Say a word otherwise");
  #word = h("input", { class: "field", name: "word", required: true, autocomplete: "off", autocapitalize: "off", spellcheck: "false", maxlength: 80 });
  #words = h("div", { class: "chips words" });
  #sound = h("input", { class: "field sound", name: "sound", required: true, autocomplete: "off", autocapitalize: "off", spellcheck: "false", maxlength: 200, "aria-describedby": "say-check" });
  #ways = h("div", { class: "chips", role: "group", "aria-label": "How it is written" });
  #keys = document.createElement("phoneme-keys");
  #hint = h("p", { class: "quiet" });
  #check = h("p", { class: "check", id: "say-check", role: "status" });
  #cost = h("p", { class: "quiet cost-line", role: "status" });
  #layer = h("select", { class: "field", name: "layer" });
  #text = h("textarea", { class: "field", name: "text", rows: 2, maxlength: 2000 });
  #before = this.#hearing("Hear it as it is", () => "");
  #after = this.#hearing("Hear it the new way", () => this.#rule);
  #use = h("button", { class: "button primary", type: "submit" }, "Use it");
  #back = h("button", { class: "button", type: "button", hidden: true, onclick: () => this.#attempt(() => this.#takeBack()) }, "Undo");
  #promote = h("button", { class: "button", type: "button", hidden: true, onclick: () => this.#attempt(() => this.#forAll()) }, "Use it in every book");
  #said = h("p", { class: "said", role: "status" });
  #dialog = h("dialog", { class: "sheet wide", "aria-labelledby": "say-title" });

  connectedCallback() {
    if (this.firstElementChild) return;
    const close = h("button", { class: "round", type: "button", "aria-label": "Close", onclick: () => this.#dialog.close() }, icon("close"));
    const form = h(
      "form", { class: "say-form" },
      h("label", { class: "named" }, h("span", { class: "eyebrow" }, "Word, as the book writes it"), this.#word), this.#words,
      h("div", { class: "named" }, h("span", { class: "eyebrow" }, "How it is said"), this.#ways, h("label", {}, h("span", { class: "visually-hidden" }, "Say it like"), this.#sound)),
      this.#keys, this.#check, this.#hint,
      h("label", { class: "named" }, h("span", { class: "eyebrow" }, "In this sentence"), this.#text),
      h("div", { class: "acts" }, this.#before, this.#after),
      h("label", { class: "named" }, h("span", { class: "eyebrow" }, "In which books"), this.#layer),
      this.#cost,
      h("div", { class: "acts" }, this.#use, this.#back, this.#promote),
      this.#said,
    );
    form.addEventListener("submit", (event) => (event.preventDefault(), this.#attempt(() => this.#apply())));
    form.addEventListener("input", (event) => this.#typed(/** @type {HTMLElement} */ (event.target)));
    this.#keys.addEventListener("phoneme", (event) => this.#insert(/** @type {CustomEvent} */ (event).detail.symbol));
    this.#dialog.append(h("header", {}, this.#title, close), form);
    this.#dialog.addEventListener("click", (event) => event.target === this.#dialog && this.#dialog.close());
    this.#dialog.addEventListener("close", () => (stopSounds(), (this.#turn += 1)));
    this.append(this.#dialog);
  }

  disconnectedCallback() {
    clearTimeout(this.#timer);
    stopSounds();
  }

  /** @param {Asked} asked */
  async edit(asked) {
    this.#asked = asked;
    this.#desk = new RuleDesk(asked.book.id, asked.layer, asked.line);
    const words = wordsOf(asked.text ?? "");
    this.#word.value = asked.word || words[0] || "";
    this.#text.value = asked.text ?? "";
    this.#sound.value = "";
    this.#words.replaceChildren(...(asked.word ? [] : words.slice(0, 8)).map((word) => h("button", { class: "chip", type: "button", onclick: () => this.#turnTo(word) }, word)));
    this.#said.textContent = this.#cost.textContent = this.#check.textContent = "";
    this.#back.hidden = this.#promote.hidden = true;
    this.#write("sound");
    this.#dialog.showModal();
    this.#sound.focus();
    await this.#attempt(() => this.#begin());
  }

  get #rule() {
    return ruleLine(this.#word.value, this.#sound.value, this.#how);
  }

  /** Layers of the book, what stands in the line that is edited, and how the word is said now. */
  async #begin() {
    const { book, layer = "", line } = this.#asked;
    const [layers, own] = await Promise.all([bookApi.layers(), this.app.api.book(book.id)]);
    const mine = layers.filter(({ kind, name }) => kind === "household" || (kind === "author" && own.authors.includes(name)) || (kind === "series" && own.series === name));
    const option = (/** @type {string} */ id, /** @type {string} */ label) => h("option", { value: id, selected: id === layer }, label);
    const named = (/** @type {import("../lib/book-api.js").Layer} */ { kind, name }) => LAYER_NAMES[kind] ?? (kind === "author" ? `All books of ${name}` : `The series ${name}`);
    this.#layer.replaceChildren(option("", LAYER_NAMES.book), ...mine.reverse().map((one) => option(one.id, named(one))));
    if (line) {
      const found = editable(lineAt((await bookApi.rules(book.id, layer)).text, line));
      if (found) {
        this.#word.value = found.word;
        this.#sound.value = found.said;
        this.#write(found.how);
      }
    }
    this.#ask();
    this.#sayNow().catch(() => undefined); // it is only told beside the rest
  }

  async #sayNow() {
    this.#now = "";
    const word = this.#word.value.trim();
    if (!word) return;
    const { sentences } = await bookApi.readAs(this.#asked.book.id, word);
    if (word !== this.#word.value.trim()) return;
    this.#now = sentences.map(({ phonemes }) => phonemes.replace(/[.,!?;:]+$/, "")).join(" ");
    this.#hint.replaceChildren(...this.#hintFor());
  }

  /** @param {string} word */
  #turnTo(word) {
    this.#word.value = word;
    this.#sound.focus();
    this.#ask();
    this.#sayNow().catch(() => undefined);
  }

  /** @param {How} how */
  #write(how) {
    this.#how = how;
    this.#keys.hidden = how !== "phonemes";
    this.#sound.placeholder = how === "phonemes" ? "ɹəsˈkɔlnɪkɔf" : "ras-KOHL-ni-kof";
    this.#sound.lang = how === "phonemes" ? "en-fonipa" : "";
    const way = (/** @type {How} */ name, /** @type {string} */ label) =>
      h("button", { class: "chip", type: "button", "aria-pressed": String(name === how), onclick: () => (this.#write(name), this.#ask(), this.#sound.focus()) }, label);
    this.#ways.replaceChildren(way("sound", "As it sounds"), way("phonemes", "In phonemes"));
    this.#hint.replaceChildren(...this.#hintFor());
  }

  *#hintFor() {
    yield this.#how === "sound"
      ? "Syllables with hyphens, the stressed one in capitals; or other words, as they should be read. "
      : "Tap the sounds, or type them. The stress mark stands before the stressed syllable. ";
    if (!this.#now || this.#how === "sound") return; // it can be heard
    yield `Now it is said /${this.#now}/. `;
    if (!this.#sound.value) yield h("button", { class: "quiet-link inline", type: "button", onclick: () => this.#insert(this.#now) }, "Begin with that");
  }

  /** @param {string} symbol  "" takes away what stands before the caret */
  #insert(symbol) {
    const input = this.#sound;
    const start = input.selectionStart ?? input.value.length;
    const end = input.selectionEnd ?? start;
    const points = Array.from(input.value.slice(0, start));
    if (!symbol && start === end) points.pop();
    const before = points.join("") + symbol;
    input.value = before + input.value.slice(end);
    input.setSelectionRange(before.length, before.length);
    this.#typed(input);
  }

  /** @param {HTMLElement} target */
  #typed(target) {
    if (target === this.#text) return;
    this.#turn += 1;
    this.#hint.replaceChildren(...this.#hintFor());
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => {
      this.#ask();
      if (target === this.#word) this.#sayNow().catch(() => undefined);
    }, PAUSE_MS);
  }

  /** What is written, understood, and what it would change: told beside it, and never in the way of typing. */
  async #ask() {
    const turn = (this.#turn += 1);
    if (!this.#word.value.trim() || !this.#sound.value.trim()) {
      this.#check.textContent = this.#cost.textContent = "";
      return;
    }
    try {
      const { change, rule, complaint } = await this.#desk.tried(this.#layer.value, this.#rule);
      if (turn !== this.#turn) return;
      this.#show(complaint ? "bad" : "good", complaint ?? understood(rule, this.#sound.value, this.#how));
      this.#cost.textContent = complaint ? "" : changed(change, span);
    } catch (error) {
      if (turn === this.#turn) this.#show("bad", /** @type {Error} */ (error).message);
    }
  }

  async #apply() {
    if (!this.#word.value.trim() || !this.#sound.value.trim()) return;
    const layer = this.#layer.value;
    const { complaint } = await this.#desk.tried(layer, this.#rule);
    if (complaint) return this.#show("bad", complaint);
    const change = await this.#desk.use(layer, this.#rule);
    this.#promote.hidden = layer === "household";
    this.#done(change, layer === "" ? "From now on it is said so." : "From now on it is said so in all these books.");
  }

  async #forAll() {
    const change = await this.#desk.forAll(this.#rule);
    this.#layer.value = "household";
    this.#promote.hidden = true;
    this.#done(change, "From now on every book says it so.");
  }

  async #takeBack() {
    const applied = await this.#desk.takeBack();
    this.#back.hidden = this.#promote.hidden = true;
    this.#tell(`It is said as before. ${applied ? `${counted(applied, "sentence")} ${applied === 1 ? "gets" : "get"} the old sound back.` : ""}`.trim());
    this.dispatchEvent(new CustomEvent("ruled", { bubbles: true }));
  }

  /** @param {import("../lib/book-api.js").Change} change @param {string} said */
  #done({ applied }, said) {
    this.#back.hidden = false;
    this.#tell(`${said} ${applied ? `${counted(applied, "sentence")} will be rendered again; the old sound plays until then.` : ""}`.trim());
    this.dispatchEvent(new CustomEvent("ruled", { bubbles: true }));
  }

  /** What was done: on a phone it stands below what fits. @param {string} words */
  #tell(words) {
    this.#said.textContent = words;
    this.#said.scrollIntoView({ block: "nearest" });
  }

  /** @param {"good"|"bad"} kind @param {string} words */
  #show(kind, words) {
    this.#check.dataset.kind = kind;
    this.#check.textContent = words;
  }

  /** @param {string} label @param {() => string} rules */
  #hearing(label, rules) {
    const wanted = () => {
      const text = this.#text.value.trim() || this.#word.value.trim();
      return text ? { book: this.#asked.book.id, text, rules: rules() } : null;
    };
    return hearButton(label, wanted, (problem) => problem && this.#show("bad", problem));
  }

  /** @param {() => Promise<unknown>} work */
  #attempt(work) {
    return attempt([this.#use, this.#back, this.#promote], this.#said, work);
  }
}

/**
 * How the server understood a rule, in words.
 * @param {import("../lib/book-api.js").Rule|null} rule
 * @param {string} said
 * @param {How} how
 */
function understood(rule, said, how) {
  if (!rule) return "";
  if (rule.kind === "words") return `Read as the words “${rule.words}”.${/-/.test(said) && how === "sound" && !tellsStress(said) ? " For a respelling, write the stressed syllable in capitals." : ""}`;
  if (rule.kind === "skip") return "It is not said at all.";
  if (rule.kind === "stress") return rule.stress ? `Stressed on syllable ${rule.stress}.` : "Said without a stress.";
  if (rule.kind === "default") return "Said as the dictionary has it, whatever other pronunciations say.";
  const { american, british } = rule;
  return american === british ? `Understood as /${american}/.` : `Understood as /${american}/, by British voices /${british}/.`;
}

customElements.define("say-editor", SayEditor);
