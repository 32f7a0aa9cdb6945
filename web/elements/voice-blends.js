/** Mixes of voices under names of the household's own: made, heard, changed and forgotten here. In: `app`. */

import { h } from "../lib/dom.js";
import { TryVoice } from "../lib/try-voice.js";
import { grouped, introduce, sayVoice } from "../lib/voices.js";

/** @typedef {import("../lib/types.js").Blend} Blend */
/** @typedef {{voice: string, weight: number}} Share */

const MOST = 4;

class VoiceBlends extends HTMLElement {
  /** Set before it is connected. @type {import("../dashboard.js").App} */
  app = /** @type {any} */ (null);
  /** @type {import("../lib/voices.js").Known} */
  #known = { voices: [], blends: [] };
  /** @type {Share[]} */
  #shares = [];
  #changed = ""; // name of the blend that is being changed, "" for a new one
  #list = h("ul", { class: "rows", role: "list" });
  #title = h("h2", { id: "blend-title" });
  #name = h("input", { class: "field", type: "text", maxlength: 40, required: true, autocomplete: "off" });
  #parts = h("div", { class: "blend-parts" });
  #said = h("p", { class: "said-here", role: "alert" });
  #more = h("button", { class: "button", type: "button", onclick: () => this.#add() }, "Add a voice");
  #dialog = h("dialog", { class: "sheet", "aria-labelledby": "blend-title" });
  #try = new TryVoice((asked) => this.app.api.hearVoice(asked), () => this.#recipe(), (error) => this.#say(error.message));

