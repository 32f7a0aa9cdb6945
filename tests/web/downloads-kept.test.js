import assert from "node:assert/strict";
import { test } from "node:test";
import { shell } from "../../web/lib/offline-shell.js";
import { PIECE_BYTES } from "../../web/lib/offline-store.js";
import { Signal } from "../../web/lib/signal.js";

// What browsers have and Node has not: caches that take a moment for everything, and pages that hear of each other.
const soon = () => new Promise((done) => setTimeout(done, 1));
const at = (key) => new URL(typeof key === "string" ? key : key.url, "http://here").href;
let full = false;
class MemoryCache {
  map = new Map();
  match = async (key) => (await soon(), this.map.get(at(key))?.clone());
  put = async (key, response) => {
    await soon();
    if (full) throw new DOMException("full", "QuotaExceededError");
    this.map.set(at(key), response);
  };
  delete = async (key) => (await soon(), this.map.delete(at(key)));
  keys = async () => (await soon(), [...this.map.keys()].map((url) => ({ url })));
}
const all = new Map();
const open = (name) => all.set(name, all.get(name) ?? new MemoryCache()).get(name);
const pages = new Set();
class Channel {
  constructor() {
    pages.add(this);
  }
  addEventListener = (_, heard) => (this.heard = heard);
  postMessage = (data) => pages.forEach((page) => page !== this && soon().then(() => page.heard({ data })));
}
Object.assign(globalThis, {
  isSecureContext: true,
  caches: { open: async (name) => open(name), has: async (name) => all.has(name), keys: async () => [...all.keys()], delete: async (name) => all.delete(name) },
  BroadcastChannel: Channel,
});
Object.defineProperty(globalThis, "navigator", { value: {}, configurable: true });
// Nobody waits for what is tried again later.
const { setTimeout: timer } = globalThis;
globalThis.setTimeout = (run, ms, ...more) => (ms >= 5000 ? timer(run, ms, ...more).unref() : timer(run, ms, ...more));

const { Downloads } = await import("../../web/lib/downloads.js");

const row = (number, more = {}) => ({ number, title: "", enabled: true, sentences: 1, rendered: 1, audio_s: 60, complete: true, ...more });
const BOOK = { id: "b", edition: 1, rendition: "r", chapters_list: [row(1), row(2), row(3)], audio_s: 180, audio_bytes: 0, cover: null, thumbnail: null, position: null };
const index = (chapter) => ({ book: "b", chapter, complete: true, sentences: [] });
const WHOLE = { whole: true, hours: 0, chapters: [] };

function page(more = {}) {
  const api = {
    book: async () => BOOK, chapter: async (_, number) => index(number), chapterFile: async () => ({ tag: "t", bytes: PIECE_BYTES + 5 }),
    filePiece: async (_, __, { start, end }) => new ArrayBuffer(end - start), changes: async () => ({ whole: false, sentences: [] }),
    beside: async () => ({ silences: [], pictures: [] }), ...more,
  };
  return new Downloads(api, { on: () => undefined, connected: new Signal(false), missed: () => undefined });
}

async function until(is) {
  for (let tries = 0; !(await is()); tries += 1) assert.ok(tries < 2000, "it does not come"), await soon();
}

const paths = () => [...(all.get("lectern-book-b")?.map.keys() ?? [])].map((url) => new URL(url).pathname.replace("/kept/b/", ""));
const recorded = async () => Object.keys((await open("lectern-kept").map.get("http://here/kept/b.json")?.clone().json())?.chapters ?? {});

async function filled(more) {
  all.clear(), pages.clear();
  const here = page(more);
  await here.ready;
  shell.value = "ready";
  await here.choose(BOOK, WHOLE);
  await until(() => Object.keys(here.of("b").chapters).length === 3);
  await until(() => here.progress.value === null);
  return here;
}

test("rows that are taken away one right after the other are all gone", async () => {
  const here = await filled();
  await Promise.all([here.remove("b", [1]), here.remove("b", [2])]);
  assert.deepEqual(Object.keys(here.of("b").chapters), ["3"]);
  assert.deepEqual(await recorded(), ["3"]);
  assert.deepEqual(paths().filter((path) => /^[12]-|chapter-[12]/.test(path)), []);
});

