/** What stands in a chapter beside its sentences: pictures, and text that is not read, in words. Pure but for `Besides`. */

import { whyNot } from "./rules.js";

/** @typedef {import("./types.js").Beside} Beside */
/**
 * @typedef {{kind: "picture", before: number, url: string, alt: string, width: number, height: number}
 *   | {kind: "silent", before: number, why: string, texts: string[]}} Item
 */

// What a reader of the printed page would not miss either: marks, numbers, ornaments, what a picture says of itself; and
// readings of characters, which are nothing away from those.
const UNSHOWN = new Set([
  "noteref", "note-mark", "backlink", "invisible", "line-hyphen", "line-number", "pagebreak", "page-list", "hidden", "head",
  "image", "image-ornament", "image-repeats", "svg", "ornament", "code", "ruby",
]);

/**
 * In reading order; silences of one kind that stand together are one.
 * @param {Beside} beside
 * @returns {Item[]}
 */
export function gatherBeside({ silences, pictures }) {
  /** @type {Item[]} */
  const items = pictures.map((picture) => ({ kind: "picture", ...picture }));
  let open = /** @type {Extract<Item, {kind: "silent"}>|null} */ (null);
  for (const { rule, text, before } of silences) {
    if (!text || UNSHOWN.has(rule)) continue;
    const why = whyNot(rule);
    if (open?.before === before && open.why === why) open.texts.push(text);
    else {
      open = { kind: "silent", before, why, texts: [text] };
      items.push(open);
    }
  }
  return items.sort((a, b) => a.before - b.before);
}

/** Those of a book's chapters, each fetched once; what cannot be had is done without. */
export class Besides {
  /** @type {Map<number, Promise<Item[]>>} */
  #known = new Map();
  #fetch;

  /** @param {(chapter: number) => Promise<Beside>} fetch */
  constructor(fetch) {
    this.#fetch = fetch;
  }

  /** @param {number} chapter @returns {Promise<Item[]>} */
  of(chapter) {
    const known = this.#known.get(chapter) ?? this.#fetch(chapter).then(gatherBeside, () => (this.#known.delete(chapter), []));
    this.#known.set(chapter, known);
    return known;
  }

  /** The book was read anew. */
  renew() {
    this.#known.clear();
  }
}