  connectedCallback() {
    const form = h(
      "form", { class: "choices" },
      h("label", { class: "setting" }, h("span", { class: "name" }, "Name"), this.#name),
      this.#parts,
      h("div", { class: "doors" }, this.#more, this.#try.button),
      this.#said,
      h("div", { class: "doors" }, h("button", { class: "button primary", type: "submit" }, "Save"), h("button", { class: "button", type: "button", onclick: () => this.#dialog.close() }, "Cancel")),
    );
    form.addEventListener("submit", (event) => (event.preventDefault(), this.#save()));
    this.#dialog.append(h("header", {}, this.#title), form);
    this.#dialog.addEventListener("click", (event) => event.target === this.#dialog && this.#dialog.close());
    this.#dialog.addEventListener("close", () => this.#try.stop());
    this.replaceChildren(
      h(
        "section", { class: "card" },
        h("h2", {}, "Blends"),
        h("p", { class: "quiet pad" }, "Mix two to four voices into one of your own. Choose it for a book under “Voice and chapters”."),
        this.#list,
        h("button", { class: "button", type: "button", "aria-haspopup": "dialog", onclick: () => this.#open(null) }, "New blend …"),
      ),
      this.#dialog,
    );
    this.#load().catch(this.app.fail);
  }

  async #load() {
    this.#known = await this.app.api.voices();
    this.#list.replaceChildren(...this.#known.blends.map((blend) => this.#row(blend)));
  }

  /** @param {Blend} blend */
  #row(blend) {
    const recipe = sayVoice(blend.voice, { ...this.#known, blends: [] });
    const remove = h("button", { class: "button danger", type: "button", "aria-label": `Delete ${blend.name} …` }, "Delete");
    const change = h("button", { class: "button", type: "button", "aria-label": `Change ${blend.name} …`, "aria-haspopup": "dialog", onclick: () => this.#open(blend) }, "Change");
    const doors = h("div", { class: "doors" }, change, remove);
    remove.addEventListener("click", () => {
      const keep = h("button", { class: "button", type: "button", onclick: () => (doors.replaceChildren(change, remove), remove.focus()) }, "Keep it");
      doors.replaceChildren(h("button", { class: "button danger", type: "button", onclick: () => this.#remove(blend) }, "Delete the blend"), keep);
      keep.focus();
    });
    return h("li", { class: "row kept-row" }, h("div", { class: "words" }, h("p", { class: "name" }, blend.name), h("p", { class: "quiet" }, recipe)), doors);
  }

  /** @param {Blend|null} blend */
  async #open(blend) {
    if (!this.#known.voices.length) await this.#load().catch(this.app.fail);
    this.#changed = blend?.name ?? "";
    this.#title.textContent = blend ? `Change ${blend.name}` : "New blend";
    this.#name.value = blend?.name ?? "";
    const [first, second] = ["af_heart", "af_bella"];
    this.#shares = blend ? blend.shares.map(({ voice, weight }) => ({ voice, weight: Math.max(1, Math.round(weight * 100)) })) : [{ voice: first, weight: 60 }, { voice: second, weight: 40 }];
    this.#say("");
    this.#showParts();
    this.#dialog.showModal();
    this.#name.focus();
  }

  get #language() {
    return this.#known.voices.find(({ id }) => id === this.#shares[0]?.voice)?.speaks ?? "en";
  }

  #add() {
    const free = this.#known.voices.find(({ id, speaks }) => speaks === this.#language && !this.#shares.some(({ voice }) => voice === id));
    if (free) this.#shares.push({ voice: free.id, weight: 50 });
    this.#showParts();
    [...this.#parts.querySelectorAll("select")].at(-1)?.focus();
  }

  #showParts() {
    this.#parts.replaceChildren(...this.#shares.map((share, at) => this.#part(share, at)));
    this.#more.hidden = this.#shares.length >= MOST;
    this.#showShares();
  }

  /** @param {Share} share @param {number} at */
  #part(share, at) {
    const language = at === 0 ? "" : this.#language; // the first decides which others can be mixed in
    const select = h("select", { class: "field", "aria-label": `Voice ${at + 1}` });
    select.append(...grouped(this.#known.voices, language).map(([label, found]) =>
      h("optgroup", { label }, ...found.map((voice) => h("option", { value: voice.id }, introduce(voice))))));
    select.value = share.voice;
    select.addEventListener("change", () => {
      const before = this.#language;
      share.voice = select.value;
      this.#try.stop();
      if (at === 0 && this.#language !== before) this.#otherLanguage();
      this.#showShares();
    });
    const weight = h("input", { type: "range", min: 1, max: 100, step: 1, "aria-label": `Share of voice ${at + 1}` });
    weight.value = String(share.weight);
    weight.addEventListener("input", () => (share.weight = Number(weight.value), this.#try.stop(), this.#showShares()));
    const drop = h("button", { class: "button", type: "button", hidden: this.#shares.length <= 2, onclick: () => (this.#shares.splice(at, 1), this.#showParts()) }, "Leave it out");
    return h("div", { class: "setting blend-part" }, h("div", { class: "name" }, select, h("output", {})), weight, drop);
  }

  /** Only voices of one language can be mixed: others take the place of those that are not. */
  #otherLanguage() {
    const found = this.#known.voices.filter(({ speaks }) => speaks === this.#language);
    this.#shares = [this.#shares[0], ...found.filter(({ id }) => id !== this.#shares[0]?.voice).slice(0, this.#shares.length - 1).map(({ id }) => ({ voice: id, weight: 50 }))].filter((share) => share !== undefined);
    this.#showParts();
    this.#parts.querySelector("select")?.focus();
  }

  #showShares() {
    const whole = this.#shares.reduce((sum, { weight }) => sum + weight, 0);
    [...this.#parts.children].forEach((part, at) => {
      const share = this.#shares[at]?.weight ?? 0;
      const shown = part.querySelector("output");
      if (shown) shown.textContent = `${Math.round((share / whole) * 100)} %`;
      /** @type {HTMLElement|null} */ (part.querySelector("input"))?.style.setProperty("--share", String((share - 1) / 99));
    });
  }

  #recipe() {
    return { voice: this.#shares.map(({ voice, weight }) => `${voice}*${weight}`).join("+"), speed: 1, language: this.#language };
  }

  async #save() {
    const name = this.#name.value.trim();
    try {
      await this.app.api.keepBlend(this.#changed || name, this.#shares, this.#changed ? name : undefined);
      await this.#load();
      this.#dialog.close();
    } catch (error) {
      this.#say(/** @type {Error} */ (error).message);
    }
  }

  /** @param {Blend} blend */
  async #remove(blend) {
    try {
      await this.app.api.removeBlend(blend.name);
      await this.#load();
    } catch (error) {
      this.app.fail(/** @type {Error} */ (error));
    }
    /** @type {HTMLElement|null} */ (this.querySelector(".card > .button"))?.focus();
  }

  /** @param {string} words */
  #say(words) {
    this.#said.textContent = words;
  }
}

customElements.define("voice-blends", VoiceBlends);
