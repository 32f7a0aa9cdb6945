/**
 * A chapter's text: every sentence and word an element, the spoken one lit and kept in view.
 *
 * In: `index`, `light(cue)`, `follow`, `marks`, `besides`. Out: `go` {sentence, word} when a word is tapped, `stray` when the reader
 * scrolls away from the voice.
 */

import { between, gatherBlocks } from "../lib/blocks.js";
import { cutIntoWords } from "../lib/codepoints.js";
import { isRendered } from "../lib/cue-index.js";
import { besideElement } from "../lib/beside-view.js";
import { Cleanup, h } from "../lib/dom.js";

/** @typedef {import("../lib/types.js").ChapterIndex} ChapterIndex */
/** @typedef {import("../lib/types.js").SentenceEntry} SentenceEntry */

const ZONE = { top: 0.16, bottom: 0.6, rest: 0.34 }; // of the window's height: where the lit word may be, where it is put
const SCROLL_KEYS = new Set(["PageUp", "PageDown", "Home", "End", "ArrowUp", "ArrowDown"]);
const TAGS = /** @type {Record<string, string>} */ ({ heading: "h2", code: "pre", quotation: "blockquote", list_item: "li" });

class ChapterText extends HTMLElement {
  /** @type {ChapterIndex|null} */
  #index = null;
  /** @type {Map<string, HTMLElement>} */
  #sentences = new Map();
  /** @type {HTMLElement|null} */
  #lit = null;
  /** @type {HTMLElement|null} */
  #spoken = null;
  #follow = true;
  /** @type {ReadonlySet<string>} */
  #marks = new Set();
  /** @type {[number, HTMLElement][]} block index and element, ascending */
  #blocks = [];
  /** Where pictures and silent text come from. @type {import("../lib/beside.js").Besides|null} */
  besides = null;
  #cleanup = new Cleanup();

  connectedCallback() {
    this.#cleanup.listen(this, "click", (event) => this.#onClick(event));
    const stray = () => this.#stray();
    this.#cleanup.listen(window, "wheel", stray, { passive: true });
    this.#cleanup.listen(window, "touchmove", stray, { passive: true });
    this.#cleanup.listen(window, "keydown", (event) => SCROLL_KEYS.has(event.key) && event.target === document.body && stray());
  }

  disconnectedCallback() {
    this.#cleanup.run();
  }

  get index() {
    return this.#index;
  }

