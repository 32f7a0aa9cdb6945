/** Above the controls: where another device has moved on to, and the way back from a jump. In: `places`, `run`. */

import { Cleanup, h } from "../lib/dom.js";
import { said } from "../lib/device.js";
import { ago, quoted } from "../lib/format.js";
import { icon } from "../lib/icons.js";

const SHOWN_MS = 12_000;
const AGO_MS = 30_000; // how long ago it was is told anew so often

class OtherPlace extends HTMLElement {
  /** Run something that may fail; set before `places`. @type {(going: () => unknown) => void} */
  run = () => undefined;
  /** To be put where there is room for it. */
  back = h("button", { class: "pill back-there", type: "button", hidden: true }, icon("undo"), "Back to where you were");
  #who = h("p", { class: "who" });
  #where = h("p", { class: "where" });
  #announced = h("p", { class: "visually-hidden", role: "status" });
  #card = h("section", { class: "card", "aria-label": "Another device", hidden: true });
  #cleanup = new Cleanup();
  #timer = 0;
  /** @type {import("../lib/places.js").Shown|null} */
  #there = null;

  connectedCallback() {
    this.replaceChildren(this.#announced, this.#card);
    // Nothing goes away under somebody's finger or focus.
    for (const name of ["focus", "pointerenter"]) this.#cleanup.listen(this.back, name, () => clearTimeout(this.#timer));
    for (const name of ["blur", "pointerleave"]) this.#cleanup.listen(this.back, name, () => this.#hideLater());
    const clock = setInterval(() => this.#tellWho(), AGO_MS);
    this.#cleanup.add(() => clearInterval(clock));
  }

  disconnectedCallback() {
    this.#cleanup.run();
    clearTimeout(this.#timer);
  }

  /** @param {import("../lib/places.js").Places} places */
  set places(places) {
    const choose = (/** @type {() => unknown} */ act) => () => this.run(act);
    this.#card.replaceChildren(
      this.#who, this.#where,
      h(
        "div", { class: "acts" },
        h("button", { class: "button primary", type: "button", onclick: choose(() => places.goThere()) }, "Go there"),
        h("button", { class: "button", type: "button", onclick: choose(() => places.stay()) }, "Stay here"),
      ),
    );
    this.#cleanup.listen(this.back, "click", choose(() => places.back()));
    this.#cleanup.add(places.elsewhere.subscribe((there) => this.#show(there)), places.left.subscribe((left) => this.#offer(left !== null)));
  }

  /** @param {import("../lib/places.js").Shown|null} there */
  #show(there) {
    this.#there = there;
    const was = !this.#card.hidden;
    const inside = this.#card.contains(document.activeElement);
    this.#card.hidden = !there;
    if (inside && !there) /** @type {HTMLElement|null} */ (document.querySelector(".play"))?.focus();
    if (!there) return void (this.#announced.textContent = "");
    this.#tellWho();
    this.#where.replaceChildren(h("span", { class: "title" }, there.title), there.text ? ` ${quoted(there.text)}` : "");
    // Said once: the other device may move on every few seconds.
    if (!was) this.#announced.textContent = `${this.#who.textContent}: ${this.#where.textContent}. Go there, or stay here?`;
  }

  #tellWho() {
    if (!this.#there) return;
    const who = said(this.#there.device);
    const when = this.#there.updated ? ` · ${ago(this.#there.updated)}` : "";
    this.#who.textContent = `${who[0].toUpperCase()}${who.slice(1)} went on${when}`;
  }

  /** @param {boolean} shown */
  #offer(shown) {
    if (!shown && document.activeElement === this.back) /** @type {HTMLElement|null} */ (document.querySelector(".play"))?.focus();
    this.back.hidden = !shown;
    if (shown) this.#hideLater();
    else clearTimeout(this.#timer);
  }

  #hideLater() {
    clearTimeout(this.#timer);
    this.#timer = window.setTimeout(() => document.activeElement !== this.back && (this.back.hidden = true), SHOWN_MS);
  }
}

customElements.define("other-place", OtherPlace);
