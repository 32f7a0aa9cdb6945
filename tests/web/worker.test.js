import assert from "node:assert/strict";
import { createHash, webcrypto } from "node:crypto";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { createContext, runInContext } from "node:vm";

const CODE = readFileSync(new URL("../../web/sw.js", import.meta.url), "utf8");
const sha256 = (text) => createHash("sha256").update(text).digest("hex");
const path = (key) => new URL(typeof key === "string" ? key : key.url, "https://here").pathname;

/** The worker of one version of the shell, in a browser that is no more than its caches and what the server says. */
function worker({ version = "1", shell = { "/": "<page>", "/web/a.js": "a" }, serve, pages = [], full = Infinity, stores = new Map() }) {
  const heard = {};
  const cacheOf = (name) => {
    const map = stores.get(name) ?? stores.set(name, new Map()).get(name);
    return {
      match: async (key) => map.get(path(key))?.clone(),
      put: async (key, response) => {
        if (map.size >= full) throw new DOMException("no room", "QuotaExceededError");
        map.set(path(key), response);
      },
    };
  };
  const files = Object.fromEntries(Object.entries(shell).map(([name, body]) => [name, sha256(body)]));
  const self = {
    SHELL: { version, files }, addEventListener: (kind, run) => (heard[kind] = run), skipWaiting: async () => (self.took = true),
    clients: { claim: async () => undefined, matchAll: async () => pages, get: async (id) => pages.find((page) => page.id === id) },
  };
  const fetched = async (asked) => (serve ?? (async (name) => new Response(shell[name])))(path(asked));
  runInContext(CODE, createContext({
    self, crypto: webcrypto, URL, Response, ReadableStream, Uint8Array, Error, location: { origin: "https://here" }, fetch: fetched,
    caches: { open: async (name) => cacheOf(name), has: async (name) => stores.has(name), keys: async () => [...stores.keys()], delete: async (name) => stores.delete(name) },
  }));
  const told = async (kind, more = {}) => {
    const waits = [];
    heard[kind]({ waitUntil: (promise) => waits.push(promise), ...more });
    await Promise.all(waits);
  };
  const ask = async (address, { method = "GET", mode = "cors", clientId = "", ...headers } = {}) => {
    let answer;
    heard.fetch({ request: { url: `https://here${address}`, method, mode, headers: new Headers(headers) }, clientId, respondWith: (given) => (answer = given), waitUntil: () => undefined });
    return (await answer) ?? null;
  };
  return { told, ask, stores, self };
}

const kept = (stores, name) => [...(stores.get(name)?.keys() ?? [])].sort();

test("whatever the server says instead of a file, no version is taken up with it", async () => {
  const wrong = [
    () => new Response("a", { status: 401 }), () => new Response("a", { status: 421 }), () => new Response("a", { status: 503 }), () => Promise.reject(new TypeError("down")),
    () => new Response("<title>Welcome to the Grand Hotel</title>"), () => new Response("a of tomorrow"), () => new Response(""),
    () => Object.defineProperty(new Response("a"), "redirected", { value: true }),
  ];
  for (const answer of wrong) {
    const stores = new Map([["lectern-shell-0", new Map([["/", new Response("<old>")]])]]);
    const { told } = worker({ stores, serve: async (name) => (name === "/" ? new Response("<page>") : answer()) });
    await assert.rejects(told("install"));
    assert.deepEqual(kept(stores, "lectern-shell-0"), ["/"], "the version before goes on");
    const again = worker({ stores });
    await again.told("install");
    await again.told("activate");
    assert.deepEqual([...stores.keys()], ["lectern-shell-1"]);
    assert.equal(await (await again.ask("/web/a.js")).text(), "a");
  }
});

test("without room for all of a version it is not taken up", async () => {
  await assert.rejects(worker({ full: 1 }).told("install"), { name: "QuotaExceededError" });
});

