/** Settings, backups, the log, and what is installed: a page of the dashboard. */

import { Cleanup, h } from "../lib/dom.js";
import { keepFresh } from "../lib/fresh.js";
import { house } from "../lib/house-api.js";

/** @typedef {import("../lib/house-api.js").Settings} Settings */

const AGAIN_MS = 90_000; // a large shelf is compared first

class SettingsPage extends HTMLElement {
  /** Set before it is connected. @type {import("../dashboard.js").App} */
  app = /** @type {any} */ (null);
  /** @type {string[]} */
  path = [];
  /** @type {ReturnType<typeof keepFresh>|null} */
  #fresh = null;
  #cleanup = new Cleanup();
  /** @type {Map<string, any>} */
  #rows = new Map();
  #file = h("p", { class: "quiet pad" });
  #warnings = h("ul", { class: "said-here", role: "list" });
  #trouble = h("p", { class: "said-here", role: "alert" });
  #groups = h("div", { class: "groups" });
  #restart = h("div", { class: "again", role: "status" });
  #restarting = false;

  connectedCallback() {
    document.title = "Settings · Lectern";
    const card = h("section", { class: "card" }, h("h2", {}, "Settings"), this.#file, this.#warnings, this.#trouble, this.#restart, this.#groups);
    const parts = ["backup-card", "log-view", "about-card"].map((name) => Object.assign(document.createElement(name), { app: this.app }));
    this.replaceChildren(card, ...parts);
    this.#cleanup.listen(this, "setting", (event) => this.#show(event.detail));
    this.#fresh = keepFresh(() => this.#load(), this.app.live, ["settings.changed"], this.app.fail);
  }

  disconnectedCallback() {
    this.#fresh?.stop();
    this.#cleanup.run();
  }

  async #load() {
    try {
      const settings = await house.settings();
      if (!this.#rows.size) await this.#build(settings);
      this.#trouble.textContent = "";
      this.#show(settings);
    } catch (error) {
      if (/** @type {any} */ (error).status !== 409) throw error;
      this.#trouble.textContent = /** @type {Error} */ (error).message;
    }
  }

  /** @param {Settings} settings */
  async #build({ settings }) {
    const { voices, blends } = await this.app.api.voices();
    const named = /** @type {[string, string][]} */ ([...voices.map(({ id, name }) => [id, name ?? id]), ...blends.map(({ name }) => [name, name])]);
    /** @type {Map<string, HTMLElement>} */
    const groups = new Map();
    for (const setting of settings) {
      let group = groups.get(setting.group);
      if (!group) groups.set(setting.group, (group = h("section", { class: "group" }, h("h3", {}, setting.group))));
      const row = Object.assign(document.createElement("setting-row"), { setting, voices: named });
      this.#rows.set(setting.name, row);
      group.append(row);
    }
    this.#groups.replaceChildren(...groups.values());
  }

  /** @param {Settings} told */
  #show(told) {
    for (const setting of told.settings) {
      const row = this.#rows.get(setting.name);
      if (JSON.stringify(row.setting) !== JSON.stringify(setting)) row.setting = setting;
    }
    this.#file.replaceChildren(told.there ? "They stand in " : "The first change makes the file ", h("code", {}, told.file), told.there ? ", where your own comments stay." : ".");
    this.#warnings.replaceChildren(...told.warnings.map((warning) => h("li", {}, warning)));
    if (this.#restarting) return;
    this.#restart.replaceChildren(
      ...(told.waits
        ? [
            h("p", {}, told.can_restart ? "Some changes hold once Lectern has started again." : "Some changes hold once you have stopped Lectern and started it again."),
            told.can_restart ? h("button", { class: "button primary", type: "button", onclick: () => this.#again() }, "Start Lectern again") : null,
          ].filter((part) => part !== null)
        : []),
    );
  }

  async #again() {
    this.#restarting = true;
    try {
      await house.restart();
      this.#restart.replaceChildren(h("p", {}, "Lectern starts again. This page goes on by itself in a few seconds."));
      await this.#answers();
      this.#restart.replaceChildren(h("p", {}, "Lectern has started again."));
    } catch (error) {
      this.#restart.replaceChildren(h("p", { class: "said-here" }, /** @type {Error} */ (error).message));
    }
    this.#restarting = false;
    this.#fresh?.refresh();
  }

  /** Wait until nothing waits for a start any more. */
  async #answers() {
    for (const end = Date.now() + AGAIN_MS; Date.now() < end; ) {
      await new Promise((resolve) => setTimeout(resolve, 1000));
      const told = await house.settings().catch(() => null);
      if (told && !told.waits) return;
    }
    throw new Error("Lectern does not answer at this address yet. If you changed its address or port, it is at the new one; else look at the computer that it runs on.");
  }
}

customElements.define("settings-page", SettingsPage);
