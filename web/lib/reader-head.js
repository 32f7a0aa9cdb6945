/** What stands above the text: the way back, where one is, the search, the sleep timer and the chapters. */

import { h } from "./dom.js";
import { icon } from "./icons.js";

/** @param {Node[]} titles @param {Node} sleep @param {() => void} chapters  shows the list of them @param {() => void} find */
export function readerHead(titles, sleep, chapters, find) {
  return h(
    "header", { class: "reader-head" },
    h("a", { class: "round", href: "#/", "aria-label": "To the shelf" }, icon("back")),
    h("h1", {}, h("button", { class: "titles", type: "button", "aria-haspopup": "dialog", onclick: chapters }, ...titles)),
    h("button", { class: "round find-in", type: "button", "aria-label": "Find in this book", title: "Find in this book", "aria-haspopup": "dialog", onclick: find }, icon("find")),
    sleep,
    h("button", { class: "round", type: "button", "aria-label": "Chapters", "aria-haspopup": "dialog", onclick: chapters }, icon("list")),
  );
}
