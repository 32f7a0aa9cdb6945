/** A button that has a text said, and stops it. */

import { bookApi } from "./book-api.js";
import { h } from "./dom.js";
import { icon } from "./icons.js";
import { playSounds, stopSounds } from "./playlist.js";

/**
 * @param {string} label
 * @param {() => {book: string, text: string, rules: string}|null} wanted  null where there is nothing to say yet
 * @param {(message: string) => void} tell  what is wrong with it, "" for nothing
 * @returns {HTMLButtonElement}
 */
export function hearButton(label, wanted, tell) {
  const name = h("span", {}, label);
  const button = h("button", { class: "button hear", type: "button" }, icon("play"), name);
  const show = (/** @type {string} */ text, /** @type {""|"loading"|"playing"} */ state) => {
    name.textContent = text;
    button.dataset.state = state;
    button.firstElementChild?.replaceWith(icon(state === "playing" ? "pause" : "play"));
  };
  let turn = 0;
  button.addEventListener("click", async () => {
    const mine = (turn += 1);
    if (button.dataset.state === "playing") return stopSounds();
    const asked = wanted();
    if (!asked) return;
    stopSounds();
    show("One moment …", "loading");
    try {
      const { audio, problems } = await bookApi.hear(asked.book, asked.text, asked.rules);
      if (mine !== turn || !button.isConnected) return;
      tell(problems.join(" "));
      if (problems.length) return show(label, "");
      playSounds([audio], (at) => show(at < 0 ? label : "Stop", at < 0 ? "" : "playing"));
    } catch (error) {
      tell(/** @type {Error} */ (error).message);
      show(label, "");
    }
  });
  return button;
}
