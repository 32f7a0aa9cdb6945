/** The end of the server's log, which holds nothing private and may be copied for whoever helps. */

import { Cleanup, h } from "../lib/dom.js";
import { house } from "../lib/house-api.js";

/** @typedef {import("../lib/house-api.js").LogLine} LogLine */

const LINES = 200;
const AGAIN_MS = 5000;
const LEVELS = /** @type {[string, string][]} */ ([["info", "Everything"], ["warning", "What is odd"], ["error", "What went wrong"]]);

class LogView extends HTMLElement {
  /** Set before it is connected. @type {import("../dashboard.js").App} */
  app = /** @type {any} */ (null);
  #cleanup = new Cleanup();
  /** @type {LogLine[]} */
  #lines = [];
  #shown = "";
  #level = h("select", { class: "field", "aria-label": "What of it" }, ...LEVELS.map(([value, words]) => h("option", { value }, words)));
  #find = h("input", { class: "field find", type: "search", placeholder: "Look for …", "aria-label": "Look for" });
  #list = h("ol", { class: "log", role: "list", tabindex: "0", "aria-label": "Log, the newest line last" });
  #none = h("p", { class: "quiet pad", hidden: true });
  #said = h("span", { class: "quiet", role: "status" });

  connectedCallback() {
    const copy = h("button", { class: "button", type: "button", onclick: () => this.#copy() }, "Copy");
    this.replaceChildren(
      h(
        "section", { class: "card" }, h("h2", {}, "Log"),
        h("p", { class: "quiet pad" }, "What the server did. Titles, texts, folders and secrets are taken out: you may send it to somebody who helps you."),
        h("div", { class: "log-tools" }, this.#level, this.#find, copy, this.#said), this.#list, this.#none,
      ),
    );
    this.#cleanup.listen(this.#level, "change", () => this.#load());
    this.#cleanup.listen(this.#find, "input", () => this.#show());
    this.#cleanup.every(AGAIN_MS, () => document.visibilityState === "visible" && this.#load());
    this.#load();
  }

  disconnectedCallback() {
    this.#cleanup.run();
  }

  async #load() {
    try {
      this.#lines = (await house.log(this.#level.value, LINES)).lines;
      this.#show();
    } catch {
      return; // the page says above that nobody answers; what was read stays
    }
  }

  #found() {
    const wanted = this.#find.value.trim().toLowerCase();
    return this.#lines.filter((line) => asText(line).toLowerCase().includes(wanted));
  }

  #show() {
    const found = this.#found();
    const shown = found.map(asText).join("\n");
    this.#none.hidden = found.length > 0;
    this.#list.hidden = !found.length;
    this.#none.textContent = this.#lines.length ? "Nothing in it is called that." : "Nothing of that kind is in the log.";
    if (shown === this.#shown) return;
    this.#shown = shown;
    const atEnd = this.#list.scrollHeight - this.#list.scrollTop - this.#list.clientHeight < 40;
    this.#list.replaceChildren(...found.map(row));
    if (atEnd) this.#list.scrollTop = this.#list.scrollHeight;
  }

  async #copy() {
    try {
      await navigator.clipboard.writeText(this.#found().map(asText).join("\n"));
      this.#said.textContent = "Copied.";
    } catch {
      getSelection()?.selectAllChildren(this.#list);
      this.#said.textContent = "It is selected: copy it from there.";
    }
  }
}

/** @param {LogLine} line */
const asText = ({ at, level, who, text, more }) => [`${at ?? ""} ${level.toUpperCase()} ${who}: ${text}`.trim(), ...more.map((one) => `    ${one}`)].join("\n");

/** @param {LogLine} line */
function row({ at, level, who, text, more }) {
  const when = at ? new Date(at).toLocaleString(undefined, { month: "short", day: "numeric", hour: "2-digit", minute: "2-digit", second: "2-digit" }) : "";
  return h(
    "li", { class: level },
    h("p", { class: "quiet" }, [when, who.replace(/^server\./, ""), level === "info" ? "" : level].filter(Boolean).join(" · ")),
    h("p", { class: "text" }, text),
    more.length ? h("details", {}, h("summary", {}, "Where"), h("pre", {}, more.join("\n"))) : null,
  );
}

customElements.define("log-view", LogView);
