/**
 * Downloads: what the listener wants to have on this device of which book, fetched while a page of ours is open, in
 * pieces, so that what breaks off goes on where it was. Kept until the listener takes it away.
 */

import { Fetching } from "./downloads-fetch.js";
import { isNothing, NOTHING, without } from "./downloads-plan.js";
import { shell } from "./offline-shell.js";
import * as store from "./offline-store.js";
import { Signal } from "./signal.js";

/** @typedef {import("./types.js").ChapterIndex} ChapterIndex */
/** @typedef {import("./offline-store.js").Record} Record */
/** @typedef {import("./offline-store.js").Wish} Wish */
/** @typedef {import("./downloads-plan.js").Spot} Spot */
/** @typedef {{book: string, chapter: number, bytes: number, of: number}} Progress */

export class Downloads {
  /** Changes whenever something here does. @type {Signal<number>} */
  changed = new Signal(0);
  /** What is being fetched. @type {Signal<Progress|null>} */
  progress = new Signal(/** @type {Progress|null} */ (null));
  /** Why it does not go on, as a sentence. @type {Signal<string|null>} */
  problem = new Signal(/** @type {string|null} */ (null));
  /** The server does not answer, and what is shown comes from here. @type {Signal<boolean>} */
  away = new Signal(false);
  /** Whether the browser has promised to keep what is here; null: not asked yet. @type {Signal<boolean|null>} */
  lasting = new Signal(/** @type {boolean|null} */ (null));
  /** When what is kept is known. @type {Promise<void>} */
  ready;

  /** @type {Map<string, Record>} */
  #records = new Map();
  /** @type {Map<string, import("./offline-store.js").KeptRun[]>} */
  #runs = new Map();
  /** @type {Map<string, Spot>} */
  #spots = new Map();
  /** The other pages of this browser: what one of them keeps, all know. */
  #others = "BroadcastChannel" in globalThis ? new BroadcastChannel("lectern-downloads") : null;
  #fetching;

