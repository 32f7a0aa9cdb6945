/** All voices, each to be heard on a book of the household's own; favourites, stars, and the voice for new books. In: `app`. */

import { Cast } from "../lib/audition-cast.js";
import { Stage } from "../lib/audition-stage.js";
import { Takes } from "../lib/audition-takes.js";
import { joined } from "../lib/audition-text.js";
import { h } from "../lib/dom.js";
import { icon } from "../lib/icons.js";
import { starRow } from "../lib/stars.js";
import { SAMPLES, grouped, quality } from "../lib/voices.js";

/** @typedef {import("../lib/audition-takes.js").Passage} Passage */

const LANGUAGES = /** @type {Record<string, string>} */ ({ en: "English", es: "Spanish", fr: "French", hi: "Hindi", it: "Italian", ja: "Japanese", pt: "Portuguese", zh: "Chinese" });
const ENOUGH = 200; // characters of a sample
const LIKED = "liked";

class VoiceGallery extends HTMLElement {
  /** Set before it is connected. @type {import("../dashboard.js").App} */
  app = /** @type {any} */ (null);
  /** @type {string[]} */
  path = [];
  #cast = new Cast();
  #stage = new Stage(() => this.#mark(""));
  #takes = /** @type {any} */ (null);
  #run = 0;
  /** @type {Map<string, Passage>} */
  #samples = new Map();
  #language = h("select", { class: "field", "aria-label": "Language", onchange: () => this.#openLanguage() });
  #book = h("select", { class: "field", "aria-label": "Text to hear them with", onchange: () => this.#stop() });
  #usual = h("select", { class: "field", onchange: () => this.#settle() });
  #told = h("span", { class: "quiet", role: "status" });
  #text = h("p", { class: "sample quiet", hidden: true });
  #list = h("div", { class: "gallery" });
  /** @type {import("../lib/types.js").Book[]} */
  #books = [];

