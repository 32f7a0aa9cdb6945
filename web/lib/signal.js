/** A value that tells its subscribers when it changes. Shared state only; the audio element owns playback time. */

/** @template T */
export class Signal {
  /** @type {T} */
  #value;
  /** @type {Set<(value: T) => void>} */
  #listeners = new Set();

  /** @param {T} value */
  constructor(value) {
    this.#value = value;
  }

  get value() {
    return this.#value;
  }

  /** Subscribers hear of it at once, unless it is the value already there. */
  set value(next) {
    if (Object.is(next, this.#value)) return;
    this.#value = next;
    for (const listener of [...this.#listeners]) listener(next);
  }

  /**
   * Call `listener` now and at every change; returns the unsubscribe.
   * @param {(value: T) => void} listener
   * @returns {() => void}
   */
  subscribe(listener) {
    this.#listeners.add(listener);
    listener(this.#value);
    return () => this.#listeners.delete(listener);
  }
}
