/**
 * A stream of sentences through the browser's own HLS: one playlist per start, which Safari keeps alive under lock.
 * The time line is the chapter's from the first sentence on; it grows as the index does.
 */

import { CueIndex, isRendered } from "./cue-index.js";
import { landing, neighbour, nextStep } from "./plan.js";

/** @typedef {import("./plan.js").Cursor} Cursor */
/** @typedef {import("./plan.js").Target} Target */

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

  /** Start once there is something to start with, and lengthen the time line by what has been rendered since. */
  async pump() {
    if (this.#closed) return;
    const list = this.#chapters.list;
    let step = nextStep(list, (number) => this.#chapters.peek(number), this.#cursor);
    if (step.kind === "load") {
      await this.#chapters.load(step.chapter).catch((error) => this.#onStall(null, error));
      if (this.#closed) return;
      step = nextStep(list, (number) => this.#chapters.peek(number), this.#cursor);
    }
    if (step.kind === "wait") return this.#onStall(step.cursor, null);
    if (step.kind === "append" && !this.#loaded) {
      this.#loaded = true;
      this.#cursor = step.cursor;
      this.#audio.src = this.#wire.url(step.cursor.chapter, step.entry.id, "playlist.m3u8");
    }
    this.#lengthen();
    this.#onStall(null, null);
  }

  /** First sentence after this stream's end; the playback goes there when the audio has ended. */
  get next() {
    const last = this.cues.placed.at(-1);
    const chapter = last ? neighbour(this.#chapters.list, last.chapter) : null;
    return chapter === null ? null : { chapter, at: 0 };
  }

  close() {
    this.#closed = true;
  }

  #lengthen() {
    const index = this.#chapters.peek(this.#cursor.chapter);
    if (!index || !this.#loaded) return;
    for (let at = this.#cursor.at + this.cues.placed.length; at < index.sentences.length; at += 1) {
      if (!isRendered(index.sentences[at])) break;
      this.cues.append(index.chapter, at, index.sentences[at]);
    }
  }
}
