/**
 * Stops the voice after a while, or where a chapter ends.
 *
 * It is driven by the audio's own events, which come while a phone is locked and its timers sleep. Only time in which the
 * voice sounds counts.
 */

import { Signal } from "./signal.js";

/** @typedef {{kind: "minutes"|"chapters", count: number}} Plan */

export const FADE_MS = 20_000;
export const REWIND_S = 20; // nobody heard the end of it
const LONGEST_TICK_MS = 5000; // between two events of audio that plays; more than that it was not

export class SleepTimer {
  /** @type {Signal<Plan|null>} what is to end it; null while it runs on */
  plan = new Signal(/** @type {Plan|null} */ (null));
  /** @type {Signal<number>} milliseconds left of a plan of minutes, chapters left of one of chapters */
  left = new Signal(0);
  #playback;
  #audio;
  #travel;
  #now;
  #last = 0;
  #rewind = false;
  /** @type {import("./playback.js").Cue|null} */
  #cue = null;
  /** @type {(() => void)[]} */
  #undo;

  /**
   * @param {import("./playback.js").Playback} playback
   * @param {Pick<import("./travel.js").Travel, "skip"|"chapter_s"|"total_s">} travel
   * @param {Pick<HTMLAudioElement, "volume"|"addEventListener"|"removeEventListener">} audio  whose events drive it
   * @param {() => number} [now]
   */
  constructor(playback, travel, audio, now = Date.now) {
    this.#playback = playback;
    this.#travel = travel;
    this.#audio = audio;
    this.#now = now;
    const tick = () => this.#tick();
    audio.addEventListener("timeupdate", tick);
    this.#undo = [
      () => audio.removeEventListener("timeupdate", tick),
      playback.cue.subscribe((cue) => this.#turn(cue)),
      playback.state.subscribe((state) => this.#state(state)),
    ];
  }

  /** @param {Plan|null} plan */
  set(plan) {
    this.#audio.volume = 1;
    this.#rewind = false;
    this.#last = this.#now();
    this.left.value = plan ? (plan.kind === "minutes" ? plan.count * 60_000 : plan.count) : 0;
    this.plan.value = plan;
  }

  close() {
    for (const undo of this.#undo.splice(0)) undo();
  }

  #tick() {
    const now = this.#now();
    const passed = Math.min(now - this.#last, LONGEST_TICK_MS);
    this.#last = now;
    const plan = this.plan.value;
    if (!plan || this.#playback.state.value !== "playing") return;
    if (plan.kind === "minutes") this.left.value = Math.max(0, this.left.value - passed);
    const left_ms = plan.kind === "minutes" ? this.left.value : this.#toEnd_ms();
    // Phones do not let a page change the volume: there it ends without fading.
    this.#audio.volume = Math.min(1, Math.max(0, left_ms / FADE_MS));
    if (plan.kind === "minutes" && left_ms === 0) this.#sleep(true);
  }

  /** Until the voice is to stop, as far as the chapter tells. */
  #toEnd_ms() {
    if (this.left.value > 1) return Infinity;
    return ((this.#travel.total_s - this.#travel.chapter_s) * 1000) / this.#playback.speed;
  }

  /** The voice has run on into the next chapter, which is not a jump of the listener's. @param {import("./playback.js").Cue|null} cue */
  #turn(cue) {
    const before = this.#cue;
    this.#cue = cue;
    const plan = this.plan.value;
    if (plan?.kind !== "chapters" || !cue || !before || cue.chapter === before.chapter) return;
    if (this.#playback.state.value !== "playing" || cue.at !== 0 || !this.#ranOut(before)) return;
    this.left.value -= 1;
    if (this.left.value === 0) this.#sleep(false);
  }

  /** Was that the end of its chapter? @param {import("./playback.js").Cue} cue */
  #ranOut(cue) {
    const last = this.#playback.lastOf(cue.chapter);
    return last >= 0 && cue.at >= last;
  }

  /** @param {boolean} rewind */
  #sleep(rewind) {
    this.plan.value = null;
    this.left.value = 0;
    this.#playback.pause();
    this.#audio.volume = 1;
    this.#rewind = rewind;
  }

  /** @param {import("./playback.js").State} state */
  #state(state) {
    this.#last = this.#now();
    if (state === "ended") this.set(null);
    if (!this.#rewind || state === "paused" || state === "idle" || state === "ended") return;
    this.#rewind = false;
    this.#travel.skip(-REWIND_S);
  }
}
