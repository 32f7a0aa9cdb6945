import assert from "node:assert/strict";
import { test } from "node:test";

import { diagnose, passes, whyWaiting } from "../../web/lib/trouble.js";

const SIGNS = { online: true, host: "mac.tail1234.ts.net", status: 0, took_ms: 6000 };
const what = (signs) => diagnose({ ...SIGNS, ...signs }).what;

test("a device without a network is told so, whatever else is true", () => {
  assert.match(what({ online: false, took_ms: 1 }), /This device is offline/);
});

test("a proxy that answers says that the computer is awake", () => {
  assert.match(what({ status: 502, took_ms: 40 }), /awake, but Lectern does not run/);
});

test("a name of the tailnet that is unknown at once means Tailscale is off here; silence means a sleeper", () => {
  for (const host of ["mac.tail1234.ts.net", "100.100.1.2", "[fd7a:115c:a1e0::1]"]) {
    assert.match(what({ host, took_ms: 80 }), /This device is not in the tailnet/);
    assert.match(what({ host }), /sleeps, is off, or Tailscale is off there/);
  }
});

test("addresses at home and of this computer are no tailnet", () => {
  for (const host of ["mac.local", "192.168.1.4", "100.1.2.3", "100.128.0.1", "tsnet.example"]) {
    assert.match(what({ host }), /in another network/);
    assert.match(what({ host, took_ms: 5 }), /is there, but Lectern does not answer/);
  }
  for (const host of ["localhost", "127.0.0.1", "[::1]"]) assert.match(what({ host, took_ms: 5 }), /has stopped on this computer/);
});

test("every trouble has a way out, and tells what still plays", () => {
  for (const signs of [{ online: false }, { status: 503 }, {}, { took_ms: 5 }, { host: "mac.local" }, { host: "localhost" }]) {
    assert.match(diagnose({ ...SIGNS, ...signs }).remedy, /\.$/);
    assert.match(diagnose({ ...SIGNS, ...signs, kept: true }).remedy, /What is on this device plays meanwhile\.$/);
  }
});

test("who waits for a passage is told what the renderer does", () => {
  const worker = { state: "rendering", detail: null, speed: 3, now: { book: "a", chapter: 1, sentence: "s", text: "t" } };
  const why = (told) => whyWaiting({ ...worker, ...told }, "a");
  assert.equal(why({}), "Rendering this passage. It plays as soon as it is ready.");
  assert.match(why({ now: { ...worker.now, book: "b" } }), /finished first/);
  assert.match(why({ speed: 0.4 }), /there will be pauses/);
  assert.match(why({ speed: null, state: "starting", now: null }), /being started/);
  assert.match(why({ state: "waiting", detail: "Quiet hours until 07:00." }), /rests just now\. Quiet hours until 07:00\./);
  assert.match(why({ state: "down", detail: "It hangs." }), /broken off.*It hangs\./);
  assert.match(why({ state: "no-model", detail: null }), /not installed/);
});

test("what passes by itself is tried again, what does not is not", () => {
  assert.deepEqual([0, 502, 503, 504, 404, 403, 500].map((status) => passes({ status })), [true, true, true, true, false, false, false]);
  assert.equal(passes(new Error("no status")), false);
});
