/** Watches whether the server answers; where it does not, finds out why, and asks again until it does. */

import { BASE } from "./api.js";
import { Signal } from "./signal.js";
import { diagnose } from "./trouble.js";

const LOOK_MS = 20_000; // a computer that falls asleep leaves the line open and says no more
const GRACE_MS = 4000; // a line that breaks for a moment is nobody's business
const PROBE_MS = 6000;
const WAITS_MS = [3000, 5000, 10_000, 20_000, 30_000];

export class Watch {
  /** What is wrong, null while all is well. @type {Signal<import("./trouble.js").Trouble|null>} */
  trouble = new Signal(/** @type {import("./trouble.js").Trouble|null} */ (null));
  #live;
  #kept;
  #tries = 0;
  #probing = false;
  /** @type {ReturnType<typeof setTimeout>|undefined} */
  #timer;

  /** @param {import("./live.js").Live} live @param {() => boolean} kept  whether there are books on this device */
  constructor(live, kept) {
    this.#live = live;
    this.#kept = kept;
    live.connected.subscribe((up) => (up === false ? this.#later(GRACE_MS) : this.#well()));
    for (const name of ["online", "offline"]) addEventListener(name, () => this.now());
    document.addEventListener("visibilitychange", () => document.visibilityState === "visible" && this.now());
    setInterval(() => document.visibilityState === "visible" && !this.#down && this.now(), LOOK_MS);
  }

  get #down() {
    return this.#live.connected.value === false;
  }

  /** Ask now. */
  async now() {
    if (this.#probing) return;
    clearTimeout(this.#timer);
    this.#probing = true;
    let signs = await probe();
    // Once may be a busy computer, where the line itself has told of nothing.
    if (!answers(signs) && !this.#down) signs = await probe();
    this.#probing = false;
    if (answers(signs) && !this.#down) return;
    if (!answers(signs)) this.trouble.value = diagnose({ ...signs, kept: this.#kept() });
    // Where nobody answers the line is no good, whatever it seems; where somebody does, it says so itself.
    if (answers(signs)) this.#live.start();
    else if (!this.#down) this.#live.lost();
    this.#later(WAITS_MS[Math.min(this.#tries++, WAITS_MS.length - 1)]);
  }

  #well() {
    clearTimeout(this.#timer);
    this.#tries = 0;
    this.trouble.value = null;
  }

  /** @param {number} wait_ms */
  #later(wait_ms) {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.now(), wait_ms);
  }
}

/** @param {import("./trouble.js").Signs} signs */
const answers = ({ status }) => status > 0 && status < 500;

/** @returns {Promise<import("./trouble.js").Signs>} */
async function probe() {
  const begun = performance.now();
  let status = 0;
  try {
    status = (await fetch(`${BASE}/me`, { cache: "no-store", signal: AbortSignal.timeout(PROBE_MS) })).status;
  } catch {
    // nobody answers: how long that took tells who
  }
  return { online: navigator.onLine, host: location.hostname, status, took_ms: performance.now() - begun };
}
