/** Pictures and silent text as elements of the reading text. */

import { h } from "./dom.js";
import { icon } from "./icons.js";

const LONG = 700; // characters that are folded away

/** @param {import("./beside.js").Item} item @returns {HTMLElement} */
export function besideElement(item) {
  return item.kind === "picture" ? picture(item) : silent(item);
}

/** @param {Extract<import("./beside.js").Item, {kind: "picture"}>} item */
function picture({ url, alt, width, height }) {
  const image = h("img", { src: url, alt, width, height, loading: "lazy", decoding: "async" });
  const larger = h("button", { class: "larger", type: "button", "aria-label": alt ? `Larger: ${alt}` : "Larger picture", onclick: () => enlarge(figure, url, alt) }, image);
  const figure = h("figure", { class: "picture", "--own-width": `${width}px` }, larger);
  const gone = () => figure.replaceChildren(h("p", { class: "gone" }, alt ? `Picture: ${alt}` : "A picture that cannot be shown just now."));
  image.addEventListener("error", gone, { once: true });
  return figure;
}

/** The picture alone on the page, until it is tapped again. @param {HTMLElement} figure @param {string} url @param {string} alt */
function enlarge(figure, url, alt) {
  const close = h("button", { class: "round", type: "button", "aria-label": "Close" }, icon("close"));
  const dialog = h("dialog", { class: "enlarged", "aria-label": alt || "Picture", onclick: () => dialog.close(), onclose: () => dialog.remove() }, h("img", { src: url, alt }), close);
  figure.append(dialog);
  dialog.showModal();
}

/** @param {Extract<import("./beside.js").Item, {kind: "silent"}>} item */
function silent({ why, texts }) {
  const lines = texts.map((text) => h("p", { dir: "auto" }, text));
  const length = texts.reduce((sum, text) => sum + text.length, 0);
  if (length > LONG) return h("details", { class: "silent" }, h("summary", { class: "why" }, why), ...lines);
  return h("div", { class: "silent", role: "note", "aria-label": why }, h("p", { class: "why" }, why), ...lines);
}
