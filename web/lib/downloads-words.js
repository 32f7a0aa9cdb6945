/** Downloads in words. Pure. */

import { bytesOf, held, length_s, wanted } from "./downloads-plan.js";
import { counted, percent, size, span } from "./format.js";

/** @typedef {import("./types.js").BookDetail} BookDetail */
/** @typedef {import("./types.js").ChapterRow} ChapterRow */
/** @typedef {import("./downloads.js").Downloads} Downloads */
/** @typedef {{say: string, act: "fetch"|"remove"|"leave", share: number|null}} RowState  `share`: what is here while it is fetched */

/** What is kept of a book. @param {Downloads} downloads @param {BookDetail} book */
export function keptNote(downloads, book) {
  const record = downloads.of(book.id);
  const here = record ? held(record) : { chapters: 0, bytes: 0, s: 0 };
  if (!here.chapters) return "Nothing of this book is on this device yet.";
  const all = book.chapters_list.filter((row) => row.enabled && row.sentences > 0).length;
  const much = here.chapters === all ? "The whole book" : `${here.chapters} of ${counted(all, "chapter")}`;
  return `${much} on this device: ${span(here.s)}, ${size(here.bytes)}.`;
}

/** @param {Downloads} downloads @param {BookDetail} book @param {ChapterRow} row @returns {RowState} */
export function rowState(downloads, book, row) {
  const record = downloads.of(book.id);
  const progress = downloads.progress.value;
  const kept = record?.chapters[row.number];
  const long = span(length_s(row));
  if (progress?.book === book.id && progress.chapter === row.number && !kept) {
    return { say: `${percent(progress.bytes, progress.of)} % of ${size(progress.of)}`, act: "leave", share: progress.bytes / progress.of };
  }
  if (kept) return { say: `${span(kept.samples / 24_000)} · ${size(kept.bytes)}`, act: "remove", share: null };
  const waits = wanted(book, downloads.wish(book.id), downloads.spot(book.id)).some((one) => one.number === row.number);
  if (waits) return { say: row.complete ? "Waiting" : "When it is rendered", act: "leave", share: 0 };
  return { say: `${long} · ${row.complete ? "" : "about "}${size(bytesOf(book, [row]))}`, act: "fetch", share: null };
}

/** @param {{usage: number, left: number}|null} room @param {boolean|null} lasting */
export function roomNote(room, lasting) {
  const space = room ? `There is room for about ${size(room.left)} more. ` : "";
  if (lasting === null) return space.trim();
  if (lasting) return `${space}Downloads stay until you remove them.`;
  return `${space}This browser may remove downloads when space runs short; it promises to keep them once Lectern is on the home screen.`;
}
