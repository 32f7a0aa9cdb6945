/** Which Lectern this is, under which licences it comes, and what is installed with it. */

import { h } from "../lib/dom.js";
import { counted } from "../lib/format.js";
import { house } from "../lib/house-api.js";

class AboutCard extends HTMLElement {
  /** Set before it is connected. @type {import("../dashboard.js").App} */
  app = /** @type {any} */ (null);
  #body = h("div", {});

  connectedCallback() {
    this.replaceChildren(h("section", { class: "card" }, h("h2", {}, "About"), this.#body));
    house.about().then((about) => this.#show(about), this.app.fail);
  }

  /** @param {import("../lib/house-api.js").About} about */
  #show({ version, licence, python, system, model, packages }) {
    const rows = [...packages].sort((a, b) => a.name.localeCompare(b.name, "en", { sensitivity: "base" }));
    this.#body.replaceChildren(
      h(
        "dl", { class: "about-facts" },
        ...fact("Lectern", version, `Free software under ${licence}: you may use, study, share and change it.`),
        ...fact("Voice", model ? model.name : "not installed", model ? `Under ${model.licence}, from ${model.source}, ${model.revision.slice(0, 24)}.` : "“Health” on the dashboard says how to get it."),
        ...fact("This computer", system, `Python ${python}`),
      ),
      h(
        "details", {}, h("summary", {}, `${counted(rows.length, "package")} that it is built on, with their licences`),
        h(
          "div", { class: "scroll", tabindex: "0", role: "region", "aria-label": "Packages and their licences" },
          h(
            // On a phone rows are laid out as grids, and would be no rows to a screen reader without their roles.
            "table", { role: "table" }, h("thead", { role: "rowgroup" }, h("tr", { role: "row" }, ...["Package", "Version", "Licence"].map((name) => h("th", { role: "columnheader", scope: "col" }, name)))),
            h("tbody", { role: "rowgroup" }, ...rows.map((one) => h("tr", { role: "row" }, h("th", { role: "rowheader", scope: "row" }, one.name), h("td", { role: "cell" }, one.version), h("td", { role: "cell" }, one.licence)))),
          ),
        ),
      ),
    );
  }
}

/** @param {string} name @param {string} value @param {string} more */
const fact = (name, value, more) => [h("div", {}, h("dt", {}, name), h("dd", {}, value), h("dd", { class: "quiet" }, more))];

customElements.define("about-card", AboutCard);
