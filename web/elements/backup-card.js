/** Backups: one made now, those that are there, and how to go back to one. */

import { h } from "../lib/dom.js";
import { ago, size } from "../lib/format.js";
import { keepFresh } from "../lib/fresh.js";
import { house } from "../lib/house-api.js";

/** @typedef {import("../lib/house-api.js").Backup} Backup */

const SHOWN = 5;

class BackupCard extends HTMLElement {
  /** Set before it is connected. @type {import("../dashboard.js").App} */
  app = /** @type {any} */ (null);
  /** @type {ReturnType<typeof keepFresh>|null} */
  #fresh = null;
  #all = false;
  #words = h("p", { class: "quiet pad" });
  #audio = h("input", { type: "checkbox" });
  #now = h("button", { class: "button primary", type: "button", onclick: () => this.#make() }, "Back up now");
  #said = h("p", { class: "quiet", role: "status" });
  #trouble = h("p", { class: "said-here", role: "alert" });
  /** What became of the last restore. */
  #back = h("div", { class: "restored", role: "status" });
  #dialog = /** @type {any} */ (document.createElement("restore-dialog"));
  #input = h("input", { type: "file", accept: ".tar,.gz", hidden: true, tabindex: -1, "aria-label": "File of a backup" });
  #add = h("button", { class: "button", type: "button", onclick: () => this.#input.click() }, "Add a backup from a file …");
  #list = h("ul", { class: "rows", role: "list" });
  #more = h("button", { class: "button more", type: "button", hidden: true, onclick: () => ((this.#all = true), this.#fresh?.refresh()) });

  connectedCallback() {
    this.replaceChildren(
      h(
        "section", { class: "card" }, h("h2", {}, "Backups"), this.#words,
        h("div", { class: "doors" }, this.#now, h("label", { class: "tick" }, this.#audio, "with the audio, which makes it large"), this.#said),
        this.#trouble, this.#back, this.#list, this.#more, this.#add, this.#input,
      ),
      this.#dialog,
    );
    this.#dialog.addEventListener("back", () => this.#fresh?.refresh());
    this.#input.addEventListener("change", () => {
      const [file] = this.#input.files ?? [];
      this.#input.value = "";
      if (file) this.#send(file);
    });
    this.#fresh = keepFresh(() => this.#load(), this.app.live, ["backups.changed", "settings.changed"], this.app.fail);
  }

  disconnectedCallback() {
    this.#fresh?.stop();
  }

  async #load() {
    this.#show(await house.backups());
  }

  async #make() {
    this.#trouble.textContent = "";
    try {
      this.#show(await house.backUp(this.#audio.checked));
    } catch (error) {
      this.#trouble.textContent = /** @type {Error} */ (error).message;
    }
  }

  /** @param {File} file */
  async #send(file) {
    this.#trouble.textContent = "";
    this.#said.textContent = `“${file.name}” is being sent and checked …`;
    this.#add.disabled = true;
    try {
      const { name } = await house.addBackup(file);
      await this.#load();
      this.#said.textContent = `It is among the backups as ${name}.`;
    } catch (error) {
      this.#said.textContent = "";
      this.#trouble.textContent = /** @type {Error} */ (error).message;
    }
    this.#add.disabled = false;
  }

  /** @param {import("../lib/house-api.js").Backups["restored"]} restored */
  #tell(restored) {
    const lines = !restored ? [] : restored.trouble ? [`Lectern did not go back to a backup ${ago(restored.at)}; all is as it was. ${restored.trouble}`] : restored.told;
    const shown = JSON.stringify(lines);
    if (this.#back.dataset.told === shown) return;
    this.#back.dataset.told = shown;
    this.#back.classList.toggle("wrong", Boolean(restored?.trouble));
    this.#back.replaceChildren(...lines.map((line) => h("p", {}, line)));
  }

  /** @param {import("../lib/house-api.js").Backups} told */
  #show(told) {
    this.#tell(told.restored);
    const when = told.at === "off" ? "Lectern makes none by itself." : `Lectern makes one every night at ${told.at}.`;
    this.#words.replaceChildren(
      `Places, bookmarks, pronunciations, choices, people, settings and the texts in one file, read back before it counts. ${when} They lie in `,
      h("code", {}, told.folder), "; best is a folder on another disk.",
    );
    this.#now.disabled = told.making;
    this.#said.textContent = told.making ? "Being made …" : told.backups.length ? "" : "There is none yet.";
    this.#trouble.textContent = told.trouble ?? "";
    const shown = this.#all ? told.backups : told.backups.slice(0, SHOWN);
    const open = new Set([...this.#list.querySelectorAll("details[open]")].map((one) => /** @type {HTMLElement} */ (one).dataset.name));
    this.#list.replaceChildren(...shown.map((backup) => row(backup, told, open.has(backup.name), (day) => this.#dialog.ask(backup, day))));
    this.#more.hidden = shown.length === told.backups.length;
    this.#more.textContent = `Show all ${told.backups.length}`;
  }
}

/** @param {Backup} backup @param {import("../lib/house-api.js").Backups} told @param {boolean} open @param {(day: string) => void} ask */
function row({ name, made, nightly, audio, bytes, restore }, { stop, begin, can_restore }, open, ask) {
  const what = [nightly ? "made at night" : "asked for", audio ? "with the audio" : "without the audio", size(bytes)].join(" · ");
  const steps = [
    h("li", {}, "Stop Lectern: ", ...(stop ? [h("code", {}, stop)] : ["press Ctrl-C in the terminal that it runs in"]), "."),
    h("li", {}, "Put the backup back: ", h("code", {}, restore)),
    h("li", {}, "Start Lectern: ", h("code", {}, begin)),
  ];
  const day = new Date(made).toLocaleString(undefined, { weekday: "short", day: "numeric", month: "short", hour: "2-digit", minute: "2-digit" });
  return h(
    "li", { class: "backup" },
    h("p", { class: "name" }, day, " ", h("span", { class: "quiet" }, ago(made).includes("ago") || ago(made) === "just now" ? ago(made) : "")),
    h("p", { class: "quiet" }, what),
    can_restore ? h("button", { class: "button", type: "button", "aria-haspopup": "dialog", "aria-label": `Go back to ${day} …`, onclick: () => ask(day) }, "Go back to it …") : null,
    h(
      "details", { "data-name": name, open },
      h("summary", {}, can_restore ? "In a terminal" : "Go back to it"),
      h("p", { class: "quiet" }, "In a terminal of the computer that Lectern runs on. What is there now is put aside, not deleted."),
      h("ol", { class: "steps" }, ...steps),
    ),
  );
}

customElements.define("backup-card", BackupCard);
