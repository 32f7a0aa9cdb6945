/** Keyboard of the reader: space, arrows, J and K, [ and ]. */

import { stepSpeed } from "./settings.js";

const ACTS = /** @type {Record<string, string>} */ ({
  " ": "toggle", ArrowLeft: "back", ArrowRight: "forward", j: "next", k: "previous",
});
const TYPING = "input, textarea, select, [contenteditable], dialog, [popover]";

/**
 * @param {Window} target
 * @param {(act: string) => void} run
 * @param {typeof import("./settings.js").settings} settings
 * @returns {() => void} the undo
 */
export function attachKeys(target, run, settings) {
  const listener = (/** @type {KeyboardEvent} */ event) => {
    const on = /** @type {HTMLElement} */ (event.target);
    if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey || on.closest?.(TYPING)) return;
    const act = ACTS[event.key];
    if (event.key === "[") settings.speed.value = stepSpeed(settings.speed.value, -1);
    else if (event.key === "]") settings.speed.value = stepSpeed(settings.speed.value, 1);
    // Space on a focused button or link is that button's own.
    else if (act && !(event.key === " " && on.closest?.("button, a"))) run(act);
    else return;
    event.preventDefault();
  };
  target.addEventListener("keydown", listener);
  return () => target.removeEventListener("keydown", listener);
}