  connectedCallback() {
    document.title = "Voices · Lectern";
    this.#takes = new Takes(this.#stage, this.app.api);
    this.replaceChildren(
      h("header", { class: "page-head" }, h("h2", { class: "page-title", tabindex: -1 }, "Voices"),
        h("p", { class: "quiet" }, "Hear each on a book of yours. A heart puts a voice on top; the ", h("a", { class: "quiet-link", href: "#/audition" }, "audition"), " compares them. A book gets another voice on ", h("a", { class: "quiet-link", href: "#/" }, "Home"), ", under “Voice and chapters”."),
        h("div", { class: "gallery-tools" }, this.#language, this.#book), this.#text,
        h("label", { class: "usual-line" }, h("span", {}, "Voice for new books"), this.#usual, this.#told)),
      this.#list,
      Object.assign(document.createElement("voice-blends"), { app: this.app }),
    );
    this.#open().catch(this.app.fail);
    /** @type {HTMLElement|null} */ (this.querySelector(".page-title"))?.focus({ preventScroll: true });
  }

  disconnectedCallback() {
    this.#run += 1;
    this.#stage.close();
  }

  async #open() {
    const [, { books }] = await Promise.all([this.#cast.load(this.app.api), this.app.api.page({ sort: "opened", limit: 50 })]);
    if (!this.isConnected) return;
    this.#books = books;
    const spoken = [...new Set(this.#cast.known.voices.map(({ speaks }) => speaks))];
    this.#language.replaceChildren(...spoken.map((code) => h("option", { value: code }, LANGUAGES[code] ?? code)));
    const own = this.#cast.known.voices.find(({ id }) => id === this.#cast.own.split(/[*+]/, 1)[0]);
    this.#language.value = own?.speaks ?? "en";
    this.#openLanguage();
  }

  #openLanguage() {
    this.#stop();
    const code = this.#language.value;
    const read = this.#books.filter((book) => (book.read_as ?? book.language).toLowerCase().startsWith(code));
    this.#book.replaceChildren(...read.map(({ id, title }) => h("option", { value: id }, `On “${title}”`)), h("option", { value: "" }, "On a sample sentence"));
    this.#show();
  }

  #show() {
    const code = this.#language.value;
    const { known, all } = this.#cast;
    const liked = all.voices.filter(({ voice, favourite }) => favourite && this.#cast.speaks(voice, code)).map(({ voice }) => voice);
    const blends = known.blends.filter(({ speaks }) => speaks === code).map(({ voice }) => voice);
    const others = all.engines.map(({ name, voices, trouble }) => /** @type {const} */ ([name, voices.filter(({ language }) => language.startsWith(code)).map(({ voice }) => voice), trouble]));
    const groups = [["Favourites", liked, null], ["Your blends", blends, null], ...grouped(known.voices, code).map(([label, found]) => [label, found.map(({ id }) => id), null]), ...others];
    this.#fillUsual();
    this.#list.replaceChildren(...groups.filter(([, voices, trouble]) => voices?.length || trouble).map(([label, voices, trouble]) =>
      h("section", { class: "card" }, h("h2", {}, String(label)), trouble ? h("p", { class: "quiet" }, String(trouble)) : null,
        h("ul", { class: "rows", role: "list" }, .../** @type {string[]} */ (voices).map((voice) => this.#row(voice))))));
  }

  #fillUsual() {
    const { own } = this.#cast;
    const kept = this.#cast.speaks(own, this.#language.value) ? [] : [h("option", { value: own }, this.#cast.name(own))];
    this.#usual.replaceChildren(...kept, ...this.#cast.options(this.#language.value, false));
    this.#usual.value = own;
  }

  async #settle() {
    try {
      await this.#cast.settle(this.#usual.value);
      this.#told.textContent = `New books are read by ${this.#cast.name(this.#cast.own)}.`;
    } catch (error) {
      this.app.fail(/** @type {Error} */ (error));
    }
    this.#show();
  }

  /** @param {string} voice */
  #row(voice) {
    const name = this.#cast.name(voice);
    const { stars, note, favourite } = this.#cast.opinion(voice);
    const grade = this.#cast.known.voices.find(({ id }) => id === voice)?.grade ?? null;
    const hear = h("button", { type: "button", class: "round hear-voice", "data-voice": voice, "aria-label": `Hear ${name}`, onclick: () => this.#hear(voice) }, icon("play"));
    const heart = h("button", { type: "button", class: favourite ? `round heart ${LIKED}` : "round heart", "data-like": voice, "aria-pressed": String(favourite), "aria-label": `${name} is a favourite`, onclick: () => this.#think(voice, { favourite: !favourite }, "[data-like]") }, favourite ? "♥" : "♡");
    return h("li", { class: "row voice-row" }, hear,
      h("div", { class: "words" }, h("p", { class: "name" }, name), h("p", { class: "quiet" }, [quality(grade), voice === this.#cast.own ? "the voice for new books" : "", note].filter(Boolean).join(" · "))),
      starRow(name, stars, (chosen) => this.#think(voice, { stars: chosen }, ".stars")), heart);
  }

  /** @param {string} voice @param {Partial<import("../lib/audition-api.js").Opinion>} part @param {string} focus */
  async #think(voice, part, focus) {
    try {
      await this.#cast.think(voice, part);
      this.#show();
      const row = [...this.#list.querySelectorAll(".voice-row")].find((one) => one.querySelector(`[data-voice="${CSS.escape(voice)}"]`));
      const there = row?.querySelector(focus);
      /** @type {HTMLElement|null|undefined} */ (there?.matches("button") ? there : there?.querySelector("button"))?.focus();
    } catch (error) {
      this.app.fail(/** @type {Error} */ (error));
    }
  }

  #stop() {
    this.#run += 1;
    this.#stage.stop();
    this.#mark("");
  }

  /** @param {string} voice */
  async #hear(voice) {
    const playing = this.querySelector(`.hear-voice[data-state]`)?.getAttribute("data-voice");
    this.#stop();
    if (playing === voice) return;
    const run = this.#run;
    this.#mark(voice, "loading");
    try {
      const passage = await this.#sample();
      const take = await this.#takes.get(passage, { voice, speed: 1 });
      if (run !== this.#run) return;
      this.#text.textContent = passage.text;
      this.#text.hidden = false;
      this.#stage.play(take, 0);
      this.#mark(voice, "playing");
    } catch (error) {
      if (run !== this.#run) return;
      this.#mark("");
      this.app.fail(/** @type {Error} */ (error));
    }
  }

  /** The beginning of a book's first long chapter. @returns {Promise<Passage>} */
  async #sample() {
    const [id, code] = [this.#book.value, this.#language.value];
    const key = `${code} ${id}`;
    const there = this.#samples.get(key);
    if (there) return there;
    const whole = /** @type {Passage} */ ({ id, title: "", listen_for: "", text: SAMPLES[code] ?? "", language: code, book: null });
    if (!id) return whole;
    const { chapters_list } = await this.app.api.book(id);
    const read = chapters_list.filter(({ enabled }) => enabled);
    const chapter = (read.find(({ sentences }) => sentences > 15) ?? read[0])?.number;
    if (!chapter) return whole;
    const { sentences } = await this.app.api.chapter(id, chapter);
    let length = 0;
    const some = sentences.filter(({ block }) => block === "paragraph").filter(({ text }) => length < ENOUGH && (length += text.length) > 0);
    if (!some.length) return whole;
    const { text, starts } = joined(some);
    const passage = { ...whole, text, book: { id, chapter, sentences: some.map((one) => one.id), starts } };
    this.#samples.set(key, passage);
    return passage;
  }

  /** @param {string} voice  "" for none @param {string} [state] */
  #mark(voice, state = "") {
    for (const button of this.querySelectorAll(".hear-voice")) {
      const own = button.getAttribute("data-voice") === voice ? state : "";
      if (own) button.setAttribute("data-state", own);
      else button.removeAttribute("data-state");
      button.replaceChildren(icon(own === "playing" ? "pause" : "play"));
    }
  }
}

customElements.define("voice-gallery", VoiceGallery);
