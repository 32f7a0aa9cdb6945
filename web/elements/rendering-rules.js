/** The household's rules: when and how much is rendered, and how much space it may take. */

import { h } from "../lib/dom.js";
import { size } from "../lib/format.js";
import { keepFresh } from "../lib/fresh.js";
import { icon } from "../lib/icons.js";
import { AHEAD_MIN, aheadName, bytesOf, GB, inWords, POLICIES, RESTRAINTS } from "../lib/rendering.js";

/** @typedef {import("../lib/types.js").Rules} Rules */

class RenderingRules extends HTMLElement {
  /** Set before it is connected. @type {import("../dashboard.js").App} */
  app = /** @type {any} */ (null);
  /** @type {ReturnType<typeof keepFresh>|null} */
  #fresh = null;
  /** @type {Rules} */
  #rules = /** @type {any} */ (null);
  #tag = "";
  #dirty = false;
  #words = h("p", { class: "quiet pad" });
  #warning = h("p", { class: "said-here", role: "status" });
  #hours = h("ul", { class: "hours", role: "list" });
  #battery = choice("On battery", RESTRAINTS);
  #low = choice("While the computer saves power", RESTRAINTS);
  #share = h("input", { type: "range", min: 25, max: 100, step: 5 });
  #shareSaid = h("output", {});
  #render = choice("Books for which nobody chose otherwise", POLICIES);
  #ahead = choice("“Ahead” means", AHEAD_MIN.map((minutes) => [String(minutes), aheadName(minutes)]));
  #cap = h("input", { class: "field", inputmode: "decimal", size: 6, placeholder: "no limit", "aria-describedby": "cap-note" });
  #taken = h("p", { class: "quiet", id: "cap-note" });
  #said = h("p", { class: "said-here", role: "alert" });
  #saved = h("span", { class: "quiet", role: "status" });
  #pause = h("button", { class: "button", type: "button", onclick: () => this.#turn() });
  #save = h("button", { class: "button primary", type: "submit" }, "Save");

