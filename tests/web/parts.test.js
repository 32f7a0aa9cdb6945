import assert from "node:assert/strict";
import { test } from "node:test";
import { ApiError, problem } from "../../web/lib/api.js";
import { between, gatherBlocks } from "../../web/lib/blocks.js";
import { Chapters } from "../../web/lib/chapters.js";
import { ago, clock, counted, percent, size, span } from "../../web/lib/format.js";
import { bookHref, parseRoute } from "../../web/lib/router.js";
import { stepSpeed } from "../../web/lib/settings.js";
import { Signal } from "../../web/lib/signal.js";

const at = (id, block_index, block = "paragraph") => ({ id, text: id, block, block_index });

test("sentences are gathered into blocks, with scene breaks between them", () => {
  const blocks = gatherBlocks([at("h", 0, "heading"), at("a", 1), at("b", 1), at("c", 3), at("d", 4)], [2]);
  const shown = blocks.map((block) => (block.kind === "break" ? "*" : block.sentences.map((entry) => entry.id).join("")));
  assert.deepEqual(shown, ["h", "ab", "*", "c", "d"]);
  assert.deepEqual(blocks.map((block) => block.first), [0, 1, undefined, 3, 4]);
});

test("several breaks in a row show once, and none before the first block or after the last", () => {
  const blocks = gatherBlocks([at("a", 2), at("b", 6)], [0, 1, 3, 4, 9]);
  assert.deepEqual(blocks.map((block) => block.kind), ["paragraph", "break", "paragraph"]);
});

test("a signal tells of changes only, and no more after the unsubscribe", () => {
  const signal = new Signal(1);
  const seen = [];
  const stop = signal.subscribe((value) => seen.push(value));
  signal.value = 1;
  signal.value = 2;
  stop();
  signal.value = 3;
  assert.deepEqual(seen, [1, 2]);
});

test("a problem document becomes its sentence; anything else still becomes one", () => {
  const error = problem(422, JSON.stringify({ title: "Refused", detail: "x.epub is locked.", code: "book-refused", kind: "drm" }));
  assert.ok(error instanceof ApiError);
  assert.deepEqual([error.message, error.status, error.code, error.kind], ["x.epub is locked.", 422, "book-refused", "drm"]);
  assert.match(problem(502, "<html>bad gateway</html>").message, /502/);
});

test("numbers as people say them", () => {
  assert.deepEqual([clock(0), clock(59.9), clock(61), clock(3_909)], ["0:00", "0:59", "1:01", "1:05:09"]);
  assert.deepEqual([span(0.2), span(48), span(480), span(3_600), span(7_800)], ["1 s", "48 s", "8 min", "1 h", "2 h 10 min"]);
  assert.deepEqual([size(0), size(999), size(4_210_000), size(27_000_000)], ["0 bytes", "999 bytes", "4.2 MB", "27 MB"]);
  assert.deepEqual([counted(1, "book"), counted(1_204, "sentence")], ["1 book", "1,204 sentences"]);
});

test("a share is never 0 once begun and never 100 before the end", () => {
  assert.deepEqual([percent(0, 900), percent(1, 900), percent(899, 900), percent(900, 900), percent(0, 0)], [0, 1, 99, 100, 0]);
});

test("times past are told roughly", () => {
  const now = Date.parse("2026-05-05T12:00:00Z");
  assert.equal(ago("2026-05-05T11:59:40Z", now), "just now");
  assert.equal(ago("2026-05-05T11:40:00Z", now), "20 min ago");
  assert.equal(ago("2026-05-05T08:50:00Z", now), "3 h ago");
  assert.match(ago("2026-05-01T08:50:00Z", now), /2026/);
  assert.equal(ago("never", now), "");
});

test("addresses lead back to where they came from", () => {
  assert.deepEqual(parseRoute(bookHref("0123456789abcdef")), { page: "book", id: "0123456789abcdef", spot: null });
  for (const hash of ["", "#/", "#/book/", "#/book/a/b", "#nonsense"]) assert.deepEqual(parseRoute(hash), { page: "shelf", asked: {} });
});

test("speed steps stay on the grid and within its ends", () => {
  assert.equal(stepSpeed(1, 1), 1.1);
  assert.equal(stepSpeed(1.1, -1), 1);
  assert.equal(stepSpeed(2, 1), 2.25);
  assert.equal(stepSpeed(3, 1), 3);
  assert.equal(stepSpeed(0.5, -1), 0.5);
  let speed = 0.5;
  for (let i = 0; i < 60; i += 1) speed = stepSpeed(speed, 1);
  assert.equal(speed, 3);
});

test("chapter indexes are fetched once, and again only when the server has a newer one", async () => {
  let revision = 1;
  let changes = { whole: true, revision: 0, sentences: [] };
  let fetched = 0;
  const chapters = new Chapters([], async (chapter) => {
    fetched += 1;
    return { chapter, revision, sentences: [{ id: "a" }, { id: "b" }] };
  }, async () => changes);
  await Promise.all([chapters.load(1), chapters.load(1)]);
  await chapters.load(1);
  assert.equal(fetched, 1);
  chapters.outdated(1, 1, true);
  chapters.outdated(7, 9, true);
  await new Promise((done) => setTimeout(done, 5));
  assert.equal(fetched, 1);
  revision = 2;
  const told = new Promise((done) => chapters.addEventListener("change", (event) => done(event.detail.chapter), { once: true }));
  chapters.outdated(1, 2, true);
  assert.equal(await told, 1);
  assert.equal(chapters.peek(1).revision, 2);
  assert.equal(fetched, 2);
  await new Promise((done) => setTimeout(done, 0));
  changes = { whole: false, revision: 3, complete: true, sentences: [{ id: "b", file: "b.m4a" }] };
  assert.deepEqual(await chapters.reload(1), { chapter: 1, revision: 3, complete: true, sentences: [{ id: "a" }, { id: "b", file: "b.m4a" }] });
  assert.equal(fetched, 2, "what changed is enough");
  chapters.close();
});

test("sentences have a space between them where their script has one", () => {
  assert.equal(between("paragraph", "It rained.", "It stopped."), " ");
  assert.equal(between("verse", "雨が降る。", "止んだ。"), "\n");
  for (const [one, other] of [["雨が降る。", "止んだ。"], ["「雨だ」", "と言った。"], ["雨が……", "止んだ。"], ["カフェ", "OK."]]) assert.equal(between("paragraph", one, other), "");
  assert.equal(between("paragraph", "So it was …", "It stopped."), " ");
});
