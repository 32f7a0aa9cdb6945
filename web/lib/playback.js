/** The voice: one long-lived audio element, what it is saying, and where it is told to go. */

import { RATE_HZ } from "./cue-index.js";
import { Signal } from "./signal.js";
import { keepSpeed, nextOf, openSource } from "./sources.js";

/** @typedef {import("./plan.js").Cursor} Cursor */
/** @typedef {import("./plan.js").Target} Target */
/** @typedef {{chapter: number, at: number, sentence: string, word: number}} Cue  word -1: before the first */
/** @typedef {"played"|"jump"|"skip"|"undo"|"told"} Why  it went on; the listener went there, or a step; or back; or the server knows */
/** @typedef {"idle"|"loading"|"waiting"|"playing"|"paused"|"ended"} State  waiting: for the render */

const RETRY_MS = 3000;

export class Playback {
  /** @type {Signal<Cue|null>} where the voice is, playing or not */
  cue = new Signal(/** @type {Cue|null} */ (null));
  /** @type {Signal<State>} */
  state = new Signal(/** @type {State} */ ("idle"));
  /** @type {Signal<Error|null>} why the stream stands still, if it is not the render */
  problem = new Signal(/** @type {Error|null} */ (null));
  /** Called whenever the listener or the voice has moved; `from`: where it was before it was sent. @type {(cue: Cue, why: Why, from: Cue|null) => void} */
  onmove = () => undefined;

  #audio;
  #chapters;
  #wire;
  #settings;
  #listen;
  /** @type {import("./sources.js").Source|null} */
  #source = null;
  /** @type {Cursor|null} */
  #waiting = null;
  /** @type {number|null} seconds to seek to as soon as the new stream allows */
  #seek = null;
  #wanted = false;
  #moving = false;
  #ended = false;
  #frame = 0;
  #turn = 0; // of goTo: a later wish overtakes one whose chapter is still on its way
  #off = new AbortController();

