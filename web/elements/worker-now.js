/** What the voice is rendering now, how fast, and what the house holds. */

import { Cleanup, h } from "../lib/dom.js";
import { counted, size, span } from "../lib/format.js";
import { keepFresh } from "../lib/fresh.js";
import { house } from "../lib/house-api.js";
import { icon } from "../lib/icons.js";

/** @typedef {import("../lib/types.js").Status} Status */

const MACHINE_MS = 10_000;
const STATES = /** @type {Record<string, string>} */ ({
  starting: "Starting the voice …",
  idle: "Everything is rendered.",
  rendering: "Rendering",
  waiting: "Waiting",
  down: "The render process has stopped. It starts again by itself.",
  "no-model": "The voice is not installed yet.",
});

class WorkerNow extends HTMLElement {
  /** Set before it is connected. @type {import("../dashboard.js").App} */
  app = /** @type {any} */ (null);
  /** @type {ReturnType<typeof keepFresh>|null} */
  #fresh = null;
  #cleanup = new Cleanup();
  /** @type {{memory_bytes: number|null, free_bytes: number|null}|null} */
  #machine = null;
  /** @type {Status|null} */
  #status = null;
  /** @type {Map<string, string>} */
  #titles = new Map();
  #state = h("p", { class: "state", role: "status" });
  #text = h("p", { class: "now-text" });
  #where = h("p", { class: "quiet" });
  #warning = h("p", { class: "warning", role: "status", hidden: true });
  #notice = h("p", { class: "notice", role: "status", hidden: true });
  #facts = h("dl", { class: "facts" });

  connectedCallback() {
    this.replaceChildren(h("section", { class: "card now" }, this.#state, this.#text, this.#where, this.#warning, this.#notice, this.#facts));
    const { live } = this.app;
    this.#fresh = keepFresh(() => this.#load(), live, ["book.added", "book.removed", "rules.changed", "import.started", "import.refused", "library.notice"], this.app.fail, 2000);
    this.#cleanup.add(
      live.on("render.state", (data) => this.#merge({ state: data.state, detail: data.detail, now: data.now, warning: data.warning })),
      live.on("render.progress", (data) => this.#merge({ speed: data.speed })),
    );
    this.#cleanup.every(MACHINE_MS, () => document.visibilityState === "visible" && this.#measure());
    this.#measure();
  }

  disconnectedCallback() {
    this.#fresh?.stop();
    this.#cleanup.run();
  }

  async #load() {
    this.#status = await this.app.api.status();
    this.app.works();
    this.#show();
  }

  async #measure() {
    try {
      this.#machine = await house.machine();
      if (this.#status) this.#show();
    } catch {
      return; // the page says elsewhere that nobody answers
    }
  }

  /** @param {Partial<import("../lib/types.js").WorkerState>} change */
  #merge(change) {
    if (!this.#status) return;
    Object.assign(this.#status.worker, change);
    this.#show();
  }

  /** Learn the title of a book, once. @param {string} id */
  #name(id) {
    if (this.#titles.has(id)) return;
    this.#titles.set(id, "A book");
    this.app.api.book(id).then((book) => {
      this.#titles.set(id, book.title);
      this.#show();
    }, () => this.#titles.delete(id));
  }

  #show() {
    const status = /** @type {Status} */ (this.#status);
    const { state, detail, speed, now, warning } = status.worker;
    const more = status.waiting ? `, ${counted(status.waiting, "more file")} to come` : "";
    const reading = status.importing.length ? `Reading ${status.importing.join(", ")}${more} …` : "";
    this.dataset.state = state;
    this.#state.textContent = reading || (state === "idle" && !status.books ? "Nothing to do yet." : STATES[state] ?? state);
    this.#text.textContent = state === "rendering" && now ? now.text : (detail ?? "");
    this.#text.hidden = !this.#text.textContent;
    if (now) this.#name(now.book);
    this.#where.textContent = state === "rendering" && now ? `${this.#titles.get(now.book) ?? "A book"}, chapter ${now.chapter}` : "";
    this.#warning.hidden = !warning;
    this.#warning.replaceChildren(...(warning ? [h("span", { class: "mark bad" }, icon("bad")), h("span", {}, warning)] : []));
    const notice = [status.notice, status.space].filter(Boolean).join(" ");
    this.#notice.hidden = !notice;
    this.#notice.replaceChildren(...(notice ? [h("span", { class: "mark bad" }, icon("bad")), h("span", {}, notice)] : []));
    this.#facts.replaceChildren(
      ...(state === "rendering" && speed ? fact(`${speed.toFixed(speed < 1 ? 2 : speed < 10 ? 1 : 0)}×`, "the speed of speech") : []),
      ...fact(String(status.books), counted(status.books, "book").replace(/^\S+ /, "")),
      ...(this.#machine?.memory_bytes ? fact(size(this.#machine.memory_bytes), "of memory") : []),
      ...(this.#machine?.free_bytes ? fact(size(this.#machine.free_bytes), "free on the disk") : []),
      ...fact(status.rendered_s ? span(status.rendered_s) : "–", status.audio_bytes ? `of audio, ${size(status.audio_bytes)}` : "of audio"),
    );
  }
}

/** @param {string} value @param {string} name */
const fact = (value, name) => [h("div", {}, h("dd", {}, value), h("dt", {}, name))];

customElements.define("worker-now", WorkerNow);
