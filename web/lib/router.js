/** Addresses of the player: `#/` is the shelf, `#/book/ID` a book. The hash keeps the server out of it. */

/**
 * @param {string} hash
 * @returns {{page: "shelf"}|{page: "book", id: string}}
 */
export function parseRoute(hash) {
  const found = /^#\/book\/([^/]+)$/.exec(hash);
  return found ? { page: "book", id: decodeURIComponent(found[1]) } : { page: "shelf" };
}

/** @param {string} id */
export const bookHref = (id) => `#/book/${encodeURIComponent(id)}`;
