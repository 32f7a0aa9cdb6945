import assert from "node:assert/strict";
import { test } from "node:test";
import { ApiError } from "../../web/lib/api.js";
import { AWAY, withKept } from "../../web/lib/offline-api.js";
import { Signal } from "../../web/lib/signal.js";

const BOOK = { id: "b", title: "The Lamp", authors: ["Ada Rill"], series: null, title_sort: "Lamp", author_sort: "Rill", opened: null, position: { chapter: 1, sentence: "old", word: 0 } };
const silence = () => Promise.reject(new ApiError("nobody"));
const forever = () => new Promise(() => undefined);

function made(api, { records = [{ book: BOOK, wish: {}, chapters: { 1: {} } }] } = {}) {
  const memory = new Map();
  const kept = { get: (name) => memory.get(name) ?? null, set: (name, value) => memory.set(name, value) };
  const downloads = { away: new Signal(false), ready: Promise.resolve(), records, of: (id) => records.find((record) => record.book.id === id) };
  return { downloads, memory, api: withKept(api, downloads, kept, 5) };
}

test("the server is believed while it answers", async () => {
  const { api, downloads } = made({ book: async () => ({ id: "b", title: "newer" }) });
  downloads.away.value = true;
  assert.equal((await api.book("b")).title, "newer");
  assert.equal(downloads.away.value, false);
});

test("when nobody answers, at once or at all, what is here is shown", async () => {
  for (const ask of [silence, forever]) {
    const { api, downloads } = made({ book: ask, page: ask, status: ask });
    assert.equal((await api.book("b")).title, "The Lamp");
    assert.equal(downloads.away.value, true);
    assert.equal((await api.page({ limit: 5 })).total, 1);
    assert.equal((await api.status()).notice, AWAY);
  }
});

test("an answer that comes late still counts", async () => {
  let answer;
  const { api, downloads } = made({ book: () => new Promise((resolve) => (answer = resolve)) });
  await api.book("b");
  assert.equal(downloads.away.value, true);
  answer({ id: "b" });
  await new Promise((done) => setTimeout(done, 1));
  assert.equal(downloads.away.value, false);
});

test("what is not here cannot be shown, and a refusal is no silence", async () => {
  const { api } = made({ book: silence });
  await assert.rejects(api.book("other"), { message: "nobody" });
  const refused = made({ book: () => Promise.reject(new ApiError("gone", { status: 404 })) });
  await assert.rejects(refused.api.book("b"), { message: "gone" });
  assert.equal(refused.downloads.away.value, false);
});

test("without downloads the shelf says that nobody answers", async () => {
  const { api } = made({ page: silence, status: silence }, { records: [] });
  await assert.rejects(api.page({ limit: 5 }), { message: "nobody" });
  await assert.rejects(api.status(), { message: "nobody" });
});

test("the shelf that is here is searched, sorted and paged", async () => {
  const records = ["B", "A", "C"].map((title) => ({ book: { ...BOOK, id: title, title, title_sort: title }, wish: {}, chapters: title === "C" ? {} : { 1: {} } }));
  const { api } = made({ page: silence }, { records });
  const titles = async (asked) => (await api.page(asked)).books.map((book) => book.title);
  assert.deepEqual(await titles({ sort: "title", limit: 5 }), ["A", "B"]);
  assert.deepEqual(await titles({ sort: "title", limit: 1, offset: 1 }), ["B"]);
  assert.deepEqual(await titles({ q: "ada b", limit: 5 }), ["B"]);
  assert.deepEqual(await titles({ show: "new", limit: 5 }), []);
  assert.deepEqual(await titles({ show: "begun", sort: "title", limit: 5 }), ["A", "B"]);
});

test("the shelf says of which books something is here", async () => {
  const { api } = made({ page: async () => ({ total: 2, books: [{ id: "b" }, { id: "other" }] }) });
  assert.deepEqual((await api.page({ limit: 5 })).books, [{ id: "b", here: true }, { id: "other" }]);
});

test("the last place is this device's own, told or heard of", async () => {
  const heard = { chapter: 1, sentence: "far", word: 0, own: { chapter: 1, sentence: "own", word: 3 } };
  const { api, downloads } = made({ position: async () => heard, savePosition: silence });
  assert.equal(await api.position("b", "d"), heard);
  const gone = made({ position: silence, savePosition: silence });
  assert.equal((await gone.api.position("b", "d")).sentence, "old");
  await assert.rejects(gone.api.savePosition("b", { chapter: 2, sentence: "new", word: 4, device: "d", counter: 1, age_s: 0 }));
  assert.deepEqual(await gone.api.position("b", "d"), { chapter: 2, sentence: "new", word: 4 });
  assert.equal(downloads.away.value, false);
});

test("a place of the server that comes late does not take the place of one that was told since", async () => {
  let answer;
  const { api, downloads } = made({ position: () => new Promise((resolve) => (answer = resolve)), savePosition: silence });
  downloads.away.value = true;
  assert.equal((await api.position("b", "d")).sentence, "old");
  await assert.rejects(api.savePosition("b", { chapter: 2, sentence: "new", word: 4 }));
  answer({ chapter: 1, sentence: "server", word: 0 });
  await new Promise((done) => setTimeout(done, 1));
  downloads.away.value = true;
  assert.equal((await api.position("b", "d")).sentence, "new");
});

test("who opens a book does not wait for a report that cannot arrive", async () => {
  const { api, downloads } = made({ savePosition: forever });
  downloads.away.value = true;
  await assert.rejects(api.savePosition("b", { chapter: 1, sentence: "s", word: 0 }, false), ApiError);
});

test("what cannot be searched for want of an answer is looked for in what is here", async () => {
  const { api } = made({ search: silence });
  await assert.rejects(api.search({ q: "lamp", limit: 20 }), { message: "nobody" }); // in all books
  await assert.rejects(api.search({ q: "lamp", book: "other", limit: 20 }), { message: "nobody" });
  const chapter = { chapter: 1, sentences: [{ id: "a", text: "The lamp." }, { id: "b", text: "Dark." }] };
  const cache = { match: async () => new Response(JSON.stringify(chapter)) };
  globalThis.caches = { has: async () => true, open: async () => cache };
  const here = made({ search: forever }, { records: [{ book: { ...BOOK, chapters_list: [{ number: 1, title: "One" }, { number: 2, title: "Two" }] }, chapters: { 1: {} } }] });
  here.downloads.away.value = true;
  const { hits, total, here: only } = await here.api.search({ q: "lamp", book: "b", limit: 20 });
  assert.deepEqual([hits.map(({ sentence, chapter_title, book }) => [sentence, chapter_title, book]), total, only], [[["a", "One", "b"]], 1, true]);
  delete globalThis.caches;
});
