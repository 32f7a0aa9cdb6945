/** The text of pronunciation rules, one a line: a rule written, put in, taken out, put together. Pure. */

/** @typedef {"sound"|"phonemes"} How  as it sounds (or other words), or phonemes between slashes */

const LINES = /\r\n|\n|\r/;
const SYLLABLES = /^\p{Lu}+$/u;

/** The lines of a file, without the empty one after its last line end. @param {string} text */
function linesOf(text) {
  const lines = text.split(LINES);
  if (lines.at(-1) === "") lines.pop();
  return lines;
}

/** @param {string[]} lines */
const joined = (lines) => lines.map((line) => `${line}\n`).join("");

/**
 * `Pequod = PEE-kwod`, `Pequod = /ˈpiːkwɒd/`: with quotes round what would be read as something else.
 * @param {string} word
 * @param {string} said
 * @param {How} how
 */
export function ruleLine(word, said, how) {
  const left = word.replace(/\s+/g, " ").trim();
  const right = said.replace(/\s+/g, " ").trim();
  const shown = /[=#{}"]|^\[/.test(left) ? `"${left.replaceAll('"', "”")}"` : left;
  return `${shown} = ${how === "phonemes" ? `/${right.replace(/^\/+|\/+$/g, "")}/` : right}`;
}

/** The rules with one more, which goes before older ones for the same words. @param {string} text @param {string} line */
export const withRule = (text, line) => joined([...linesOf(text), line]);

/** @param {string} text @param {number} number  of the line, from 1 */
export const withoutLine = (text, number) => joined(linesOf(text).filter((_, at) => at !== number - 1));

/** @param {string} text @param {number} number @param {string} line */
export const withLine = (text, number, line) => joined(linesOf(text).map((old, at) => (at === number - 1 ? line : old)));

/** @param {string} text @param {number} number */
export const lineAt = (text, number) => linesOf(text)[number - 1] ?? "";

/** Number of the last line. @param {string} text */
export const lastLine = (text) => linesOf(text).length;

/**
 * Rules of another file put after these; lines that are here already are not written twice.
 * @param {string} text
 * @param {string} more
 */
export function together(text, more) {
  const here = linesOf(text);
  const known = new Set(here.map((line) => line.trim()));
  const added = linesOf(more.replace(/^\ufeff/, "")).filter((line) => !line.trim() || !known.has(line.trim()));
  return joined([...here, ...added]);
}

/**
 * What stands on the right of a line, as it is edited; null for a rule that is more than a word and its sound.
 * @param {string} line
 * @returns {{word: string, said: string, how: How}|null}
 */
export function editable(line) {
  const found = /^\s*([^"=#{}[\]]+?)\s*=\s*([^={}#"]+?)\s*$/.exec(line);
  if (!found) return null;
  const phonemes = /^\/(.+)\/$/.exec(found[2]);
  return { word: found[1], said: phonemes ? phonemes[1] : found[2], how: phonemes ? "phonemes" : "sound" };
}

/** Whether a respelling says which syllable is stressed, where it has several. @param {string} said */
export const tellsStress = (said) => !said.includes("-") || said.split(/[-\s]/).some((part) => SYLLABLES.test(part));

/** A name for the file of rules of something. @param {string} title */
export const fileName = (title) => `${title.replace(/[^\p{L}\p{N}]+/gu, " ").trim() || "rules"}, pronunciations.txt`;
