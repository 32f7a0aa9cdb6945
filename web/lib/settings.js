/** What this browser remembers for its reader. A broken or refused localStorage costs the memory, not the page. */

import { Signal } from "./signal.js";

const PREFIX = "lectern.";

/** A signal with a usual value. @template T @extends {Signal<T>} */
class Setting extends Signal {
  #usual;

  /** @param {T} value @param {T} usual */
  constructor(value, usual) {
    super(value);
    this.#usual = usual;
  }

  reset() {
    this.value = this.#usual;
  }
}

/**
 * A number kept in localStorage, held between `low` and `high`.
 * @param {string} name
 * @param {number} fallback
 * @param {number} low
 * @param {number} high
 * @returns {Setting<number>}
 */
function remembered(name, fallback, low, high) {
  const signal = new Setting(read(name, fallback, low, high), fallback);
  signal.subscribe((value) => keep(name, value === fallback ? null : String(value)));
  return signal;
}

/**
 * One of a few words kept in localStorage; what is none of them counts as the first.
 * @template {string} T
 * @param {string} name
 * @param {readonly T[]} values  the first is the usual one
 * @returns {Setting<T>}
 */
function chosen(name, values) {
  const kept = stored(name);
  const signal = new Setting(values.find((value) => value === kept) ?? values[0], values[0]);
  signal.subscribe((value) => keep(name, value === values[0] ? null : value));
  return signal;
}

/** @param {string} name @param {string|null} value  null for the usual one */
function keep(name, value) {
  try {
    if (value === null) localStorage.removeItem(PREFIX + name);
    else localStorage.setItem(PREFIX + name, value);
  } catch {
    // Private windows may refuse storage: the setting then lasts as long as the page.
  }
}

/** @param {string} name @returns {string|null} */
function stored(name) {
  try {
    return localStorage.getItem(PREFIX + name);
  } catch {
    return null;
  }
}

/** @param {string} name @param {number} fallback @param {number} low @param {number} high */
function read(name, fallback, low, high) {
  const raw = stored(name);
  const value = raw === null ? NaN : Number(raw);
  return Number.isFinite(value) ? Math.min(Math.max(value, low), high) : fallback;
}

export const SPEED_MIN = 0.5;
export const SPEED_MAX = 3;

export const THEMES = /** @type {const} */ (["system", "light", "sepia", "dark"]);
export const FONTS = /** @type {const} */ (["serif", "sans", "mono"]);
export const TEXT_PX = { min: 14, max: 34, step: 1 };

export const settings = {
  speed: remembered("speed", 1, SPEED_MIN, SPEED_MAX),
  // `skip_s` was both before they were two.
  back_s: remembered("back_s", read("skip_s", 15, 5, 120), 5, 120),
  forward_s: remembered("forward_s", read("skip_s", 30, 5, 120), 5, 120),
  /** Pauses as a share of what the speed makes of them; 0: as long as the voice made them, whatever the speed. */
  pauses: remembered("pauses", 1, 0, 1),
  /** How many times louder than the voice is; 1 leaves the sound alone. */
  boost: remembered("boost", 1, 1, 4),
  /** Added to the audio's clock before a word is looked up; for a browser or loudspeaker that lags. */
  offset_ms: remembered("offset_ms", 0, -1000, 1000),
  /** What the buttons beside play do on the lock screen and in the car. */
  lock: chosen("lock", /** @type {const} */ (["skip", "chapter"])),
  /** What the outer two of the five buttons step by where there is no room for both pairs. */
  step: chosen("step", /** @type {const} */ (["sentence", "chapter"])),
  /** What a tap on a word does. */
  tap: chosen("tap", /** @type {const} */ (["go", "menu"])),
  theme: chosen("theme", THEMES),
  font: chosen("font", FONTS),
  text_px: remembered("text_px", 20, TEXT_PX.min, TEXT_PX.max),
  leading: remembered("leading", 1.6, 1.3, 2.2),
  measure_rem: remembered("measure_rem", 36, 22, 56),
  justify: chosen("justify", /** @type {const} */ (["no", "yes"])),
  /** Whether what is not read stands greyed in the text. */
  silent: chosen("silent", /** @type {const} */ (["shown", "hidden"])),
};

/**
 * One step of speed up or down, on the grid that listeners know.
 * @param {number} speed
 * @param {1|-1} step
 */
export function stepSpeed(speed, step) {
  const grid = speed + step * 0.001 > 2 ? 0.25 : speed + step * 0.001 < 0.75 ? 0.05 : 0.1;
  const next = Math.round((speed + step * grid) * 100) / 100;
  return Math.min(Math.max(next, SPEED_MIN), SPEED_MAX);
}
