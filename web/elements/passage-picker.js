/** Chooses what is heard: a passage that comes with Lectern, or one of a book. In: `app`, `show(passages)`. Out: `passage` {…}. */

import { joined } from "../lib/audition-text.js";
import { h } from "../lib/dom.js";
import { opening } from "../lib/format.js";

/** @typedef {import("../lib/audition-takes.js").Passage} Passage */

const LONGEST = 1_200; // characters of a passage of one's own: a minute of speech
const OWN = "own";

class PassagePicker extends HTMLElement {
  /** Set before it is connected. @type {import("../dashboard.js").App} */
  app = /** @type {any} */ (null);
  /** @type {import("../lib/audition-api.js").BuiltIn[]} */
  #passages = [];
  #chips = h("div", { class: "chips", role: "group", "aria-label": "Passages" });
  #book = h("select", { class: "field", "aria-label": "Book", onchange: () => this.#openBook() });
  #chapter = h("select", { class: "field", "aria-label": "Chapter", onchange: () => this.#openChapter() });
  #from = h("select", { class: "field", "aria-label": "From this sentence on", onchange: () => this.#tellOwn() });
  #own = h("div", { class: "own-passage", hidden: true }, this.#book, this.#chapter, this.#from);
  /** @type {import("../lib/types.js").BookDetail|null} */
  #detail = null;
  /** @type {import("../lib/types.js").SentenceEntry[]} */
  #sentences = [];

  connectedCallback() {
    this.replaceChildren(this.#chips, this.#own);
  }

  /** @param {import("../lib/audition-api.js").BuiltIn[]} passages */
  show(passages) {
    this.#passages = passages;
    this.#chips.replaceChildren(...[...passages, { id: OWN, title: "From a book …" }].map(({ id, title }) =>
      h("button", { type: "button", class: "chip", "data-id": id, "aria-pressed": "false", onclick: () => this.choose(id) }, title)));
  }

  /** @param {string} id */
  choose(id) {
    for (const chip of this.#chips.children) chip.setAttribute("aria-pressed", String(/** @type {HTMLElement} */ (chip).dataset.id === id));
    this.#own.hidden = id !== OWN;
    if (id === OWN) return void this.#openBooks().catch(this.app.fail);
    const found = this.#passages.find((one) => one.id === id);
    if (found) this.#tell({ ...found, language: "en", book: null });
  }

  async #openBooks() {
    if (this.#book.options.length) return this.#tellOwn();
    const { books } = await this.app.api.page({ sort: "opened", limit: 100 });
    if (!books.length) return void this.#own.replaceChildren(h("p", { class: "quiet" }, "There is no book yet. Add one on the dashboard, then come back."));
    this.#book.replaceChildren(...books.map(({ id, title }) => h("option", { value: id }, title)));
    await this.#openBook();
  }

  async #openBook() {
    try {
      this.#detail = await this.app.api.book(this.#book.value);
      const read = this.#detail.chapters_list.filter(({ enabled }) => enabled);
      this.#chapter.replaceChildren(...read.map(({ number, title }) => h("option", { value: number }, title || `Chapter ${number}`)));
      await this.#openChapter();
    } catch (error) {
      this.app.fail(/** @type {Error} */ (error));
    }
  }

  async #openChapter() {
    const [book, chapter] = [this.#book.value, Number(this.#chapter.value)];
    if (!chapter) return;
    try {
      const { sentences } = await this.app.api.chapter(book, chapter);
      if (book !== this.#book.value || chapter !== Number(this.#chapter.value)) return; // another was chosen meanwhile
      this.#sentences = sentences;
      this.#from.replaceChildren(...sentences.map(({ text }, at) => h("option", { value: at }, opening(text, 60))));
      const first = sentences.findIndex(({ block }) => block !== "heading");
      this.#from.value = String(Math.max(0, first));
      this.#tellOwn();
    } catch (error) {
      this.app.fail(/** @type {Error} */ (error));
    }
  }

  #tellOwn() {
    const from = Number(this.#from.value);
    let characters = 0;
    const some = this.#sentences.slice(from).filter(({ text }, at) => (characters += text.length) <= LONGEST || at === 0);
    const book = this.#detail;
    if (!some.length || !book) return;
    const { text, starts } = joined(some);
    this.#tell({
      id: OWN,
      title: book.title,
      listen_for: "As this book would sound.",
      text,
      language: (book.read_as ?? book.language).slice(0, 2).toLowerCase(),
      book: { id: book.id, chapter: Number(this.#chapter.value), sentences: some.map(({ id }) => id), starts },
    });
  }

  /** @param {Passage} passage */
  #tell(passage) {
    this.dispatchEvent(new CustomEvent("passage", { detail: passage, bubbles: true }));
  }
}

customElements.define("passage-picker", PassagePicker);
