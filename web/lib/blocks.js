/** Sentences of a chapter gathered into the blocks they were cut from. Pure. */

/** @typedef {import("./types.js").SentenceEntry} SentenceEntry */
/** @typedef {{kind: SentenceEntry["block"], index: number, first: number, sentences: SentenceEntry[]}} Block */
/** @typedef {{kind: "break"}} Break  a scene break: a pause, and no text */

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
