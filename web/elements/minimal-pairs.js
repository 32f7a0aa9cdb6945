/** Question or statement? The same words with another mark at the end, heard without seeing it. In: `app`, `path`. */

import { auditionApi } from "../lib/audition-api.js";
import { Cast } from "../lib/audition-cast.js";
import { Stage } from "../lib/audition-stage.js";
import { Takes } from "../lib/audition-takes.js";
import { shuffled } from "../lib/audition-text.js";
import { Cleanup, h } from "../lib/dom.js";
import { icon } from "../lib/icons.js";

/** @typedef {import("../lib/audition-api.js").Pair} Pair */
/** @typedef {{pair: Pair, question: boolean, voice: string}} Turn */

/** How a sentence is built, in words. @type {[import("../lib/audition-api.js").PairKind, string][]} */
const KINDS = [
  ["declarative", "Built as a statement"],
  ["yes-no", "Built as a yes-or-no question"],
  ["wh", "With who, what, where …"],
  ["one-word", "A single word"],
];

class MinimalPairs extends HTMLElement {
  /** Set before it is connected. @type {import("../dashboard.js").App} */
  app = /** @type {any} */ (null);
  /** @type {string[]} */
  path = [];
  #cast = new Cast();
  #stage = new Stage(() => this.#showPlay());
  #takes = /** @type {any} */ (null);
  /** @type {Turn[]} */
  #turns = [];
  /** @type {Turn|null} */
  #now = null;
  #heard = false;
  #answered = false;
  #run = 0;
  #cleanup = new Cleanup();
  #voice = h("select", { class: "field", "aria-label": "Voice", onchange: () => this.#begin() });
  #play = h("button", { type: "button", class: "button", onclick: () => this.#listen() });
  #statement = h("button", { type: "button", class: "button answer", "aria-keyshortcuts": "S", onclick: () => this.#answer(false) }, "Statement ", h("kbd", {}, "S"));
  #question = h("button", { type: "button", class: "button answer", "aria-keyshortcuts": "Q", onclick: () => this.#answer(true) }, "Question ", h("kbd", {}, "Q"));
  #next = h("button", { type: "button", class: "button primary", hidden: true, "aria-keyshortcuts": "N", onclick: () => this.#goOn() }, "Next ", h("kbd", {}, "N"));
  #said = h("p", { class: "said-of", role: "status" });
  #scores = h("div", { class: "pair-scores" });

  connectedCallback() {
    document.title = "Question or statement? · Lectern";
    this.#takes = new Takes(this.#stage, this.app.api);
    this.replaceChildren(
      h("header", { class: "page-head" }, h("h2", { class: "page-title", tabindex: -1 }, "Question or statement?"),
        h("p", { class: "quiet" }, "A voice says the same words with a full stop or with a question mark. Say which it was. Whoever guesses is right half of the time: only what stands clearly above that line was heard."),
        h("nav", { class: "parts chips", "aria-label": "Kinds of audition" }, h("a", { class: "chip", href: "#/audition" }, "Passages"), h("a", { class: "chip", href: "#/pairs", "aria-current": "page" }, "Question or statement?"))),
      h("section", { class: "card pair-desk", "aria-label": "Listen" }, this.#voice, this.#play, h("div", { class: "answers" }, this.#statement, this.#question), this.#said, this.#next,
        h("p", { class: "quiet keys-line" }, h("kbd", {}, "Space"), " again · ", h("kbd", {}, "S"), " statement · ", h("kbd", {}, "Q"), " question · ", h("kbd", {}, "N"), " next")),
      h("section", { class: "card", "aria-label": "Score" }, h("h2", {}, "Score"), this.#scores),
    );
    this.#cleanup.listen(window, "keydown", (event) => this.#onKey(event));
    this.#open().catch(this.app.fail);
    /** @type {HTMLElement|null} */ (this.querySelector(".page-title"))?.focus({ preventScroll: true });
  }

  disconnectedCallback() {
    this.#cleanup.run();
    this.#run += 1;
    this.#stage.close();
  }

  async #open() {
    await this.#cast.load(this.app.api);
    if (!this.isConnected) return;
    this.#voice.replaceChildren(h("option", { value: "" }, "All voices of the audition, mixed"), ...this.#cast.options("en"));
    this.#voice.value = this.#cast.speaks(this.#cast.own, "en") ? this.#cast.own : "";
    this.#showScores();
    this.#begin();
  }

