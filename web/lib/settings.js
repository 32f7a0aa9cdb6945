/** What this browser remembers for its reader. A broken or refused localStorage costs the memory, not the page. */

import { Signal } from "./signal.js";

const PREFIX = "lectern.";

/**
 * A number kept in localStorage, held between `low` and `high`.
 * @param {string} name
 * @param {number} fallback
 * @param {number} low
 * @param {number} high
 * @returns {Signal<number>}
 */
function remembered(name, fallback, low, high) {
  const signal = new Signal(read(name, fallback, low, high));
  signal.subscribe((value) => {
    try {
      if (value === fallback) localStorage.removeItem(PREFIX + name);
      else localStorage.setItem(PREFIX + name, String(value));
    } catch {
      // Private windows may refuse storage: the setting then lasts as long as the page.
    }
  });
  return signal;
}

/** @param {string} name @param {number} fallback @param {number} low @param {number} high */
function read(name, fallback, low, high) {
  try {
    const raw = localStorage.getItem(PREFIX + name);
    const value = raw === null ? NaN : Number(raw);
    return Number.isFinite(value) ? Math.min(Math.max(value, low), high) : fallback;
  } catch {
    return fallback;
  }
}

export const SPEED_MIN = 0.5;
export const SPEED_MAX = 3;

export const settings = {
  speed: remembered("speed", 1, SPEED_MIN, SPEED_MAX),
  skip_s: remembered("skip_s", 15, 5, 120),
  /** Added to the audio's clock before a word is looked up; for a browser or loudspeaker that lags. */
  offset_ms: remembered("offset_ms", 0, -1000, 1000),
  text_px: remembered("text_px", 20, 14, 34),
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
