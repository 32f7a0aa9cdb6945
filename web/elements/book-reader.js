/**
 * One open book: its text, the voice, and the place that is kept.
 *
 * For tests and style it shows `data-playing`, `data-state`, `data-chapter` and `data-time` (seconds of the audio
 * element); the lit word is `.word.lit` inside `[data-sentence]`.
 */

import { Chapters } from "../lib/chapters.js";
import { isRendered } from "../lib/cue-index.js";
import { Cleanup, h } from "../lib/dom.js";
import { icon } from "../lib/icons.js";
import { attachKeys } from "../lib/keys.js";
import { attachMediaSession } from "../lib/media-session.js";
import { PlaceKeeper } from "../lib/place-keeper.js";
import { neighbour } from "../lib/plan.js";
import { Playback } from "../lib/playback.js";
import { Renewal } from "../lib/renewal.js";
import { Travel } from "../lib/travel.js";

/** @typedef {import("../lib/types.js").BookDetail} BookDetail */

const NOTES = /** @type {Record<string, string>} */ ({
  waiting: "Rendering this passage. It plays as soon as it is ready.",
  loading: "Loading …",
  ended: "The end.",
});
const REMIND_MS = 10_000;
const LOADING_MS = 600; // a load shorter than this needs no word

class BookReader extends HTMLElement {
  /** Set before it is connected. @type {import("../player.js").App} */
  app = /** @type {any} */ (null);
  bookId = "";
  #cleanup = new Cleanup();
  #audio = h("audio", { preload: "auto" });
  #text = /** @type {any} */ (document.createElement("chapter-text"));
  #bar = /** @type {any} */ (document.createElement("transport-bar"));
  #list = /** @type {any} */ (document.createElement("chapter-list"));
  #sheet = /** @type {any} */ (document.createElement("reader-settings"));
  #title = h("span", { class: "title" });
  #chapterTitle = h("span", { class: "chapter" });
  #note = h("p", { class: "reader-note", role: "status", "aria-live": "polite" });
  #toVoice = h("button", { class: "to-voice", type: "button", hidden: true, onclick: () => this.#backToVoice() });
  #onward = h("nav", { class: "onward", "aria-label": "Chapters" });
  #noteTimer = 0;

