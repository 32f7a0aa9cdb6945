/** How fast this computer rendered, over days. */

import { h } from "../lib/dom.js";
import { house } from "../lib/house-api.js";
import { bars } from "../lib/plots.js";
import { speedRows } from "../lib/speed-words.js";

class RenderSpeed extends HTMLElement {
  /** Set before it is connected. @type {import("../dashboard.js").App} */
  app = /** @type {any} */ (null);
  #body = h("div", {}, h("p", { class: "quiet pad" }, "Looking …"));

  connectedCallback() {
    this.replaceChildren(h("section", { class: "card" }, h("h2", {}, "Speed of rendering"), this.#body));
    this.#load().catch(this.app.fail);
  }

  async #load() {
    const { days, hours } = await house.speed();
    const told = speedRows(hours, days, Date.now());
    if (!told) return this.#body.replaceChildren(h("p", { class: "quiet pad" }, `Nothing has been rendered for ${days} days.`));
    const { rows, said, label, ends } = told;
    const some = rows.filter(({ value }) => value).reverse();
    this.#body.replaceChildren(
      h("p", { class: "quiet pad" }, said),
      h("div", { class: "days" }, bars(rows, label, 1)),
      h("p", { class: "ends quiet" }, ...ends.map((end) => h("span", {}, end))),
      h("p", { class: "quiet pad" }, "The line is the speed of speech: what stands above it was rendered faster than it is heard."),
      h("details", {}, h("summary", {}, "One by one"), h("ul", { role: "list", class: "rows" }, ...some.map(({ words }) => h("li", { class: "day" }, words)))),
    );
  }
}

customElements.define("render-speed", RenderSpeed);
