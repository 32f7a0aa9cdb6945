/** One to five stars as a row of buttons: the same star again takes it back. */

import { h } from "./dom.js";

const MOST = 5;

/**
 * @param {string} whom  whose they are, for a screen reader
 * @param {number} stars
 * @param {(stars: number) => void} choose
 */
export function starRow(whom, stars, choose) {
  const row = h("span", { class: "stars", role: "group", "aria-label": `Stars for ${whom}` });
  for (let star = 1; star <= MOST; star += 1) {
    row.append(
      h("button", {
        type: "button",
        class: star <= stars ? "star on" : "star",
        "aria-pressed": String(star === stars),
        "aria-label": star === 1 ? "1 star" : `${star} stars`,
        onclick: () => choose(star === stars ? 0 : star),
      }, star <= stars ? "★" : "☆"),
    );
  }
  return row;
}
