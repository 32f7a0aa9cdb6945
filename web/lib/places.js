/** The place in one open book: told as it moves, asked about where another device has moved on, and gone back to. */

import { RATE_HZ } from "./cue-index.js";
import { Cleanup } from "./dom.js";
import { Heard } from "./heard.js";
import { PlaceKeeper } from "./place-keeper.js";
import { neighbour } from "./plan.js";
import { Signal } from "./signal.js";

/** @typedef {import("./types.js").Spot} Spot */
/** @typedef {import("./types.js").Position} Position */
/** @typedef {import("./playback.js").Cue} Cue */
/** @typedef {Spot & {title: string, text: string}} Shown  a spot with its chapter's title and its sentence */
/**
 * @typedef {object} Parts
 * @property {import("./types.js").BookDetail} book
 * @property {typeof import("./api.js").api} api
 * @property {import("./live.js").Live} live
 * @property {import("./outbox.js").Outbox} outbox
 * @property {import("./chapters.js").Chapters} chapters
 * @property {import("./playback.js").Playback} playback
 * @property {import("./travel.js").Travel} travel
 * @property {HTMLAudioElement} audio
 * @property {() => number|undefined} edition  that is open
 */

export const FAR_S = 60; // a step that is longer can be gone back from
const FAR_SENTENCES = 12; // and so can one into another chapter, whose length nobody knows yet

export class Places {
  /** Where another device is, while the listener has not chosen. @type {Signal<Shown|null>} */
  elsewhere = new Signal(/** @type {Shown|null} */ (null));
  /** Where the listener was before the last jump. @type {Signal<Cue|null>} */
  left = new Signal(/** @type {Cue|null} */ (null));
  keeper;
  #parts;
  #heard;
  #turn = 0; // of what is told of another device: a later one overtakes
  #cleanup = new Cleanup();

