/** A line above the page while nobody answers: what is wrong, what to do, and that the page goes on by itself. In: `watch`. */

import { h } from "../lib/dom.js";

const BACK_MS = 3000;

class TroubleLine extends HTMLElement {
  /** Set before it is connected. @type {import("../lib/watch.js").Watch} */
  watch = /** @type {any} */ (null);
  #what = h("strong", {});
  #remedy = h("span", {});
  #said = h("p", { role: "status" }, this.#what, " ", this.#remedy);
  #again = h("button", { class: "button", type: "button", onclick: () => this.watch.now() }, "Try now");
  #timer = 0;
  #off = () => {};

  connectedCallback() {
    this.replaceChildren(h("div", { class: "trouble-said" }, this.#said, this.#again));
    this.#off = this.watch.trouble.subscribe((trouble) => this.#show(trouble));
  }

  disconnectedCallback() {
    this.#off();
    clearTimeout(this.#timer);
  }

  /** @param {import("../lib/trouble.js").Trouble|null} trouble */
  #show(trouble) {
    clearTimeout(this.#timer);
    const was = this.hasAttribute("data-on");
    this.toggleAttribute("data-on", trouble !== null || was);
    this.#again.hidden = trouble === null;
    this.#what.textContent = trouble ? trouble.what : was ? "Lectern is back." : "";
    this.#remedy.textContent = trouble ? `${trouble.remedy} Your place is kept; the page goes on by itself.` : "";
    this.#makeRoom();
    if (trouble === null && was) this.#timer = window.setTimeout(() => this.#away(), BACK_MS);
  }

  #away() {
    this.removeAttribute("data-on");
    this.#what.textContent = "";
    this.#makeRoom();
  }

  /** What else stays at the top of the window stays below this. */
  #makeRoom() {
    document.documentElement.style.setProperty("--trouble", this.hasAttribute("data-on") ? `${this.offsetHeight}px` : "0px");
  }
}

customElements.define("trouble-line", TroubleLine);
