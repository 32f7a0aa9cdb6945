/** Where the same place of a text is in several recordings of it. Places are code points, times seconds. Pure. */

/** @typedef {{char_start: number, char_end: number, start_s: number, end_s: number}} Span  a word: where it stands, when it is said */
/** @typedef {{audio_s: number, words: readonly Span[]}} Timed */

/** The words of a text, as code points [char_start, char_end). @param {string} text */
export function wordsOf(text) {
  const found = [];
  let points = 0;
  let units = 0;
  for (const match of text.matchAll(/[\p{L}\p{N}\p{M}]+(?:['’-][\p{L}\p{N}\p{M}]+)*/gu)) {
    points += [...text.slice(units, match.index)].length;
    const length = [...match[0]].length;
    found.push({ char_start: points, char_end: points + length });
    points += length;
    units = match.index + match[0].length;
  }
  return found;
}

/**
 * The word that is being said, or, in a pause, the one that comes next; -1 where no words are known.
 * @param {readonly Span[]} words
 * @param {number} at_s
 */
export function wordAt(words, at_s) {
  let low = 0;
  let high = words.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (words[middle].end_s <= at_s) low = middle + 1;
    else high = middle;
  }
  return Math.min(low, words.length - 1);
}

/**
 * The word that stands at a place, or the first after it; the last where there is none.
 * @param {readonly Span[]} words
 * @param {number} place
 */
export function wordFrom(words, place) {
  const found = words.findIndex((word) => word.char_end > place);
  return found < 0 ? words.length - 1 : found;
}

/** The place in the text that is being said. @param {Timed} take @param {number} at_s @param {number} length  of the text */
export function placeAt(take, at_s, length) {
  const word = take.words[wordAt(take.words, at_s)];
  return word ? word.char_start : Math.floor((length * at_s) / Math.max(take.audio_s, 0.001));
}

/** When a place of the text is said: at the beginning of its word. @param {Timed} take @param {number} place @param {number} length */
export function timeOf(take, place, length) {
  if (place <= 0) return 0;
  const word = take.words[wordFrom(take.words, place)];
  return word ? word.start_s : (take.audio_s * place) / Math.max(length, 1);
}

/** When another recording says what this one says now. @param {Timed} from @param {number} at_s @param {Timed} to @param {number} length */
export function landing(from, at_s, to, length) {
  return timeOf(to, placeAt(from, at_s, length), length);
}

/**
 * Sentences of a chapter as one text: a space between two of them, an empty line between paragraphs.
 * @param {readonly {text: string, block_index: number}[]} sentences
 * @returns {{text: string, starts: number[]}} where each begins
 */
export function joined(sentences) {
  let text = "";
  let points = 0;
  const starts = sentences.map((sentence, at) => {
    const before = at === 0 ? "" : sentences[at - 1].block_index === sentence.block_index ? " " : "\n\n";
    text += before + sentence.text;
    const start = points + before.length;
    points = start + [...sentence.text].length;
    return start;
  });
  return { text, starts };
}

/**
 * The words of rendered sentences in the text and the time of them all.
 * @param {readonly {audio_s: number, gap_s: number, words: readonly Span[]}[]} pieces
 * @param {readonly number[]} starts
 * @returns {{audio_s: number, words: Span[], begins: number[]}} `begins`: when each sentence does
 */
export function strung(pieces, starts) {
  let at_s = 0;
  /** @type {number[]} */
  const begins = [];
  const words = pieces.flatMap((piece, number) => {
    const begin_s = at_s;
    begins.push(begin_s);
    at_s += piece.audio_s + piece.gap_s;
    return piece.words.map((word) => ({
      char_start: word.char_start + starts[number],
      char_end: word.char_end + starts[number],
      start_s: word.start_s + begin_s,
      end_s: word.end_s + begin_s,
    }));
  });
  return { audio_s: at_s, words, begins };
}

/** In another order, evenly. @template T @param {readonly T[]} list @param {() => number} [random] @returns {T[]} */
export function shuffled(list, random = Math.random) {
  const mixed = [...list];
  for (let at = mixed.length - 1; at > 0; at -= 1) {
    const other = Math.floor(random() * (at + 1));
    [mixed[at], mixed[other]] = [mixed[other], mixed[at]];
  }
  return mixed;
}
