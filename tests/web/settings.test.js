/** Settings as people read and type them. */

import assert from "node:assert/strict";
import { test } from "node:test";

import { partsOf, standing, valueName, valueOf } from "../../web/lib/setting-words.js";

/** @param {object} more */
const setting = (more) => /** @type {any} */ ({ name: "x", title: "X", kind: "whole", unit: "", choices: null, low: null, high: null, variable: "LECTERN_X", value: 1, ...more });

test("what is typed becomes what the server takes, or a sentence", () => {
  assert.deepEqual(valueOf(setting({ kind: "number" }), " 12,5 "), { value: 12.5 });
  assert.deepEqual(valueOf(setting({}), "8484"), { value: 8484 });
  assert.equal(valueOf(setting({}), "1.5").why, "“X” is a whole number.");
  assert.equal(valueOf(setting({}), "").why, "“” is no number.");
  assert.equal(valueOf(setting({ low: 1, high: 65_535 }), "70000").why, "Choose a number from 1 to 65,535.");
  assert.deepEqual(valueOf(setting({ kind: "choice", choices: [32_000, 48_000] }), "48000"), { value: 48_000 });
  assert.deepEqual(valueOf(setting({ kind: "folder" }), " ~/Books "), { value: "~/Books" });
});

test("values and where they come from are said in words", () => {
  assert.equal(valueName(setting({ kind: "yes-no" }), true), "yes");
  assert.equal(valueName(setting({ unit: "MB" }), 5), "5 MB");
  assert.equal(valueName(setting({ kind: "words" }), ""), "nothing");
  assert.equal(standing(setting({ waits: true, unit: "MB" })), "Holds after the next start. Until then: 1 MB.");
  assert.match(standing(setting({ source: "variable" })), /LECTERN_X, which wins over this page/);
  assert.deepEqual(partsOf("As `a` or `b`.").map(({ code }) => code), [false, true, false, true, false]);
});