  /**
   * @param {HTMLAudioElement} audio
   * @param {import("./chapters.js").Chapters} chapters
   * @param {import("./source-mse.js").Wire} wire
   * @param {typeof import("./settings.js").settings} settings
   * @param {(cursor: {chapter: number, sentence: string}) => unknown} listen  asks for the render from there
   */
  constructor(audio, chapters, wire, settings, listen) {
    this.#audio = audio;
    this.#chapters = chapters;
    this.#wire = wire;
    this.#settings = settings;
    this.#listen = listen;
    const on = (/** @type {string} */ name, /** @type {() => void} */ run, /** @type {EventTarget} */ target = audio) =>
      target.addEventListener(name, run, { signal: this.#off.signal });
    on("playing", () => this.#flow(true));
    on("waiting", () => this.#flow(false));
    on("pause", () => this.#onPause());
    on("ended", () => this.#onEnded());
    on("error", () => this.#onError());
    on("loadedmetadata", () => this.#applySeek());
    on("seeked", () => this.#look());
    on("timeupdate", () => (this.#look(), this.#source?.pump()));
    on("visibilitychange", () => this.#look(), document);
    on("change", () => this.#source?.pump(), chapters);
    const unsubscribe = settings.speed.subscribe(() => this.#applySpeed());
    this.#off.signal.addEventListener("abort", unsubscribe);
  }

  /** Stand at a place without a sound. @param {Target} target */
  async open(target) {
    const index = await this.#chapters.load(target.chapter);
    const at = Math.max(0, index.sentences.findIndex((entry) => entry.id === target.sentence));
    if (index.sentences[at]) this.#setCue({ chapter: target.chapter, at, sentence: index.sentences[at].id, word: target.word ?? 0 });
    if (this.state.value === "idle" && this.cue.value) this.state.value = "paused";
  }

  /** Must start inside a tap or key press the first time: browsers ask for that. */
  play() {
    const cue = this.cue.value;
    if (!cue) return;
    this.#wanted = true;
    if (!this.#source || this.#ended) this.#start(cue);
    this.#sound();
  }

  pause() {
    this.#wanted = false;
    this.#audio.pause();
    this.#settle();
  }

  toggle() {
    if (this.#wanted) this.pause();
    else this.play();
  }

  /**
   * Move the voice; it goes on playing, or stays paused, there.
   * @param {Target} target @param {Why} [why]
   */
  async goTo(target, why = "jump") {
    const turn = (this.#turn += 1);
    const index = await this.#chapters.load(target.chapter);
    const at = index.sentences.findIndex((entry) => entry.id === target.sentence);
    if (at < 0 || turn !== this.#turn || this.#off.signal.aborted) return;
    const cue = { chapter: target.chapter, at, sentence: target.sentence, word: target.word ?? 0 };
    const time = this.#source && !this.#ended ? this.#source.landing(target) : null;
    if (time !== null) {
      this.#audio.currentTime = time;
    } else {
      this.#stop();
      if (this.#wanted) this.#start({ ...cue, ...target });
    }
    const from = this.cue.value;
    this.#setCue(cue);
    this.onmove(cue, why, from);
    if (this.#wanted) this.#sound();
  }

  /** The book was read anew: go on, or stay paused, at what the place is now. @param {Target} target */
  async renew(target) {
    const turn = (this.#turn += 1);
    this.#stop();
    const index = await this.#chapters.load(target.chapter);
    if (turn !== this.#turn || this.#off.signal.aborted) return;
    const at = Math.max(0, index.sentences.findIndex((entry) => entry.id === target.sentence));
    const cue = { chapter: target.chapter, at, sentence: index.sentences[at]?.id ?? "", word: target.word ?? 0 };
    this.#setCue(cue);
    if (this.#wanted) this.#start(cue), this.#sound();
    else this.#settle();
  }

  /** Index of the chapter that is being read. */
  get index() { return this.cue.value ? this.#chapters.peek(this.cue.value.chapter) : undefined; }

  /** Seconds into the sentence that is being read. */
  get inside_s() {
    const cue = this.cue.value;
    if (!cue) return 0;
    const heard = this.#source?.cues.at(this.#audio.currentTime)?.placed;
    if (heard && heard.chapter === cue.chapter && heard.at === cue.at) {
      return Math.max(0, this.#audio.currentTime - heard.start_samples / RATE_HZ);
    }
    return (this.index?.sentences[cue.at]?.words?.[cue.word]?.start ?? 0) / RATE_HZ;
  }

  /** Number of a chapter's last sentence; -1 where it is not known. @param {number} chapter */
  lastOf(chapter) { return (this.#chapters.peek(chapter)?.sentences.length ?? 0) - 1; }
  get speed() { return this.#settings.speed.value; }
  get time_s() { return this.#audio.currentTime; }
  /** What the stream waits for the render of, if it does. */
  get waiting() { return this.#waiting; }
  /** Ask (again) for the render of what is waited for. */
  remind() {
    const entry = this.#waiting && this.#chapters.peek(this.#waiting.chapter)?.sentences[this.#waiting.at];
    if (entry) this.#listen({ chapter: this.#waiting?.chapter ?? 0, sentence: entry.id });
  }

  close() {
    this.#wanted = false;
    this.#audio.pause();
    this.#stop();
    this.#off.abort();
  }

  /** @param {Cursor & {word?: number, offset_samples?: number}} cue */
  #start(cue) {
    this.#stop();
    const { source, seek_s } = openSource(this.#audio, this.#chapters, this.#wire, cue, (wait, problem) => this.#onStall(wait, problem));
    this.#source = source;
    this.#seek = seek_s;
    this.#applySpeed();
  }

  #stop() {
    this.#source?.close();
    this.#source = null;
    this.#waiting = null;
    this.#seek = null;
    this.#moving = false;
    this.#ended = false;
    this.problem.value = null;
    cancelAnimationFrame(this.#frame);
    // The old stream must not sound on while the new one waits for its render. Unlike pause(), this is no wish.
    this.#audio.removeAttribute("src");
    this.#audio.load();
  }

  #sound() {
    this.#settle();
    // Even without a source yet: what counts for Safari is that the tap itself called play().
    this.#audio.play().catch((error) => {
      // AbortError: a newer stream took over. NotAllowedError: no tap yet, so show the play button again.
      if (error.name === "NotAllowedError") this.pause();
    });
  }

  #applySeek() {
    this.#applySpeed();
    if (this.#seek) this.#audio.currentTime = this.#seek;
    this.#seek = null;
    if (this.#wanted && this.#still) this.#sound();
  }

  /** Whether it stands and can go on: at the end, play() would begin anew. */
  get #still() { return this.#audio.paused && !this.#audio.ended; }
  #applySpeed() { keepSpeed(this.#audio, this.#settings.speed.value); }

  /** @param {Cursor|null} wait @param {Error|null} problem */
  #onStall(wait, problem) {
    const before = this.#waiting;
    this.#waiting = wait;
    this.problem.value = problem;
    if (wait && (before?.chapter !== wait.chapter || before.at !== wait.at)) this.remind();
    if (this.#wanted && this.#audio.src && this.#still && !wait && !this.#ended) this.#sound();
    this.#settle();
  }

  /** @param {boolean} moving */
  #flow(moving) {
    this.#moving = moving;
    this.#settle();
    cancelAnimationFrame(this.#frame);
    const tick = () => {
      this.#look();
      if (this.#moving) this.#frame = requestAnimationFrame(tick);
    };
    if (moving) tick();
  }

  #onPause() {
    this.#moving = false;
    // A pause from outside (lock screen, unplugged headphones) is a wish too; the one at the end is not.
    if (!this.#audio.ended && this.#source) this.#wanted = false;
    this.#settle();
  }

  #onEnded() {
    const next = nextOf(this.#source);
    const waiting = this.#waiting;
    this.#moving = false;
    if (this.#wanted && next) return void this.#goOn(next);
    if (waiting) return this.#settle();
    this.#ended = true;
    this.#wanted = false;
    this.#settle();
  }

  /** What follows what has been heard comes from another source. @param {Cursor} next */
  async #goOn(next) {
    const source = this.#source;
    await this.#chapters.load(next.chapter).catch((error) => (this.problem.value = error));
    if (!this.#wanted || this.#source !== source) return;
    if (this.#chapters.peek(next.chapter)) this.#start(next);
    else setTimeout(() => this.#wanted && this.#source === source && this.#goOn(next), RETRY_MS);
  }

  /** Sound that cannot be had or decoded: begin again from here after a while. */
  #onError() {
    if (!this.#source) return;
    this.#stop();
    this.problem.value = new Error("The sound has broken off.");
    this.#settle();
    setTimeout(() => this.#wanted && !this.#source && this.play(), RETRY_MS);
  }

  #settle() {
    if (this.#ended) this.state.value = "ended";
    else if (!this.#wanted) this.state.value = this.cue.value ? "paused" : "idle";
    else if (this.#moving) this.state.value = "playing";
    else this.state.value = this.#waiting ? "waiting" : "loading";
  }

  /** Look up what is heard now. */
  #look() {
    const offset = this.#settings.offset_ms.value / 1000;
    // A seek that is still to come would show the stream's start for a moment.
    const found = this.#seek ? null : this.#source?.cues.at(Math.max(0, this.#audio.currentTime + offset));
    if (!found || this.#audio.seeking) return;
    const { placed, word } = found;
    const cue = { chapter: placed.chapter, at: placed.at, sentence: placed.entry.id, word };
    const now = this.#chapters.peek(placed.chapter)?.sentences[placed.at];
    if (this.#moving && now?.sha256 && now.sha256 !== placed.entry.sha256) {
      this.#start(cue); // it was rendered again since this stream was laid out
      return void this.#sound();
    }
    if (this.#setCue(cue) && this.#moving) this.onmove(cue, "played", null);
  }

  /** @param {Cue} cue @returns {boolean} whether that is news */
  #setCue(cue) {
    const old = this.cue.value;
    if (old && old.chapter === cue.chapter && old.sentence === cue.sentence && old.word === cue.word) return false;
    this.cue.value = cue;
    return true;
  }
}
