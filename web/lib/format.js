/** Numbers as people say them. Pure. */

/**
 * `1:05:09`, `4:07`.
 * @param {number} seconds
 */
export function clock(seconds) {
  const whole = Math.max(0, Math.floor(seconds));
  const s = String(whole % 60).padStart(2, "0");
  const m = Math.floor(whole / 60) % 60;
  const h = Math.floor(whole / 3600);
  return h ? `${h}:${String(m).padStart(2, "0")}:${s}` : `${m}:${s}`;
}

/**
 * `about 2 h 10 min`-style length, without the "about": `45 s`, `8 min`, `2 h 10 min`.
 * @param {number} seconds
 */
export function span(seconds) {
  if (seconds < 60) return `${Math.max(1, Math.round(seconds))} s`;
  const minutes = Math.round(seconds / 60);
  if (minutes < 60) return `${minutes} min`;
  const rest = minutes % 60;
  return rest ? `${Math.floor(minutes / 60)} h ${rest} min` : `${minutes / 60} h`;
}

/**
 * A wait, which nobody knows to the minute: as `span`, and `4 days` beyond two of them.
 * @param {number} seconds
 */
export function wait(seconds) {
  return seconds < 172_800 ? span(seconds) : `${Math.round(seconds / 86_400)} days`;
}

/** @param {number} bytes */
export function size(bytes) {
  const units = ["bytes", "KB", "MB", "GB", "TB"];
  let value = bytes;
  let unit = 0;
  for (; value >= 1000 && unit < units.length - 1; unit += 1) value /= 1000;
  return `${unit && value < 10 ? value.toFixed(1) : Math.round(value)} ${units[unit]}`;
}

/**
 * A share as whole per cent, never 0 once begun and never 100 before the end.
 * @param {number} part
 * @param {number} whole
 */
export function percent(part, whole) {
  if (whole <= 0 || part <= 0) return 0;
  if (part >= whole) return 100;
  return Math.min(99, Math.max(1, Math.round((part / whole) * 100)));
}

/**
 * `1 sentence`, `3 sentences`, `1,204 sentences`.
 * @param {number} count
 * @param {string} one
 * @param {string} [many]
 */
export function counted(count, one, many = `${one}s`) {
  return `${count.toLocaleString("en")} ${count === 1 ? one : many}`;
}

/**
 * `just now`, `5 min ago`, `3 h ago`, else the day.
 * @param {string} iso
 * @param {number} [now_ms]
 */
export function ago(iso, now_ms = Date.now()) {
  const seconds = (now_ms - Date.parse(iso)) / 1000;
  if (Number.isNaN(seconds)) return "";
  if (seconds < 60) return "just now";
  if (seconds < 3600) return `${span(seconds)} ago`;
  if (seconds < 86_400) return `${Math.floor(seconds / 3600)} h ago`;
  return new Date(iso).toLocaleDateString(undefined, { day: "numeric", month: "short", year: "numeric" });
}

/**
 * The beginning of a text, cut between words where it is too long.
 * @param {string} text
 * @param {number} [most]  characters
 */
export function opening(text, most = 70) {
  const points = Array.from(text);
  if (points.length <= most) return text;
  const cut = points.slice(0, most - 2).join("");
  return `${cut.slice(0, Math.max(cut.lastIndexOf(" "), most / 2)).trimEnd()} …`;
}

/**
 * A text as a quotation; what comes with quotation marks of its own keeps them.
 * @param {string} text
 * @param {number} [most]  characters of it
 */
export function quoted(text, most) {
  const shown = opening(text, most);
  return /^["“”„«»‘’'‹›「『]|["”“»«’'›‹」』]$/.test(text) ? shown : `“${shown}”`;
}
