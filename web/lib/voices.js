/** Voices, blends and renditions in the words of people, and what a change of voice costs. Pure. */

import { counted, size, span } from "./format.js";

/** @typedef {import("./types.js").Voice} Voice */
/** @typedef {import("./types.js").Blend} Blend */
/** @typedef {import("./types.js").Sound} Sound */
/** @typedef {import("./types.js").Rendition} Rendition */
/** @typedef {import("./types.js").Renditions} Renditions */
/** @typedef {{voices: Voice[], blends: Blend[]}} Known */

/** What a voice says of itself, by the language that it speaks. @type {Record<string, string>} */
export const SAMPLES = {
  en: "The rain came over the hill at noon, and by evening nobody could see the road. “Shall we go on?” she asked.",
  es: "La lluvia llegó a mediodía por la colina, y por la tarde nadie veía ya el camino.",
  fr: "La pluie passa la colline à midi, et le soir personne ne voyait plus la route.",
  hi: "दोपहर को पहाड़ी के पार से बारिश आई, और शाम तक किसी को रास्ता नहीं दिखता था।",
  it: "La pioggia passò la collina a mezzogiorno, e la sera nessuno vedeva più la strada.",
  ja: "昼過ぎに丘の向こうから雨が来て、夕方にはもう道が見えなかった。",
  pt: "A chuva passou a colina ao meio-dia, e à noite ninguém via mais a estrada.",
  zh: "中午，雨从山那边来了；到了傍晚，谁也看不见路了。",
};

const ACCENTS = /** @type {Record<string, string>} */ ({
  "en-US": "American", "en-GB": "British", es: "Spanish", fr: "French", hi: "Hindi", it: "Italian", ja: "Japanese",
  "pt-BR": "Brazilian", zh: "Chinese",
});

/** Bits a second, in words, and what an hour of speech weighs. */
export const QUALITIES = /** @type {const} */ ([
  [32_000, "Small", 16e6],
  [48_000, "Normal", 23e6],
  [64_000, "Fine", 31e6],
]);

/** The authors' own grade of a voice: how much and how good the speech was that it was made from. @param {string|null} grade */
export function quality(grade) {
  return { A: "excellent", B: "very good", C: "good", D: "fair", F: "rough" }[grade?.[0] ?? ""] ?? "";
}

/** `Emma · British woman · very good`, for a list whose groups are out of sight once something is chosen. @param {Voice} voice */
export function introduce(voice) {
  const who = `${ACCENTS[voice.language] ?? voice.language} ${voice.gender === "female" ? "woman" : "man"}`;
  return [voice.name, who, quality(voice.grade)].filter(Boolean).join(" · ");
}

/** @param {Voice} voice */
export const group = (voice) => `${ACCENTS[voice.language] ?? voice.language} ${voice.gender === "female" ? "women" : "men"}`;

/**
 * Voices that speak a language, in groups of an accent and a sex; the best of each first.
 * @param {readonly Voice[]} voices
 * @param {string} language  "" for all
 * @returns {[string, Voice[]][]}
 */
export function grouped(voices, language) {
  /** @type {Map<string, Voice[]>} */
  const groups = new Map();
  for (const voice of voices) {
    if (language && voice.speaks !== language) continue;
    groups.set(group(voice), [...(groups.get(group(voice)) ?? []), voice]);
  }
  const rank = (/** @type {Voice} */ { grade }) => (grade ? "ABCDEF".indexOf(grade.charAt(0)) * 3 + "+ -".indexOf(grade.charAt(1) || " ") : 99);
  return [...groups].map(([name, found]) => [name, found.sort((one, other) => rank(one) - rank(other) || one.name.localeCompare(other.name))]);
}

/** `Heart`, `Evening`, or `Heart 60 %, Bella 40 %` for a mix without a name. @param {string} recipe @param {Known} known */
export function sayVoice(recipe, { voices, blends }) {
  const blend = blends.find(({ voice }) => voice === recipe);
  if (blend && recipe.includes("*")) return blend.name;
  const name = (/** @type {string} */ id) => voices.find((voice) => voice.id === id)?.name ?? id;
  const parts = recipe.split("+").map((part) => part.split("*"));
  if (parts.length === 1) return name(parts[0]?.[0] ?? recipe);
  return parts.map(([id, share]) => `${name(id ?? "")} ${Math.round(Number(share) * 100)} %`).join(", ");
}

/** `Heart`, with the speed and the size where they are not the usual ones. @param {Sound} sound @param {Known} known */
export function saySound(sound, known) {
  const parts = [sayVoice(sound.voice, known)];
  if (sound.speed !== 1) parts.push(`spoken ${sound.speed} ×`);
  const [, named] = QUALITIES.find(([bitrate]) => bitrate === sound.bitrate) ?? [0, `${sound.bitrate / 1000} kbit/s`];
  if (named !== "Normal") parts.push(named.toLowerCase());
  return parts.join(", ");
}

/** @param {Sound} one @param {Sound} other */
export const isSame = (one, other) => one.voice === other.voice && one.speed === other.speed && one.bitrate === other.bitrate;

/**
 * What it takes to have a book read so, in sentences for people; `plays`: it is so already.
 * @param {Renditions} list
 * @param {Sound} wanted
 * @param {Known} known
 * @returns {{plays: boolean, lines: string[]}}
 */
export function cost(list, wanted, known) {
  const there = list.renditions.find((one) => one.current && isSame(one, wanted));
  if (there?.plays) return { plays: true, lines: ["This is how it is read now."] };
  const left = Math.max(0, list.sentences - (there?.sentences ?? 0));
  const share = list.sentences ? left / list.sentences : 0;
  const work_s = list.render_s === null ? null : (list.render_s / wanted.speed) * share;
  const time = work_s === null ? "" : `, which takes about ${span(work_s)} of work`;
  const [, , hour] = QUALITIES.find(([bitrate]) => bitrate === wanted.bitrate) ?? QUALITIES[1];
  const bytes = ((list.speech_s / wanted.speed) * share * hour) / 3600;
  const lines = [];
  if (left === 0) lines.push("All of it is rendered already: it plays at once.");
  else if (there?.sentences) lines.push(`${counted(there.sentences, "sentence")} of it ${there.sentences === 1 ? "is" : "are"} here and play at once; ${counted(left, "more", "more")} will be rendered${time}.`);
  else lines.push(`${counted(left, "sentence")} will be rendered${time}, from your place on. They will take about ${size(bytes)}.`);
  const playing = list.renditions.find((one) => one.plays);
  if (playing?.sentences) lines.push(`Your place stays. What there is in ${saySound(playing, known)} stays too (${size(playing.audio_bytes)}), and you can go back to it at once.`);
  return { plays: false, lines };
}
