/** The order of the books that wait, as somebody changes it by hand. Pure. */

/**
 * @typedef {{book: string, title: string, turn: number|null, listened: boolean, chapter: number, chapters: number,
 *   remaining_sentences: number, eta_s: number|null}} QueueBook
 */

/**
 * The books with one of them at another place. Ends are ends: what would go past them stays there.
 * @param {QueueBook[]} books @param {string} book @param {number} to  its place from 0
 * @returns {QueueBook[]}
 */
export function moved(books, book, to) {
  const one = books.find((item) => item.book === book);
  if (!one) return books;
  const others = books.filter((item) => item !== one);
  const at = Math.min(Math.max(to, 0), others.length);
  return [...others.slice(0, at), one, ...others.slice(at)];
}

/**
 * Which books are in order by hand after `book` was put where it is now: all down to the last that somebody ever put
 * somewhere. What stands above only because somebody listens to it gets no turn by that.
 * @param {QueueBook[]} books @param {string} book
 * @returns {string[]}
 */
export function byHand(books, book) {
  const chosen = (/** @type {QueueBook} */ item) => item.turn !== null || item.book === book;
  const end = books.findLastIndex(chosen) + 1;
  return books.slice(0, end).filter((item) => chosen(item) || !item.listened).map((item) => item.book);
}

/**
 * The books with the turns that `order` gives them.
 * @param {QueueBook[]} books @param {string[]} order
 * @returns {QueueBook[]}
 */
export function inTurn(books, order) {
  return books.map((item) => ({ ...item, turn: order.indexOf(item.book) + 1 || null }));
}

/** What a book waits for, in words. @param {QueueBook} book */
export function waitsFor({ chapter, chapters, listened }) {
  const rest = chapters > 1 ? ` and ${chapters - 1} more` : "";
  return `Chapter ${chapter}${rest}${listened ? " · somebody listens" : ""}`;
}
