/** The voice of a book: which it has, others to hear and to choose, and what is rendered of each. In: `app`, `book`. Out: `voiced` {book}. */

import { h } from "../lib/dom.js";
import { counted, size, span } from "../lib/format.js";
import { TryVoice } from "../lib/try-voice.js";
import { cost, grouped, introduce, QUALITIES, saySound } from "../lib/voices.js";

/** @typedef {import("../lib/types.js").BookDetail} BookDetail */
/** @typedef {import("../lib/types.js").Rendition} Rendition */
/** @typedef {import("../lib/types.js").Sound} Sound */

class BookVoice extends HTMLElement {
  /** Set before it is connected. @type {import("../dashboard.js").App} */
  app = /** @type {any} */ (null);
  /** @type {BookDetail} */
  book = /** @type {any} */ (null);
  /** @type {import("../lib/types.js").Renditions|null} */
  #list = null;
  /** @type {import("../lib/voices.js").Known} */
  #known = { voices: [], blends: [] };
  /** @type {Sound} */
  #wanted = { voice: "", speed: 1, bitrate: 48_000 };
  #select = h("select", { class: "field", "aria-label": "Voice" });
  #speed = h("input", { type: "range", min: 0.5, max: 2, step: 0.05, "aria-label": "Speed of the voice" });
  #speedSaid = h("output", {});
  #chips = QUALITIES.map(([bitrate, name]) => h("button", { class: "chip", type: "button", onclick: () => this.#want({ bitrate }) }, name));
  #cost = h("div", { class: "cost", role: "status" });
  #change = h("button", { class: "button primary", type: "button", onclick: () => this.#choose(this.#wanted) }, "Read it with this voice");
  #kept = h("ul", { class: "rows kept", role: "list" });
  #said = h("p", { class: "said-here", role: "alert" });
  #try = new TryVoice((asked) => this.app.api.hearVoice(asked), () => this.#list && { ...this.#wanted, language: this.#list.language }, (error) => this.#say(error.message));

