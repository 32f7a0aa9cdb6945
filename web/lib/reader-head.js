/** What stands above the text: the way back, where one is, the sleep timer and the chapters. */

import { h } from "./dom.js";
import { icon } from "./icons.js";

/** @param {Node[]} titles @param {Node} sleep @param {() => void} chapters  shows the list of them */
export function readerHead(titles, sleep, chapters) {
  return h(
    "header", { class: "reader-head" },
    h("a", { class: "round", href: "#/", "aria-label": "To the shelf" }, icon("back")),
    h("h1", {}, h("button", { class: "titles", type: "button", "aria-haspopup": "dialog", onclick: chapters }, ...titles)),
    sleep,
    h("button", { class: "round", type: "button", "aria-label": "Chapters", "aria-haspopup": "dialog", onclick: chapters }, icon("list")),
  );
}
