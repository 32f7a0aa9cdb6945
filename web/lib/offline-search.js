/** The text of a downloaded book, searched in this browser while nobody answers. Pure. */

/** @typedef {import("./types.js").ChapterIndex} ChapterIndex */
/** @typedef {import("./types.js").Hit} Hit */

const SPACELESS = /[\p{Script=Hiragana}\p{Script=Katakana}\p{Ideographic}]/u;
const LETTER = /[\p{L}\p{N}\p{M}]/u;

/**
 * Sentences that hold all that is asked for, in reading order: as the server finds them, but that every word may be the
 * beginning of a longer one. Case and accents do not count.
 * @param {string} q
 * @param {readonly {index: ChapterIndex, title: string}[]} chapters
 * @returns {Omit<Hit, "book">[]}
 */
export function searchHere(q, chapters) {
  const quoted = [...q.matchAll(/["“”„]([^"“”„]*)(?:["“”„]|$)/gu)].map((found) => found[1]);
  const loose = q.replace(/["“”„][^"“”„]*(?:["“”„]|$)/gu, " ").split(/\s+/);
  const wanted = [...quoted, ...loose].map((word) => folded(word.trim()).text).filter((word) => [...word].some((one) => LETTER.test(one)));
  if (!wanted.length) return [];
  return chapters.flatMap(({ index, title }) => index.sentences.flatMap(({ id, text }) => {
    const marks = marksOf(text, wanted);
    return marks ? [{ title: "", chapter: index.chapter, chapter_title: title, sentence: id, text, marks }] : [];
  }));
}

/** Where the words stand in a text, in code points; null where one of them does not. @param {string} text @param {string[]} wanted */
function marksOf(text, wanted) {
  const { text: plain, from } = folded(text);
  /** @type {Hit["marks"]} */
  const marks = [];
  for (const word of wanted) {
    const before = marks.length;
    for (let at = plain.indexOf(word); at >= 0; at = plain.indexOf(word, at + word.length)) {
      const joined = at > 0 && LETTER.test(plain[at - 1]) && LETTER.test(word[0]) && !SPACELESS.test(word[0]);
      if (!joined) marks.push({ char_start: from[at], char_end: from[at + word.length - 1] + 1 });
    }
    if (marks.length === before) return null;
  }
  marks.sort((one, other) => one.char_start - other.char_start || other.char_end - one.char_end);
  return marks.filter((mark, i) => i === 0 || mark.char_start >= marks[i - 1].char_end);
}

/** A text without case and accents; `from`: which code point of it each character comes from. @param {string} text */
function folded(text) {
  let plain = "";
  /** @type {number[]} */
  const from = [];
  Array.from(text).forEach((point, at) => {
    for (const one of point.normalize("NFD").replace(/\p{M}/gu, "").toLowerCase()) {
      plain += one;
      for (let i = 0; i < one.length; i += 1) from.push(at);
    }
  });
  return { text: plain, from };
}
