import assert from "node:assert/strict";
import { createServer } from "node:http";
import { after, before, test } from "node:test";
import { ApiError, api } from "../../web/lib/api.js";
import { withKept } from "../../web/lib/offline-api.js";
import { Outbox } from "../../web/lib/outbox.js";
import { Signal } from "../../web/lib/signal.js";
import { passes } from "../../web/lib/trouble.js";

// What answers in Lectern's stead: a hotel's page to log in, a router with the same address, a proxy whose server is down.
const PAGE = "<!doctype html><title>Welcome to the Grand Hotel</title>";
let answer = { status: 200, type: "text/html", body: PAGE };
const server = createServer((_, response) => response.writeHead(answer.status, { "content-type": answer.type }).end(answer.body));
const { fetch } = globalThis;

before(async () => {
  await new Promise((done) => server.listen(0, "127.0.0.1", done));
  globalThis.fetch = (path, options) => fetch(`http://127.0.0.1:${server.address().port}${path}`, options);
});
after(() => {
  globalThis.fetch = fetch;
  server.closeAllConnections();
  server.close();
});

// Nobody waits for what is tried again later.
const { setTimeout: timer } = globalThis;
globalThis.setTimeout = (run, ms, ...more) => (ms >= 5000 ? timer(run, ms, ...more).unref() : timer(run, ms, ...more));

const STRANGERS = [
  ...[200, 401, 403, 404, 410, 511, 502].map((status) => ({ status, type: "text/html", body: PAGE })),
  { status: 404, type: "application/json", body: '{"detail": "Not Found"}' },
  { status: 400, type: "application/json", body: "null" },
];
const PLACE = { chapter: 7, sentence: "s", word: 2 };

function kept() {
  const memory = new Map();
  return { get: (name) => memory.get(name) ?? null, set: (name, value) => memory.set(name, value), names: (start) => [...memory.keys()].filter((name) => memory.get(name) && name.startsWith(start)) };
}

function away() {
  const records = [{ book: { id: "b", title: "The Lamp", position: PLACE, chapters_list: [] }, wish: {}, chapters: { 1: {} } }];
  const downloads = { away: new Signal(false), ready: Promise.resolve(), records, of: (id) => records.find((record) => record.book.id === id) };
  return withKept(api, downloads, kept(), 500);
}

test("whatever answers in Lectern's stead, what is on this device is shown, and the place is not the beginning", async () => {
  for (answer of STRANGERS) {
    const about = JSON.stringify(answer);
    assert.equal((await away().book("b")).title, "The Lamp", about);
    assert.deepEqual(await away().position("b", "d"), PLACE, about);
    await assert.rejects(api.position("b", "d"), ApiError, about);
  }
});

test("whatever answers in Lectern's stead, no report of a place is thrown away", async () => {
  for (answer of STRANGERS) {
    const storage = kept();
    let count = 0;
    const outbox = new Outbox(storage, { id: "d", count: () => (count += 1) }, api.savePosition);
    await outbox.post("b", { ...PLACE, reason: "played", heard_s: 5 });
    assert.equal(JSON.parse(storage.get("unsent..b") ?? "[]").length, 1, JSON.stringify(answer));
  }
});

test("Lectern's own refusal is one", async () => {
  for (const status of [400, 404, 409, 422]) {
    answer = { status, type: "application/problem+json", body: JSON.stringify({ status, detail: "No.", code: "no" }) };
    await assert.rejects(away().book("b"), { message: "No.", status });
    await assert.rejects(api.book("b"), (error) => error instanceof ApiError && !passes(error));
  }
});

test("a name that the server does not know yet refuses for now", async () => {
  answer = { status: 421, type: "application/problem+json", body: JSON.stringify({ status: 421, detail: "No.", code: "host-refused" }) };
  const storage = kept();
  await new Outbox(storage, { id: "d", count: () => 1 }, api.savePosition).post("b", { ...PLACE, reason: "played", heard_s: 5 });
  assert.equal(JSON.parse(storage.get("unsent..b") ?? "[]").length, 1);
});

test("a page to log in is no chapter", async () => {
  answer = { status: 200, type: "text/html", body: PAGE };
  await assert.rejects(api.chapterFile("b", 1, new AbortController().signal), ApiError);
});
