/** Lets a voice be heard before it is chosen. */

import { h } from "./dom.js";
import { icon } from "./icons.js";
import { SAMPLES } from "./voices.js";

/** @typedef {{voice: string, speed: number, language: string}} Tried */

export class TryVoice {
  #say;
  #wanted;
  #fail;
  #audio = h("audio", { preload: "auto" });
  #label = h("span", {}, "Hear it");
  #turn = 0;
  /** To be put beside what is chosen. */
  button;

  /**
   * @param {(asked: {text: string, voice: string, speed: number}) => Promise<{audio: string}>} say
   * @param {() => Tried|null} wanted  null where nothing can be heard yet
   * @param {(error: Error) => void} fail
   */
  constructor(say, wanted, fail) {
    this.#say = say;
    this.#wanted = wanted;
    this.#fail = fail;
    this.button = h("button", { class: "button hear", type: "button", onclick: () => this.#toggle() }, icon("play"), this.#label);
    this.#audio.addEventListener("ended", () => this.stop());
  }

  stop() {
    this.#turn += 1;
    this.#audio.pause();
    this.#show("Hear it");
  }

  async #toggle() {
    const wanted = this.#wanted();
    if (!wanted) return;
    if (this.button.dataset.state) return this.stop();
    const turn = (this.#turn += 1);
    this.#show("One moment …", "loading");
    try {
      const { audio } = await this.#say({ text: SAMPLES[wanted.language] ?? SAMPLES.en ?? "", voice: wanted.voice, speed: wanted.speed });
      if (turn !== this.#turn) return;
      this.#audio.src = audio;
      await this.#audio.play();
      if (turn === this.#turn) this.#show("Stop", "playing");
    } catch (error) {
      if (turn !== this.#turn) return;
      this.stop();
      this.#fail(/** @type {Error} */ (error));
    }
  }

  /** @param {string} label @param {""|"loading"|"playing"} [state] */
  #show(label, state = "") {
    this.#label.textContent = label;
    this.button.dataset.state = state;
    this.button.replaceChildren(icon(state === "playing" ? "pause" : "play"), this.#label);
  }
}
