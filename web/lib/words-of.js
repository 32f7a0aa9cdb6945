/** Single words of a sentence. Pure. */

import { cutIntoWords } from "./codepoints.js";

const WORD = /[\p{L}\p{M}\p{N}]+(?:['’-][\p{L}\p{M}\p{N}]+)*/gu;

/** The text of a word that is timed, without what clings to it; "" for none. @param {{text: string, words?: import("./types.js").Word[]|null}} entry @param {number} word */
export function textOfWord({ text, words }, word) {
  const found = cutIntoWords(text, words ?? []).find((part) => part.word === word)?.text ?? "";
  return found.match(WORD)?.[0] ?? found.trim();
}

/** Words of a text, the long ones first: it is names that are said wrong. @param {string} text */
export const wordsOf = (text) => [...new Set(text.match(WORD) ?? [])].sort((a, b) => b.length - a.length);

/**
 * A text cut before and after the first place where a word stands in it; the parts joined are the text.
 * @param {string} text
 * @param {string} word
 * @returns {[string, string, string]}
 */
export function around(text, word) {
  const plain = (/** @type {string} */ some) => some.toLowerCase().replaceAll("’", "'");
  const low = plain(text);
  const wanted = plain(word);
  // Small letters of another length than the capitals would move what follows.
  if (!wanted || low.length !== text.length) return [text, "", ""];
  for (let at = low.indexOf(wanted); at >= 0; at = low.indexOf(wanted, at + 1)) {
    const end = at + wanted.length;
    if (/[\p{L}\p{N}]$/u.test(low.slice(0, at))) continue;
    return [text.slice(0, at), text.slice(at, end), text.slice(end)];
  }
  return [text, "", ""];
}
