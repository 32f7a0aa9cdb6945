/** The audition: one text, several voices, and a switch between them in the middle of a sentence. In: `app`, `path`. */

import { auditionApi } from "../lib/audition-api.js";
import { Cast, MOST } from "../lib/audition-cast.js";
import { Stage } from "../lib/audition-stage.js";
import { Takes, nameOf } from "../lib/audition-takes.js";
import { landing, placeAt, shuffled, timeOf } from "../lib/audition-text.js";
import { Cleanup, h } from "../lib/dom.js";
import { counted } from "../lib/format.js";
import { icon } from "../lib/icons.js";

/** @typedef {import("../lib/audition-stage.js").Loaded} Loaded */
/** @typedef {import("../lib/audition-takes.js").Contestant} Contestant */
/** @typedef {import("../lib/audition-takes.js").Passage} Passage */

const WRITING = "input:not([type=checkbox]), select, textarea, dialog";

class AuditionPage extends HTMLElement {
  /** Set before it is connected. @type {import("../dashboard.js").App} */
  app = /** @type {any} */ (null);
  /** @type {string[]} */
  path = [];
  #cast = new Cast();
  #stage = new Stage(() => this.#over());
  #takes = /** @type {any} */ (null);
  /** @type {Passage|null} */
  #passage = null;
  /** @type {Contestant[]} */
  #list = [];
  /** What is decoded already, by contestant. @type {Map<string, Loaded>} */
  #ready = new Map();
  /** Why one cannot be heard. @type {Map<string, string>} */
  #failed = new Map();
  #at = 0; // whose turn it is
  #wanted = -1; // who is waited for
  #place = 0; // in the text, where it stopped
  #blind = false;
  /** Who was heard in this blind round. @type {Set<string>} */
  #heard = new Set();
  #cleanup = new Cleanup();
  #frame = 0;
  #picker = /** @type {any} */ (document.createElement("passage-picker"));
  #text = /** @type {any} */ (document.createElement("passage-text"));
  #rows = /** @type {any} */ (document.createElement("voice-cast"));
  #about = h("p", { class: "quiet" });
  #play = h("button", { type: "button", class: "button primary play", onclick: () => this.#toggle() });
  #add = h("select", { class: "field", "aria-label": "Add a voice", onchange: () => this.#join() });
  #blindBox = h("input", { type: "checkbox", onchange: () => this.#goBlind(this.#blindBox.checked) });
  #result = h("div", { class: "result", role: "status" });
  #engines = h("div", { class: "quiet engines" });

