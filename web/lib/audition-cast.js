/** Who can be heard and who is: voices, blends and other engines by name, what is thought of them, and the chosen ones. */

import { auditionApi } from "./audition-api.js";
import { h } from "./dom.js";
import { Kept } from "./kept.js";
import { grouped, introduce, sayVoice } from "./voices.js";

/** @typedef {import("./audition-api.js").Opinion} Opinion */
/** @typedef {import("./audition-api.js").Opinions} Opinions */
/** @typedef {import("./audition-takes.js").Contestant} Contestant */

export const MOST = 9; // contestants: as many as there are number keys
const FIRST = ["bf_emma", "am_michael", "bm_george"]; // beside the household's own, when nobody has chosen yet
const kept = new Kept();

export class Cast {
  /** @type {import("./voices.js").Known} */
  known = { voices: [], blends: [] };
  /** @type {import("./audition-api.js").Audition} */
  all = { passages: [], minimal_pairs: [], engines: [], voice: "", voices: [], blind: [], pairs: [] };

  /** @param {typeof import("./api.js").api} api */
  async load(api) {
    [this.all, this.known] = await Promise.all([auditionApi.all(), api.voices()]);
    return this;
  }

  /** What was answered to an opinion or a score. @param {Opinions} opinions */
  learn({ voices, blind, pairs }) {
    this.all = { ...this.all, voices, blind, pairs };
  }

  /** The voice for new books, as a voice or recipe. */
  get own() {
    const { voice } = this.all;
    return this.known.blends.find(({ name }) => name.toLowerCase() === voice.toLowerCase())?.voice ?? voice;
  }

  /** @param {string} voice @param {number} [speed] */
  name(voice, speed = 1) {
    for (const engine of this.all.engines) {
      const found = engine.voices.find((one) => one.voice === voice);
      if (found) return `${found.name} (${engine.name})`;
    }
    const name = sayVoice(voice, this.known);
    return speed === 1 ? name : `${name}, ${speed} ×`;
  }

  /** @param {string} voice @returns {Opinion} */
  opinion(voice) {
    return this.all.voices.find((one) => one.voice === voice) ?? { voice, stars: 0, note: "", favourite: false };
  }

  /** Keep a part of what is thought of a voice. @param {string} voice @param {Partial<Opinion>} part */
  async think(voice, part) {
    this.learn(await auditionApi.think({ ...this.opinion(voice), ...part }));
  }

  /** Have new books read with it. @param {string} voice */
  async settle(voice) {
    await auditionApi.useForNewBooks(voice);
    this.all = { ...this.all, voice };
  }

  /** The engine of a voice that is not Lectern's own. @param {string} voice */
  engine(voice) {
    return this.all.engines.find(({ id }) => voice.startsWith(`${id}:`)) ?? null;
  }

  /** Options of a select: favourites, blends, voices, `other` engines. @param {string} language  code, such as `en` @param {boolean} [other] */
  options(language, other = true) {
    const { voices, blends } = this.known;
    const liked = this.all.voices.filter(({ voice, favourite }) => favourite && this.speaks(voice, language) && (other || !this.engine(voice)));
    const mixes = blends.filter(({ speaks }) => speaks === language);
    const others = (other ? this.all.engines : []).map((engine) => ({ engine, voices: engine.voices.filter((one) => one.language.startsWith(language)) }));
    return [
      group("Favourites", liked.map(({ voice }) => [voice, this.name(voice)])),
      group("Your blends", mixes.map(({ voice, name }) => [voice, name])),
      ...grouped(voices, language).map(([label, found]) => group(label, found.map((voice) => [voice.id, introduce(voice)]))),
      ...others.map((one) => group(one.engine.name, one.voices.map(({ voice, name }) => [voice, name]))),
    ].filter((one) => one !== null);
  }

  /** @param {string} voice @param {string} language */
  speaks(voice, language) {
    const other = this.engine(voice);
    if (other) return other.voices.some((one) => one.voice === voice && one.language.startsWith(language));
    const lead = voice.split(/[*+]/, 1)[0];
    return this.known.voices.some(({ id, speaks }) => id === lead && speaks === language);
  }

  /** Those who were chosen last that read a language; else a few to begin with. @param {string} language @returns {Contestant[]} */
  chosen(language) {
    const told = remembered().filter(({ voice }) => this.speaks(voice, language));
    if (told.length) return told.slice(0, MOST);
    const liked = this.all.voices.filter(({ favourite }) => favourite).map(({ voice }) => voice);
    const some = [...liked, this.own, ...FIRST, ...this.known.voices.filter(({ speaks }) => speaks === language).map(({ id }) => id)];
    const found = [...new Set(some)].filter((voice) => this.speaks(voice, language));
    return found.slice(0, 4).map((voice) => ({ voice, speed: 1 }));
  }

  /** @param {readonly Contestant[]} cast */
  choose(cast) {
    kept.set("audition.cast", JSON.stringify(cast));
  }
}

/** @returns {Contestant[]} */
function remembered() {
  try {
    const told = JSON.parse(kept.get("audition.cast") ?? "[]");
    return told.filter((/** @type {any} */ one) => typeof one?.voice === "string" && typeof one?.speed === "number");
  } catch {
    return [];
  }
}

/** @param {string} label @param {[string, string][]} options */
function group(label, options) {
  return options.length ? h("optgroup", { label }, ...options.map(([value, name]) => h("option", { value }, name))) : null;
}
