/**
 * Pages of the dashboard by their hash: `#/book/ID/words` is the area `book` with the path `[ID, "words"]`; no hash, or one that
 * nobody knows, is the dashboard itself. Pure.
 */

/** @typedef {{name: string, path: string[]}} Area */

/**
 * @param {string} hash
 * @param {string[]} known  names of areas
 * @returns {Area|null}
 */
export function areaOf(hash, known) {
  const [name = "", ...path] = hash.split("?", 1)[0].replace(/^#\/?/, "").split("/");
  return known.includes(name) ? { name, path: path.filter(Boolean).map(decoded) } : null;
}

/** @param {string} name @param {...string} path */
export const areaHref = (name, ...path) => `#/${[name, ...path].map(encodeURIComponent).join("/")}`;

/** @param {string} text */
function decoded(text) {
  try {
    return decodeURIComponent(text);
  } catch {
    return text; // typed by hand: the page says that there is no such thing
  }
}
