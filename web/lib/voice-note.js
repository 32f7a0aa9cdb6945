/** A line of words above the controls: what the voice is waiting for, or what went wrong. */

import { h } from "./dom.js";

const NOTES = /** @type {Record<string, string>} */ ({
  waiting: "Rendering this passage. It plays as soon as it is ready.",
  loading: "Loading …",
  ended: "The end.",
});
const PASSED = "A sentence could not be spoken and is passed over; it is underlined in the text.";
const LOADING_MS = 600; // a load shorter than this needs no word
const PATIENCE_MS = 4000; // a passage that takes longer makes one ask why
const PASSED_MS = 6000;

export class VoiceNote {
  element = h("p", { class: "reader-note", role: "status", "aria-live": "polite" });
  /** Tells why a passage is not there yet. @type {() => Promise<string>} */
  why = async () => NOTES.waiting;
  /** @type {ReturnType<typeof setTimeout>|undefined} */
  #timer;
  #passed = "";
  #turn = 0;

  /** @param {string} text */
  say(text) {
    clearTimeout(this.#timer);
    this.#turn += 1;
    if (this.element.textContent !== text) this.element.textContent = text;
  }

  /** @param {import("./playback.js").State} state @param {Error|null|undefined} problem  why it stands still */
  show(state, problem) {
    clearTimeout(this.#timer);
    if (state === "loading" && problem) return this.say(`${problem.message} Trying again …`);
    if (state !== "loading") this.say(NOTES[state] ?? "");
    if (state === "waiting") this.#timer = setTimeout(() => this.#ask(), PATIENCE_MS);
    if (state === "loading") this.#timer = setTimeout(() => this.say(NOTES.loading), LOADING_MS);
  }

  /** The voice has gone on, perhaps past a sentence that has no sound. @param {import("./playback.js").Playback|null} playback */
  passed(playback) {
    const cue = playback?.cue.value;
    const before = cue && playback?.index?.sentences[cue.at - 1];
    if (!before?.failed || before.id === this.#passed || playback?.state.value !== "playing") return;
    this.#passed = before.id;
    this.say(PASSED);
    this.#timer = setTimeout(() => this.say(""), PASSED_MS);
  }

  close() {
    clearTimeout(this.#timer);
    this.#turn += 1;
  }

  /** Say why it takes so long, and look again after a while. */
  async #ask() {
    const turn = this.#turn;
    const why = await this.why().catch(() => "");
    if (turn !== this.#turn) return;
    if (why) this.say(why);
    this.#timer = setTimeout(() => this.#ask(), PATIENCE_MS * 2);
  }
}
