import assert from "node:assert/strict";
import { mock, test } from "node:test";
import { JUMP_MS, PlaceKeeper, SAVE_EVERY_MS } from "../../web/lib/place-keeper.js";

const place = (word) => ({ chapter: 1, sentence: "a-1", word });

function keeper() {
  mock.timers.enable({ apis: ["setTimeout"] });
  const told = [];
  const kept = new PlaceKeeper(async (where, reason, leaving) => told.push([where.word, reason, leaving]));
  return { kept, told };
}

test.afterEach(() => mock.timers.reset());

test("a place that nobody moved to is never told", async () => {
  const { kept, told } = keeper();
  await kept.flush();
  await kept.flush(true);
  mock.timers.tick(SAVE_EVERY_MS * 10);
  assert.deepEqual(told, []);
});

test("a moving place is told once in a while, the latest one", () => {
  const { kept, told } = keeper();
  for (let word = 0; word < 10; word += 1) kept.move(place(word));
  assert.deepEqual(told, []);
  mock.timers.tick(SAVE_EVERY_MS);
  assert.deepEqual(told, [[9, "played", false]]);
  kept.move(place(10));
  mock.timers.tick(SAVE_EVERY_MS - 1);
  assert.equal(told.length, 1);
  mock.timers.tick(1);
  assert.deepEqual(told.at(-1), [10, "played", false]);
});

test("leaving tells at once, and once", async () => {
  const { kept, told } = keeper();
  kept.move(place(3));
  await kept.flush(true);
  await kept.flush(true);
  mock.timers.tick(SAVE_EVERY_MS * 2);
  assert.deepEqual(told, [[3, "played", true]]);
});

test("a jump is told at once, after the place that it left", () => {
  const { kept, told } = keeper();
  kept.move(place(7));
  kept.jump(place(0));
  assert.deepEqual(told, [[7, "played", false]]);
  mock.timers.tick(JUMP_MS);
  assert.deepEqual(told.at(-1), [0, "jump", false]);
});

test("jumps that come quickly after one another are one, and so is what is played before it is told", () => {
  const { kept, told } = keeper();
  kept.jump(place(20));
  mock.timers.tick(JUMP_MS - 1);
  kept.jump(place(40));
  kept.move(place(41));
  mock.timers.tick(JUMP_MS);
  assert.deepEqual(told, [[41, "jump", false]]);
  kept.move(place(42));
  mock.timers.tick(SAVE_EVERY_MS);
  assert.deepEqual(told.at(-1), [42, "played", false]);
});

test("a jump is told by a page that goes away before its time", () => {
  const { kept, told } = keeper();
  kept.jump(place(5));
  kept.flush(true);
  assert.deepEqual(told, [[5, "jump", true]]);
});

test("staying is told at once", () => {
  const { kept, told } = keeper();
  kept.stay(place(9));
  assert.deepEqual(told, [[9, "stay", false]]);
});
