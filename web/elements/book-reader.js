/**
 * One open book: its text, the voice, and the place that is kept.
 *
 * For tests and style it shows `data-playing`, `data-state`, `data-chapter` and `data-time` (seconds of the audio
 * element); the lit word is `.word.lit` inside `[data-sentence]`.
 */

import { Besides } from "../lib/beside.js";
import { Bookmarks } from "../lib/bookmarks.js";
import { attachBoost } from "../lib/boost.js";
import { Chapters } from "../lib/chapters.js";
import { isRendered } from "../lib/cue-index.js";
import { Cleanup, h } from "../lib/dom.js";
import { showFailure } from "../lib/failure.js";
import { icon } from "../lib/icons.js";
import { attachKeys } from "../lib/keys.js";
import { attachMediaSession } from "../lib/media-session.js";
import { attachPace } from "../lib/pace.js";
import { Places } from "../lib/places.js";
import { neighbour } from "../lib/plan.js";
import { Playback } from "../lib/playback.js";
import { actsOf, QUIET } from "../lib/reader-acts.js";
import { readerHead } from "../lib/reader-head.js";
import { Renewal } from "../lib/renewal.js";
import { bookHref } from "../lib/router.js";
import { SleepTimer } from "../lib/sleep-timer.js";
import { Travel } from "../lib/travel.js";
import { whyWaiting } from "../lib/trouble.js";
import { VoiceNote } from "../lib/voice-note.js";

/** @typedef {import("../lib/types.js").BookDetail} BookDetail */

const REMIND_MS = 10_000;

class BookReader extends HTMLElement {
  /** Set before it is connected. @type {import("../player.js").App} */
  app = /** @type {any} */ (null);
  bookId = "";
  spot = /** @type {import("../lib/router.js").Spot|null} */ (null); // a sentence to go to
  #cleanup = new Cleanup();
  #audio = h("audio", { preload: "auto" });
  #text = /** @type {any} */ (document.createElement("chapter-text"));
  #bar = /** @type {any} */ (document.createElement("transport-bar"));
  #list = /** @type {any} */ (document.createElement("chapter-list"));
  #sheet = /** @type {any} */ (document.createElement("reader-settings"));
  #wrong = /** @type {any} */ (document.createElement("sounds-wrong"));
  #sleep = /** @type {any} */ (document.createElement("sleep-sheet"));
  #marks = /** @type {any} */ (document.createElement("book-marks"));
  #other = /** @type {any} */ (document.createElement("other-place"));
  #jumps = /** @type {any} */ (document.createElement("jump-list"));
  #kept = /** @type {any} */ (document.createElement("download-sheet"));
  #menu = /** @type {any} */ (document.createElement("text-menu"));
  #find = /** @type {any} */ (document.createElement("book-search"));
  #keys = /** @type {any} */ (document.createElement("key-list"));
  #title = h("span", { class: "title", dir: "auto" }, "Lectern");
  #chapterTitle = h("span", { class: "chapter", dir: "auto" });
  #note = new VoiceNote();
  #toVoice = h("button", { class: "pill to-voice", type: "button", hidden: true, onclick: () => this.#backToVoice() });
  #onward = /** @type {any} */ (document.createElement("chapter-onward"));

