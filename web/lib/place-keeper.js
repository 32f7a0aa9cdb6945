/** Saves the listener's place: seldom while it moves, at once when it rests, never one that nobody moved to. */

/** @typedef {import("./types.js").Place} Place */

export const SAVE_EVERY_MS = 5000;

export class PlaceKeeper {
  /** @type {Place|null} moved to and not saved yet */
  #pending = null;
  /** @type {ReturnType<typeof setTimeout>|undefined} */
  #timer;
  #save;

  /** @param {(place: Place, keepalive: boolean) => Promise<unknown>} save */
  constructor(save) {
    this.#save = save;
  }

  /** @param {Place} place */
  move(place) {
    this.#pending = place;
    this.#timer ??= setTimeout(() => this.flush(), SAVE_EVERY_MS);
  }

  /**
   * Save what is pending now. A save that fails stays pending for the next one.
   * @param {boolean} [leaving]  the page may be gone before the answer
   */
  async flush(leaving = false) {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const place = this.#pending;
    if (!place) return;
    this.#pending = null;
    try {
      await this.#save(place, leaving);
    } catch (error) {
      const status = /** @type {{status?: number}} */ (error).status ?? 0;
      // Refused for good (the sentence is gone, the book deleted): asking again would not help.
      if (status >= 400 && status < 500) return;
      if (!this.#pending) this.move(place);
    }
  }
}
