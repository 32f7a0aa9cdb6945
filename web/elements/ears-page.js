/** All sentences of the household that wait to be listened to, on a page of their own. In: `app`. */

import { h } from "../lib/dom.js";
import { icon } from "../lib/icons.js";

class EarsPage extends HTMLElement {
  /** Set before it is connected. @type {import("../dashboard.js").App} */
  app = /** @type {any} */ (null);
  /** @type {string[]} */
  path = [];

  connectedCallback() {
    document.title = "Sentences to check · Lectern";
    const editor = /** @type {any} */ (Object.assign(document.createElement("say-editor"), { app: this.app }));
    this.addEventListener("edit", (event) => editor.edit(/** @type {CustomEvent} */ (event).detail));
    this.replaceChildren(
      h("header", { class: "page-head" }, h("a", { class: "quiet-link back", href: "#/" }, icon("back"), "Dashboard"), h("h2", { class: "page-title", tabindex: -1 }, "Sentences to check")),
      Object.assign(document.createElement("ears-queue"), { app: this.app }),
      editor,
    );
  }
}

customElements.define("ears-page", EarsPage);
