/** Keyboard of the reader, and the list of its keys. */

import { stepSpeed, TEXT_PX } from "./settings.js";

/** @typedef {typeof import("./settings.js").settings} Settings */
/** @typedef {{keys: string[], act: string, says: string}} Key */

/** @type {readonly Key[]} */
export const KEYS = [
  { keys: [" "], act: "toggle", says: "Play or pause" },
  { keys: ["ArrowLeft"], act: "back", says: "Skip back" },
  { keys: ["ArrowRight"], act: "forward", says: "Skip forward" },
  { keys: ["k"], act: "previous", says: "Sentence before" },
  { keys: ["j"], act: "next", says: "Next sentence" },
  { keys: ["p"], act: "chapterBefore", says: "Chapter before" },
  { keys: ["n"], act: "chapterNext", says: "Next chapter" },
  { keys: ["["], act: "slower", says: "Slower" },
  { keys: ["]"], act: "faster", says: "Faster" },
  { keys: ["1"], act: "usualSpeed", says: "The voice’s own speed" },
  { keys: ["v"], act: "voice", says: "Back to the voice" },
  { keys: ["m"], act: "menu", says: "Menu of the word that is read" },
  { keys: ["b"], act: "bookmark", says: "Bookmark the sentence" },
  { keys: ["w"], act: "wrong", says: "This sounds wrong" },
  { keys: ["c"], act: "chapters", says: "Chapters" },
  { keys: ["f", "/"], act: "find", says: "Find in this book" },
  { keys: ["s"], act: "sleep", says: "Sleep timer" },
  { keys: ["+", "="], act: "larger", says: "Larger text" },
  { keys: ["-"], act: "smaller", says: "Smaller text" },
  { keys: [","], act: "settings", says: "Text and sound" },
  { keys: ["?"], act: "keys", says: "This list" },
];

/** How a key is written. @param {string} key */
export const keyName = (key) => ({ " ": "Space", ArrowLeft: "←", ArrowRight: "→", "-": "−" })[key] ?? (key.length === 1 ? key.toUpperCase() : key);

const ACTS = new Map(KEYS.flatMap(({ keys, act }) => keys.map((key) => [key, act])));
const TYPING = "input, textarea, select, [contenteditable], dialog, [popover]";

/**
 * What only changes a setting; the other acts are the reader's.
 * @param {Settings} settings
 * @returns {Record<string, () => void>}
 */
const own = ({ speed, text_px }) => ({
  slower: () => (speed.value = stepSpeed(speed.value, -1)),
  faster: () => (speed.value = stepSpeed(speed.value, 1)),
  usualSpeed: () => (speed.value = 1),
  larger: () => (text_px.value = Math.min(text_px.value + 1, TEXT_PX.max)),
  smaller: () => (text_px.value = Math.max(text_px.value - 1, TEXT_PX.min)),
});

/**
 * The key that was meant, whatever letters the keyboard writes and whether capitals are locked.
 * @param {{key: string, code: string}} event
 */
export function meant({ key, code }) {
  if (key.length === 1 && key > "\u007f" && code.startsWith("Key")) return code.slice(3).toLowerCase();
  return key.length === 1 ? key.toLowerCase() : key;
}

/**
 * @param {Window} target
 * @param {(act: string) => void} run
 * @param {Settings} settings
 * @returns {() => void} the undo
 */
export function attachKeys(target, run, settings) {
  const mine = own(settings);
  const listener = (/** @type {KeyboardEvent} */ event) => {
    const on = /** @type {HTMLElement} */ (event.target);
    if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey || on.closest?.(TYPING)) return;
    const key = meant(event);
    const act = ACTS.get(key);
    // Space on a focused button or link is that button's own.
    if (!act || (key === " " && on.closest?.("button, a, summary"))) return;
    (mine[act] ?? (() => run(act)))();
    event.preventDefault();
  };
  target.addEventListener("keydown", listener);
  return () => target.removeEventListener("keydown", listener);
}
