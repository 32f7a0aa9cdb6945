import assert from "node:assert/strict";
import { test } from "node:test";

import { cost, grouped, introduce, quality, saySound, sayVoice } from "../../web/lib/voices.js";

const voice = (id, name, language, gender, grade) => ({ id, name, language, speaks: language.slice(0, 2), gender, grade });
const known = {
  voices: [
    voice("af_bella", "Bella", "en-US", "female", "A-"),
    voice("af_heart", "Heart", "en-US", "female", "A"),
    voice("af_kore", "Kore", "en-US", "female", "C+"),
    voice("af_nova", "Nova", "en-US", "female", "C"),
    voice("am_adam", "Adam", "en-US", "male", "F+"),
    voice("bf_emma", "Emma", "en-GB", "female", "B-"),
    voice("ff_siwis", "Siwis", "fr", "female", null),
  ],
  blends: [{ name: "Evening", voice: "af_heart*0.6+af_bella*0.4", speaks: "en", shares: [] }],
};
const sound = { voice: "af_heart", speed: 1, bitrate: 48_000 };
const there = { ...sound, id: "a", plays: true, current: true, sentences: 100, audio_s: 600, audio_bytes: 4_500_000, freed_bytes: 4_500_000 };
const list = { renditions: [there], language: "en", sentences: 100, speech_s: 600, render_s: 300 };

test("voices of a language are grouped by accent and sex, the best first", () => {
  const found = grouped(known.voices, "en").map(([name, voices]) => [name, voices.map(({ name }) => name)]);
  assert.deepEqual(found, [["American women", ["Heart", "Bella", "Kore", "Nova"]], ["American men", ["Adam"]], ["British women", ["Emma"]]]);
  assert.equal(grouped(known.voices, "").length, 4);
  assert.equal(introduce(known.voices[5]), "Emma · British woman · very good");
  assert.equal(introduce(known.voices[6]), "Siwis · French woman");
  assert.deepEqual(["A-", "B", "C+", "D", "F+", null].map(quality), ["excellent", "very good", "good", "fair", "rough", ""]);
});

test("a recipe is said by its blend's name, else by its parts", () => {
  assert.equal(sayVoice("af_heart", known), "Heart");
  assert.equal(sayVoice("af_heart*0.6+af_bella*0.4", known), "Evening");
  assert.equal(sayVoice("bf_emma*0.667+af_heart*0.333", known), "Emma 67 %, Heart 33 %");
  assert.equal(sayVoice("xx_gone", known), "xx_gone");
  assert.equal(saySound({ voice: "af_heart", speed: 1.2, bitrate: 32_000 }, known), "Heart, spoken 1.2 ×, small");
});

test("what plays costs nothing and says so", () => {
  assert.deepEqual(cost(list, sound, known), { plays: true, lines: ["This is how it is read now."] });
});

test("another voice says what it takes, and that the old one stays", () => {
  const { plays, lines } = cost(list, { ...sound, voice: "bf_emma" }, known);
  assert.equal(plays, false);
  assert.equal(lines[0], "100 sentences will be rendered, which takes about 5 min of work, from your place on. They will take about 3.8 MB.");
  assert.equal(lines[1], "Your place stays. What there is in Heart stays too (4.5 MB), and you can go back to it at once.");
  assert.match(cost({ ...list, render_s: null }, { ...sound, speed: 2 }, known).lines[0] ?? "", /^100 sentences will be rendered, from .* 1\.9 MB\.$/);
});

test("going back costs what is missing there", () => {
  const emma = { ...there, id: "b", voice: "bf_emma", plays: false };
  const all = { ...list, renditions: [there, emma] };
  assert.equal(cost(all, emma, known).lines[0], "All of it is rendered already: it plays at once.");
  const half = { ...list, renditions: [there, { ...emma, sentences: 50 }] };
  assert.equal(cost(half, emma, known).lines[0], "50 sentences of it are here and play at once; 50 more will be rendered, which takes about 3 min of work.");
  const earlier = { ...list, renditions: [there, { ...emma, current: false }] };
  assert.match(cost(earlier, emma, known).lines[0] ?? "", /^100 sentences will be rendered/);
});
