/** Says that another version of Lectern is here, where nothing is lost by taking it. */

import { Cleanup, h } from "../lib/dom.js";
import { takeUpdate, update } from "../lib/offline-shell.js";

const OTHERS = "Lectern is open in another window too. Close that one, then try again.";

class ShellUpdate extends HTMLElement {
  #cleanup = new Cleanup();
  #said = h("span", {});

  connectedCallback() {
    const take = async () => {
      if (!(await takeUpdate())) this.#said.textContent = OTHERS;
    };
    const button = h("button", { class: "button", type: "button", onclick: take }, "Use it now");
    const note = h("div", { class: "news", role: "status", hidden: true }, this.#said, button);
    this.replaceChildren(note);
    this.#cleanup.add(update.subscribe((waits) => {
      this.#said.textContent = waits ? "A new version of Lectern is ready." : "";
      note.hidden = !waits;
    }));
  }

  disconnectedCallback() {
    this.#cleanup.run();
  }
}

customElements.define("shell-update", ShellUpdate);