  /** @param {typeof import("./api.js").api} api @param {import("./live.js").Live} live */
  constructor(api, live) {
    this.ready = this.#read().catch(() => undefined); // a browser that keeps nothing
    this.#fetching = new Fetching(api, this);
    shell.subscribe((state) => state === "ready" && this.go());
    live.on(["render.progress", "book.changed", "resync"], (data) => (!data.book && !data.id ? true : this.of(data.book ?? data.id)) && this.#fetching.soon());
    live.connected.subscribe((up) => up && ((this.away.value = false), this.go()));
    let was = false;
    this.away.subscribe((away) => {
      if (was && !away) live.missed(); // what is shown came from here
      was = away;
    });
    this.#others?.addEventListener("message", (event) => this.#reread(event.data));
    navigator.serviceWorker?.addEventListener("message", (event) => event.data?.type === "kept-broken" && this.#check());
  }

  get records() {
    return [...this.#records.values()];
  }

  /** What is kept of a book, or wanted. @param {string} book */
  of(book) {
    return this.#records.get(book);
  }

  /** @param {string} book @returns {Wish} */
  wish(book) {
    return this.of(book)?.wish ?? NOTHING;
  }

  /** Where the voice is in a book, or was when it was last heard of. @param {string} book @returns {Spot|null} */
  spot(book) {
    const position = this.of(book)?.book.position;
    return this.#spots.get(book) ?? (position ? { chapter: position.chapter, share: 0 } : null);
  }

  /** Where the voice is in a book: more hours ahead of it may be wanted. @param {string} book @param {Spot} spot */
  place(book, spot) {
    const before = this.#spots.get(book);
    this.#spots.set(book, spot);
    if (before?.chapter !== spot.chapter && this.of(book)?.wish.hours) this.go();
  }

  /** Choose what is to be here of a book; must be called in a tap, in which the browser can be asked for lasting room. @param {import("./types.js").BookDetail} book @param {Wish} wish */
  async choose(book, wish) {
    if (!isNothing(wish)) this.#askForRoom();
    const record = this.of(book.id) ?? { book, wish, chapters: {} };
    await this.save({ ...record, book, wish }).catch((error) => this.#fetching.explain(error));
    this.go();
  }

  /** Take chapters away, or the book with all that was wanted of it. @param {string} book @param {number[]|null} chapters */
  async remove(book, chapters) {
    const record = this.of(book);
    if (!record) return;
    this.#fetching.stop(book);
    const wish = chapters ? without(record.book, record.wish, this.spot(book), chapters) : NOTHING;
    const left = Object.fromEntries(Object.entries(record.chapters).filter(([number]) => chapters && !chapters.includes(Number(number))));
    if (isNothing(wish) && !Object.keys(left).length) {
      this.#records.delete(book);
      this.#runs.delete(book);
      await store.forget(book);
      this.#others?.postMessage(book);
    } else {
      // Known first: whoever taps on the next row meanwhile must not bring this one back. Kept last: that takes room.
      this.#records.set(book, { ...record, wish, chapters: left });
      for (const number of chapters ?? []) if (!this.of(book)?.chapters[number]) await store.forgetChapter(book, number);
      const now = this.of(book);
      if (now) await this.save(now);
      await this.lay(book);
    }
    this.#tell();
    this.go();
  }

  /** How a chapter can be played from here; null where it cannot, or is not what it was. @param {string} book @param {ChapterIndex} index */
  run(book, index) {
    const kept = this.of(book)?.chapters[index.chapter];
    if (!kept || kept.print !== store.printOf(index) || !navigator.serviceWorker?.controller) return null;
    return this.#runs.get(book)?.find((run) => run.chapters.includes(index.chapter)) ?? null;
  }

  /** A book is opened: see that what is said to be here is here. @param {string} book */
  async open(book) {
    await this.ready;
    const record = this.of(book);
    if (!record) return;
    await this.#verify(record);
    await this.lay(book, true);
    this.go();
  }

  /** @param {string} book @param {boolean} [tidy] */
  async lay(book, tidy = false) {
    const record = this.of(book);
    if (record && tidy) await store.forgetAside(record).catch(() => undefined);
    if (record) this.#runs.set(book, await store.layRuns(record, tidy).catch(() => []));
    else this.#runs.delete(book);
    this.#tell();
  }

  /** @param {Record} record */
  async save(record) {
    this.#records.set(record.book.id, record);
    await store.keepRecord(record);
    this.#others?.postMessage(record.book.id);
    this.#tell();
  }

  /** Fetch what is wanted and not here, if that is not under way. */
  go() {
    if (shell.value === "ready") this.#fetching.go();
  }

  /** How much there is and how much there may be, in bytes; null where the browser does not say. */
  async room() {
    const { usage, quota } = (await navigator.storage?.estimate?.().catch(() => null)) ?? {};
    return usage === undefined || quota === undefined ? null : { usage, left: Math.max(0, quota - usage) };
  }

  async #askForRoom() {
    this.lasting.value = (await navigator.storage?.persist?.().catch(() => false)) ?? false;
  }

  async #read() {
    if (!isSecureContext || !("caches" in globalThis)) return;
    for (const record of await store.records()) if (record) this.#records.set(record.book.id, record);
    await store.tidy([...this.#records.keys()]);
    if (this.#records.size) this.lasting.value = (await navigator.storage?.persisted?.().catch(() => false)) ?? false;
    this.#tell();
  }

  /** Another page has changed something. @param {string} book */
  async #reread(book) {
    const record = await store.recordOf(book);
    // What another page no longer wants must not be fetched here, into a cache that nobody owns.
    const other = JSON.stringify(record?.wish) !== JSON.stringify(this.of(book)?.wish);
    if (other) this.#fetching.stop(book);
    if (record) this.#records.set(book, record);
    else this.#records.delete(book);
    if (other) this.go();
    if (this.#runs.has(book)) await this.lay(book);
    this.#tell();
  }

  /** @param {Record} record */
  async #verify(record) {
    const sound = await store.soundOf(record);
    const left = Object.entries(record.chapters).filter(([number]) => sound.has(Number(number)));
    if (left.length !== Object.keys(record.chapters).length) await this.save({ ...record, chapters: Object.fromEntries(left) });
  }

  async #check() {
    for (const record of this.records) {
      await this.#verify(record);
      if (this.#runs.has(record.book.id)) await this.lay(record.book.id);
    }
    this.go();
  }

  #tell() {
    this.changed.value += 1;
  }
}
