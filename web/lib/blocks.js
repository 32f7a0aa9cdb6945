/** Sentences of a chapter gathered into the blocks they were cut from. Pure. */

/** @typedef {import("./types.js").SentenceEntry} SentenceEntry */
/** @typedef {{kind: SentenceEntry["block"], index: number, first: number, sentences: SentenceEntry[]}} Block */
/** @typedef {{kind: "break"}} Break  a scene break: a pause, and no text */

const WIDE = "[\\p{Script=Han}\\p{Script=Hiragana}\\p{Script=Katakana}\\u3000-\\u303f\\uff00-\\uffef]"; // written without spaces
const ENDS_WIDE = new RegExp(`${WIDE}$`, "u");
const BEGINS_WIDE = new RegExp(`^${WIDE}`, "u");

/** What stands between two sentences of a block. @param {SentenceEntry["block"]} kind @param {string} before @param {string} after */
export function between(kind, before, after) {
  if (kind === "verse") return "\n";
  return ENDS_WIDE.test(before) || (/[…―—!?]$/.test(before) && BEGINS_WIDE.test(after)) ? "" : " ";
}

/**
 * Blocks in reading order with the scene breaks between them; `first` is the ordinal of a block's first sentence.
 * @param {readonly SentenceEntry[]} sentences
 * @param {readonly number[]} breaks  ordinals of the blocks that are scene breaks
 * @returns {(Block|Break)[]}
 */
export function gatherBlocks(sentences, breaks) {
  /** @type {(Block|Break)[]} */
  const blocks = [];
  const waiting = [...breaks].sort((a, b) => a - b);
  /** @type {Block|null} */
  let open = null;
  sentences.forEach((entry, at) => {
    if (open?.index === entry.block_index) return void open.sentences.push(entry);
    while (waiting.length && waiting[0] < entry.block_index) {
      waiting.shift();
      if (blocks.length && blocks.at(-1)?.kind !== "break") blocks.push({ kind: "break" });
    }
    open = { kind: entry.block, index: entry.block_index, first: at, sentences: [entry] };
    blocks.push(open);
  });
  return blocks;
}
