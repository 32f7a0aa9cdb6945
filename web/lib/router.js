/**
 * Addresses of the player: `#/` is the shelf, `#/book/ID` a book. The hash keeps the server out of it. A shelf may say what
 * is looked for (`#/?q=lamp&show=begun&sort=title`), a book which sentence is meant (`#/book/ID?chapter=3&sentence=SID`).
 */

/** @typedef {{q?: string, show?: string, sort?: string}} Asked */
/** @typedef {{chapter: number, sentence: string}} Spot */

/**
 * @param {string} hash
 * @returns {{page: "shelf", asked: Asked}|{page: "book", id: string, spot: Spot|null}}
 */
export function parseRoute(hash) {
  const [path, asked = ""] = hash.split("?", 2);
  const told = Object.fromEntries(new URLSearchParams(asked));
  const found = /^#\/book\/([^/]+)$/.exec(path);
  if (!found) return { page: "shelf", asked: told };
  const chapter = Number(told.chapter);
  const spot = chapter > 0 && told.sentence ? { chapter, sentence: told.sentence } : null;
  return { page: "book", id: decoded(found[1]), spot };
}

/** @param {string} id @param {Spot|null} [spot] */
export function bookHref(id, spot = null) {
  const at = spot ? `?${new URLSearchParams({ chapter: String(spot.chapter), sentence: spot.sentence })}` : "";
  return `#/book/${encodeURIComponent(id)}${at}`;
}

/** @param {Asked} asked */
export function shelfHref(asked) {
  const told = new URLSearchParams(Object.entries(asked).filter(([, value]) => value)).toString();
  return told ? `#/?${told}` : "#/";
}

/** @param {string} id */
function decoded(id) {
  try {
    return decodeURIComponent(id);
  } catch {
    return id; // typed by hand: the server says that there is no such book
  }
}
