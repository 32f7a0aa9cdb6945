/** How much of the audio was heard, by its own clock: seeking is no hearing. */

export class Heard {
  #seconds = 0;
  /** @type {number|null} audio clock when it was last looked at; null: nothing to count from */
  #from = null;
  #audio;
  #off = new AbortController();

  /** @param {HTMLAudioElement} audio */
  constructor(audio) {
    this.#audio = audio;
    const on = (/** @type {string} */ name, /** @type {() => void} */ run) => audio.addEventListener(name, run, { signal: this.#off.signal });
    on("playing", () => (this.#from = audio.currentTime));
    on("timeupdate", () => this.#look());
    on("pause", () => (this.#look(), (this.#from = null)));
    for (const name of ["seeking", "emptied", "ended"]) on(name, () => (this.#from = null));
    on("seeked", () => !audio.paused && (this.#from = audio.currentTime));
  }

  /** Seconds heard since the last call. */
  take() {
    this.#look();
    const seconds = this.#seconds;
    this.#seconds = 0;
    return seconds;
  }

  close() {
    this.#off.abort();
  }

  #look() {
    const now = this.#audio.currentTime;
    if (this.#from === null || this.#audio.seeking) return;
    this.#seconds += Math.max(0, now - this.#from);
    this.#from = now;
  }
}
