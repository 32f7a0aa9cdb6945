/** A sentence as it sounds: its wave with the words, the pitch of the voice, and its spectrum. */

import { h } from "../lib/dom.js";
import { opening } from "../lib/format.js";
import { soundOf } from "../lib/line-player.js";
import { curve, heat, s, wave } from "../lib/plots.js";
import { outline, pitch, spectra } from "../lib/sound-plots.js";

/** @typedef {import("../lib/types.js").SentenceEntry} SentenceEntry */

const RATE_HZ = 24_000;
const COLUMNS = 600;
const STEP_S = 0.01;
const [LOW_HZ, HIGH_HZ] = [60, 400];
const BANDS = 171; // of 256 up to 12 kHz: what is above 8 kHz is hiss

class SentencePlots extends HTMLElement {
  /** Set before it is connected. @type {import("../dashboard.js").App} */
  app = /** @type {any} */ (null);
  #book = h("select", { class: "field", onchange: () => this.#chapters().catch(this.app.fail) });
  #chapter = h("select", { class: "field", onchange: () => this.#sentences().catch(this.app.fail) });
  #sentence = h("select", { class: "field", onchange: () => this.#draw() });
  #text = h("p", { class: "heard" });
  #audio = h("audio", { controls: true, preload: "none" });
  #plots = h("div", { class: "plots" });
  #said = h("p", { class: "quiet", role: "status" });
  /** @type {import("../lib/types.js").ChapterIndex|null} */
  #index = null;

  connectedCallback() {
    const field = (/** @type {string} */ name, /** @type {HTMLElement} */ control) => h("label", { class: "setting" }, h("span", { class: "quiet" }, name), control);
    this.replaceChildren(
      h("section", { class: "card" }, h("h2", {}, "A sentence"), h("div", { class: "pick" }, field("Book", this.#book), field("Chapter", this.#chapter), field("Sentence", this.#sentence)), this.#said, this.#text, this.#audio, this.#plots),
    );
    this.#books().catch(this.app.fail);
  }

  async #books() {
    const { books } = await this.app.api.page({ sort: "opened", limit: 100 });
    const ready = books.filter(({ sentences }) => sentences.rendered);
    this.#book.replaceChildren(...ready.map(({ id, title }) => h("option", { value: id }, title)));
    if (!ready.length) return this.#nothing("Nothing is rendered yet.");
    await this.#chapters();
  }

  /** @param {string} why */
  #nothing(why) {
    this.#said.textContent = why;
    this.#text.textContent = "";
    this.#audio.hidden = true;
    this.#plots.replaceChildren();
  }

  async #chapters() {
    const detail = await this.app.api.book(this.#book.value);
    const chapters = detail.chapters_list.filter(({ enabled }) => enabled);
    this.#chapter.replaceChildren(...chapters.map(({ number, title }) => h("option", { value: number }, title || `Chapter ${number}`)));
    await this.#sentences();
  }

  async #sentences() {
    this.#index = await this.app.api.chapter(this.#book.value, Number(this.#chapter.value));
    const rendered = this.#index.sentences.filter(({ file }) => file);
    this.#sentence.replaceChildren(...rendered.map(({ id, text }) => h("option", { value: id }, opening(text, 60))));
    if (!rendered.length) return this.#nothing("Nothing of this chapter is rendered yet.");
    await this.#draw();
  }

  async #draw() {
    const index = /** @type {import("../lib/types.js").ChapterIndex} */ (this.#index);
    const entry = index.sentences.find(({ id }) => id === this.#sentence.value);
    if (!entry) return;
    const url = soundOf(index, entry);
    this.#said.textContent = "";
    this.#text.textContent = entry.text;
    this.#audio.hidden = false;
    this.#audio.src = url;
    try {
      const bytes = await (await fetch(url)).arrayBuffer();
      const sound = await new OfflineAudioContext(1, 1, RATE_HZ).decodeAudioData(bytes);
      if (this.#sentence.value === entry.id) this.#show(entry, sound.getChannelData(0), index.priming);
    } catch {
      this.#plots.replaceChildren();
      this.#said.textContent = "This browser cannot draw the sound of this sentence.";
    }
  }

  /** @param {SentenceEntry} entry @param {Float32Array} decoded @param {number} priming */
  #show(entry, decoded, priming) {
    const count = entry.samples ?? decoded.length;
    const from = decoded.length >= count + priming ? priming : 0; // some decoders leave out what comes before the first sample, some do not
    const samples = decoded.subarray(from, from + count);
    const seconds = samples.length / RATE_HZ;
    const pitches = pitch(samples, RATE_HZ, { step_s: STEP_S, low_hz: LOW_HZ, high_hz: HIGH_HZ });
    const voiced = /** @type {number[]} */ (pitches.filter((value) => value !== null)).sort((a, b) => a - b);
    const middle = voiced[Math.floor(voiced.length / 2)];
    const rgb = getComputedStyle(this).getPropertyValue("color").match(/\d+/g)?.map(Number) ?? [0, 0, 0];
    const told = middle ? `, ${Math.round(middle)} Hz in the middle` : "";
    this.#plots.replaceChildren(
      figure(`Wave and words, ${seconds.toFixed(1)} s`, wave(outline(samples, COLUMNS), `The wave of the sentence, ${seconds.toFixed(1)} seconds`, ...spans(entry, count))),
      figure(`Pitch of the voice, ${LOW_HZ} to ${HIGH_HZ} Hz${told}`, curve(pitches, LOW_HZ, HIGH_HZ, `How the pitch of the voice moves${told}`, seconds / STEP_S)),
      figure("Spectrum, up to 8,000 Hz", heat(spectra(samples, COLUMNS), BANDS, [rgb[0], rgb[1], rgb[2]], "How loud each frequency is over time")),
    );
  }
}

/** Each word as a band behind the wave. @param {SentenceEntry} entry @param {number} count */
function spans({ words, text }, count) {
  const points = Array.from(text);
  return (words ?? []).map(({ start, end, char_start, char_end }, at) => {
    const title = s("title", {}, points.slice(char_start, char_end).join(""));
    return s("rect", { class: at % 2 ? "span odd" : "span", x: (start / count) * COLUMNS, y: 0, width: ((end - start) / count) * COLUMNS, height: 100 }, title);
  });
}

/** @param {string} caption @param {Element} picture */
const figure = (caption, picture) => h("figure", {}, h("figcaption", { class: "quiet" }, caption), picture);

customElements.define("sentence-plots", SentencePlots);
