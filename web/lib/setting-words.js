/** Settings as people read and type them. Pure. */

/** @typedef {import("./house-api.js").Setting} Setting */

/** What a choice means, where its word alone does not say it. */
const CHOICES = /** @type {Record<string, Record<string, string>>} */ ({
  bitrate: { 32000: "small files (32,000)", 48000: "good (48,000)", 64000: "best (64,000)" },
  lan: { off: "nobody", listener: "with a token, to listen", owner: "with a token, as the owner" },
  log_level: { debug: "everything, names of books too", info: "what happens", warning: "what is odd", error: "only what went wrong" },
  log_format: { text: "lines for people", json: "JSON for programs" },
});

/** @param {Setting} setting @param {string|number} choice */
export const choiceName = ({ name }, choice) => CHOICES[name]?.[choice] ?? String(choice);

/** A value in words. @param {Setting} setting @param {any} value */
export function valueName(setting, value) {
  if (setting.kind === "yes-no") return value ? "yes" : "no";
  if (setting.kind === "choice") return choiceName(setting, value);
  if (value === "") return "nothing";
  return setting.unit ? `${value} ${setting.unit}` : String(value);
}

/**
 * What was typed, as the server takes it; or a sentence why it cannot be.
 * @param {Setting} setting
 * @param {string} typed
 * @returns {{value?: string|number, why?: string}}
 */
export function valueOf({ title, kind, low, high, choices }, typed) {
  const text = typed.trim();
  if (kind === "choice") return { value: choices?.find((choice) => String(choice) === text) ?? text };
  if (kind !== "whole" && kind !== "number") return { value: text };
  const number = Number(text.replace(",", "."));
  if (!text || !Number.isFinite(number)) return { why: `“${text}” is no number.` };
  if (kind === "whole" && !Number.isInteger(number)) return { why: `“${title}” is a whole number.` };
  if (low !== null && high !== null && (number < low || number > high)) return { why: `Choose a number from ${low} to ${high.toLocaleString("en")}.` };
  return { value: number };
}

/** What the explanation says, in parts: what stands between backticks is code. @param {string} text @returns {{text: string, code: boolean}[]} */
export const partsOf = (text) => text.split("`").map((part, at) => ({ text: part, code: at % 2 === 1 })).filter(({ text: part }) => part);

/** Where a setting comes from, and when it holds. @param {Setting} setting */
export function standing(setting) {
  if (setting.waits) return `Holds after the next start. Until then: ${valueName(setting, setting.value)}.`;
  if (setting.source === "variable") return `Set by the variable ${setting.variable}, which wins over this page.`;
  return setting.at_once ? "Holds at once." : "Needs a new start.";
}
