/** An OpenAPI document read for people: what there is, in groups, and each type in words. Pure. */

/**
 * @typedef {{name: string, where: string, type: string, required: boolean, description: string}} Field
 * @typedef {{status: string, description: string, types: string[], shape: string}} Answer
 * @typedef {object} Operation
 * @property {string} id
 * @property {string} method
 * @property {string} path
 * @property {string} summary
 * @property {string} description
 * @property {boolean} head  it answers HEAD too
 * @property {Field[]} parameters
 * @property {string} body  the type of what is sent, empty for nothing
 * @property {Answer[]} answers
 */

const METHODS = ["get", "post", "put", "patch", "delete"];

/**
 * Operations by their tag, in the order of the document.
 * @param {any} document
 * @returns {Map<string, Operation[]>}
 */
export function groups(document) {
  /** @type {Map<string, Operation[]>} */
  const found = new Map();
  for (const [path, item] of Object.entries(/** @type {Record<string, any>} */ (document.paths))) {
    for (const method of METHODS.filter((name) => item[name])) {
      const tag = item[method].tags?.[0] ?? "other";
      found.set(tag, [...(found.get(tag) ?? []), operation(path, method, item)]);
    }
  }
  return found;
}

/** @param {string} path @param {string} method @param {any} item @returns {Operation} */
function operation(path, method, item) {
  const told = item[method];
  const body = Object.entries(told.requestBody?.content ?? {}).map(([type, { schema }]) => typeOf(schema, type));
  return {
    id: told.operationId,
    method: method.toUpperCase(),
    path,
    summary: told.summary ?? "",
    description: told.description ?? "",
    head: method === "get" && "head" in item,
    parameters: (told.parameters ?? []).map((/** @type {any} */ one) => ({
      name: one.name, where: one.in, type: typeOf(one.schema), required: Boolean(one.required), description: one.description ?? "",
    })),
    body: body.join(" or "),
    answers: Object.entries(/** @type {Record<string, any>} */ (told.responses)).sort().map(([status, one]) => ({
      status,
      description: one.description ?? "",
      types: Object.keys(one.content ?? {}),
      shape: typeOf(/** @type {any} */ (Object.values(one.content ?? {})[0])?.schema),
    })),
  };
}

/**
 * Fields of a schema of the document.
 * @param {any} schema
 * @returns {Field[]}
 */
export function fieldsOf(schema) {
  return Object.entries(/** @type {Record<string, any>} */ (schema.properties ?? {})).map(([name, one]) => ({
    name, where: "", type: typeOf(one), required: (schema.required ?? []).includes(name), description: one.description ?? "",
  }));
}

/**
 * A type in words, such as "list of BookView" or "number ≥ 0, or null".
 * @param {any} schema
 * @param {string} [fallback]  for bytes that have no shape
 * @returns {string}
 */
export function typeOf(schema, fallback = "") {
  if (!schema) return fallback;
  if (schema.$ref) return schema.$ref.split("/").at(-1);
  const several = schema.oneOf ?? schema.anyOf ?? schema.allOf;
  if (several) return [...new Set(several.map((/** @type {any} */ one) => typeOf(one, fallback)))].filter(Boolean).join(" or ");
  if (schema.enum) return schema.enum.map((/** @type {unknown} */ one) => JSON.stringify(one)).join(" or ");
  if ("const" in schema) return JSON.stringify(schema.const);
  if (schema.type === "array") return `list of ${typeOf(schema.items) || "anything"}`;
  if (Array.isArray(schema.type)) return schema.type.join(" or ");
  if (schema.format === "binary" || schema.contentEncoding) return fallback || "bytes";
  const bounds = [
    schema.minimum !== undefined && `≥ ${schema.minimum}`,
    schema.maximum !== undefined && `≤ ${schema.maximum}`,
    schema.maxLength !== undefined && `at most ${schema.maxLength} characters`,
    schema.format,
  ].filter(Boolean);
  return [schema.type ?? fallback, ...bounds].filter(Boolean).join(", ");
}
