/**
 * The voices of an audition, each with its number key, stars and note. In: `cast`, `show(list, playing, states, blind)`.
 * Out: `turn` {at}, `drop` {at}, `best` {at}, `think` {voice, part}.
 */

import { h } from "../lib/dom.js";
import { icon } from "../lib/icons.js";
import { starRow } from "../lib/stars.js";

/** @typedef {import("../lib/audition-takes.js").Contestant} Contestant */
/** @typedef {{state: ""|"loading"|"ready"|"failed", text: string}} Mood  whether it can be heard, and why not */

class VoiceCast extends HTMLElement {
  /** @type {import("../lib/audition-cast.js").Cast} */
  cast = /** @type {any} */ (null);
  #list = h("ol", { class: "rows", role: "list" });
  /** What was shown last: a row is left alone while only moods change, so that a note can be written in peace. */
  #drawn = "";
  /** @type {HTMLElement[]} */
  #rows = [];

  connectedCallback() {
    this.replaceChildren(this.#list);
  }

  /** @param {readonly Contestant[]} list @param {number} playing @param {readonly Mood[]} moods @param {boolean} blind */
  show(list, playing, moods, blind) {
    const drawn = JSON.stringify([list, blind, list.map(({ voice }) => this.cast.opinion(voice))]);
    if (drawn !== this.#drawn) this.#draw(list, blind);
    this.#drawn = drawn;
    this.#rows.forEach((row, at) => {
      const { state, text } = moods[at] ?? { state: "", text: "" };
      row.dataset.state = state;
      row.toggleAttribute("data-playing", at === playing);
      row.querySelector(".turn")?.setAttribute("aria-pressed", String(at === playing));
      const said = row.querySelector(".mood");
      if (said && said.textContent !== text) said.textContent = text;
    });
  }

  /** @param {readonly Contestant[]} list @param {boolean} blind */
  #draw(list, blind) {
    const focused = this.#focused();
    this.#rows = list.map((one, at) => this.#row(one, at, blind));
    this.#list.replaceChildren(...this.#rows);
    if (focused) /** @type {HTMLElement|undefined} */ (this.#rows[focused.row]?.querySelectorAll("button, input")[focused.at])?.focus();
  }

  /** Where the keyboard is, so that it stays there when the rows are made anew. */
  #focused() {
    const row = this.#rows.findIndex((one) => one.contains(document.activeElement));
    return row < 0 ? null : { row, at: [...this.#rows[row].querySelectorAll("button, input")].indexOf(/** @type {Element} */ (document.activeElement)) };
  }

  /** @param {Contestant} one @param {number} at @param {boolean} blind */
  #row(one, at, blind) {
    const name = blind ? `Voice ${String.fromCharCode(65 + at)}` : this.cast.name(one.voice, one.speed);
    const turn = h("button", { type: "button", class: "turn", "aria-pressed": "false", "aria-label": `Hear ${name}`, "aria-keyshortcuts": String(at + 1), onclick: () => this.#tell("turn", { at }) }, h("kbd", {}, String(at + 1)));
    const words = h("div", { class: "words" }, h("p", { class: "name" }, name), h("p", { class: "quiet mood" }));
    if (blind) return h("li", { class: "row cast-row" }, turn, words, h("div", { class: "acts" }, h("button", { type: "button", class: "button", onclick: () => this.#tell("best", { at }) }, "This is the best")));
    const engine = this.cast.engine(one.voice);
    if (engine && !engine.pronunciation) words.append(h("p", { class: "quiet" }, "It knows no pronunciation rules."));
    const { stars, note } = this.cast.opinion(one.voice);
    const write = h("input", { class: "field note-of", type: "text", maxlength: 2_000, placeholder: "Note", "aria-label": `Note on ${name}`, onchange: () => this.#tell("think", { voice: one.voice, part: { note: write.value } }) });
    write.value = note;
    const drop = h("button", { type: "button", class: "round", "aria-label": `Take ${name} out`, onclick: () => this.#tell("drop", { at }) }, icon("close"));
    return h("li", { class: "row cast-row" }, turn, words, drop,
      h("div", { class: "thoughts" }, starRow(name, stars, (chosen) => this.#tell("think", { voice: one.voice, part: { stars: chosen } })), write));
  }

  /** @param {string} name @param {unknown} detail */
  #tell(name, detail) {
    this.dispatchEvent(new CustomEvent(name, { detail, bubbles: true }));
  }
}

customElements.define("voice-cast", VoiceCast);
