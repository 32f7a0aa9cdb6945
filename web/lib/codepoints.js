/** Word spans arrive in Unicode code points; JavaScript strings count UTF-16 units. Pure. */

/** @typedef {import("./types.js").Word} Word */

/**
 * UTF-16 offset of each code point of `text`, and of its end: length is the number of code points + 1.
 * @param {string} text
 * @returns {number[]}
 */
export function utf16Offsets(text) {
  const offsets = [];
  let at = 0;
  for (const point of text) {
    offsets.push(at);
    at += point.length;
  }
  offsets.push(at);
  return offsets;
}

/**
 * Cut a sentence into words and what stands between them; the parts joined are `text` again.
 * A span that runs backwards, overlaps or leaves the text is clamped, so that no character is lost or doubled.
 * @param {string} text
 * @param {readonly {char_start: number, char_end: number}[]} words
 * @returns {{text: string, word: number}[]} `word` is -1 between words
 */
export function cutIntoWords(text, words) {
  const offsets = utf16Offsets(text);
  const last = offsets.length - 1;
  const at = (/** @type {number} */ point) => offsets[Math.min(Math.max(point, 0), last)];
  const parts = [];
  let done = 0;
  words.forEach((span, word) => {
    const start = Math.max(at(span.char_start), done);
    const end = at(span.char_end);
    if (end <= start) return;
    if (start > done) parts.push({ text: text.slice(done, start), word: -1 });
    parts.push({ text: text.slice(start, end), word });
    done = end;
  });
  if (done < text.length) parts.push({ text: text.slice(done), word: -1 });
  return parts;
}
