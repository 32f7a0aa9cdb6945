/**
 * A stream of sentences through MediaSource.
 *
 * Each sentence is one fragment. It says when it starts on the server's time line, which begins anew with every
 * chapter; `timestampOffset` moves it to its place on ours, so that nothing depends on the two being the same.
 */

import { CueIndex, RATE_HZ, isJoinable, lengthOf } from "./cue-index.js";
import { startOfFragment } from "./fragment.js";
import { evictBefore, isHungry, landing, nextStep } from "./plan.js";

/** @typedef {import("./chapters.js").Chapters} Chapters */
/** @typedef {import("./plan.js").Cursor} Cursor */
/** @typedef {import("./plan.js").Target} Target */
/**
 * @typedef {object} Wire  where the bytes come from
 * @property {(chapter: number, sentence: string, file: string, on?: boolean) => string} url  `on`: beyond the chapter
 * @property {(url: string, signal: AbortSignal) => Promise<ArrayBuffer>} bytes
 * @property {(index: import("./types.js").ChapterIndex) => import("./source-file.js").Run|null} [kept]  on this device
 */
/** @typedef {(wait: Cursor|null, problem: Error|null) => void} OnStall  what the stream lacks; twice null: nothing */

export const MIME = 'audio/mp4; codecs="mp4a.40.2"';
const LONGEST_S = 1_000_000; // more than any book
const RETRY_MS = [500, 1000, 2000, 4000, 8000];

export class MseSource {
  cues = new CueIndex();
  #audio;
  #chapters;
  #wire;
  #onStall;
  #media = new MediaSource();
  #abort = new AbortController();
  /** @type {SourceBuffer|null} */
  #buffer = null;
  /** @type {{chapter: number, from: string}|null} */
  #run = null;
  #pumping = false;
  #again = false;
  #failures = 0;
  /** @type {Cursor} */
  #cursor;
  #objectUrl;

  /**
   * @param {HTMLAudioElement} audio
   * @param {Chapters} chapters
   * @param {Cursor} cursor  first sentence of the stream
   * @param {Wire} wire
   * @param {OnStall} onStall
   */
  constructor(audio, chapters, cursor, wire, onStall) {
    this.#audio = audio;
    this.#chapters = chapters;
    this.#cursor = cursor;
    this.#wire = wire;
    this.#onStall = onStall;
    this.#objectUrl = URL.createObjectURL(this.#media);
    this.#media.addEventListener("sourceopen", () => this.#open(), { once: true });
    audio.src = this.#objectUrl;
  }

