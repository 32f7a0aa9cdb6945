/** The chapter indexes of one book, fetched when asked for and again when the render has moved on. */

/** @typedef {import("./types.js").ChapterIndex} ChapterIndex */
/** @typedef {import("./types.js").ChapterRow} ChapterRow */

const REFRESH_MS = 2000; // while nobody waits for it, not at every sentence

export class Chapters extends EventTarget {
  /** @type {Map<number, ChapterIndex>} */
  #indexes = new Map();
  /** @type {Map<number, Promise<ChapterIndex>>} */
  #loading = new Map();
  /** @type {Map<number, number>} */
  #timers = new Map();
  #fetch;
  #changes;

  /**
   * @param {readonly ChapterRow[]} list
   * @param {(chapter: number) => Promise<ChapterIndex>} fetch
   * @param {(index: ChapterIndex) => Promise<import("./types.js").Changes>} changes  what an index lacks by now
   */
  constructor(list, fetch, changes) {
    super();
    this.list = list;
    this.#fetch = fetch;
    this.#changes = changes;
  }

  /** The book was read anew: nothing that was fetched counts any more. @param {readonly ChapterRow[]} list */
  renew(list) {
    this.close();
    this.#indexes.clear();
    this.#loading.clear();
    this.list = list;
  }

  /** @param {number} chapter @returns {ChapterIndex|undefined} what is here already */
  peek(chapter) {
    return this.#indexes.get(chapter);
  }

  /** @param {number} chapter */
  row(chapter) {
    return this.list.find((row) => row.number === chapter);
  }

  /** @param {number} chapter @returns {Promise<ChapterIndex>} */
  async load(chapter) {
    return this.peek(chapter) ?? this.reload(chapter);
  }

  /**
   * Bring up to date and tell with a `change` event; one request at a time for a chapter.
   * @param {number} chapter
   * @returns {Promise<ChapterIndex>}
   */
  reload(chapter) {
    const running = this.#loading.get(chapter);
    if (running) return running;
    clearTimeout(this.#timers.get(chapter));
    this.#timers.delete(chapter);
    const request = this.#newest(chapter)
      .then((index) => {
        if (this.#loading.get(chapter) !== request) return index; // of the book as it was before
        this.#indexes.set(chapter, index);
        this.dispatchEvent(new CustomEvent("change", { detail: { chapter } }));
        return index;
      })
      .finally(() => this.#loading.get(chapter) === request && this.#loading.delete(chapter));
    this.#loading.set(chapter, request);
    return request;
  }

  /** @param {number} chapter @returns {Promise<ChapterIndex>} */
  async #newest(chapter) {
    const ours = this.peek(chapter);
    if (!ours) return this.#fetch(chapter);
    const { whole, sentences, ...totals } = await this.#changes(ours);
    if (whole) return this.#fetch(chapter);
    const changed = new Map(sentences.map((entry) => [entry.id, entry]));
    return { ...ours, ...totals, sentences: ours.sentences.map((entry) => changed.get(entry.id) ?? entry) };
  }

  /**
   * The server has `revision` of a chapter: fetch it if ours is older, now or soon.
   * @param {number} chapter
   * @param {number} revision
   * @param {boolean} now
   */
  outdated(chapter, revision, now) {
    const ours = this.peek(chapter);
    if (!ours || ours.revision >= revision) return;
    if (!now && this.#timers.has(chapter)) return;
    clearTimeout(this.#timers.get(chapter));
    const later = () => {
      this.#timers.delete(chapter);
      // A failed refresh is no loss: the next progress event asks again.
      this.reload(chapter).catch(() => undefined);
    };
    this.#timers.set(chapter, setTimeout(later, now ? 0 : REFRESH_MS));
  }

  close() {
    for (const timer of this.#timers.values()) clearTimeout(timer);
    this.#timers.clear();
  }
}
