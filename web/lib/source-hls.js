/**
 * A stream of sentences through the browser's own HLS: one playlist that runs on to the book's end, which Safari keeps
 * alive under lock, when no script of ours may act. The time line here grows as the chapter indexes do.
 */

import { CueIndex, RATE_HZ } from "./cue-index.js";
import { landing, nextStep, prefersHls } from "./plan.js";
import { MIME } from "./source-mse.js";

/** @typedef {import("./plan.js").Cursor} Cursor */
/** @typedef {import("./plan.js").Target} Target */

const START_S = 18.05; // three segments of 6.016 s: a player that starts with fewer runs dry
const AHEAD_S = 300; // the time line reaches this far in front of the voice

export class HlsSource {
  cues = new CueIndex();
  #audio;
  #chapters;
  #wire;
  #onStall;
  /** @type {Cursor} */
  #cursor;
  #closed = false;
  #loaded = false;
  #pumping = false;

  /**
   * @param {HTMLAudioElement} audio
   * @param {import("./chapters.js").Chapters} chapters
   * @param {Cursor} cursor
   * @param {import("./source-mse.js").Wire} wire
   * @param {import("./source-mse.js").OnStall} onStall
   */
  constructor(audio, chapters, cursor, wire, onStall) {
    this.#audio = audio;
    this.#chapters = chapters;
    this.#cursor = cursor;
    this.#wire = wire;
    this.#onStall = onStall;
    this.pump();
  }

  /** @param {Target} target @returns {number|null} */
  landing(target) {
    const { seekable } = this.#audio;
    const ranges = Array.from({ length: seekable.length }, (_, i) => ({ start: seekable.start(i), end: seekable.end(i) }));
    return landing(this.cues, ranges, target);
  }

  /** Lengthen the time line by what has been rendered since, and start once there is enough to start with. */
  async pump() {
    if (this.#pumping || this.#closed) return;
    this.#pumping = true;
    try {
      await this.#follow();
    } catch (error) {
      if (!this.#closed) this.#onStall(null, /** @type {Error} */ (error));
    } finally {
      this.#pumping = false;
    }
  }

  /** First sentence after what has been heard, for a playlist that ended before the book; null at the book's end. */
  get next() {
    const heard = this.cues.at(this.#audio.currentTime)?.placed;
    const after = heard && this.cues.placed.find((item) => item.start_samples >= heard.end_samples);
    return after ? { chapter: after.chapter, at: after.at } : null;
  }

  close() {
    this.#closed = true;
  }

  async #follow() {
    while (!this.#closed) {
      const step = nextStep(this.#chapters.list, (number) => this.#chapters.peek(number), this.#cursor);
      const enough = this.cues.end_samples >= START_S * RATE_HZ;
      if (step.kind === "append") {
        this.cues.append(step.cursor.chapter, step.cursor.at, step.entry);
        this.#cursor = { chapter: step.cursor.chapter, at: step.cursor.at + 1 };
        // At once, if it can be: Safari wants the source to be there in the same tap that plays it.
        if (this.cues.end_samples >= START_S * RATE_HZ) this.#load();
      } else if (step.kind === "load" && !(enough && this.#isFarAhead())) {
        await this.#chapters.load(step.chapter);
      } else {
        const waits = step.kind === "wait" && !this.#isFarAhead();
        if (enough || step.kind === "end") this.#load();
        return this.#onStall(waits ? step.cursor : null, null);
      }
    }
  }

  /** A chapter's index is fetched when the voice comes near, not for the whole book at once. */
  #isFarAhead() {
    return this.cues.end_samples / RATE_HZ - this.#audio.currentTime > AHEAD_S;
  }

  #load() {
    const start = this.cues.placed[0];
    if (this.#loaded || !start) return;
    this.#loaded = true;
    this.#audio.src = this.#wire.url(start.chapter, start.entry.id, "playlist.m3u8", true);
  }
}

export function canHls() {
  const probe = document.createElement("audio");
  return prefersHls({
    vendor: navigator.vendor,
    hls: probe.canPlayType("application/vnd.apple.mpegurl") !== "",
    managed: "ManagedMediaSource" in window,
    mediaSource: "MediaSource" in window && MediaSource.isTypeSupported(MIME),
  });
}