  connectedCallback() {
    this.#bar.ends = [this.#wrong.button, this.#marks.button];
    this.#bar.settings = this.#sheet.settings = this.app.settings;
    Object.assign(this.#find, { app: this.app, book: this.bookId });
    Object.assign(this.#menu, { app: this.app, bookId: this.bookId, text: this.#text, marks: this.#marks, wrong: this.#wrong });
    this.replaceChildren(
      readerHead([this.#title, this.#chapterTitle], this.#sleep.button, () => this.#showChapters(), () => this.#find.show()),
      h("article", { class: "page" }, this.#text, this.#onward),
      h("div", { class: "dock" }, h("div", { class: "pills" }, this.#other.back, this.#toVoice), this.#other, this.#marks, this.#wrong, this.#menu, this.#note.element, this.#bar),
      this.#audio, this.#list, this.#jumps, this.#kept, this.#sheet, this.#sleep, this.#keys, this.#find,
    );
    this.#bar.state = "loading";
    this.#open().catch((error) => this.#fail(error));
  }

  disconnectedCallback() {
    this.#cleanup.run();
    this.#note.close();
  }

  async #open() {
    const { api, settings } = this.app;
    const book = await api.book(this.bookId);
    if (!this.isConnected) return;
    const chapters = new Chapters(book.chapters_list, (number) => api.chapter(book.id, number), api.changes);
    /** @type {import("../lib/source-mse.js").Wire} */
    const wire = { url: (chapter, from, file, on) => api.streamUrl(book.id, chapter, from, file, on), bytes: api.bytes, kept: (index) => this.app.downloads.run(book.id, index) };
    // A hint that is lost costs a little waiting: no reason to interrupt anybody.
    const listen = (/** @type {{chapter: number, sentence: string}} */ at) => api.listen(book.id, at.chapter, at.sentence).catch(() => undefined);
    const playback = new Playback(this.#audio, chapters, wire, settings, listen);
    const travel = new Travel(playback, chapters);
    this.#cleanup.add(() => playback.close(), () => chapters.close());
    this.#title.textContent = book.title;
    this.#text.lang = this.#title.lang = this.#chapterTitle.lang = book.language;
    document.title = `${book.title} · Lectern`;
    const edition = () => this.#renewal?.edition;
    const places = new Places({ book, api, live: this.app.live, outbox: this.app.outbox, chapters, playback, travel, audio: this.#audio, edition });
    const bookmarks = new Bookmarks(api, this.app.live, book.id, edition);
    this.#cleanup.add(() => places.close(), () => bookmarks.close());
    this.#renewal = new Renewal(book, () => api.book(book.id), () => places.keeper.flush(), (now, moved) => this.#renew(now, moved, chapters, playback, places));
    this.#wire(book, chapters, playback, travel);
    this.#wirePlaces(places, bookmarks, playback);
    await this.#stand(book, chapters, playback, places, listen);
  }

  /** Go to the kept place, else to the beginning, without a sound. @param {BookDetail} book @param {Chapters} chapters @param {Playback} playback @param {Places} places @param {(at: {chapter: number, sentence: string}) => unknown} listen */
  async #stand(book, chapters, playback, places, listen) {
    this.#text.lang = book.read_as ?? book.language;
    const first = neighbour(chapters.list, 0);
    const known = await places.now().catch(() => book.position);
    const kept = known && chapters.row(known.chapter) ? known : null;
    const chapter = kept?.chapter ?? first;
    if (chapter === null) return this.#fail(new Error("This book has no text that could be read aloud."));
    Object.assign(this.#kept, { app: this.app, book });
    await this.app.downloads.open(book.id).catch(() => undefined); // then it is played from the server
    await playback.open({ chapter, sentence: kept?.sentence ?? "", word: kept?.word ?? 0 });
    const cue = playback.cue.value;
    const entry = cue && playback.index?.sentences[cue.at];
    if (entry && !isRendered(entry)) listen({ chapter, sentence: entry.id });
    if (!kept) scrollTo(0, 0);
    if (this.spot) this.#attempt((this.#follow(), playback.goTo({ ...this.spot, word: 0 })));
    history.replaceState(history.state, "", bookHref(book.id)); // whoever loads the page anew is where they came to since
  }

  /** The book is not what it was when it was opened. @param {BookDetail} book @param {boolean} moved @param {Chapters} chapters @param {Playback} playback @param {Places} places */
  async #renew(book, moved, chapters, playback, places) {
    this.#title.textContent = book.title;
    document.title = `${book.title} · Lectern`;
    if (!moved) {
      chapters.list = book.chapters_list;
      if (this.#list.open) this.#list.show(chapters.list, playback.cue.value?.chapter ?? null);
      return;
    }
    const known = await places.now().catch(() => book.position);
    chapters.renew(book.chapters_list);
    this.#text.besides.renew();
    const cue = playback.cue.value;
    const place = known ?? { chapter: neighbour(chapters.list, 0) ?? 1, sentence: "", word: 0 };
    this.#text.follow = true;
    await playback.renew(cue ? place : { chapter: place.chapter, sentence: place.sentence });
    this.#showText();
  }

  /** @param {Places} places @param {Bookmarks} bookmarks @param {Playback} playback */
  #wirePlaces(places, bookmarks, playback) {
    this.#bookmarks = bookmarks;
    Object.assign(this.#marks, { playback, bookmarks });
    this.#other.run = (/** @type {() => unknown} */ act) => this.#attempt((this.#follow(), act()));
    this.#other.places = this.#jumps.places = places;
    this.#cleanup.add(bookmarks.list.subscribe(() => this.#showMarks()));
    for (const one of [this.#marks, this.#menu, this.#find]) this.#cleanup.listen(one, "place", (event) => this.#attempt((this.#follow(), playback.goTo(event.detail))));
    this.#cleanup.listen(this.#jumps, "gone", () => this.#backToVoice());
    this.#cleanup.listen(this.#list, "sheet", (event) => ({ find: this.#find, jumps: this.#jumps, downloads: this.#kept }[/** @type {string} */ (event.detail.name)] ?? this.#marks).show());
  }

  /** @param {BookDetail} book @param {Chapters} chapters @param {Playback} playback @param {Travel} travel */
  #wire(book, chapters, playback, travel) {
    const { live, settings } = this.app;
    this.#chapters = chapters;
    if (this.#early) this.#showChapters();
    this.#text.besides = new Besides((chapter) => this.app.api.beside(book.id, chapter));
    this.#playback = this.#menu.playback = playback;
    this.#note.why = async () => whyWaiting((await this.app.api.status()).worker, book.id);
    this.#sleep.timer = new SleepTimer(playback, travel, this.#audio);
    Object.assign(this.#wrong, { api: this.app.api, bookId: book.id, playback });
    const acts = actsOf(playback, travel, settings, {
      settings: () => this.#sheet.show(),
      keys: () => this.#keys.show(),
      bookmark: () => this.#marks.mark(),
      wrong: () => this.#wrong.tell(),
      chapters: () => this.#showChapters(),
      find: () => this.#find.show(),
      sleep: () => this.#sleep.button.click(),
      menu: () => this.#menu.atVoice(),
      voice: () => this.#backToVoice(),
    });
    const stale = () => chapters.outdated(playback.waiting?.chapter ?? playback.cue.value?.chapter ?? 0, Infinity, true);
    /** @param {string} act */
    const run = (act) => {
      if (!QUIET.has(act)) this.#follow();
      this.#attempt(acts[act]?.());
    };
    this.#cleanup.add(
      playback.cue.subscribe((cue) => cue && this.#showCue(cue, travel)),
      playback.state.subscribe((state) => this.#showState(state)),
      playback.problem.subscribe(() => this.#showState(playback.state.value)),
      attachKeys(window, run, settings),
      attachMediaSession(playback, travel, settings, {
        book: () => this.#renewal?.book ?? book,
        chapterTitle: (number) => chapters.row(number)?.title || book.title,
      }),
      attachPace(this.#audio, playback, settings), attachBoost(this.#audio, settings),
      live.on("render.progress", (data) => data.book === book.id && chapters.outdated(data.chapter, data.revision, playback.waiting?.chapter === data.chapter)),
      live.on("resync", () => (stale(), this.#renewal?.look())),
      live.on("book.changed", (data) => data.id === book.id && (stale(), this.#renewal?.look())),
      live.on("book.removed", (data) => data.id === book.id && this.#fail(new Error("This book has been deleted."))),
    );
    this.#cleanup.listen(this.#bar, "transport", (event) => run(event.detail.act));
    this.#cleanup.listen(this.#bar, "seek", (event) => this.#attempt(travel.seek(event.detail.seconds)));
    this.#cleanup.listen(this.#text, "stray", () => this.#showToVoice());
    this.#cleanup.listen(window, "scroll", () => this.#showToVoice(), { passive: true });
    for (const list of [this.#list, this.#onward]) this.#cleanup.listen(list, "chapter", (event) => this.#attempt((this.#follow(), travel.goToChapter(event.detail.number))));
    this.#cleanup.listen(this.#list, "read", (event) => this.#attempt(this.app.api.turnChapter(book.id, event.detail.number, true)));
    this.#cleanup.listen(chapters, "change", (event) => this.#text.index?.chapter === event.detail.chapter && this.#showText());
    this.#cleanup.every(500, () => this.#showTime(travel));
    // Events may be missed and hints lost, by a phone in a pocket or a server that was started again.
    this.#cleanup.every(REMIND_MS, () => playback.waiting && (playback.remind(), stale()));
  }

  #chapters = /** @type {Chapters|null} */ (null);
  #early = false; // the chapters were asked for before the book was here
  #playback = /** @type {Playback|null} */ (null);
  #renewal = /** @type {Renewal|null} */ (null);
  #bookmarks = /** @type {Bookmarks|null} */ (null);

  /** @param {import("../lib/playback.js").Cue} cue @param {Travel} travel */
  #showCue(cue, travel) {
    this.#chapterTitle.textContent = this.#chapters?.row(cue.chapter)?.title || `Chapter ${cue.chapter}`;
    if (this.#text.index?.chapter !== cue.chapter && (this.#text.follow || !this.#text.index)) this.#showText();
    const here = this.#text.index?.chapter === cue.chapter;
    this.#text.light(here ? cue : null);
    this.setAttribute("data-chapter", String(cue.chapter));
    this.#note.passed(this.#playback);
    this.app.downloads.place(this.bookId, { chapter: cue.chapter, share: cue.at / Math.max(1, this.#chapters?.row(cue.chapter)?.sentences ?? 1) });
    this.#showTime(travel);
  }

  /** Show the chapter of the voice, or a newer edition of the chapter on show. */
  #showText() {
    const cue = this.#playback?.cue.value;
    const chapter = this.#text.follow || !this.#text.index ? cue?.chapter : this.#text.index.chapter;
    const index = chapter && this.#chapters?.peek(chapter);
    if (!index) return;
    const turned = this.#text.index && this.#text.index.chapter !== chapter;
    this.#text.index = index;
    if (turned) scrollTo(0, 0);
    this.#showMarks();
    if (cue?.chapter === chapter) this.#text.light(cue);
    this.#onward.next = this.#chapters?.row(neighbour(this.#chapters.list, index.chapter) ?? 0) ?? null;
  }

  /** @param {import("../lib/playback.js").State} state */
  #showState(state) {
    this.#bar.state = state;
    this.setAttribute("data-state", state);
    this.toggleAttribute("data-playing", state === "playing");
    this.#note.show(state, this.#playback?.problem.value);
  }

  /** @param {Travel} travel */
  #showTime(travel) {
    this.#bar.showTime(travel.chapter_s, travel.total_s);
    this.setAttribute("data-time", (this.#playback?.time_s ?? 0).toFixed(3));
  }

  #showMarks() {
    if (this.#text.index) this.#text.marks = this.#bookmarks?.in(this.#text.index.chapter) ?? new Set();
  }

  #showToVoice() {
    const elsewhere = this.#text.index && this.#text.index.chapter !== this.#playback?.cue.value?.chapter;
    const way = elsewhere ? 1 : this.#text.voiceIs;
    this.#toVoice.hidden = this.#text.follow || way === 0;
    if (!this.#toVoice.hidden) this.#toVoice.replaceChildren(icon(way < 0 ? "up" : "down"), "Back to the voice");
  }

  #follow() {
    this.#text.follow = true;
    this.#showToVoice();
  }

  #backToVoice() {
    this.#text.follow = true;
    this.#showText();
    this.#follow();
  }

  async #showChapters() {
    if (!this.#chapters) return void (this.#early = true);
    this.#list.show(this.#chapters.list, this.#playback?.cue.value?.chapter ?? null);
    // How much is rendered changes all the time: show what is known now, then what is true.
    const fresh = await this.app.api.book(this.bookId).catch(() => null);
    if (fresh && this.#list.open) this.#list.show(fresh.chapters_list, this.#playback?.cue.value?.chapter ?? null);
  }

  /** @param {unknown} going */
  #attempt(going) {
    Promise.resolve(going).catch((error) => this.#note.say(error.message));
  }

  /** @param {Error} error */
  #fail(error) {
    this.#playback?.pause();
    this.#bar.state = "paused";
    this.#cleanup.add(showFailure(this.#text, error, this.app.live));
  }
}

customElements.define("book-reader", BookReader);
