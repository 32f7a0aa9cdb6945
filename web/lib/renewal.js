/** Keeps an open book in step when it is read anew, or in another voice: its chapters may have moved, and the place with them. */

/** @typedef {import("./types.js").BookDetail} BookDetail */

export class Renewal {
  #book;
  #load;
  #save;
  #onNew;
  #running = false;
  #again = false;

  /**
   * @param {BookDetail} book  as it was opened
   * @param {() => Promise<BookDetail>} load
   * @param {() => Promise<unknown>} save  what is not saved yet of the place
   * @param {(book: BookDetail, moved: boolean) => unknown} onNew  `moved`: its text or its voice is another one
   */
  constructor(book, load, save, onNew) {
    this.#book = book;
    this.#load = load;
    this.#save = save;
    this.#onNew = onNew;
  }

  /** As it was last asked for. */
  get book() {
    return this.#book;
  }

  /** Which edition of the text is open: a place is one in it. */
  get edition() {
    return this.#book.edition;
  }

  /** Something of the book changed. A failed look is no loss: the next change, or a reconnection, asks again. */
  async look() {
    if (this.#running) return void (this.#again = true);
    this.#running = true;
    try {
      await this.#save(); // the server knows which edition it is a place in, and where that is now
      const book = await this.#load();
      const moved = book.edition !== this.#book.edition || book.rendition !== this.#book.rendition;
      this.#book = book;
      await this.#onNew(book, moved);
    } catch {
      // See above.
    } finally {
      this.#running = false;
    }
    if (this.#again) {
      this.#again = false;
      await this.look();
    }
  }
}
