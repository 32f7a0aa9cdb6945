/** What is wrong with the files of a book, and what to do. Pure. */

/** @typedef {import("./types.js").Book} Book */

/** @param {string[]} names */
const listed = (names) => (names.length < 3 ? names.join(" and ") : `${names.slice(0, -1).join(", ")} and ${names.at(-1)}`);

/** In sentences; empty where nothing is. @param {Pick<Book, "state"|"file"|"copies">} book */
export function fileTrouble({ state, file, copies = [] }) {
  if (state === "missing") {
    const what = file ? `“${file}” is not in the library folder any more.` : "Its file is not in the library folder any more.";
    return `${what} What is rendered plays all the same. Put the file back, under any name, and it is found by itself; or delete the book here.`;
  }
  if (copies.length < 2) return "";
  const same = copies.filter((path) => path.split("/").at(-1) === file);
  const which = same.length === 1 ? `Keep “${same[0]}”, which it is read from, and take the ${copies.length > 2 ? "others" : "other"} out of the folder.` : "One is enough: take the rest out of the folder.";
  return `The same book lies in the library folder ${copies.length === 2 ? "twice" : `${copies.length} times`}, as ${listed(copies.map((path) => `“${path}”`))}. ${which} Nothing is rendered twice.`;
}
