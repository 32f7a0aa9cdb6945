import assert from "node:assert/strict";
import { test } from "node:test";
import { areaHref, areaOf } from "../../web/lib/areas.js";
import { changed } from "../../web/lib/book-api.js";
import { PHONEMES } from "../../web/lib/phoneme-list.js";
import { RuleDesk } from "../../web/lib/rule-desk.js";
import { editable, fileName, lineAt, ruleLine, tellsStress, together, withLine, withRule, withoutLine } from "../../web/lib/rule-text.js";
import { reasonOf } from "../../web/lib/rules.js";
import { around, textOfWord, wordsOf } from "../../web/lib/words-of.js";

test("a page of the dashboard is found by its hash, and what nobody knows is the dashboard", () => {
  assert.deepEqual(areaOf("#/book/0123/words", ["book"]), { name: "book", path: ["0123", "words"] });
  assert.equal(areaHref("book", "a/b", "text"), "#/book/a%2Fb/text");
  assert.deepEqual(areaOf(areaHref("book", "a/b"), ["book"])?.path, ["a/b"]);
  assert.deepEqual(areaOf("#/book/%E0%A4%A", ["book"])?.path, ["%E0%A4%A"]);
  for (const hash of ["", "#", "#/", "#/?q=lamp", "#/nowhere", "#/books/1"]) assert.equal(areaOf(hash, ["book"]), null);
});

test("a rule is written so that it is read as it was meant", () => {
  assert.equal(ruleLine(" van  Helsing ", " van HEL-sing", "sound"), "van Helsing = van HEL-sing");
  assert.equal(ruleLine("Pequod", "/ˈpiːkwɒd/", "phonemes"), "Pequod = /ˈpiːkwɒd/");
  assert.equal(ruleLine("a = b", "a is b", "sound"), '"a = b" = a is b');
  assert.equal(ruleLine("#1", "number one", "sound"), '"#1" = number one');
  for (const [word, said, how] of [["Pequod", "PEE-kwod", "sound"], ["Pequod", "ˈpiːkwɒd", "phonemes"]]) {
    assert.deepEqual(editable(ruleLine(word, said, how)), { word, said, how });
  }
  for (const line of ["record = {stress 2}", "[12] = {skip}", "# a comment", "(\\d+)pp = \\1 pages {regex}", "Pequod = PEE-kwod # a ship"]) assert.equal(editable(line), null);
});

test("lines are put in, taken out and put together, whatever their ends", () => {
  assert.equal(withRule("", "a = b"), "a = b\n");
  assert.equal(withRule("a = b\r\nc = d", "e = f"), "a = b\nc = d\ne = f\n");
  assert.equal(withoutLine("a = b\nc = d\n", 1), "c = d\n");
  assert.equal(withLine("a = b\nc = d\n", 2, "c = e"), "a = b\nc = e\n");
  assert.equal(lineAt("a = b\nc = d\n", 2), "c = d");
  assert.equal(lineAt("a = b\n", 7), "");
  assert.equal(together("a = b\n", "\ufeffa = b\r\nc = d\r\n"), "a = b\nc = d\n");
  assert.equal(together("a = b\n", ""), "a = b\n");
});

test("the stressed syllable is told where there are several", () => {
  assert.deepEqual(["pequod", "PEE-kwod", "pee-kwod", "van HEL-sing"].map(tellsStress), [true, true, false, true]);
  assert.equal(fileName("Moby-Dick; or, The Whale"), "Moby Dick or The Whale, pronunciations.txt");
  assert.equal(fileName("?!"), "rules, pronunciations.txt");
});

test("a word is found in its sentence as a whole one, and what clings to it is left out", () => {
  assert.deepEqual(around("Unbara saw Bara’s hat.", "bara"), ["Unbara saw ", "Bara", "’s hat."]);
  assert.deepEqual(around("It’s O’Hara.", "O'Hara"), ["It’s ", "O’Hara", "."]);
  assert.deepEqual(around("Nobody.", "Bara"), ["Nobody.", "", ""]);
  assert.equal(textOfWord({ text: "“Go on,” he said.", words: [{ start: 0, end: 1, char_start: 0, char_end: 3 }, { start: 1, end: 2, char_start: 4, char_end: 8 }] }, 1), "on");
  assert.equal(textOfWord({ text: "Go.", words: null }, 0), "");
  assert.deepEqual(wordsOf("He saw Queequeg, and Queequeg’s hat."), ["Queequeg’s", "Queequeg", "saw", "and", "hat", "He"]);
});

