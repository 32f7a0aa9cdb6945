/** The bookmarks of one book, as the server has them. */

import { Signal } from "./signal.js";

/** @typedef {import("./types.js").Bookmark} Bookmark */

export class Bookmarks {
  /** In reading order. @type {Signal<readonly Bookmark[]>} */
  list = new Signal(/** @type {readonly Bookmark[]} */ ([]));
  #api;
  #book;
  #edition;
  #asked = 0;
  #off;

  /**
   * @param {Pick<typeof import("./api.js").api, "bookmarks"|"addBookmark"|"noteBookmark"|"removeBookmark">} api
   * @param {import("./live.js").Live} live
   * @param {string} book
   * @param {() => number|undefined} edition  that is open
   */
  constructor(api, live, book, edition) {
    this.#api = api;
    this.#book = book;
    this.#edition = edition;
    const again = () => this.load().catch(() => undefined); // the next event asks again
    const offs = [live.on("bookmarks", (data) => data.book === book && again()), live.on("resync", again)];
    this.#off = () => offs.forEach((off) => off());
    again();
  }

  close() {
    this.#off();
  }

  async load() {
    const asked = (this.#asked += 1);
    const list = await this.#api.bookmarks(this.#book);
    if (asked === this.#asked) this.list.value = list;
  }

  /** The one of a sentence. @param {number|undefined} chapter @param {string|undefined} sentence */
  of(chapter, sentence) {
    return this.list.value.find((mark) => mark.chapter === chapter && mark.sentence === sentence);
  }

  /** The sentences of a chapter that have one. @param {number} chapter */
  in(chapter) {
    return new Set(this.list.value.filter((mark) => mark.chapter === chapter).map((mark) => mark.sentence));
  }

  /** @param {import("./types.js").Place & {note?: string|null}} place */
  async add({ chapter, sentence, word, note }) {
    const mark = await this.#api.addBookmark(this.#book, { chapter, sentence, word, note, edition: this.#edition() });
    await this.load();
    return mark;
  }

  /** @param {Bookmark} mark @param {string} note  empty: none */
  async note(mark, note) {
    await this.#api.noteBookmark(this.#book, mark.id, note.trim() || null);
    await this.load();
  }

  /** @param {Bookmark} mark */
  async remove(mark) {
    try {
      await this.#api.removeBookmark(this.#book, mark.id);
    } catch (error) {
      if (/** @type {{status?: number}} */ (error).status !== 404) throw error; // gone already is what was wanted
    }
    await this.load();
  }
}
