/**
 * The service worker: it keeps the player's own files, so that the page opens without the server, and plays what was
 * downloaded. All else goes its usual way.
 *
 * The server writes `self.SHELL` in front: the files of one version. Another version is another worker, which waits
 * until no page of this one is open, or until the page that is open asks for it. So a page only ever gets files of the
 * version that it began with. No module and no import: some browsers know neither here.
 */

/** @typedef {{piece_bytes: number, size: number, parts: {key: string, from: number, to: number}[]}} Run  see lib/offline-store.js */

const worker = /** @type {any} */ (self);
const { version, files } = /** @type {{version: string, files: Record<string, string>}} */ (worker.SHELL);
const SHELLS = "lectern-shell-";
const TOGETHER = 6; // files that are fetched at once
const KEPT = "/kept/";
const PICTURE = /^\/api\/v1\/books\/([0-9a-f]+)\/(?:cover|chapters\/\d+\/pictures\/\d+)$/;

worker.addEventListener("install", (/** @type {any} */ event) => event.waitUntil(gather()));
worker.addEventListener("activate", (/** @type {any} */ event) => event.waitUntil(begin()));
worker.addEventListener("message", (/** @type {any} */ event) => {
  if (event.data?.type === "take-over") event.waitUntil(takeOver(event.ports[0]));
});

worker.addEventListener("fetch", (/** @type {any} */ event) => {
  const { request } = event;
  const url = new URL(request.url);
  if (url.origin !== location.origin) return;
  if (url.pathname.startsWith(KEPT) && (request.method === "GET" || request.method === "HEAD")) return event.respondWith(sound(event, url.pathname));
  if (request.method !== "GET") return;
  if (request.mode === "navigate") return url.pathname === "/" ? event.respondWith(ours(request, "/")) : undefined;
  if (url.pathname in files) return event.respondWith(isPlayers(event.clientId).then((yes) => (yes ? ours(request, url.pathname) : fetch(request))));
  if (PICTURE.test(url.pathname)) event.respondWith(picture(request, url));
});

/** Fetch all files of this version. Fails, and is tried again later, when one of them is another by now. */
async function gather() {
  const cache = await caches.open(SHELLS + version);
  const waiting = Object.keys(files);
  const take = async () => {
    for (let address = waiting.shift(); address !== undefined; address = waiting.shift()) {
      const response = await fetch(address, { cache: "no-cache" });
      const body = await response.clone().arrayBuffer();
      if (!response.ok || response.redirected || (await sha256(body)) !== files[address]) throw new Error(`${address} is of another version`);
      await cache.put(address, response);
    }
  };
  await Promise.all(Array.from({ length: TOGETHER }, take));
}

/** @param {ArrayBuffer} body */
async function sha256(body) {
  const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", body));
  return Array.from(digest, (byte) => byte.toString(16).padStart(2, "0")).join("");
}

async function begin() {
  for (const name of await caches.keys()) if (name.startsWith(SHELLS) && name !== SHELLS + version) await caches.delete(name);
  // The page that brought this worker here can download at once, without being opened again.
  await worker.clients.claim();
}

/** Become the worker of the only page there is; with several, one of them might just be playing. @param {MessagePort} port */
async function takeOver(port) {
  const pages = await worker.clients.matchAll({ type: "window", includeUncontrolled: true });
  const alone = pages.filter((/** @type {any} */ page) => isPlayer(page.url)).length <= 1;
  port.postMessage({ alone });
  if (alone) await worker.skipWaiting();
}

/** @param {string} url */
const isPlayer = (url) => new URL(url).pathname === "/";

/** The dashboard shares modules with the player, but is of whatever version the server has. @param {string} id */
async function isPlayers(id) {
  const client = id ? await worker.clients.get(id) : null;
  return !client || isPlayer(client.url);
}

/** @param {Request} request @param {string} address */
async function ours(request, address) {
  const cache = await caches.open(SHELLS + version);
  return (await cache.match(address)) ?? fetch(request);
}

