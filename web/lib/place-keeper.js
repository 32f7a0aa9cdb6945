/** When the listener's place is told: seldom while it moves, at once when it rests, never one that nobody moved to. */

/** @typedef {import("./types.js").Place} Place */
/** @typedef {"played"|"jump"|"stay"} Reason  the voice got there; the listener went there; they chose to stay there */

export const SAVE_EVERY_MS = 5000;
export const JUMP_MS = 400; // taps that come quicker after one another are one jump

export class PlaceKeeper {
  /** @type {{place: Place, reason: Reason}|null} moved to and not told yet */
  #pending = null;
  /** @type {ReturnType<typeof setTimeout>|undefined} */
  #timer;
  #tell;

  /** @param {(place: Place, reason: Reason, leaving: boolean) => Promise<unknown>} tell  must not lose it */
  constructor(tell) {
    this.#tell = tell;
  }

  /** The voice got there. @param {Place} place */
  move(place) {
    // Where the voice got since a jump that nobody was told of is still where the listener went.
    this.#pending = { place, reason: this.#pending?.reason ?? "played" };
    this.#timer ??= setTimeout(() => this.flush(), SAVE_EVERY_MS);
  }

  /** The listener went there. @param {Place} place */
  jump(place) {
    if (this.#pending?.reason === "played") this.flush(); // where they left is where going back leads
    this.#later({ place, reason: "jump" }, JUMP_MS);
  }

  /** The listener chose to stay there. @param {Place} place */
  stay(place) {
    this.#pending = { place, reason: "stay" };
    return this.flush();
  }

  /**
   * Tell what is pending now.
   * @param {boolean} [leaving]  the page may be gone before the answer
   */
  async flush(leaving = false) {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const pending = this.#pending;
    this.#pending = null;
    if (pending) await this.#tell(pending.place, pending.reason, leaving);
  }

  /** @param {{place: Place, reason: Reason}} pending @param {number} ms */
  #later(pending, ms) {
    clearTimeout(this.#timer);
    this.#pending = pending;
    this.#timer = setTimeout(() => this.flush(), ms);
  }
}
