/** A sentence that was found, as a line: cut where it is long, what was looked for marked. Pure. */

const BEFORE = 60; // characters of context in front of the first mark, where the sentence is long
const MOST = 220;

/** @typedef {{text: string, marked: boolean}} Part */

/**
 * Parts that joined are the text, or the stretch of it that shows what was found.
 * @param {string} text
 * @param {{char_start: number, char_end: number}[]} marks  in code points, in order
 * @returns {Part[]}
 */
export function snippet(text, marks) {
  const points = Array.from(text);
  const [from, to] = stretch(points, marks[0]?.char_start ?? 0);
  /** @type {Part[]} */
  const parts = [];
  const add = (/** @type {number} */ start, /** @type {number} */ end, marked = false) => {
    const some = points.slice(Math.max(start, from), Math.min(end, to)).join("");
    if (some) parts.push({ text: some, marked });
  };
  let at = 0;
  for (const { char_start, char_end } of marks) {
    add(at, char_start);
    add(char_start, char_end, true);
    at = char_end;
  }
  add(at, points.length);
  if (from > 0) parts.unshift({ text: "… ", marked: false });
  if (to < points.length) parts.push({ text: " …", marked: false });
  return parts;
}

/** What to show of it, cut between words. @param {string[]} points @param {number} first  mark */
function stretch(points, first) {
  if (points.length <= MOST) return [0, points.length];
  let from = Math.max(0, Math.min(first - BEFORE, points.length - MOST));
  while (from > 0 && from < first && points[from - 1] !== " ") from += 1;
  let to = Math.min(points.length, from + MOST);
  const cut = to;
  while (to < points.length && to > cut - 30 && points[to] !== " ") to -= 1;
  return [from, to === cut - 30 ? cut : to];
}