  connectedCallback() {
    this.#select.addEventListener("change", () => (this.#try.stop(), this.#want({ voice: this.#select.value })));
    this.#speed.addEventListener("input", () => (this.#try.stop(), this.#want({ speed: Number(this.#speed.value) })));
    this.replaceChildren(
      h(
        "section", { class: "part" },
        h("h3", {}, "Voice"),
        h("div", { class: "voice-line" }, this.#select, this.#try.button),
        h(
          "details", {},
          h("summary", {}, "Speed and size"),
          h("label", { class: "setting" }, h("span", { class: "name" }, "Speed of the voice", this.#speedSaid), this.#speed),
          h("p", { class: "quiet" }, "How fast the voice itself speaks. The player has a speed of its own, which needs no rendering."),
          h("div", { class: "setting", role: "group", "aria-label": "Size of the audio" }, h("span", { class: "name" }, "Size of the audio"), h("div", { class: "chips" }, ...this.#chips)),
          h("p", { class: "quiet" }, QUALITIES.map(([, name, hour]) => `${name}: about ${size(hour)} an hour`).join(" · ")),
        ),
        this.#cost, this.#change, this.#said, this.#kept,
      ),
    );
    this.#load().catch((error) => this.#say(error.message));
  }

  disconnectedCallback() {
    this.#try.stop();
  }

  async #load() {
    const [known, list] = await Promise.all([this.app.api.voices(), this.app.api.renditions(this.book.id)]);
    if (!this.isConnected) return;
    this.#known = known;
    this.#list = list;
    const { voice, speed, bitrate } = list.renditions.find((one) => one.plays) ?? this.#wanted;
    this.#fill(voice);
    this.#want({ voice, speed, bitrate });
    this.#showKept();
  }

  /** @param {string} current  offered even where it is a mix that nobody gave a name */
  #fill(current) {
    const { voices, blends } = this.#known;
    const language = this.#list?.language ?? "";
    const mixes = blends.filter((blend) => blend.speaks === language).map((blend) => h("option", { value: blend.voice }, blend.name));
    if (current.includes("*") && !blends.some((blend) => blend.voice === current)) mixes.unshift(h("option", { value: current }, saySound({ voice: current, speed: 1, bitrate: 48_000 }, this.#known)));
    this.#select.replaceChildren(
      ...(mixes.length ? [h("optgroup", { label: "Your blends" }, ...mixes)] : []),
      ...grouped(voices, language).map(([label, found]) =>
        h("optgroup", { label }, ...found.map((voice) => h("option", { value: voice.id }, introduce(voice))))),
    );
  }

  /** @param {Partial<Sound>} part */
  #want(part) {
    this.#wanted = { ...this.#wanted, ...part };
    const { voice, speed, bitrate } = this.#wanted;
    this.#select.value = voice;
    this.#speed.value = String(speed);
    this.#speed.style.setProperty("--share", String((speed - 0.5) / 1.5));
    this.#speedSaid.textContent = speed === 1 ? "its own" : `${speed} ×`;
    this.#chips.forEach((chip, at) => chip.setAttribute("aria-pressed", String(QUALITIES[at]?.[0] === bitrate)));
    if (!this.#list) return;
    const { plays, lines } = cost(this.#list, this.#wanted, this.#known);
    this.#cost.replaceChildren(...lines.map((line) => h("p", { class: "quiet" }, line)));
    this.#change.hidden = plays;
    this.#say("");
  }

  /** @param {Sound} sound */
  async #choose(sound) {
    this.#try.stop();
    await this.#act(async () => {
      const book = await this.app.api.chooseSound(this.book.id, sound);
      this.dispatchEvent(new CustomEvent("voiced", { detail: { book }, bubbles: true }));
    });
    this.#select.focus();
  }

  #showKept() {
    const others = this.#list?.renditions.filter((one) => !one.plays) ?? [];
    this.#kept.hidden = others.length === 0;
    this.#kept.replaceChildren(...others.map((one) => this.#row(one)));
  }

  /** @param {Rendition} one */
  #row(one) {
    const name = saySound(one, this.#known);
    const facts = [counted(one.sentences, "sentence"), one.audio_s ? span(one.audio_s) : "", size(one.audio_bytes), one.current ? "" : "of an earlier edition"];
    const back = h("button", { class: "button", type: "button", "aria-label": `Go back to ${name}`, onclick: () => this.#choose(one) }, "Go back to this one");
    const remove = h("button", { class: "button danger", type: "button", "aria-label": `Delete the audio of ${name} …` }, "Delete its audio");
    const doors = h("div", { class: "doors" }, back, remove);
    remove.addEventListener("click", () => {
      const keep = h("button", { class: "button", type: "button", onclick: () => (doors.replaceChildren(back, remove), remove.focus()) }, "Keep it");
      doors.replaceChildren(h("button", { class: "button danger", type: "button", onclick: () => this.#remove(one) }, `Delete ${size(one.freed_bytes)}`), keep);
      keep.focus();
    });
    return h("li", { class: "row kept-row" }, h("div", { class: "words" }, h("p", { class: "name" }, name), h("p", { class: "quiet" }, facts.filter(Boolean).join(" · "))), doors);
  }

  /** @param {Rendition} one */
  async #remove(one) {
    await this.#act(() => this.app.api.removeRendition(this.book.id, one.id));
    this.#select.focus();
  }

  /** @param {() => Promise<unknown>} work */
  async #act(work) {
    this.toggleAttribute("inert", true);
    try {
      await work();
      await this.#load();
    } catch (error) {
      this.#say(/** @type {Error} */ (error).message);
    } finally {
      this.removeAttribute("inert");
    }
  }

  /** @param {string} words */
  #say(words) {
    this.#said.textContent = words;
  }
}

customElements.define("book-voice", BookVoice);
