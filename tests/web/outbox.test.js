import assert from "node:assert/strict";
import { mock, test } from "node:test";
import { Device, kindOf, said } from "../../web/lib/device.js";
import { Kept } from "../../web/lib/kept.js";
import { Outbox } from "../../web/lib/outbox.js";

class Storage {
  map = new Map();
  get length() { return this.map.size; }
  key(i) { return [...this.map.keys()][i] ?? null; }
  getItem(name) { return this.map.get(name) ?? null; }
  setItem(name, value) { this.map.set(name, value); }
  removeItem(name) { this.map.delete(name); }
}

const refusing = () => { throw new Error("SecurityError"); };
const down = Object.assign(new Error("down"), { status: 0 });
const told = (word, reason = "played", heard_s = 1) => ({ chapter: 1, sentence: "a-1", word, reason, heard_s, edition: 2 });

/** A server that takes reports as long as `state.error` is null; `state.now` is the hour in ms. */
function office(storage = new Storage()) {
  mock.timers.enable({ apis: ["setTimeout"] });
  const kept = new Kept(typeof storage === "function" ? storage : () => storage);
  const state = { error: null, now: 1_000_000, sent: [], hold: null };
  const device = new Device(kept, "iPhone", () => state.now);
  const send = async (book, letter, leaving) => {
    if (state.hold) await state.hold;
    if (state.error) throw state.error;
    state.sent.push({ book, leaving, ...letter });
    return { chapter: 1, sentence: "a-1", word: letter.word, applied: true };
  };
  const outbox = new Outbox(kept, device, send, () => state.now);
  outbox.person = "anna";
  return { outbox, state, kept, device, storage, again: () => new Outbox(kept, device, send, () => state.now) };
}

const words = (state) => state.sent.map(({ word, reason }) => `${word} ${reason}`);

test.afterEach(() => mock.timers.reset());

test("a report goes out with all that the server asks for, and nothing is left", async () => {
  const { outbox, state, storage, device } = office();
  await outbox.post("b", told(3, "jump", 4.5));
  const { counter, ...sent } = state.sent[0];
  assert.deepEqual(sent, { book: "b", leaving: false, ...told(3, "jump", 4.5), device: device.id, age_s: 0 });
  assert.ok(Number.isSafeInteger(counter));
  assert.deepEqual([...storage.map.keys()].filter((name) => name.includes("unsent")), []);
});

test("what could not be sent is sent later with its age, in order, and only the end of what was played", async () => {
  const { outbox, state } = office();
  state.error = down;
  await outbox.post("b", told(1, "played", 5));
  await outbox.post("b", told(2, "played", 6));
  await outbox.post("b", told(50, "jump", 0));
  await outbox.post("b", told(51, "played", 3));
  state.now += 90_000;
  state.error = null;
  await outbox.deliver();
  assert.deepEqual(words(state), ["2 played", "50 jump", "51 played"]);
  assert.deepEqual(state.sent.map((one) => one.age_s), [90, 90, 90]);
  assert.equal(state.sent[0].heard_s, 11);
  const counters = state.sent.map((one) => one.counter);
  assert.deepEqual(counters, [...counters].sort((a, b) => a - b));
  await outbox.deliver();
  assert.equal(state.sent.length, 3);
});

test("a page that is opened later finds it, and sends it with the number that it had", async () => {
  const { outbox, state, again } = office();
  await outbox.post("b", told(1), true);
  const first = state.sent.at(-1).counter;
  state.error = down;
  await outbox.post("b", told(2), true);
  state.error = null;
  await again().deliver();
  assert.deepEqual(words(state), ["1 played", "2 played"]);
  assert.ok(state.sent[1].counter > first);
});

test("it is tried again by itself", async () => {
  const { outbox, state } = office();
  state.error = down;
  await outbox.post("b", told(1));
  state.error = null;
  mock.timers.tick(60_000);
  for (let i = 0; i < 20; i += 1) await Promise.resolve();
  assert.deepEqual(words(state), ["1 played"]);
});

test("what is refused for good is not repeated, what is refused for now is", async () => {
  for (const [status, count] of [[404, 0], [409, 0], [422, 0], [403, 1], [429, 1], [500, 1], [503, 1]]) {
    const { outbox, state } = office();
    state.error = Object.assign(new Error("no"), { status });
    await outbox.post("b", told(1));
    state.error = null;
    await outbox.deliver();
    assert.equal(state.sent.length, count, String(status));
    mock.timers.reset();
  }
});

test("what one person left is not sent as another", async () => {
  const { outbox, state, again } = office();
  state.error = down;
  await outbox.post("b", told(1));
  state.error = null;
  const later = again();
  later.person = "ben";
  await later.deliver();
  assert.deepEqual(state.sent, []);
  later.person = "anna";
  await later.deliver();
  assert.deepEqual(words(state), ["1 played"]);
});

test("what was told before it was known who asks is whoever's asks first", async () => {
  const { outbox, state, kept } = office();
  kept.set("person", null);
  state.error = down;
  await outbox.post("b", told(1));
  outbox.person = "anna";
  state.error = null;
  await outbox.deliver();
  assert.deepEqual(words(state), ["1 played"]);
});

test("reports made while one is on its way are told after it, and none twice", async () => {
  const { outbox, state } = office();
  let go = () => undefined;
  state.hold = new Promise((done) => (go = done));
  const all = [outbox.post("b", told(1)), outbox.post("b", told(2)), outbox.post("b", told(3))];
  go();
  await Promise.all(all);
  assert.equal(words(state).at(-1), "3 played");
  assert.equal(new Set(state.sent.map((one) => one.counter)).size, state.sent.length);
  assert.equal(state.sent.reduce((sum, one) => sum + one.heard_s, 0), 3);
});

test("refused or broken storage costs the memory, not the reports", async () => {
  const { outbox, state } = office(refusing);
  state.error = down;
  await outbox.post("b", told(1));
  state.error = null;
  await outbox.deliver();
  assert.deepEqual(words(state), ["1 played"]);
  const storage = new Storage();
  mock.timers.reset();
  const broken = office(storage);
  storage.setItem("lectern.unsent.anna.b", "{not json");
  await broken.outbox.post("b", told(2));
  assert.deepEqual(words(broken.state), ["2 played"]);
});

test("a device keeps its name and only counts upwards", () => {
  const storage = new Storage();
  const kept = () => new Kept(() => storage);
  let now = 5_000;
  const one = new Device(kept(), "iPhone", () => now);
  const numbers = [one.count(), one.count()];
  now = 1_000; // its clock was put back
  const later = new Device(kept(), "iPhone", () => now);
  numbers.push(later.count(), one.count(), later.count());
  assert.equal(later.id, one.id);
  storage.map.set("lectern.counter", "what");
  now = 9_000;
  numbers.push(later.count());
  assert.deepEqual(numbers, [...new Set(numbers)].sort((a, b) => a - b));
  const refused = new Device(new Kept(refusing), "Mac", () => 7_000);
  assert.ok(refused.count() < refused.count());
});

test("a device is told of by its kind", () => {
  assert.equal(kindOf("Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X)"), "iPhone");
  assert.equal(kindOf("Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7)"), "Mac");
  assert.equal(kindOf("curl/8"), "browser");
  assert.equal(said("iPhone · 3k2"), "an iPhone");
  assert.equal(said("Mac · 3k2"), "a Mac");
  assert.equal(said("radio"), "radio");
  assert.equal(said(null), "another device");
});
