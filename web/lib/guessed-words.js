/** The words that the voice guessed in what is rendered, and those that it will have to guess. Pure. */

import { counted } from "./format.js";

/** @typedef {import("./book-api.js").Guess} Guess */
/** @typedef {import("./book-api.js").WordList} WordList */

/**
 * One list: how often a word is in the whole book where that is known, and places that can be heard where some are rendered.
 * @param {Guess[]} rendered @param {WordList} whole @returns {Guess[]}
 */
export function together(rendered, whole) {
  const heard = new Map(rendered.map((guess) => [guess.word, guess]));
  const all = whole.words.map(({ word, phonemes, count, chapter, sentence, text }) => {
    const known = heard.get(word);
    heard.delete(word);
    const places = known?.places.length ? known.places : [{ chapter, sentence, text, audio: "" }];
    return { word, count: Math.max(count, known?.count ?? 0), places, phonemes };
  });
  return [...all, ...heard.values()].sort((one, other) => other.count - one.count || (one.word < other.word ? -1 : 1));
}

/**
 * What is said above the list, and what the button asks for; the button's empty where there is nothing to ask for.
 * @param {WordList} whole @param {number} listed @param {{rendered: number, total: number}} sentences @returns {{note: string, ask: string}}
 */
export function standing({ state, trouble, total, words }, listed, { rendered, total: all }) {
  const some = listed ? `${counted(Math.max(listed, total), "word")} ` : "";
  const most = total > words.length ? ` The ${words.length.toLocaleString("en")} most frequent are listed.` : "";
  if (state === "reading") return { note: "The book is being read through, without rendering any of it. A novel takes half a minute.", ask: "Reading …" };
  if (state === "failed") return { note: trouble ?? "", ask: "Try again" };
  if (state === "old") return { note: `${some}in the whole book when it was read through. Its text, voice or pronunciations have changed since.${most}`, ask: "Look again" };
  if (state === "there") return { note: listed ? `${some}in the whole book.${most}` : "Every word of the book is in the dictionary.", ask: "" };
  if (rendered >= all) return { note: listed ? `${some}in the whole book.` : "Every word is in the dictionary.", ask: "" };
  const ask = "Look through the whole book";
  if (!rendered) return { note: "Nothing is rendered yet: guessed words are listed as the book is rendered, or at once.", ask };
  return { note: listed ? `${some}in what is rendered so far.` : "Every word in what is rendered so far is in the dictionary.", ask };
}
