/** What stands in place of a page that could not be shown. */

import { h } from "./dom.js";
import { passes } from "./trouble.js";

/**
 * Show it in `place`; `again` is told there when the page is to be tried again: by the reader, or, where the server is only
 * away, when it is back.
 * @param {HTMLElement} place
 * @param {Error} error
 * @param {import("./live.js").Live} live
 * @returns {() => void} undo: nothing is tried again
 */
export function showFailure(place, error, live) {
  const again = () => place.dispatchEvent(new CustomEvent("again", { bubbles: true }));
  const temporary = passes(error);
  const retry = temporary ? h("button", { class: "button primary", type: "button", onclick: again }, "Try again") : null;
  place.replaceChildren(h("div", { class: "failure", role: "alert" }, h("p", {}, error.message), retry, h("a", { class: "button", href: "#/" }, "To the shelf")));
  let first = true; // the line may not know yet that it is broken
  return live.connected.subscribe((up) => {
    if (!first && up && temporary) again();
    first = false;
  });
}
