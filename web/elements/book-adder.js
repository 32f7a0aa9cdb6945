/** Adds books: dropped anywhere on the page, or chosen from a file dialog. A refusal is said where it happened. */

import { upload } from "../lib/api.js";
import { Cleanup, h } from "../lib/dom.js";
import { icon } from "../lib/icons.js";
import { bookHref } from "../lib/router.js";

const DONE_MS = 30_000; // long enough to follow its link

class BookAdder extends HTMLElement {
  /** Set before it is connected. @type {import("../dashboard.js").App} */
  app = /** @type {any} */ (null);
  #cleanup = new Cleanup();
  #folder = h("code", {});
  #rows = h("ul", { class: "uploads", role: "list", "aria-live": "polite" });
  #input = h("input", { type: "file", accept: ".epub,.txt,.md,.markdown,.html,.htm,.xhtml,.docx,application/epub+zip", multiple: true, class: "visually-hidden", id: "choose-files", "aria-label": "Books to add", tabindex: -1 });
  #inside = 0;

  connectedCallback() {
    const choose = h("button", { class: "button primary", type: "button", onclick: () => this.#input.click() }, icon("add"), "Add a book");
    this.replaceChildren(
      h(
        "section", { class: "card adder" },
        h("div", { class: "invite" }, choose, h("p", { class: "quiet" }, "or drop EPUBs, texts or Word documents anywhere on this page, or copy them into ", this.#folder)),
        this.#input, this.#rows,
      ),
      h("div", { class: "drop-veil", "aria-hidden": "true" }, h("p", {}, "Drop to add")),
    );
    this.#input.addEventListener("change", () => {
      this.#add([...(this.#input.files ?? [])]);
      this.#input.value = "";
    });
    this.#listenForDrops();
    // The folder is a help, not a need: without an answer the sentence ends in nothing.
    this.app.api.status().then((status) => (this.#folder.textContent = status.library), this.app.fail);
  }

  disconnectedCallback() {
    this.#cleanup.run();
  }

  /** A refusal that the server keeps is shown in its list: said once is enough. @param {string} reason */
  async #isListed(reason) {
    const refusals = await this.app.api.refusals().catch(() => []);
    return refusals.some((refusal) => refusal.reason === reason);
  }

  #listenForDrops() {
    const veil = (/** @type {boolean} */ on) => this.toggleAttribute("data-dropping", on);
    const holdsFiles = (/** @type {DragEvent} */ event) => event.dataTransfer?.types.includes("Files");
    this.#cleanup.listen(window, "dragenter", (event) => holdsFiles(event) && veil(++this.#inside > 0));
    this.#cleanup.listen(window, "dragleave", () => (this.#inside = Math.max(0, this.#inside - 1)) || veil(false));
    this.#cleanup.listen(window, "dragover", (event) => holdsFiles(event) && event.preventDefault());
    this.#cleanup.listen(window, "drop", (event) => {
      if (!holdsFiles(event)) return;
      event.preventDefault();
      this.#inside = 0;
      veil(false);
      this.#add([...event.dataTransfer.files]);
    });
  }

  /** One after another: a household's network is shared. @param {File[]} files */
  async #add(files) {
    const rows = files.map((file) => this.#row(file.name));
    for (const [i, file] of files.entries()) await rows[i].send(file);
  }

  /** @param {string} name */
  #row(name) {
    const meter = h("span", { class: "meter", role: "progressbar", "aria-label": `Sending ${name}`, "aria-valuemin": 0, "aria-valuemax": 100 });
    const said = h("p", { class: "said" }, "Waiting …");
    const row = h("li", {}, h("p", { class: "name" }, name), meter, said);
    this.#rows.append(row);
    /** @param {File} file @param {string} [language] */
    const send = async (file, language) => {
      said.textContent = "Sending …";
      row.classList.remove("refused");
      row.replaceChildren(h("p", { class: "name" }, name), meter, said);
      try {
        const book = await upload(file, (share) => {
          meter.style.setProperty("--share", String(share));
          meter.setAttribute("aria-valuenow", String(Math.round(share * 100)));
          if (share >= 1) said.textContent = "Reading the book …";
        }, language);
        said.replaceChildren(`Added: ${book.title}. It can be heard at once. `, h("a", { class: "quiet-link inline", href: `/${bookHref(book.id)}` }, "Listen to it"));
        row.classList.add("done");
        setTimeout(() => row.remove(), DONE_MS);
      } catch (error) {
        const { message, kind } = /** @type {import("../lib/api.js").ApiError} */ (error);
        said.textContent = message;
        // Only here is the file at hand to be sent again.
        const again = kind === "language" && !language;
        if (!again && (await this.#isListed(message))) return row.remove();
        row.classList.add("refused");
        if (again) row.append(h("button", { class: "button", type: "button", onclick: () => send(file, "en") }, "Read it as English"));
        row.append(h("button", { class: "round", type: "button", "aria-label": "Dismiss", onclick: () => row.remove() }, icon("close")));
      }
      meter.remove();
    };
    return { send };
  }
}

customElements.define("book-adder", BookAdder);
