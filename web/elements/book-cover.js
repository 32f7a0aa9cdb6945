/** A book's cover, or one set in type when it has none. */

import { h } from "../lib/dom.js";

const CLOTHS = 6; // colours of binding in the style sheet

class BookCover extends HTMLElement {
  /** @param {import("../lib/types.js").Book} book */
  set book(book) {
    this.#show(book);
  }

  /** @param {import("../lib/types.js").Book} book */
  #show(book) {
    if (!book.cover) return this.#setInType(book);
    const image = h("img", { src: book.thumbnail ?? book.cover, alt: "", loading: "lazy", decoding: "async" });
    image.addEventListener("error", () => this.#setInType(book), { once: true });
    this.replaceChildren(image);
  }

  /** @param {import("../lib/types.js").Book} book */
  #setInType(book) {
    const cloth = parseInt(book.id.slice(0, 6), 16) % CLOTHS || 0;
    const title = h("span", { class: book.title.length > 42 ? "title small" : "title" }, book.title);
    this.replaceChildren(
      h("span", { class: `cloth cloth-${cloth}`, "aria-hidden": "true" }, title, h("span", { class: "author" }, book.authors.join(", "))),
    );
  }
}

customElements.define("book-cover", BookCover);
