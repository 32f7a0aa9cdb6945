import assert from "node:assert/strict";
import { mock, test } from "node:test";
import { PlaceKeeper, SAVE_EVERY_MS } from "../../web/lib/place-keeper.js";

const place = (word) => ({ chapter: 1, sentence: "a-1", word });

function keeper(save = async () => undefined) {
  mock.timers.enable({ apis: ["setTimeout"] });
  const saved = [];
  const kept = new PlaceKeeper(async (where, leaving) => {
    saved.push([where.word, leaving]);
    await save();
  });
  return { kept, saved, settle: async () => { for (let i = 0; i < 5; i += 1) await Promise.resolve(); } };
}

test.afterEach(() => mock.timers.reset());

test("a place that nobody moved to is never saved", async () => {
  const { kept, saved } = keeper();
  await kept.flush();
  await kept.flush(true);
  mock.timers.tick(SAVE_EVERY_MS * 10);
  assert.deepEqual(saved, []);
});

test("a moving place is saved once in a while, the latest one", async () => {
  const { kept, saved, settle } = keeper();
  for (let word = 0; word < 10; word += 1) kept.move(place(word));
  assert.deepEqual(saved, []);
  mock.timers.tick(SAVE_EVERY_MS);
  await settle();
  assert.deepEqual(saved, [[9, false]]);
  kept.move(place(10));
  mock.timers.tick(SAVE_EVERY_MS - 1);
  assert.equal(saved.length, 1);
  mock.timers.tick(1);
  assert.deepEqual(saved.at(-1), [10, false]);
});

test("leaving saves at once, and once", async () => {
  const { kept, saved } = keeper();
  kept.move(place(3));
  await kept.flush(true);
  await kept.flush(true);
  mock.timers.tick(SAVE_EVERY_MS * 2);
  assert.deepEqual(saved, [[3, true]]);
});

test("a save that found no server is tried again with the newest place", async () => {
  let up = false;
  const { kept, saved, settle } = keeper(async () => { if (!up) throw Object.assign(new Error("down"), { status: 0 }); });
  kept.move(place(1));
  await kept.flush();
  up = true;
  kept.move(place(2));
  mock.timers.tick(SAVE_EVERY_MS);
  await settle();
  assert.deepEqual(saved, [[1, false], [2, false]]);
  mock.timers.tick(SAVE_EVERY_MS * 3);
  assert.equal(saved.length, 2);
});

test("a save that was refused for good is not repeated", async () => {
  const { kept, saved } = keeper(async () => { throw Object.assign(new Error("gone"), { status: 404 }); });
  kept.move(place(1));
  await kept.flush();
  mock.timers.tick(SAVE_EVERY_MS * 3);
  assert.equal(saved.length, 1);
});