  #begin() {
    const voices = this.#voice.value ? [this.#voice.value] : this.#cast.chosen("en").map(({ voice }) => voice);
    this.#turns = shuffled(this.#cast.all.minimal_pairs).map((pair) => ({ pair, question: Math.random() < 0.5, voice: voices[Math.floor(Math.random() * voices.length)] }));
    this.#goOn(false);
  }

  /** @param {boolean} [listen]  a browser plays nothing before somebody has touched the page */
  #goOn(listen = true) {
    this.#run += 1;
    this.#stage.stop();
    this.#now = this.#turns.pop() ?? null;
    this.#answered = false;
    this.#heard = false;
    this.#said.textContent = "";
    this.#next.hidden = true;
    if (!this.#now) return this.#begin();
    this.#showPlay();
    this.#fetch(this.#now).catch(() => {});
    if (listen) this.#listen();
  }

  /** @param {Turn} turn @returns {Promise<import("../lib/audition-stage.js").Loaded>} */
  #fetch({ pair, question, voice }) {
    const text = `${pair.words}${question ? "?" : "."}`;
    return this.#takes.get({ id: pair.id, title: "", listen_for: "", text, language: "en", book: null }, { voice, speed: 1 });
  }

  async #listen() {
    const turn = this.#now;
    const run = this.#run;
    if (!turn) return;
    this.#showPlay("One moment …");
    try {
      const take = await this.#fetch(turn);
      if (run !== this.#run) return;
      this.#heard = true;
      this.#stage.play(take, 0);
      this.#showPlay();
      const next = this.#turns.at(-1);
      if (next) this.#fetch(next).catch(() => {}); // while this one is thought about
    } catch (error) {
      if (run !== this.#run) return;
      this.#said.textContent = /** @type {Error} */ (error).message;
      this.#showPlay();
    }
  }

  /** @param {boolean} taken */
  async #answer(taken) {
    const turn = this.#now;
    if (!turn || !this.#heard || this.#answered) return;
    this.#answered = true;
    const right = taken === turn.question;
    const text = `“${turn.pair.words}${turn.question ? "?" : "."}”`;
    this.#said.replaceChildren(h("strong", { class: right ? "right" : "wrong" }, right ? "Right." : "No."), ` ${text} ${this.#cast.name(turn.voice)}.`);
    this.#next.hidden = false;
    this.#showPlay();
    this.#next.focus();
    try {
      this.#cast.learn(await auditionApi.answer({ voice: turn.voice, pair: turn.pair.id, question: turn.question, taken }));
      this.#showScores();
    } catch (error) {
      this.app.fail(/** @type {Error} */ (error));
    }
  }

  /** @param {KeyboardEvent} event */
  #onKey(event) {
    const target = /** @type {Element} */ (event.target);
    if (event.ctrlKey || event.metaKey || event.altKey || target.closest?.("input, select, textarea, dialog")) return;
    const key = event.key.toLowerCase();
    if (key === "s") this.#answer(false);
    else if (key === "q") this.#answer(true);
    else if (key === "n" && this.#answered) this.#goOn();
    else if (key === " " && !target.closest?.("button, a")) this.#listen();
    else return;
    event.preventDefault();
  }

  /** @param {string} [label] */
  #showPlay(label) {
    this.#play.replaceChildren(icon("play"), label ?? (this.#heard ? "Hear it again" : "Hear it"));
    for (const button of [this.#statement, this.#question]) button.disabled = !this.#heard || this.#answered;
  }

  #showScores() {
    const { pairs } = this.#cast.all;
    const chosen = this.#voice.value;
    const told = pairs.filter(({ voice }) => !chosen || voice === chosen);
    const rows = KINDS.map(([kind, label]) => {
      const own = told.filter((one) => one.kind === kind);
      return this.#score(label, own.reduce((sum, { right }) => sum + right, 0), own.reduce((sum, { asked }) => sum + asked, 0));
    });
    const whole = told.reduce((sum, one) => ({ right: sum.right + one.right, asked: sum.asked + one.asked }), { right: 0, asked: 0 });
    const again = h("button", { type: "button", class: "button", onclick: () => this.#forget().catch(this.app.fail) }, "Begin to count anew");
    this.#scores.replaceChildren(h("p", { class: "quiet" }, chosen ? `Of ${this.#cast.name(chosen)}. The line in the middle is what guessing gives.` : "Of all voices together. The line in the middle is what guessing gives."),
      h("ul", { class: "scores", role: "list" }, ...rows, this.#score("All together", whole.right, whole.asked)), ...(pairs.length ? [again] : []));
  }

  /** @param {string} label @param {number} right @param {number} asked */
  #score(label, right, asked) {
    const share = asked ? right / asked : 0;
    const text = asked ? `${Math.round(share * 100)} % · ${right} of ${asked}` : "not asked yet";
    return h("li", {}, h("span", {}, label), h("span", { class: "meter half", "--share": share }), h("span", { class: "quiet" }, text));
  }

  async #forget() {
    this.#cast.learn(await auditionApi.forget("pairs"));
    this.#showScores();
  }
}

customElements.define("minimal-pairs", MinimalPairs);
