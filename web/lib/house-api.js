/** What only the dashboard asks of the server about the house. */

import { json, send } from "./api.js";

/**
 * @typedef {{name: string, title: string, group: string, meaning: string, kind: string, unit: string, choices: (string|number)[]|null,
 *   low: number|null, high: number|null, usual: any, value: any, written: any, source: "usual"|"file"|"variable", variable: string,
 *   at_once: boolean, waits: boolean}} Setting
 * @typedef {{file: string, there: boolean, warnings: string[], waits: boolean, can_restart: boolean, settings: Setting[]}} Settings
 * @typedef {{at: string|null, level: string, who: string, text: string, more: string[]}} LogLine
 * @typedef {{name: string, made: string, nightly: boolean, audio: boolean, bytes: number, restore: string}} Backup
 * @typedef {{folder: string, at: string, stop: string|null, begin: string, making: boolean, trouble: string|null, can_restore: boolean,
 *   restored: {name: string, at: string, told: string[], trouble: string|null}|null, backups: Backup[]}} Backups
 * @typedef {{version: string, licence: string, python: string, system: string, model: {name: string, licence: string, source: string, revision: string}|null,
 *   packages: {name: string, version: string, licence: string}[]}} About
 * @typedef {{books: import("./queue-order.js").QueueBook[], by_hand: number, total: number, eta_s: number|null}} Queue
 */

/** @param {string} name */
const path = (name) => `/settings/${encodeURIComponent(name)}`;

export const house = {
  /** @returns {Promise<Settings>} */
  settings: () => json("/settings", { cache: "no-store" }),
  /** @param {string} name @param {string|number|boolean} value @returns {Promise<Settings>} */
  set: (name, value) => json(path(name), send("PUT", { value })),
  /** As Lectern comes. @param {string} name @returns {Promise<Settings>} */
  unset: (name) => json(path(name), { method: "DELETE" }),
  restart: () => json("/restart", { method: "POST" }).catch(ended),
  /** @param {string} level @param {number} lines @returns {Promise<{lines: LogLine[], written: string}>} */
  log: (level, lines) => json(`/log?level=${level}&lines=${lines}`, { cache: "no-store" }),
  /** @returns {Promise<Backups>} */
  backups: () => json("/backups", { cache: "no-store" }),
  /** @param {boolean} audio @returns {Promise<Backups>} */
  backUp: (audio) => json("/backups", send("POST", { audio })),
  /** Put a file among the backups. @param {File} file @returns {Promise<{name: string}>} */
  addBackup: (file) => json("/backups/file", { method: "POST", headers: { "content-type": "application/octet-stream" }, body: file }),
  /** Check a backup, and start again with what is in it. @param {string} name */
  restore: (name) => json(`/backups/${encodeURIComponent(name)}/restore`, { method: "POST" }).catch(ended),
  /** How long whoever asks listened, by day. @returns {Promise<{days: {day: string, heard_s: number, books: {title: string, heard_s: number}[]}[], heard_s: number}>} */
  listening: () => json("/listening", { cache: "no-store" }),
  /** @returns {Promise<{memory_bytes: number|null, free_bytes: number|null, disk_bytes: number|null}>} */
  machine: () => json("/machine", { cache: "no-store" }),
  /** How fast was rendered, by the hour. @returns {Promise<{days: number, hours: import("./speed-words.js").Hour[]}>} */
  speed: () => json("/speed", { cache: "no-store" }),
  /** Have these books rendered first, in this order; all others come after them, as usual. @param {string[]} books @returns {Promise<Queue>} */
  order: (books) => json("/queue", send("PUT", { books })),
  /** @returns {Promise<About>} */
  about: () => json("/about"),
};

/** The answer to a restart may be cut short by it; what has no body is no JSON. @param {any} error */
function ended(error) {
  if (error instanceof SyntaxError || error.status === 0) return null;
  throw error;
}
