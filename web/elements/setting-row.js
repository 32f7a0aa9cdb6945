/** One setting: what it means, a control for it, and what came of a change. It says `setting` with all settings after one. */

import { h } from "../lib/dom.js";
import { house } from "../lib/house-api.js";
import { choiceName, partsOf, standing, valueName, valueOf } from "../lib/setting-words.js";

/** @typedef {import("../lib/house-api.js").Setting} Setting */

class SettingRow extends HTMLElement {
  /** Names of voices to choose from, by what is written. @type {[string, string][]} */
  voices = [];
  /** @type {Setting} */
  #setting = /** @type {any} */ (null);
  /** @type {HTMLInputElement|HTMLSelectElement|null} */
  #control = null;
  #said = h("p", { class: "said-here", role: "alert" });
  #saved = h("span", { class: "quiet saved", role: "status" });
  #standing = h("span", {});
  #usual = h("button", { class: "quiet-link", type: "button", onclick: () => this.#send(null) });
  #save = h("button", { class: "button", type: "submit", hidden: true }, "Save");

  /** Set before it is connected, and after each change. */
  get setting() {
    return this.#setting;
  }

  set setting(setting) {
    this.#setting = setting;
    if (this.#control) this.#show();
  }

  connectedCallback() {
    const { name, title, meaning, kind, unit, source } = this.#setting;
    const control = (this.#control ??= this.#made());
    control.id = `set-${name}`;
    control.setAttribute("aria-describedby", `about-${name}`);
    control.disabled = source === "variable";
    control.addEventListener(kind === "yes-no" || kind === "choice" || kind === "voice" ? "change" : "input", () => this.#touched());
    this.classList.toggle("switch", kind === "yes-no");
    this.replaceChildren(
      h(
        "form", { onsubmit: (/** @type {Event} */ event) => (event.preventDefault(), this.#submit()) },
        h("label", { class: "name", for: control.id }, title),
        h("div", { class: "control" }, control, unit ? h("span", { class: "quiet" }, unit) : null, this.#save),
        h("p", { class: "quiet meaning", id: `about-${name}` }, ...partsOf(meaning).map((part) => (part.code ? h("code", {}, part.text) : part.text))),
        h("p", { class: "quiet standing" }, this.#standing, this.#usual, this.#saved),
        this.#said,
      ),
    );
    this.#show();
  }

  /** @returns {HTMLInputElement|HTMLSelectElement} */
  #made() {
    const { kind, choices } = this.#setting;
    if (kind === "yes-no") return h("input", { type: "checkbox", role: "switch" });
    if (kind === "choice") return h("select", { class: "field" }, ...(choices ?? []).map((choice) => h("option", { value: choice }, choiceName(this.#setting, choice))));
    if (kind === "voice") return h("select", { class: "field" }, ...this.voices.map(([value, words]) => h("option", { value }, words)));
    const numeric = kind === "whole" || kind === "number";
    return h("input", { class: "field", type: "text", inputmode: numeric ? "decimal" : "text", autocomplete: "off", spellcheck: "false", size: numeric || kind === "time" ? 8 : 30 });
  }

  #show() {
    const { written, usual, source, kind, waits } = this.#setting;
    const control = /** @type {HTMLInputElement} */ (this.#control);
    if (kind === "yes-no") control.checked = written;
    else {
      if (kind === "voice" && !this.voices.some(([value]) => value === written)) control.append(h("option", { value: written }, written));
      control.value = String(written);
    }
    this.#save.hidden = true;
    this.toggleAttribute("data-waits", waits);
    this.#standing.textContent = standing(this.#setting);
    this.#usual.hidden = source !== "file" || written === usual;
    this.#usual.textContent = `Back to ${valueName(this.#setting, usual)}`;
  }

  #touched() {
    this.#said.textContent = this.#saved.textContent = "";
    const { kind, written } = this.#setting;
    const control = /** @type {HTMLInputElement} */ (this.#control);
    if (kind === "yes-no") this.#send(control.checked);
    else if (kind === "choice" || kind === "voice") this.#submit();
    else this.#save.hidden = control.value.trim() === String(written);
  }

  #submit() {
    const { value, why } = valueOf(this.#setting, /** @type {HTMLInputElement} */ (this.#control).value);
    if (why !== undefined) return void (this.#said.textContent = why);
    this.#send(/** @type {string|number} */ (value));
  }

  /** @param {string|number|boolean|null} value  null: as Lectern comes */
  async #send(value) {
    const { name } = this.#setting;
    this.#said.textContent = "";
    try {
      const settings = value === null ? await house.unset(name) : await house.set(name, value);
      this.dispatchEvent(new CustomEvent("setting", { detail: settings, bubbles: true }));
      this.#saved.textContent = "Saved.";
    } catch (error) {
      this.#said.textContent = /** @type {Error} */ (error).message;
      if (this.#setting.kind === "yes-no" || this.#setting.kind === "choice") this.#show(); // nothing half said
    }
  }
}

customElements.define("setting-row", SettingRow);
