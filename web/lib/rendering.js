/** When and how much is rendered, in words and as a form has it. Pure. */

/** @typedef {import("./types.js").Rules} Rules */

export const POLICIES = /** @type {[string, string][]} */ ([
  ["all", "All of it"],
  ["ahead", "Only ahead of where you are"],
  ["sample", "Only the beginning, to try it"],
  ["paused", "Nothing for now"],
]);

export const RESTRAINTS = /** @type {[string, string][]} */ ([
  ["on", "Goes on as ever"],
  ["listening", "Only while somebody listens"],
  ["off", "Only the next minute for somebody who listens"],
]);

export const AHEAD_MIN = [30, 60, 120, 240, 480];
export const GB = 1e9;

/** @param {string} policy */
export function policyName(policy) {
  return POLICIES.find(([value]) => value === policy)?.[1] ?? policy;
}

/** `1 hour`, `30 minutes`. @param {number} minutes */
export function aheadName(minutes) {
  if (minutes % 60) return `${minutes} minutes`;
  return minutes === 60 ? "1 hour" : `${minutes / 60} hours`;
}

/**
 * What is typed as a number of gigabytes; null for nothing, NaN for what is none.
 * @param {string} text
 */
export function bytesOf(text) {
  const plain = text.trim().replace(",", ".");
  if (!plain) return null;
  const number = Number(plain);
  return number >= 0 ? Math.round(number * GB) : NaN;
}

/**
 * The rules in one line.
 * @param {Rules} rules
 */
export function inWords({ paused, quiet, share, render }) {
  if (paused) return "Paused: only those who listen are served, ten minutes ahead of them";
  const hours = quiet.map(({ start, end }) => `${start}–${end}`).join(" and ");
  return [
    hours ? `Rests ${hours}` : "At any time",
    share < 100 ? `uses ${share} % of the time` : "",
    render === "all" ? "books are rendered to their end" : `books: ${policyName(render).toLowerCase()}`,
  ].filter(Boolean).join(" · ");
}
