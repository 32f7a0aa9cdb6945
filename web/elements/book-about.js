/** What a book is called, whose it is and what is on its cover, written by hand; and back to its own. In: `app`, `book`, `path`. */

import { changes, fieldsOf, itself, PICTURES, whyNoPicture } from "../lib/about-words.js";
import { bookApi } from "../lib/book-api.js";
import { h } from "../lib/dom.js";

/** @typedef {import("../lib/types.js").BookDetail} BookDetail */
/** @typedef {import("../lib/about-words.js").Part} Part */
/** @typedef {HTMLInputElement|HTMLTextAreaElement} Field */

const BACK = "Back to the book's own";

class BookAbout extends HTMLElement {
  /** Set before it is connected. @type {import("../dashboard.js").App} */
  app = /** @type {any} */ (null);
  path = /** @type {string[]} */ ([]);
  #book = /** @type {BookDetail} */ (/** @type {any} */ (null));
  /** As it is saved. */
  #before = fieldsOf({ title: "", subtitle: "", authors: [], series: "", series_index: null });
  /** @type {Record<string, Field>} */
  #fields = {
    title: h("input", { class: "field", name: "title", maxlength: 500, required: true, autocomplete: "off" }),
    subtitle: h("input", { class: "field", name: "subtitle", maxlength: 500, autocomplete: "off" }),
    authors: h("textarea", { class: "field", name: "authors", rows: 2, autocomplete: "off" }),
    series: h("input", { class: "field", name: "series", maxlength: 500, autocomplete: "off" }),
    series_index: h("input", { class: "field", name: "series_index", inputmode: "decimal", size: 6, autocomplete: "off" }),
  };
  /** What the book says itself, under each field. @type {Map<Part, HTMLElement>} */
  #own = new Map(/** @type {Part[]} */ (["title", "subtitle", "authors", "series", "cover"]).map((part) => [part, h("p", { class: "own", id: `own-${part}`, hidden: true })]));
  #said = h("p", { class: "said", role: "status" });
  #trouble = h("p", { class: "said-here", role: "alert", id: "about-trouble" });
  #pictureSaid = h("p", { class: "said", role: "status" });
  #pictureTrouble = h("p", { class: "said-here", role: "alert" });
  #cover = /** @type {any} */ (document.createElement("book-cover"));
  #input = h("input", { type: "file", accept: PICTURES.join(","), hidden: true, tabindex: -1, "aria-label": "Picture for the cover" });
  #choose = h("button", { class: "button", type: "button", onclick: () => this.#input.click() }, "Choose a picture …");

  /** @param {BookDetail} book */
  set book(book) {
    this.#book = book;
    if (this.isConnected) this.#show();
  }

  connectedCallback() {
    const { title, subtitle, authors, series, series_index } = this.#fields;
    const named = (/** @type {string} */ label, /** @type {Field} */ field, /** @type {Part|""} */ part, /** @type {string} */ hint = "") => {
      const help = hint ? h("span", { class: "quiet", id: `hint-${field.name}` }, hint) : null;
      const said = [help && `hint-${field.name}`, part && `own-${part}`].filter(Boolean).join(" ");
      if (said) field.setAttribute("aria-describedby", said);
      return h("div", { class: "named" }, h("label", {}, label, field), help, part ? this.#own.get(part) : null);
    };
    const form = h(
      "form", { class: "about-form", novalidate: true },
      named("Title", title, "title"), named("Subtitle", subtitle, "subtitle"),
      named("Authors", authors, "authors", "One on each line."),
      h("div", { class: "in-series" }, named("Series", series, "series"), named("Number in it", series_index, "")),
      h("p", { class: "quiet" }, "Shown everywhere at once, and kept when the book is read anew. Its file stays as it is."),
      this.#trouble,
      h("div", { class: "acts" }, h("button", { class: "button primary" }, "Save"), this.#said),
    );
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      this.#save();
    });
    this.#input.addEventListener("change", () => {
      const [file] = this.#input.files ?? [];
      this.#input.value = "";
      if (file) this.#send(file);
    });
    this.replaceChildren(
      h(
        "section", { class: "card about-book" },
        h("h3", { class: "visually-hidden" }, "About this book"),
        h("div", { class: "its-cover" }, this.#cover, this.#choose, this.#input, this.#own.get("cover") ?? null, this.#pictureSaid, this.#pictureTrouble),
        form,
      ),
    );
    this.#show();
  }

  /** What somebody is typing stays. */
  #show() {
    const now = fieldsOf(this.#book);
    for (const [name, field] of Object.entries(this.#fields)) {
      const key = /** @type {keyof typeof now} */ (name);
      if (field.value === this.#before[key] || field.value === now[key]) field.value = now[key];
    }
    this.#before = now;
    this.#fields.authors.setAttribute("rows", String(Math.min(6, Math.max(2, this.#book.authors.length))));
    this.#cover.book = this.#book;
    this.#cover.setAttribute("aria-hidden", "true");
    for (const [part, line] of this.#own) {
      const said = itself(this.#book, part);
      line.hidden = said === null;
      const shown = line.firstChild?.textContent === said; // a button with the focus stays the same one
      if (said !== null && !shown) line.replaceChildren(h("span", { class: "quiet" }, said), " ", this.#back(part));
    }
  }

  /** @param {Part} part */
  #back(part) {
    const name = part === "cover" ? BACK : `${BACK} ${part}`;
    return h("button", { class: "quiet-link", type: "button", "aria-label": name, onclick: () => (part === "cover" ? this.#ownCover() : this.#ownPart(part)) }, BACK);
  }

  async #save() {
    const typed = /** @type {import("../lib/about-words.js").Typed} */ (Object.fromEntries(Object.entries(this.#fields).map(([name, field]) => [name, field.value])));
    const { told, trouble, at } = changes(this.#before, typed);
    this.#tell(trouble, at);
    if (trouble) return this.#fields[at].focus();
    if (!Object.keys(told).length) return void (this.#said.textContent = "It is so already.");
    await this.#act(() => bookApi.writeAbout(this.#book.id, told), "Saved.", typed);
  }

  /** @param {Exclude<Part, "cover">} part */
  async #ownPart(part) {
    this.#fields[part].focus();
    for (const name of part === "series" ? ["series", "series_index"] : [part]) this.#fields[name].value = this.#before[/** @type {"title"} */ (name)];
    await this.#act(() => bookApi.writeAbout(this.#book.id, { own: [part] }), "It is as the book says.");
  }

  /** @param {() => Promise<BookDetail>} work @param {string} done @param {Record<string, string>} [typed]  what is saved with it */
  async #act(work, done, typed) {
    this.#tell("");
    try {
      const book = await work();
      for (const [name, field] of Object.entries(this.#fields)) {
        const key = /** @type {"title"} */ (name);
        if (typed && field.value === typed[name]) field.value = fieldsOf(book)[key];
      }
      this.book = book;
      this.#said.textContent = done;
    } catch (error) {
      this.#tell(/** @type {Error} */ (error).message);
    }
  }

  /** @param {string} trouble @param {string} [at]  the field that it is about */
  #tell(trouble, at) {
    this.#said.textContent = "";
    this.#trouble.textContent = trouble;
    for (const [name, field] of Object.entries(this.#fields)) {
      if (name === at) field.setAttribute("aria-invalid", "true");
      else field.removeAttribute("aria-invalid");
    }
  }

  /** @param {File} file */
  async #send(file) {
    const why = whyNoPicture(file);
    this.#pictureTrouble.textContent = why;
    if (!why) await this.#picture("Sending …", () => bookApi.sendCover(this.#book.id, file), "This is the cover now.");
  }

  async #ownCover() {
    this.#choose.focus();
    await this.#picture("", () => bookApi.ownCover(this.#book.id), "It is the book's own cover again.");
  }

  /** @param {string} doing @param {() => Promise<BookDetail>} work @param {string} done */
  async #picture(doing, work, done) {
    this.#pictureTrouble.textContent = "";
    this.#pictureSaid.textContent = doing;
    try {
      this.book = await work();
      this.#pictureSaid.textContent = done;
    } catch (error) {
      this.#pictureSaid.textContent = "";
      this.#pictureTrouble.textContent = /** @type {Error} */ (error).message;
    }
  }
}

customElements.define("book-about", BookAbout);
