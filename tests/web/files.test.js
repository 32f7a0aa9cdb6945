import assert from "node:assert/strict";
import { test } from "node:test";
import { fileTrouble } from "../../web/lib/file-words.js";

const told = (/** @type {object} */ book) => fileTrouble(/** @type {any} */ ({ state: "ready", file: "lamp.epub", copies: [], ...book }));

test("what is wrong with the files of a book is said with their names and what to do", () => {
  assert.equal(told({}), "");
  assert.equal(told({ copies: undefined }), "");
  assert.match(told({ state: "missing" }), /^“lamp.epub” is not in the library folder any more\. .*Put the file back.*delete the book/);
  assert.match(told({ state: "missing", file: "" }), /^Its file is not/);
  const twice = told({ copies: ["a/lamp.epub", "copy.epub"] });
  assert.match(twice, /twice, as “a\/lamp.epub” and “copy.epub”\. Keep “a\/lamp.epub”, which it is read from, and take the other out/);
  assert.match(told({ copies: ["a/lamp.epub", "b/lamp.epub", "c.epub"] }), /3 times, as “a\/lamp.epub”, “b\/lamp.epub” and “c.epub”\. One is enough/);
});