  connectedCallback() {
    document.title = "Audition · Lectern";
    this.#takes = new Takes(this.#stage, this.app.api);
    this.#picker.app = this.app;
    this.#rows.cast = this.#cast;
    this.replaceChildren(
      h("header", { class: "page-head" }, h("h2", { class: "page-title", tabindex: -1 }, "Audition"),
        h("p", { class: "quiet" }, "Hear voices on the same text. A number key goes on in another voice at the same word; a tap on a word goes there."),
        h("nav", { class: "parts chips", "aria-label": "Kinds of audition" }, h("a", { class: "chip", href: "#/audition", "aria-current": "page" }, "Passages"), h("a", { class: "chip", href: "#/pairs" }, "Question or statement?"))),
      h("section", { class: "card", "aria-label": "Text" }, this.#picker, this.#about, this.#text,
        h("div", { class: "acts" }, this.#play, h("p", { class: "quiet keys-line" }, h("kbd", {}, "Space"), " play and pause · ", h("kbd", {}, "1"), "–", h("kbd", {}, "9"), " voices · ", h("kbd", {}, "←"), " ", h("kbd", {}, "→"), " words"))),
      h("section", { class: "card", "aria-label": "Voices" }, h("h2", {}, "Voices"), this.#rows,
        h("div", { class: "cast-tools" }, this.#add, h("label", { class: "blind-line" }, this.#blindBox, "Hide the names")), this.#result, this.#engines),
    );
    for (const name of ["passage", "word", "turn", "drop", "best", "think"]) this.addEventListener(name, (event) => this.#hear(name, /** @type {CustomEvent} */ (event).detail));
    this.#cleanup.listen(window, "keydown", (event) => this.#onKey(event));
    this.#showPlay();
    this.#open().catch(this.app.fail);
    /** @type {HTMLElement|null} */ (this.querySelector(".page-title"))?.focus({ preventScroll: true });
  }

  disconnectedCallback() {
    this.#cleanup.run();
    cancelAnimationFrame(this.#frame);
    this.#stage.close();
  }

  async #open() {
    await this.#cast.load(this.app.api);
    if (!this.isConnected) return;
    this.#picker.show(this.#cast.all.passages);
    this.#engines.replaceChildren(...this.#cast.all.engines.filter(({ trouble }) => trouble).map(({ name, trouble }) => h("p", {}, `${name}: ${trouble}`)));
    this.#picker.choose(this.#cast.all.passages[0]?.id ?? "own");
  }

  /** @param {string} name @param {any} detail */
  #hear(name, detail) {
    if (name === "passage") return this.#setPassage(detail);
    if (name === "word") return this.#goTo(detail.place);
    if (name === "turn") return this.#turn(detail.at);
    if (name === "drop") return this.#setCast(this.#list.filter((_, at) => at !== detail.at));
    if (name === "best") return void this.#judge(detail.at).catch(this.app.fail);
    this.#cast.think(detail.voice, detail.part).then(() => this.#show(), this.app.fail);
  }

  /** @param {Passage} passage */
  #setPassage(passage) {
    this.#halt();
    const language = this.#passage?.language;
    this.#passage = passage;
    this.#place = 0;
    this.#text.text = passage.text;
    this.#about.textContent = passage.listen_for;
    this.#result.replaceChildren();
    this.#fillAdd();
    this.#setCast(language === passage.language ? this.#list : this.#cast.chosen(passage.language), false);
  }

  async #fillAdd() {
    const passage = /** @type {Passage} */ (this.#passage);
    const first = h("option", { value: "" }, "Add a voice …");
    this.#add.replaceChildren(first, ...this.#cast.options(passage.language));
    const book = passage.book && (await this.app.api.renditions(passage.book.id).catch(() => null));
    if (!book || passage !== this.#passage) return;
    const options = book.renditions.map(({ voice, speed }) => h("option", { value: voice, "data-speed": speed }, this.#cast.name(voice, speed)));
    first.after(h("optgroup", { label: "This book is rendered with" }, ...options));
  }

  /** @param {Contestant[]} list @param {boolean} [keep] */
  #setCast(list, keep = true) {
    this.#halt();
    this.#list = list.slice(0, MOST);
    this.#at = 0;
    this.#ready.clear();
    this.#failed.clear();
    this.#heard.clear();
    if (keep) this.#cast.choose(this.#list);
    this.#add.disabled = this.#list.length >= MOST;
    this.#show();
    for (const one of this.#list) this.#fetch(one);
  }

  #join() {
    const voice = this.#add.value;
    const speed = Number(this.#add.selectedOptions[0]?.dataset.speed ?? 1);
    this.#add.value = "";
    if (!voice || this.#list.some((one) => one.voice === voice && one.speed === speed)) return;
    const list = [...this.#list, { voice, speed }];
    this.#setCast(this.#blind ? shuffled(list) : list);
  }

  /** @param {Contestant} one */
  async #fetch(one) {
    const passage = this.#passage;
    if (!passage) return;
    try {
      const take = await this.#takes.get(passage, one);
      if (passage === this.#passage) this.#ready.set(nameOf(one), take);
    } catch (error) {
      if (passage === this.#passage) this.#failed.set(nameOf(one), /** @type {Error} */ (error).message);
    }
    if (!this.isConnected || passage !== this.#passage) return;
    this.#show();
    if (this.#wanted >= 0 && this.#list[this.#wanted] && nameOf(this.#list[this.#wanted]) === nameOf(one)) this.#turn(this.#wanted);
  }

  /** Go on in the voice number `at` (from 0), at the same place of the text. @param {number} at */
  #turn(at) {
    const one = this.#list[at];
    if (!one) return;
    const take = this.#ready.get(nameOf(one));
    this.#wanted = take || this.#failed.has(nameOf(one)) ? -1 : at;
    if (!take) {
      if (this.#failed.delete(nameOf(one))) (this.#wanted = at), this.#fetch(one);
      return this.#show();
    }
    const from = this.#now;
    const start_s = this.#stage.playing && from ? landing(from, this.#stage.now_s, take, this.#length) : timeOf(take, this.#place, this.#length);
    this.#at = at;
    this.#stage.play(take, start_s);
    this.#heard.add(nameOf(one));
    this.#follow();
    this.#show();
    this.#showPlay();
  }

  get #now() {
    const one = this.#list[this.#at];
    return one ? this.#ready.get(nameOf(one)) : undefined;
  }

  get #length() {
    return [...this.#text.text].length;
  }

  #toggle() {
    if (this.#stage.playing) return this.#halt();
    this.#turn(this.#at);
  }

  /** @param {number} place */
  #goTo(place) {
    this.#halt();
    this.#place = place;
    this.#text.light(place);
    this.#turn(this.#at);
  }

  #halt() {
    const take = this.#now;
    if (this.#stage.playing && take) this.#place = placeAt(take, this.#stage.stop(), this.#length);
    this.#wanted = -1;
    this.#showPlay();
    this.#show();
  }

  #over() {
    this.#place = 0;
    this.#text.light(-1);
    this.#showPlay();
    this.#show();
  }

  #follow() {
    cancelAnimationFrame(this.#frame);
    const look = () => {
      const take = this.#now;
      if (!this.#stage.playing || !take) return;
      this.#text.light(placeAt(take, this.#stage.now_s, this.#length));
      this.#frame = requestAnimationFrame(look);
    };
    look();
  }

  /** @param {KeyboardEvent} event */
  #onKey(event) {
    const target = /** @type {Element} */ (event.target);
    if (event.ctrlKey || event.metaKey || event.altKey || target.closest?.(WRITING)) return;
    if (/^[1-9]$/.test(event.key)) this.#turn(Number(event.key) - 1);
    else if (event.key === " " && !target.closest?.("button, a, input")) this.#toggle();
    else if (event.key === "ArrowLeft" || event.key === "ArrowRight") this.#goTo(this.#text.step(this.#spot, event.key === "ArrowLeft" ? -1 : 1));
    else return;
    event.preventDefault();
  }

  get #spot() {
    const take = this.#now;
    return this.#stage.playing && take ? placeAt(take, this.#stage.now_s, this.#length) : this.#place;
  }

  /** @param {boolean} blind */
  #goBlind(blind) {
    this.#halt();
    this.#blind = blind;
    this.#result.replaceChildren();
    this.#list = blind ? shuffled(this.#list) : this.#list;
    this.#heard.clear();
    this.#at = 0;
    this.#add.hidden = blind;
    this.#show();
  }

  /** @param {number} at */
  async #judge(at) {
    const heard = this.#list.filter((one, number) => number === at || this.#heard.has(nameOf(one)));
    if (heard.length < 2) return void this.#result.replaceChildren(h("p", {}, "Hear at least two of them first."));
    const best = this.#list[at];
    this.#cast.learn(await auditionApi.judge(heard.map(nameOf), nameOf(best)));
    this.#halt();
    const names = this.#list.map((one, number) => `${String.fromCharCode(65 + number)} was ${this.#cast.name(one.voice, one.speed)}`);
    const score = [...this.#cast.all.blind].sort((one, other) => other.won / other.heard - one.won / one.heard);
    this.#result.replaceChildren(
      h("p", { class: "lead" }, `You liked ${this.#cast.name(best.voice, best.speed)} best.`),
      h("p", { class: "quiet" }, `${names.join(", ")}.`),
      h("ul", { class: "scores", role: "list" }, ...score.map(({ voice, won, heard: rounds }) => h("li", {}, h("span", {}, this.#byName(voice)), h("span", { class: "meter", "--share": won / rounds }), h("span", { class: "quiet" }, `${won} of ${counted(rounds, "round")}`)))),
      h("div", { class: "doors" },
        h("button", { type: "button", class: "button primary", onclick: () => this.#goBlind(true) }, "Another round"),
        h("button", { type: "button", class: "button", onclick: () => this.#forget() }, "Begin to count anew")),
    );
  }

  /** @param {string} key  a voice, and its speed where that is not its own */
  #byName(key) {
    const [, voice = key, speed = "1"] = /^(.*?)(?: ([\d.]+))?$/.exec(key) ?? [];
    return this.#cast.engine(key) ? this.#cast.name(key) : this.#cast.name(voice, Number(speed));
  }

  async #forget() {
    this.#cast.learn(await auditionApi.forget("blind"));
    this.#result.replaceChildren(h("p", { class: "quiet" }, "Nothing is counted any more."));
  }

  #show() {
    const moods = this.#list.map((one) => {
      const failed = this.#failed.get(nameOf(one));
      if (failed) return { state: "failed", text: failed };
      const take = this.#ready.get(nameOf(one));
      if (!take) return { state: "loading", text: "Is being made ready …" };
      return { state: "ready", text: take.timed ? "" : "Its words are not timed: a switch lands near the place." };
    });
    this.#rows.show(this.#list, this.#stage.playing ? this.#at : -1, moods, this.#blind);
  }

  #showPlay() {
    this.#play.replaceChildren(icon(this.#stage.playing ? "pause" : "play"), this.#stage.playing ? "Pause" : "Play");
  }
}

customElements.define("audition-page", AuditionPage);