  #open() {
    // With an endless duration and an empty buffer nothing is seekable, and a seek to the first word would be dropped
    // without a sign. The end is set right by endOfStream.
    this.#media.duration = LONGEST_S;
    this.pump();
  }

  /** @param {Target} target @returns {number|null} */
  landing(target) {
    const { buffered } = this.#audio;
    const ranges = Array.from({ length: buffered.length }, (_, i) => ({ start: buffered.start(i), end: buffered.end(i) }));
    return landing(this.cues, ranges, target);
  }

  /** Fill the buffer as far as it should be full; call it whenever time or the render has moved on. */
  async pump() {
    if (this.#pumping) {
      this.#again = true;
      return;
    }
    if (this.#media.readyState !== "open" || this.#abort.signal.aborted) return;
    this.#pumping = true;
    try {
      do {
        this.#again = false;
        await this.#fill();
      } while (this.#again);
      this.#failures = 0;
    } catch (error) {
      if (!this.#abort.signal.aborted) this.#retry(/** @type {Error} */ (error));
    } finally {
      this.#pumping = false;
    }
  }

  close() {
    this.#abort.abort();
    URL.revokeObjectURL(this.#objectUrl);
  }

  async #fill() {
    while (!this.#abort.signal.aborted && isHungry(this.cues.end_samples / RATE_HZ, this.#audio.currentTime)) {
      const step = nextStep(this.#chapters.list, (number) => this.#chapters.peek(number), this.#cursor);
      if (step.kind === "load") {
        await this.#chapters.load(step.chapter);
      } else if (step.kind === "wait") {
        this.#cursor = step.cursor;
        this.#onStall(step.cursor, null);
        return;
      } else if (step.kind === "end") {
        this.#onStall(null, null);
        if (this.#media.readyState === "open") this.#media.endOfStream();
        return;
      } else {
        await this.#append(step.cursor, step.entry);
      }
    }
    this.#onStall(null, null);
    await this.#evict();
  }

  /**
   * @param {Cursor} cursor
   * @param {import("./types.js").SentenceEntry} entry
   */
  async #append(cursor, entry) {
    const { signal } = this.#abort;
    // The server lays a run out once: all sentences of a chapter are asked of the run that the first began.
    if (this.#run?.chapter !== cursor.chapter) this.#run = { chapter: cursor.chapter, from: entry.id };
    const { from } = this.#run;
    const get = (/** @type {string} */ file) => this.#wire.bytes(this.#wire.url(cursor.chapter, from, file), signal);
    if (!this.#buffer) {
      const init = await get("init.mp4");
      signal.throwIfAborted();
      this.#buffer = this.#media.addSourceBuffer(MIME);
      await this.#do((buffer) => buffer.appendBuffer(init));
    }
    const bytes = await get(`s-${encodeURIComponent(entry.id)}.m4s`);
    signal.throwIfAborted();
    this.#place(cursor, entry, startOfFragment(bytes));
    await this.#do((buffer) => buffer.appendBuffer(bytes));
    // Placed only once the bytes are in: after a failure the same sentence is tried again, never doubled.
    this.cues.append(cursor.chapter, cursor.at, entry);
    this.#cursor = { chapter: cursor.chapter, at: cursor.at + 1 };
    this.#failures = 0;
  }

  /**
   * Have the next fragment land behind the last. Those of another renderer begin with its priming and may run on
   * beyond their gap: what is too much is cut off, to the sample.
   * @param {Cursor} cursor
   * @param {import("./types.js").SentenceEntry} entry
   * @param {number} start_samples  of the fragment
   */
  #place(cursor, entry, start_samples) {
    const buffer = /** @type {SourceBuffer} */ (this.#buffer);
    const index = this.#chapters.peek(cursor.chapter);
    const loose = index !== undefined && !isJoinable(index);
    const at = this.cues.end_samples;
    buffer.timestampOffset = (at - (loose ? index.priming : 0) - start_samples) / RATE_HZ;
    buffer.appendWindowEnd = Infinity; // first: the window is never empty
    buffer.appendWindowStart = loose ? at / RATE_HZ : 0;
    if (loose) buffer.appendWindowEnd = (at + lengthOf(entry)) / RATE_HZ;
  }

  async #evict() {
    const { buffered, currentTime } = this.#audio;
    const before = buffered.length ? evictBefore(buffered.start(0), currentTime) : null;
    if (before !== null && this.#buffer) await this.#do((buffer) => buffer.remove(0, before));
  }

  /**
   * Run one operation of the buffer and wait until it is done.
   * @param {(buffer: SourceBuffer) => void} operation
   */
  #do(operation) {
    const buffer = /** @type {SourceBuffer} */ (this.#buffer);
    return new Promise((resolve, reject) => {
      const done = new AbortController();
      const once = { signal: done.signal };
      buffer.addEventListener("updateend", () => (done.abort(), resolve(undefined)), once);
      buffer.addEventListener("error", () => (done.abort(), reject(new Error("The audio could not be decoded."))), once);
      try {
        operation(buffer);
      } catch (cause) {
        done.abort();
        reject(cause);
      }
    });
  }

  /** @param {Error} error */
  #retry(error) {
    const wait = RETRY_MS[Math.min(this.#failures, RETRY_MS.length - 1)];
    this.#failures += 1;
    this.#onStall(null, error);
    const timer = setTimeout(() => this.pump(), wait);
    this.#abort.signal.addEventListener("abort", () => clearTimeout(timer), { once: true });
  }
}