  /** @param {Parts} parts */
  constructor(parts) {
    const { book, live, outbox, playback } = (this.#parts = parts);
    this.#heard = new Heard(parts.audio);
    this.keeper = new PlaceKeeper((place, reason, leaving) =>
      outbox.post(book.id, { ...place, reason, heard_s: this.#heard.take(), edition: parts.edition() }, leaving));
    playback.onmove = (cue, why, from) => this.#moved(cue, why, from);
    const leave = () => this.keeper.flush(true);
    this.#cleanup.add(
      leave,
      () => this.#heard.close(),
      playback.state.subscribe((state) => (state === "paused" || state === "ended") && this.keeper.flush()),
      outbox.onAnswer((id, answer) => id === book.id && this.#answered(answer)),
      live.on("position", (told) => told.book === book.id && told.device !== outbox.device.id && this.#resting && this.#offer(told)),
      live.on("resync", () => this.#resting && this.now().catch(() => undefined)),
    );
    this.#cleanup.listen(window, "pagehide", leave);
    this.#cleanup.listen(document, "visibilitychange", () => document.visibilityState === "hidden" && leave());
  }

  close() {
    this.#turn += 1;
    this.#cleanup.run();
  }

  /** This device's place, null before the first; where another one has moved on, that is told too. @returns {Promise<Spot|null>} */
  async now() {
    const { api, book, outbox } = this.#parts;
    await outbox.deliver(book.id);
    const position = await api.position(book.id, outbox.device.id);
    if (!position?.own) return position;
    this.#offer(position);
    return position.own;
  }

  /** Go where the other device is. */
  async goThere() {
    const there = this.elsewhere.value;
    this.#settle();
    if (there) await this.#parts.playback.goTo(spot(there));
  }

  /** Stay: from now on this is the place. */
  async stay() {
    const cue = this.#parts.playback.cue.value;
    this.#settle();
    if (cue) await this.keeper.stay(placeOf(cue));
  }

  /** Go back to before the last jump. */
  async back() {
    const left = this.left.value;
    this.left.value = null;
    if (left) await this.#parts.playback.goTo(placeOf(left), "undo");
  }

  /** The last jumps with what stood where they began, the latest first. @returns {Promise<{entry: number, at: string, left: Shown}[]>} */
  async jumps() {
    await this.keeper.flush();
    const jumps = await this.#parts.api.jumps(this.#parts.book.id);
    return Promise.all(jumps.map(async ({ entry, left, arrived }) => ({ entry, at: arrived.updated ?? "", left: await this.#shown(left) })));
  }

  /** Go back from one of them. @param {number} entry */
  async backFrom(entry) {
    const { api, book, outbox, playback } = this.#parts;
    await this.keeper.flush();
    const place = await api.backFrom(book.id, entry, { device: outbox.device.id, counter: outbox.device.count() });
    this.#settle();
    await playback.goTo(spot(place), "told");
  }

  /** @param {Cue} cue @param {import("./playback.js").Why} why @param {Cue|null} from */
  #moved(cue, why, from) {
    if (why === "played") return this.keeper.move(placeOf(cue));
    const there = from?.chapter === cue.chapter && from.sentence === cue.sentence;
    const far = why !== "skip" || this.#isFar(from, cue);
    // The very beginning is believed only if the listener went there.
    if (why === "skip" && !far && !this.#isBeginning(cue)) this.keeper.move(placeOf(cue));
    else if (why !== "told") this.keeper.jump(placeOf(cue));
    if (why !== "undo" && far && from && !there) this.left.value = from;
  }

  /** @param {Cue|null} from @param {Cue} to */
  #isFar(from, to) {
    if (!from) return false;
    const { chapters, travel } = this.#parts;
    if (from.chapter === to.chapter) return Math.abs((travel.clock?.startOf(from.at) ?? 0) - (travel.clock?.startOf(to.at) ?? 0)) / RATE_HZ >= FAR_S;
    const [first, last] = from.chapter < to.chapter ? [from, to] : [to, from];
    if (neighbour(chapters.list, first.chapter) !== last.chapter) return true;
    return (chapters.row(first.chapter)?.sentences ?? Infinity) - first.at + last.at > FAR_SENTENCES;
  }

  /** @param {Cue} cue */
  #isBeginning(cue) {
    return cue.at === 0 && neighbour(this.#parts.chapters.list, 0) === cue.chapter;
  }

  get #resting() {
    return ["idle", "paused", "ended"].includes(this.#parts.playback.state.value);
  }

  /** @param {Position} answer */
  #answered(answer) {
    if (answer.applied !== false) this.#settle();
    else if (answer.unapplied !== "stale") this.#offer(answer);
  }

  /** @param {Spot} there */
  async #offer(there) {
    const turn = (this.#turn += 1);
    const shown = await this.#shown(there);
    if (turn !== this.#turn) return;
    const cue = this.#parts.playback.cue.value;
    const here = cue?.chapter === there.chapter && cue.sentence === there.sentence;
    this.elsewhere.value = here ? null : shown;
  }

  /** Nothing is left to be chosen. */
  #settle() {
    this.#turn += 1;
    this.elsewhere.value = null;
  }

  /** @param {Spot} there @returns {Promise<Shown>} */
  async #shown(there) {
    const { chapters } = this.#parts;
    const index = await chapters.load(there.chapter).catch(() => null);
    const text = index?.sentences.find((entry) => entry.id === there.sentence)?.text ?? "";
    return { ...there, title: chapters.row(there.chapter)?.title || `Chapter ${there.chapter}`, text };
  }
}

/** @param {Cue} cue @returns {import("./types.js").Place} */
export const placeOf = ({ chapter, sentence, word }) => ({ chapter, sentence, word: Math.max(0, word) });

/** @param {Spot} there @returns {import("./types.js").Place} */
const spot = ({ chapter, sentence, word }) => ({ chapter, sentence, word });
