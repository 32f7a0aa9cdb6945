/** Where a word can be looked up; nothing is asked of anybody before a tap on one of these. Pure. */

/** @typedef {{name: string, href: string}} Site */

const ON_A_MAC = "Dictionary of this Mac";

/**
 * @param {string} text  as it stands in the book
 * @param {string} language  BCP 47 tag of the text
 * @param {boolean} mac  whether the dictionary of macOS can be opened by an address
 * @returns {Site[]}
 */
export function sites(text, language, mac) {
  const asked = encodeURIComponent(bare(text));
  const edition = /^[a-z]{2,3}$/.test(primary(language)) ? primary(language) : "en";
  const found = [
    { name: "Wiktionary", href: `https://${edition}.wiktionary.org/w/index.php?search=${asked}` },
    { name: "Wikipedia", href: `https://${edition}.wikipedia.org/w/index.php?search=${asked}` },
    { name: "Search the web", href: `https://duckduckgo.com/?q=${asked}` },
  ];
  return mac ? [{ name: ON_A_MAC, href: `dict://${asked}` }, ...found] : found;
}

/** Without the marks around it. @param {string} text */
export const bare = (text) => text.replace(/^[^\p{L}\p{N}]+|[^\p{L}\p{N}]+$/gu, "").replace(/\s+/g, " ").slice(0, 120);

/** @param {string} language */
const primary = (language) => language.split("-")[0].toLowerCase();