  connectedCallback() {
    const add = h("button", { class: "button", type: "button", onclick: () => this.#add() }, icon("add"), "Quiet hours");
    const form = h(
      "form", { onsubmit: (/** @type {Event} */ event) => (event.preventDefault(), this.#send()), oninput: () => this.#touch() },
      h("fieldset", { class: "part" }, h("legend", {}, "When"), h("p", { class: "quiet" }, "In quiet hours the computer rests. Whoever listens is still served: ten minutes ahead of them."), this.#hours, add),
      h("fieldset", { class: "part" }, h("legend", {}, "Power"), this.#battery.label, this.#low.label,
        h("label", { class: "setting" }, h("span", { class: "name" }, "How busy the computer may be kept", this.#shareSaid), this.#share)),
      h("fieldset", { class: "part" }, h("legend", {}, "How much"), this.#render.label, this.#ahead.label),
      h("fieldset", { class: "part" }, h("legend", {}, "Space"),
        h("label", { class: "setting" }, h("span", { class: "name" }, "Warn when the audio takes more than"), h("span", { class: "amount" }, this.#cap, "GB")), this.#taken),
      this.#said,
      h("div", { class: "doors" }, this.#save, this.#saved),
    );
    this.replaceChildren(h("section", { class: "card" }, h("h2", {}, "Rendering"), h("p", { class: "quiet" }, "To render is to turn text into speech. It is done ahead of you, once, and kept."), this.#words, this.#warning, this.#pause, h("details", {}, h("summary", {}, "Change when and how much"), form)));
    this.#fresh = keepFresh(() => this.#load(), this.app.live, ["rules.changed"], this.app.fail, 2000);
  }

  disconnectedCallback() {
    this.#fresh?.stop();
  }

  async #load() {
    const { rules, tag } = await this.app.api.rendering();
    this.#rules = rules;
    this.#words.textContent = inWords(rules);
    this.#warning.textContent = rules.warning ?? "";
    this.#pause.replaceChildren(icon(rules.paused ? "play" : "pause"), rules.paused ? "Go on rendering" : "Pause rendering");
    this.#taken.textContent = `It takes ${size(rules.audio_bytes)} now. Nothing is ever deleted by itself.`;
    if (this.#dirty) return; // somebody is typing; when they save, they are told of the other change
    this.#tag = tag;
    this.#hours.replaceChildren(...rules.quiet.map(({ start, end }) => this.#row(start, end)));
    this.#battery.select.value = rules.battery;
    this.#low.select.value = rules.low_power;
    this.#battery.label.hidden = rules.power.battery === null && rules.battery === "listening";
    this.#share.value = String(rules.share);
    this.#render.select.value = rules.render;
    this.#offer(rules.ahead_minutes);
    this.#cap.value = rules.cap_bytes === null ? "" : String(rules.cap_bytes / GB);
    this.#touch(false);
  }

  /** Another length than those that are offered may stand in the file. @param {number} minutes */
  #offer(minutes) {
    const { select } = this.#ahead;
    if (![...select.options].some((option) => option.value === String(minutes))) {
      select.append(h("option", { value: minutes }, aheadName(minutes)));
    }
    select.value = String(minutes);
  }

  #add() {
    const row = this.#row("22:00", "07:00");
    this.#hours.append(row);
    row.querySelector("input")?.focus();
    this.#touch();
  }

  /** @param {string} start @param {string} end */
  #row(start, end) {
    const time = (/** @type {string} */ value, /** @type {string} */ label) => h("input", { class: "field", type: "time", required: true, value, "aria-label": label });
    const row = h(
      "li", {},
      time(start, "Quiet from"), h("span", { class: "quiet" }, "to"), time(end, "Quiet until"),
      h("button", { class: "round", type: "button", "aria-label": "Take these quiet hours away", onclick: () => (row.remove(), this.#touch()) }, icon("close")),
    );
    return row;
  }

  #touch(dirty = true) {
    this.#dirty = dirty;
    this.#shareSaid.textContent = this.#share.value === "100" ? "all of the time" : `${this.#share.value} % of the time`;
    this.#share.style.setProperty("--share", String((Number(this.#share.value) - 25) / 75));
    this.#save.disabled = !dirty;
    if (dirty) this.#saved.textContent = this.#said.textContent = "";
  }

  /** Pause, or go on; what is typed below stays as it is. */
  async #turn() {
    try {
      // Read anew: another page may have changed the rules, and what is typed here is not meant yet.
      const { rules: { paused, quiet, battery, low_power, share, ahead_minutes, render, cap_bytes }, tag } = await this.app.api.rendering();
      await this.app.api.saveRendering({ paused: paused === this.#rules.paused ? !paused : paused, quiet, battery, low_power, share, ahead_minutes, render, cap_bytes }, tag);
      const known = tag === this.#tag;
      await this.#load();
      if (known) this.#tag = (await this.app.api.rendering()).tag;
    } catch (error) {
      this.app.fail(/** @type {Error} */ (error));
    }
  }

  async #send() {
    const cap = bytesOf(this.#cap.value);
    if (Number.isNaN(cap)) return void (this.#said.textContent = `“${this.#cap.value}” is no number of gigabytes.`);
    const times = [...this.#hours.children].map((row) => [...row.querySelectorAll("input")].map((input) => input.value));
    const rules = {
      paused: this.#rules.paused,
      quiet: times.map(([start, end]) => ({ start, end })),
      battery: this.#battery.select.value,
      low_power: this.#low.select.value,
      share: Number(this.#share.value),
      ahead_minutes: Number(this.#ahead.select.value),
      render: this.#render.select.value,
      cap_bytes: cap,
    };
    try {
      await this.app.api.saveRendering(rules, this.#tag);
      this.#touch(false);
      await this.#load();
      this.#saved.textContent = "Saved. It holds from now on.";
    } catch (error) {
      const { status, message } = /** @type {import("../lib/api.js").ApiError} */ (error);
      this.#said.textContent = status === 412 ? "Somebody else has changed these in the meantime. Save again to keep yours." : message;
      if (status === 412) this.#tag = (await this.app.api.rendering()).tag;
    }
  }
}

/** @param {string} label @param {[string, string][]} options */
function choice(label, options) {
  const select = h("select", { class: "field" }, ...options.map(([value, words]) => h("option", { value }, words)));
  return { select, label: h("label", { class: "setting" }, h("span", { class: "name" }, label), select) };
}

customElements.define("rendering-rules", RenderingRules);