/** The cover or a picture of a book that is kept here, at once; a server that sleeps would let us wait. @param {Request} request @param {URL} url */
async function picture(request, url) {
  const name = `lectern-book-${PICTURE.exec(url.pathname)?.[1]}`;
  const kept = (await caches.has(name)) ? await (await caches.open(name)).match(url.pathname + url.search) : undefined;
  return kept ?? fetch(request);
}

/** A run of downloaded chapters as one file, in ranges. @param {any} event @param {string} path */
async function sound(event, path) {
  const [, , book, tag] = path.split("/");
  const there = await caches.has(`lectern-book-${book}`); // to open one makes it
  const cache = await caches.open(there ? `lectern-book-${book}` : SHELLS + version);
  const told = await cache.match(path.replace(/\.m4a$/, ".json"));
  if (!told) {
    await broken();
    return new Response("This was not downloaded, or is not here any more.", { status: 404 });
  }
  const run = /** @type {Run} */ (await told.json());
  const { status, start, end, headers } = answer(event.request, run.size, `"${tag}"`);
  if (event.request.method === "HEAD" || status === 416) return new Response(null, { status, headers });
  return new Response(streamed(cache, run, start, end, event), { status, headers });
}

/**
 * What a request for a part of `size` bytes is answered: RFC 9110, as far as players go.
 * @param {Request} request @param {number} size @param {string} etag
 */
function answer(request, size, etag) {
  const headers = { "accept-ranges": "bytes", "content-type": "audio/mp4", etag, "cache-control": "no-store" };
  const whole = { status: 200, start: 0, end: size, headers: { ...headers, "content-length": String(size) } };
  const found = /^bytes=(\d{0,15})-(\d{0,15})$/.exec((request.headers.get("range") ?? "").trim());
  const still = (request.headers.get("if-range") ?? etag) === etag;
  if (request.method !== "GET" || !still || !found || (!found[1] && !found[2]) || (found[1] && found[2] && +found[2] < +found[1])) return whole;
  const start = found[1] ? +found[1] : Math.max(0, size - +found[2]);
  const end = found[1] && found[2] ? Math.min(+found[2] + 1, size) : size;
  if (start >= size || start >= end) return { status: 416, start: 0, end: 0, headers: { ...headers, "content-range": `bytes */${size}` } };
  return { status: 206, start, end, headers: { ...headers, "content-range": `bytes ${start}-${end - 1}/${size}`, "content-length": String(end - start) } };
}

/** A piece at a time, as the player takes them. @param {Cache} cache @param {Run} run @param {number} start @param {number} end @param {any} event */
function streamed(cache, run, start, end, event) {
  const pieces = bytesOf(cache, run, start, end);
  /** @type {() => void} */
  let over = () => undefined;
  event.waitUntil(new Promise((resolve) => (over = () => resolve(undefined)))); // the browser lets the worker live so long
  return new ReadableStream({
    async pull(controller) {
      try {
        const { value, done } = await pieces.next();
        if (value) return controller.enqueue(value);
        if (done) controller.close(), over();
      } catch (error) {
        over();
        controller.error(error);
        await broken();
      }
    },
    cancel: over,
  }, { highWaterMark: 0 });
}

/** Tell the pages that something is not here that was. */
async function broken() {
  for (const page of await worker.clients.matchAll()) page.postMessage({ type: "kept-broken" });
}

/** @param {Cache} cache @param {Run} run @param {number} start @param {number} end */
async function* bytesOf(cache, run, start, end) {
  let before = 0;
  for (const { key, from, to } of run.parts) {
    const last = Math.min(end - before, to - from);
    for (let at = Math.max(start - before, 0); at < last;) {
      const number = Math.floor((from + at) / run.piece_bytes);
      const piece = await cache.match(key + number);
      if (!piece) throw new Error(`${key}${number} is gone`);
      const offset = from + at - number * run.piece_bytes;
      const bytes = new Uint8Array(await piece.arrayBuffer()).subarray(offset, offset + last - at);
      if (!bytes.length) throw new Error(`${key}${number} is too short`);
      yield bytes;
      at += bytes.length;
    }
    before += to - from;
  }
}