test("a page that may be playing is not taken over, the only one is", async () => {
  const page = (id, url) => ({ id, url: `https://here${url}` });
  for (const [pages, alone] of [[[page("1", "/")], true], [[page("1", "/#/books/b"), page("2", "/dashboard")], true], [[page("1", "/"), page("2", "/")], false]]) {
    const { told, self } = worker({ pages });
    const said = [];
    await told("message", { data: { type: "take-over" }, ports: [{ postMessage: (data) => said.push(data) }] });
    assert.deepEqual([said[0].alone, Boolean(self.took)], [alone, alone]);
  }
});

const BYTES = Uint8Array.from({ length: 25 }, (_, i) => i); // header of 5, then 20 of two chapters, in pieces of 8
async function sound(gone) {
  const run = { piece_bytes: 8, size: 25, parts: [{ key: "/kept/b/r.head/", from: 0, to: 5 }, { key: "/kept/b/1-t/", from: 3, to: 13 }, { key: "/kept/b/2-t/", from: 0, to: 10 }] };
  const files = new Map([["/kept/b/r.json", new Response(JSON.stringify(run))], ["/kept/b/r.head/0", new Response(BYTES.subarray(0, 5))]]);
  const one = Uint8Array.of(99, 99, 99, ...BYTES.subarray(5, 15));
  [0, 8].forEach((from, i) => files.set(`/kept/b/1-t/${i}`, new Response(one.subarray(from, from + 8))));
  [15, 23].forEach((from, i) => files.set(`/kept/b/2-t/${i}`, new Response(BYTES.subarray(from, Math.min(from + 8, 25)))));
  files.delete(gone);
  const said = [];
  return { ...worker({ stores: new Map([["lectern-book-b", files]]), pages: [{ id: "1", url: "https://here/", postMessage: (data) => said.push(data.type) }] }), said };
}

test("any part of what was downloaded is given as players ask for it", async () => {
  const { ask } = await sound();
  const cases = [
    [undefined, 200, 0, 25], ["bytes=0-1", 206, 0, 2], ["bytes=0-", 206, 0, 25], ["bytes=4-5", 206, 4, 6], ["bytes=14-15", 206, 14, 16], ["bytes=24-", 206, 24, 25],
    ["bytes=-3", 206, 22, 25], ["bytes=-99", 206, 0, 25], ["bytes=20-999", 206, 20, 25], ["bytes=7-3", 200, 0, 25], ["bytes=-", 200, 0, 25], ["bytes=0-1,4-5", 200, 0, 25],
    ["items=0-1", 200, 0, 25], ["bytes=9999999999999999-", 200, 0, 25], ["bytes=25-", 416], ["bytes=999-", 416], ["bytes=-0", 416],
  ];
  for (const [range, status, start, end] of cases) {
    const answer = await ask("/kept/b/r.m4a", range ? { range } : {});
    assert.equal(answer.status, status, range);
    if (status === 416) assert.equal(answer.headers.get("content-range"), "bytes */25");
    else {
      assert.deepEqual(new Uint8Array(await answer.arrayBuffer()), BYTES.slice(start, end), range);
      assert.equal(answer.headers.get("content-length"), String(end - start));
      assert.equal(answer.headers.get("content-range"), status === 206 ? `bytes ${start}-${end - 1}/25` : null);
    }
  }
  const head = await ask("/kept/b/r.m4a", { method: "HEAD" });
  assert.deepEqual([head.status, head.headers.get("content-length"), await head.text()], [200, "25", ""]);
  assert.equal((await ask("/kept/b/r.m4a", { range: "bytes=0-1", "if-range": '"another"' })).status, 200);
});

test("what is gone is told to the pages, before and while it is played", async () => {
  for (const gone of ["/kept/b/1-t/1", "/kept/b/2-t/0", "/kept/b/r.head/0"]) {
    const { ask, said } = await sound(gone);
    await assert.rejects((await ask("/kept/b/r.m4a")).arrayBuffer());
    assert.deepEqual(said, ["kept-broken"], gone);
  }
  const { ask, said, stores } = await sound("/kept/b/r.json");
  assert.equal((await ask("/kept/b/r.m4a")).status, 404);
  assert.equal((await ask("/kept/other/r.m4a")).status, 404);
  assert.deepEqual([said, stores.has("lectern-book-other")], [["kept-broken", "kept-broken"], false]);
});
