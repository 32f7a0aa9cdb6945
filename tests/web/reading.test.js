import assert from "node:assert/strict";
import { test } from "node:test";
import { Besides, gatherBeside } from "../../web/lib/beside.js";
import { KEYS, keyName, meant } from "../../web/lib/keys.js";
import { bare, sites } from "../../web/lib/lookup.js";
import { offered } from "../../web/lib/media-session.js";
import { rateAt } from "../../web/lib/pace.js";
import { actsOf } from "../../web/lib/reader-acts.js";
import { settings } from "../../web/lib/settings.js";
import { Travel } from "../../web/lib/travel.js";

const silence = (rule, text, before) => ({ rule, text, before, characters: text.length, doc: "c.xhtml" });
const picture = (before) => ({ url: "/p", alt: "", width: 2, height: 1, before });

test("what is not read stands in its place with its reason, and what nobody misses is left out", () => {
  const silences = [silence("noteref", "1", 1), silence("ruby", "せんせい", 1), silence("footnotes", "One.", 3), silence("footnotes", "Two.", 3), silence("invisible", "", 3), silence("footnotes", "Three.", 4), silence("brand-new", "x", 5)];
  const items = gatherBeside({ silences, pictures: [picture(0), picture(4)] });
  const shown = items.map((item) => [item.before, item.kind === "picture" ? "picture" : item.texts.join(" "), item.why]);
  assert.deepEqual(shown, [
    [0, "picture", undefined], [3, "One. Two.", "Not read: notes"], [4, "picture", undefined], [4, "Three.", "Not read: notes"], [5, "x", "Not read: brand-new"],
  ]);
});

test("what stands beside a chapter is asked for once, and again where it could not be had", async () => {
  const asked = [];
  const besides = new Besides(async (chapter) => {
    asked.push(chapter);
    if (asked.length === 1) throw new Error("away");
    return { silences: [], pictures: [picture(0)] };
  });
  assert.deepEqual(await besides.of(2), []);
  assert.equal((await besides.of(2)).length, 1);
  await besides.of(2);
  assert.deepEqual(asked, [2, 2]);
  besides.renew();
  await besides.of(2);
  assert.equal(asked.length, 3);
});

test("every key has one act, and every act is one that the reader has", () => {
  const keys = KEYS.flatMap((key) => key.keys);
  assert.equal(new Set(keys).size, keys.length);
  const shows = Object.fromEntries(["settings", "keys", "bookmark", "wrong", "chapters", "find", "sleep", "menu", "voice"].map((name) => [name, () => name]));
  const acts = { ...actsOf({}, {}, settings, shows), slower: 1, faster: 1, usualSpeed: 1, larger: 1, smaller: 1 };
  for (const { act } of KEYS) assert.ok(acts[act], act);
  assert.deepEqual([keyName(" "), keyName("j"), keyName("ArrowLeft")], ["Space", "J", "←"]);
});

test("a key is known by its place where the keyboard writes other letters", () => {
  assert.equal(meant({ key: "о", code: "KeyJ" }), "j");
  assert.equal(meant({ key: "J", code: "KeyJ" }), "j");
  assert.equal(meant({ key: "?", code: "Slash" }), "?");
  assert.equal(meant({ key: "é", code: "Digit2" }), "é");
});

test("a word is looked up without the marks around it, in its own language", () => {
  assert.equal(bare("“Raskolnikov,”"), "Raskolnikov");
  assert.equal(bare("  mother-in-law’s \n house "), "mother-in-law’s house");
  const [first, ...others] = sites("“naïve?”", "fr-CA", true);
  assert.equal(first.href, "dict://na%C3%AFve");
  assert.deepEqual(others.map(({ href }) => new URL(href).host), ["fr.wiktionary.org", "fr.wikipedia.org", "duckduckgo.com"]);
  assert.ok(sites("a&b=c", "x/../evil", false).every(({ href }) => new URL(href).host.match(/^(en\.wik|duck)/) && !href.includes("&b")));
});

test("where the lock screen has room for one pair it gets the chosen one", () => {
  assert.deepEqual(offered("skip", true), ["seekbackward", "seekforward"]);
  assert.deepEqual(offered("chapter", true), ["previoustrack", "nexttrack"]);
  assert.equal(offered("chapter", false).length, 4);
});

test("pauses go faster or slower than the words, and are over before the next word comes", () => {
  const entry = { speech_end: 24_000, samples: 30_000, gap_after_samples: 18_000 }; // speech to 1 s, silence to 2 s
  const at = (wanted, inside) => rateAt(wanted, entry, inside);
  assert.equal(at({ speed: 1.5, share: 1 }, 1.5), 1.5);
  assert.equal(at({ speed: 1.5, share: 0.5 }, 0.5), 1.5);
  assert.equal(at({ speed: 1.5, share: 0.5 }, 1.2), 3);
  assert.equal(at({ speed: 1.5, share: 0.5 }, 1.7), 1.5, "0.12 s of time before the end it is as fast as the words");
  assert.equal(at({ speed: 2, share: 0 }, 1.5), 1);
  assert.equal(at({ speed: 0.5, share: 0 }, 1.5), 1);
  assert.equal(at({ speed: 3, share: 0.25 }, 1.2), 4, "no faster than sound can be played");
  assert.equal(rateAt({ speed: 2, share: 0 }, { samples: 30_000 }, 1.2), 2, "where the end of speech is not known");
  assert.equal(rateAt({ speed: 2, share: 0 }, undefined, 1), 2);
});

test("back goes to the chapter’s beginning first, then to the chapter before", async () => {
  const row = (number) => ({ number, title: "", enabled: true, sentences: 2 });
  const entry = (id) => ({ id, text: "x", file: "x", samples: 240_000, gap_after_samples: 0 });
  const index = (chapter) => ({ chapter, sentences: [entry("a"), entry("b")] });
  const went = [];
  const playback = { cue: { value: { chapter: 2, at: 1 } }, index: index(2), inside_s: 1, goTo: async (target) => went.push([target.chapter, target.sentence]) };
  const travel = new Travel(playback, { list: [row(1), row(2)], load: async (number) => index(number) });
  await travel.chapterBack();
  playback.cue.value = { chapter: 2, at: 0 };
  await travel.chapterBack();
  playback.cue.value = { chapter: 1, at: 0 };
  await travel.chapterBack();
  assert.deepEqual(went, [[2, "a"], [1, "a"], [1, "a"]]);
});

test("a setting that is none of its words counts as the usual one, and can be put back", () => {
  settings.theme.value = "sepia";
  settings.back_s.value = 60;
  for (const setting of Object.values(settings)) setting.reset();
  assert.deepEqual([settings.theme.value, settings.back_s.value, settings.forward_s.value, settings.boost.value], ["system", 15, 30, 1]);
});