test("a change is told in sentences and seconds of work", () => {
  const change = { sentences: 34, rendered: 20, render_s: 12, books: [{}], uncounted: [] };
  const span = (seconds) => `${seconds} s`;
  assert.equal(changed(change, span), "Changes 34 sentences, about 12 s of work.");
  assert.equal(changed({ ...change, render_s: null }, span), "Changes 34 sentences, 20 sentences rendered again.");
  assert.equal(changed({ ...change, rendered: 0, books: [{}, {}], uncounted: ["x"] }, span), "Changes 34 sentences in 2 books, nothing to render again. Not all books were looked into.");
  assert.equal(changed({ ...change, sentences: 0 }, span), "No sentence would be said otherwise.");
});

test("every sound is there once, and every rule of silence has words", () => {
  const symbols = PHONEMES.flatMap(({ keys }) => keys.map(([symbol]) => symbol));
  assert.equal(new Set(symbols).size, symbols.length);
  assert.equal(reasonOf("pagebreak"), "numbers of pages");
  assert.equal(reasonOf("brand-new"), "brand-new");
});

/** Files of rules as the server keeps them: a change needs the tag of what was read. */
function lexicon() {
  const files = new Map();
  const tag = (path) => `"${Buffer.from(files.get(path) ?? "").toString("hex")}"`;
  globalThis.fetch = async (url, { method = "GET", headers = {}, body } = {}) => {
    const [path, query = ""] = url.split("?");
    if (method === "PUT" && !query.includes("dry_run")) {
      if (headers["if-match"] !== tag(path)) return new Response(JSON.stringify({ detail: "changed in the meantime" }), { status: 412 });
      files.set(path, JSON.parse(body).text);
    }
    const text = query.includes("dry_run") ? JSON.parse(body).text : (files.get(path) ?? "");
    const lines = text.split("\n").map((written, at) => ({ line: at + 1, written }));
    const file = { text, lines, complaints: [] };
    return new Response(JSON.stringify(method === "PUT" ? { file, applied: 1 } : file), { headers: { etag: tag(path) } });
  };
  return (path) => files.get(`/api/v1${path}`) ?? "";
}

test("a rule that is used twice is one rule, and all of it is taken back to what was there", async () => {
  const text = lexicon();
  const desk = new RuleDesk("b1");
  assert.equal((await desk.tried("", "A = ah")).rule?.written, "A = ah");
  assert.equal(text("/books/b1/lexicon"), "");
  await desk.use("", "A = ah");
  await desk.use("", "A = aw");
  assert.equal(text("/books/b1/lexicon"), "A = aw\n");
  await desk.forAll("A = aw");
  assert.deepEqual([text("/books/b1/lexicon"), text("/lexicon/household")], ["", "A = aw\n"]);
  await desk.use("household", "A = oh");
  assert.equal(text("/lexicon/household"), "A = oh\n");
  assert.equal(await desk.takeBack(), 1);
  assert.deepEqual([text("/books/b1/lexicon"), text("/lexicon/household")], ["", ""]);
  await desk.use("", "A = ay");
  assert.equal(text("/books/b1/lexicon"), "A = ay\n");
});

test("a line that is changed stays where it stands, also when it is taken back and changed again", async () => {
  const text = lexicon();
  await new RuleDesk("b1").use("", "A = ah");
  await new RuleDesk("b1").use("", "B = bee");
  const desk = new RuleDesk("b1", "", 1);
  await desk.use("", "A = aw");
  assert.equal(text("/books/b1/lexicon"), "A = aw\nB = bee\n");
  await desk.takeBack();
  assert.equal(text("/books/b1/lexicon"), "A = ah\nB = bee\n");
  await desk.use("", "A = oh");
  assert.equal(text("/books/b1/lexicon"), "A = oh\nB = bee\n");
});