  /** A newer edition of the same chapter changes only the sentences that were rendered since. */
  set index(index) {
    const old = this.#index;
    this.#index = index;
    if (!index) {
      this.replaceChildren();
    } else if (old?.chapter === index.chapter && old.sentences.length === index.sentences.length) {
      index.sentences.forEach((entry, at) => this.#update(entry, old.sentences[at]));
    } else {
      this.#build(index);
    }
  }

  get follow() {
    return this.#follow;
  }

  set follow(follow) {
    this.#follow = follow;
    if (follow) this.#keepInView(true);
  }

  /** The sentences that have a bookmark. @param {ReadonlySet<string>} marks */
  set marks(marks) {
    this.#marks = marks;
    for (const [id, sentence] of this.#sentences) sentence.classList.toggle("marked", marks.has(id));
  }

  /** Light a word; null puts all light out. @param {{sentence: string, word: number}|null} cue */
  light(cue) {
    const sentence = (cue && this.#sentences.get(cue.sentence)) ?? null;
    const word = /** @type {HTMLElement|null} */ (sentence?.querySelector(`[data-word="${cue?.word}"]`) ?? null);
    if (sentence !== this.#spoken) {
      this.#spoken?.classList.remove("spoken");
      sentence?.classList.add("spoken");
      this.#spoken = sentence;
    }
    if (word !== this.#lit) {
      this.#lit?.classList.remove("lit");
      word?.classList.add("lit");
      this.#lit = word;
    }
    if (this.#follow) this.#keepInView(false);
  }

  /** Whether the lit word is above (-1) or below (1) the window, or in it (0). */
  get voiceIs() {
    const box = (this.#lit ?? this.#spoken)?.getBoundingClientRect();
    if (!box) return 0;
    return box.bottom < 0 ? -1 : box.top > innerHeight ? 1 : 0;
  }

  /** @param {ChapterIndex} index */
  #build(index) {
    this.#sentences.clear();
    this.#blocks = [];
    this.#lit = this.#spoken = null;
    /** @type {HTMLElement[]} */
    const out = [];
    /** @type {string|null} */
    let before = null;
    for (const block of gatherBlocks(index.sentences, index.breaks)) {
      if (block.kind === "break") {
        out.push(h("hr", { class: "scene-break" }));
      } else {
        const element = this.#block(block, out.length === 0);
        this.#blocks.push([block.index, element]);
        if (block.kind !== "list_item") out.push(element);
        else if (before === "list_item") out.at(-1)?.append(element);
        else out.push(h("ul", {}, element));
      }
      before = block.kind;
    }
    this.replaceChildren(...out);
    this.#showBeside(index);
  }

  /** Pictures and what is not read, each before its block. @param {ChapterIndex} index */
  async #showBeside(index) {
    const blocks = this.#blocks;
    const items = (await this.besides?.of(index.chapter)) ?? [];
    if (blocks !== this.#blocks) return; // another text is shown by now
    let at = 0;
    for (const item of items) {
      while (at < blocks.length && blocks[at][0] < item.before) at += 1;
      const element = besideElement(item);
      const block = blocks[at]?.[1];
      if (!block) this.append(element);
      else if (block.localName === "li") block.before(h("li", { class: "between" }, element));
      else block.before(element);
    }
    if (this.#follow && items.length) this.#keepInView(false, true);
  }

  /** @param {import("../lib/blocks.js").Block} block @param {boolean} first */
  #block(block, first) {
    const tag = block.kind === "heading" && !first ? "h3" : (TAGS[block.kind] ?? "p");
    // Each block by its own letters: a line of Hebrew in an English book runs from the right.
    const element = h(tag, { class: block.kind, dir: "auto" });
    block.sentences.forEach((entry, i) => {
      if (i > 0) element.append(between(block.kind, block.sentences[i - 1].text, entry.text));
      const sentence = h("span", { class: "sentence", "data-sentence": entry.id });
      this.#sentences.set(entry.id, sentence);
      sentence.classList.toggle("marked", this.#marks.has(entry.id));
      fill(sentence, entry);
      element.append(sentence);
    });
    return element;
  }

  /** @param {SentenceEntry} entry @param {SentenceEntry} old */
  #update(entry, old) {
    const sentence = this.#sentences.get(old.id);
    if (!sentence) return;
    const same = entry.id === old.id && isRendered(entry) === isRendered(old) && entry.failed === old.failed;
    if (same && entry.sha256 === old.sha256) return; // said anew it may have other words
    sentence.dataset.sentence = entry.id;
    this.#sentences.set(entry.id, sentence);
    if (this.#lit && sentence.contains(this.#lit)) this.#lit = null;
    fill(sentence, entry);
  }

  /** @param {MouseEvent} event */
  #onClick(event) {
    const target = /** @type {HTMLElement} */ (event.target);
    const sentence = /** @type {HTMLElement|null} */ (target.closest("[data-sentence]"));
    if (!sentence || !getSelection()?.isCollapsed) return;
    const word = target.closest("[data-word]") ?? nearestWord(sentence, event);
    const detail = { sentence: sentence.dataset.sentence, word: Number(word?.getAttribute("data-word") ?? 0) };
    this.dispatchEvent(new CustomEvent("go", { detail, bubbles: true }));
  }

  #stray() {
    if (!this.#follow) return;
    this.#follow = false;
    this.dispatchEvent(new CustomEvent("stray", { bubbles: true }));
  }

  /** @param {boolean} always  even when the word is well in view @param {boolean} [still]  without a movement */
  #keepInView(always, still = false) {
    const box = (this.#lit ?? this.#spoken)?.getBoundingClientRect();
    if (!box) return;
    const inZone = box.top > innerHeight * ZONE.top && box.bottom < innerHeight * ZONE.bottom;
    if (inZone && !always) return;
    const by = box.top - innerHeight * ZONE.rest;
    const calm = still || matchMedia("(prefers-reduced-motion: reduce)").matches || Math.abs(by) > innerHeight * 1.5;
    scrollBy({ top: by, behavior: calm ? "instant" : "smooth" });
  }
}

/** @param {HTMLElement} sentence @param {SentenceEntry} entry */
function fill(sentence, entry) {
  const ready = isRendered(entry);
  sentence.classList.toggle("unrendered", !ready && !entry.failed);
  sentence.classList.toggle("failed", Boolean(entry.failed));
  sentence.title = entry.failed ? `Not read aloud: ${entry.failed}` : "";
  if (!entry.failed) sentence.removeAttribute("title");
  const parts = cutIntoWords(entry.text, (ready && entry.words) || []);
  sentence.replaceChildren(...parts.map(({ text, word }) => (word < 0 ? text : h("span", { class: "word", "data-word": word }, text))));
}

/**
 * A tap between words means the word beside it.
 * @param {HTMLElement} sentence
 * @param {MouseEvent} event
 */
function nearestWord(sentence, event) {
  let best = null;
  let least = Infinity;
  for (const word of sentence.querySelectorAll("[data-word]")) {
    for (const box of word.getClientRects()) {
      const across = Math.max(box.left - event.clientX, 0, event.clientX - box.right);
      const along = Math.max(box.top - event.clientY, 0, event.clientY - box.bottom);
      // Lines lie apart: a word on the tapped line always wins over one above or below it.
      const distance = across + along * 100;
      if (distance < least) [best, least] = [word, distance];
    }
  }
  return best;
}

customElements.define("chapter-text", ChapterText);