  connectedCallback() {
    this.#bar.settings = this.#sheet.settings = this.app.settings;
    this.replaceChildren(
      h(
        "header", { class: "reader-head" },
        h("a", { class: "round", href: "#/", "aria-label": "To the shelf" }, icon("back")),
        h("button", { class: "titles", type: "button", "aria-haspopup": "dialog", onclick: () => this.#showChapters() }, this.#title, this.#chapterTitle),
        h("button", { class: "round", type: "button", "aria-label": "Chapters", "aria-haspopup": "dialog", onclick: () => this.#showChapters() }, icon("list")),
      ),
      h("article", { class: "page" }, this.#text, this.#onward),
      h("div", { class: "dock" }, this.#toVoice, this.#note, this.#bar),
      this.#audio, this.#list, this.#sheet,
    );
    this.#bar.state = "loading";
    this.#cleanup.add(this.app.settings.text_px.subscribe((px) => this.style.setProperty("--text-size", `${px}px`)));
    this.#open().catch((error) => this.#fail(error));
  }

  disconnectedCallback() {
    this.#cleanup.run();
    clearTimeout(this.#noteTimer);
  }

  async #open() {
    const { api, settings } = this.app;
    const book = await api.book(this.bookId);
    if (!this.isConnected) return;
    const chapters = new Chapters(book.chapters_list, (number) => api.chapter(book.id, number));
    /** @type {import("../lib/source-mse.js").Wire} */
    const wire = { url: (chapter, from, file, on) => api.streamUrl(book.id, chapter, from, file, on), bytes: api.bytes };
    // A hint that is lost costs a little waiting: no reason to interrupt anybody.
    const listen = (/** @type {{chapter: number, sentence: string}} */ at) => api.listen(book.id, at.chapter, at.sentence).catch(() => undefined);
    const playback = new Playback(this.#audio, chapters, wire, settings, listen);
    const travel = new Travel(playback, chapters);
    this.#cleanup.add(() => playback.close(), () => chapters.close());
    this.#title.textContent = book.title;
    this.#text.lang = book.language;
    document.title = `${book.title} · Lectern`;
    const keeper = new PlaceKeeper((place, leaving) => api.savePosition(book.id, { ...place, edition: this.#renewal?.edition }, leaving));
    this.#renewal = new Renewal(book, () => api.book(book.id), () => keeper.flush(), (now, moved) => this.#renew(now, moved, chapters, playback));
    this.#keepPlace(keeper, playback);
    this.#wire(book, chapters, playback, travel);
    await this.#stand(book, chapters, playback, listen);
  }

  /** Go to the kept place, else to the beginning, without a sound. @param {BookDetail} book @param {Chapters} chapters @param {Playback} playback @param {(at: {chapter: number, sentence: string}) => unknown} listen */
  async #stand(book, chapters, playback, listen) {
    this.#text.lang = book.read_as ?? book.language;
    const first = neighbour(chapters.list, 0);
    const kept = book.position && chapters.row(book.position.chapter) ? book.position : null;
    const chapter = kept?.chapter ?? first;
    if (chapter === null) return this.#fail(new Error("This book has no text that could be read aloud."));
    await playback.open({ chapter, sentence: kept?.sentence ?? "", word: kept?.word ?? 0 });
    const cue = playback.cue.value;
    const entry = cue && playback.index?.sentences[cue.at];
    if (entry && !isRendered(entry)) listen({ chapter, sentence: entry.id });
    if (!kept) scrollTo(0, 0);
  }

  /** The book is not what it was when it was opened. @param {BookDetail} book @param {boolean} moved @param {Chapters} chapters @param {Playback} playback */
  async #renew(book, moved, chapters, playback) {
    this.#title.textContent = book.title;
    if (!moved) {
      chapters.list = book.chapters_list;
      if (this.#list.open) this.#list.show(chapters.list, playback.cue.value?.chapter ?? null);
      return;
    }
    chapters.renew(book.chapters_list);
    const cue = playback.cue.value;
    const place = book.position ?? { chapter: neighbour(chapters.list, 0) ?? 1, sentence: "", word: 0 };
    this.#text.follow = true;
    await playback.renew(cue ? place : { chapter: place.chapter, sentence: place.sentence });
    this.#showText();
  }

  /** @param {PlaceKeeper} keeper @param {Playback} playback */
  #keepPlace(keeper, playback) {
    playback.onmove = (cue) => keeper.move({ chapter: cue.chapter, sentence: cue.sentence, word: Math.max(0, cue.word) });
    const leave = () => keeper.flush(true);
    this.#cleanup.add(leave, playback.state.subscribe((state) => (state === "paused" || state === "ended") && keeper.flush()));
    this.#cleanup.listen(window, "pagehide", leave);
    this.#cleanup.listen(document, "visibilitychange", () => document.visibilityState === "hidden" && leave());
  }

  /** @param {BookDetail} book @param {Chapters} chapters @param {Playback} playback @param {Travel} travel */
  #wire(book, chapters, playback, travel) {
    const { live, settings } = this.app;
    this.#chapters = chapters;
    this.#playback = playback;
    const acts = /** @type {Record<string, () => unknown>} */ ({
      toggle: () => playback.toggle(),
      back: () => travel.skip(-settings.skip_s.value),
      forward: () => travel.skip(settings.skip_s.value),
      previous: () => travel.sentenceStep(-1),
      next: () => travel.sentenceStep(1),
      settings: () => this.#sheet.show(),
    });
    const stale = () => chapters.outdated(playback.waiting?.chapter ?? playback.cue.value?.chapter ?? 0, Infinity, true);
    /** @param {string} act */
    const run = (act) => {
      if (act !== "settings") this.#text.follow = true;
      this.#showToVoice();
      this.#attempt(acts[act]?.());
    };
    this.#cleanup.add(
      playback.cue.subscribe((cue) => cue && this.#showCue(cue, travel)),
      playback.state.subscribe((state) => this.#showState(state)),
      playback.problem.subscribe(() => this.#showState(playback.state.value)),
      attachKeys(window, run, settings),
      attachMediaSession(playback, travel, {
        title: book.title, author: book.authors.join(", "), cover: book.cover,
        chapterTitle: (number) => chapters.row(number)?.title || book.title, skip_s: () => settings.skip_s.value,
      }),
      live.on("render.progress", (data) => {
        if (data.book === book.id) chapters.outdated(data.chapter, data.revision, playback.waiting?.chapter === data.chapter);
      }),
      live.on("resync", () => (stale(), this.#renewal?.look())),
      live.on("book.changed", (data) => data.id === book.id && (stale(), this.#renewal?.look())),
      live.on("book.removed", (data) => data.id === book.id && this.#fail(new Error("This book has been deleted."))),
    );
    this.#cleanup.listen(this.#bar, "transport", (event) => run(event.detail.act));
    this.#cleanup.listen(this.#bar, "seek", (event) => this.#attempt(travel.seek(event.detail.seconds)));
    this.#cleanup.listen(this.#text, "go", (event) => this.#goToWord(event.detail));
    this.#cleanup.listen(this.#text, "stray", () => this.#showToVoice());
    this.#cleanup.listen(window, "scroll", () => this.#showToVoice(), { passive: true });
    this.#cleanup.listen(this.#list, "chapter", (event) => this.#enter(travel, event.detail.number));
    this.#cleanup.listen(this.#list, "read", (event) => this.#attempt(this.app.api.turnChapter(book.id, event.detail.number, true)));
    this.#cleanup.listen(this.#onward, "click", (event) => {
      const number = /** @type {HTMLElement} */ (event.target).closest("button")?.dataset.chapter;
      if (number) this.#enter(travel, Number(number));
    });
    this.#cleanup.listen(chapters, "change", (event) => this.#text.index?.chapter === event.detail.chapter && this.#showText());
    const timer = setInterval(() => this.#showTime(travel), 500);
    // Events may be missed and hints lost, by a phone in a pocket or a server that was started again.
    const patience = setInterval(() => playback.waiting && (playback.remind(), stale()), REMIND_MS);
    this.#cleanup.add(() => clearInterval(timer), () => clearInterval(patience));
  }

  /** @type {Chapters|null} */
  #chapters = null;
  /** @type {Playback|null} */
  #playback = null;
  /** @type {Renewal|null} */
  #renewal = null;

  /** @param {import("../lib/playback.js").Cue} cue @param {Travel} travel */
  #showCue(cue, travel) {
    this.#chapterTitle.textContent = this.#chapters?.row(cue.chapter)?.title || `Chapter ${cue.chapter}`;
    if (this.#text.index?.chapter !== cue.chapter && (this.#text.follow || !this.#text.index)) this.#showText();
    const here = this.#text.index?.chapter === cue.chapter;
    this.#text.light(here ? cue : null);
    this.setAttribute("data-chapter", String(cue.chapter));
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
    if (cue?.chapter === chapter) this.#text.light(cue);
    this.#showOnward(index.chapter);
  }

  /** @param {number} chapter */
  #showOnward(chapter) {
    const rows = this.#chapters?.list ?? [];
    const next = neighbour(rows, chapter);
    const button = next && h("button", { class: "button", type: "button", "data-chapter": next }, h("span", { class: "quiet" }, "Next chapter"), this.#chapters?.row(next)?.title || `Chapter ${next}`);
    this.#onward.replaceChildren(button || h("p", { class: "quiet" }, "The end"));
  }

  /** @param {import("../lib/playback.js").State} state */
  #showState(state) {
    this.#bar.state = state;
    this.setAttribute("data-state", state);
    this.toggleAttribute("data-playing", state === "playing");
    clearTimeout(this.#noteTimer);
    const note = this.#playback?.problem.value && state === "loading" ? `${this.#playback.problem.value.message} Trying again …` : (NOTES[state] ?? "");
    const show = () => (this.#note.textContent = note);
    if (state === "loading" && note === NOTES.loading) this.#noteTimer = window.setTimeout(show, LOADING_MS);
    else show();
  }

  /** @param {Travel} travel */
  #showTime(travel) {
    this.#bar.showTime(travel.chapter_s, travel.total_s);
    this.setAttribute("data-time", (this.#playback?.time_s ?? 0).toFixed(3));
  }

  #showToVoice() {
    const elsewhere = this.#text.index && this.#text.index.chapter !== this.#playback?.cue.value?.chapter;
    const way = elsewhere ? 1 : this.#text.voiceIs;
    this.#toVoice.hidden = this.#text.follow || way === 0;
    if (!this.#toVoice.hidden) this.#toVoice.replaceChildren(icon(way < 0 ? "up" : "down"), "Back to the voice");
  }

  #backToVoice() {
    this.#text.follow = true;
    this.#showText();
    this.#text.follow = true;
    this.#showToVoice();
  }

  /** @param {{sentence: string, word: number}} detail */
  #goToWord({ sentence, word }) {
    this.#text.follow = true;
    this.#attempt(this.#playback?.goTo({ chapter: this.#text.index.chapter, sentence, word }));
    this.#showToVoice();
  }

  /** @param {Travel} travel @param {number} chapter */
  #enter(travel, chapter) {
    this.#text.follow = true;
    this.#attempt(travel.goToChapter(chapter));
  }

  async #showChapters() {
    if (!this.#chapters) return;
    this.#list.show(this.#chapters.list, this.#playback?.cue.value?.chapter ?? null);
    // How much is rendered changes all the time: show what is known now, then what is true.
    const fresh = await this.app.api.book(this.bookId).catch(() => null);
    if (fresh && this.#list.open) this.#list.show(fresh.chapters_list, this.#playback?.cue.value?.chapter ?? null);
  }

  /** @param {unknown} going */
  #attempt(going) {
    Promise.resolve(going).catch((error) => (this.#note.textContent = error.message));
  }

  /** @param {Error} error */
  #fail(error) {
    this.#playback?.pause();
    this.#bar.state = "paused";
    this.#text.replaceChildren(h("div", { class: "failure", role: "alert" }, h("p", {}, error.message), h("a", { class: "button", href: "#/" }, "To the shelf")));
  }
}

customElements.define("book-reader", BookReader);
