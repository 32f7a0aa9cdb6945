import assert from "node:assert/strict";
import { test } from "node:test";
import { fieldsOf, groups, typeOf } from "../../web/lib/openapi.js";

const item = {
  get: {
    operationId: "get_book", tags: ["books"], summary: "One book",
    parameters: [{ name: "book", in: "path", required: true, description: "Id.", schema: { type: "string", maxLength: 16 } }],
    responses: { 404: { description: "None." }, 200: { description: "", content: { "application/json": { schema: { $ref: "#/components/schemas/BookView" } } } } },
  },
  head: { operationId: "head_book", responses: {} },
  delete: { operationId: "delete_book", tags: ["books"], responses: {} },
};

test("operations stand in their groups; HEAD is told of with GET", () => {
  const found = groups({ paths: { "/books/{book}": item } });
  assert.deepEqual([...found.keys()], ["books"]);
  const [get, remove] = found.get("books");
  assert.equal(get.head, true);
  assert.equal(remove.method, "DELETE");
  assert.deepEqual(get.answers.map(({ status, shape }) => [status, shape]), [["200", "BookView"], ["404", ""]]);
  assert.deepEqual(get.parameters[0], { name: "book", where: "path", type: "string, at most 16 characters", required: true, description: "Id." });
});

test("types are told in words", () => {
  assert.equal(typeOf({ type: "array", items: { $ref: "#/x/Y" } }), "list of Y");
  assert.equal(typeOf({ anyOf: [{ type: "number", minimum: 0 }, { type: "null" }] }), "number, ≥ 0 or null");
  assert.equal(typeOf({ enum: ["a", 1] }), '"a" or 1');
  assert.equal(typeOf({ const: true }), "true");
  assert.equal(typeOf({ type: ["string", "null"] }), "string or null");
  assert.equal(typeOf({ type: "string", format: "binary" }, "audio/mp4"), "audio/mp4");
  assert.equal(typeOf(undefined, "audio/mp4"), "audio/mp4");
});

test("fields tell what must be there", () => {
  const fields = fieldsOf({ required: ["a"], properties: { a: { type: "integer", description: "A." }, b: { type: "string" } } });
  assert.deepEqual(fields.map(({ name, required, description }) => [name, required, description]), [["a", true, "A."], ["b", false, ""]]);
});