test("a chapter that was rendered anew can be heard as it was until all of the new one is here", async () => {
  let broken = true;
  const here = await filled();
  const again = page({
    book: async () => ({ ...BOOK, chapters_list: [row(1), row(2, { audio_s: 61 }), row(3)] }),
    chapterFile: async () => ({ tag: "new", bytes: PIECE_BYTES + 5 }),
    filePiece: async (_, __, { start, end }) => {
      if (broken && start) throw Object.assign(new Error("down"), { status: 503 });
      return new ArrayBuffer(end - start);
    },
  });
  await again.ready;
  again.go();
  await until(() => again.problem.value === "down");
  assert.deepEqual(paths().filter((path) => path.startsWith("2-")).sort(), ["2-new/0", "2-t/0", "2-t/1"]);
  assert.equal(again.of("b").chapters[2].tag, "t");
  broken = false;
  again.go();
  await until(() => again.of("b").chapters[2].tag === "new" && again.progress.value === null);
  await until(() => here.of("b").chapters[2].tag === "new"); // the other page knows
  // Somebody may be in the middle of it: it goes when the book is opened again.
  assert.deepEqual(paths().filter((path) => path.startsWith("2-")).sort(), ["2-new/0", "2-new/1", "2-t/0", "2-t/1", "2-t/index.json"]);
  await again.open("b");
  assert.deepEqual(paths().filter((path) => path.startsWith("2-")).sort(), ["2-new/0", "2-new/1"]);
});

test("of a book that is another one by now the sound stays until it is opened again", async () => {
  const here = await filled();
  const before = paths().filter((path) => /^[123]-t/.test(path));
  const again = page({ book: async () => ({ ...BOOK, rendition: "other" }), chapterFile: async () => ({ tag: "new", bytes: 5 }) });
  await again.ready;
  again.go();
  await until(() => again.of("b").chapters[3]?.tag === "new" && again.progress.value === null);
  assert.deepEqual(before.filter((path) => !paths().includes(path)), []);
  await again.open("b");
  assert.deepEqual(paths().filter((path) => /^[123]-/.test(path)).sort(), ["1-new/0", "2-new/0", "3-new/0"]);
  await until(() => here.of("b").book.rendition === "other");
});

test("what is chosen while a book turns out to be another one is not forgotten", async () => {
  await filled();
  let told = () => undefined;
  const asked = new Promise((resolve) => (told = resolve));
  const here = page({ book: async () => (told(), { ...BOOK, rendition: "other", chapters_list: BOOK.chapters_list.map((one) => ({ ...one, complete: false })) }) });
  await here.ready;
  await here.save({ ...here.of("b"), wish: { whole: false, hours: 5, chapters: [] } });
  here.go();
  await asked;
  await here.choose(here.of("b").book, { whole: false, hours: 0, chapters: [2] });
  await until(() => here.of("b").book.rendition === "other" && here.progress.value === null);
  assert.deepEqual(here.of("b").wish.chapters, [2]);
  assert.deepEqual(here.of("b").chapters, {});
});

test("what one page takes away the other does not go on fetching", async () => {
  all.clear(), pages.clear();
  let pieces = 0;
  const here = page({ chapterFile: async () => ({ tag: "t", bytes: 400 * PIECE_BYTES }), filePiece: async (_, __, { start, end }) => ((pieces += 1), new ArrayBuffer(end - start)) });
  await here.ready;
  await here.choose(BOOK, WHOLE);
  await until(() => pieces > 3);
  const other = page();
  await other.ready;
  await other.remove("b", null);
  await until(() => !here.of("b") && here.progress.value === null);
  assert.ok(pieces < 200, `${pieces} pieces`);
});

test("without room a choice says so, and taking something away makes room", async () => {
  const here = await filled();
  full = true;
  await here.choose(BOOK, { ...WHOLE, chapters: [1] });
  await until(() => /no room left/.test(here.problem.value));
  await here.remove("b", [1]).catch(() => undefined); // what takes room comes last
  full = false;
  assert.deepEqual(paths().filter((path) => path.startsWith("1-")), []);
});
