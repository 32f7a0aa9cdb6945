/**
 * Server-sent events. The browser reconnects by itself and gets what it missed; `resync` tells that events may have been
 * missed all the same, because the server began anew or it is too long ago.
 */

import { BASE } from "./api.js";
import { Signal } from "./signal.js";

const NAMES = [
  "book.added", "book.changed", "book.renewed", "book.removed", "import.started", "import.refused",
  "import.duplicate", "library.notice",
  "render.progress", "render.state", "rules.changed", "queue.changed", "settings.changed", "backups.changed", "people.changed", "tailnet.changed", "position", "bookmarks", "ears.changed", "lexicon.changed", "words.found",
];
const RETRY_MS = 5000;

export class Live {
  /** @type {Signal<boolean|null>} null until the first answer */
  connected = new Signal(/** @type {boolean|null} */ (null));
  /** @type {EventSource|null} */
  #source = null;
  /** @type {Map<string, Set<(data: any) => void>>} */
  #listeners = new Map();
  #retry = 0;
  /** `id` of the last event: a source that is opened anew does not know it. */
  #last = "";

  start() {
    this.#source?.close();
    const after = this.#last;
    const source = new EventSource(`${BASE}/events${after && `?after=${encodeURIComponent(after)}`}`);
    this.#source = source;
    source.onopen = () => {
      // Without an event to go on from, nobody knows what was missed: also where the browser came back by itself.
      const missed = this.connected.value === false && !this.#last;
      this.connected.value = true;
      if (missed) this.#tell("resync", {});
    };
    source.addEventListener("gap", (event) => {
      this.#last = /** @type {MessageEvent} */ (event).lastEventId;
      this.#tell("resync", {});
    });
    source.onerror = () => {
      this.connected.value = false;
      // A refused connection (a proxy's 502) closes the source for good: open a new one.
      if (source.readyState === EventSource.CLOSED) {
        clearTimeout(this.#retry);
        this.#retry = window.setTimeout(() => this.start(), RETRY_MS);
      }
    };
    for (const name of NAMES) {
      source.addEventListener(name, (event) => {
        const { data, lastEventId } = /** @type {MessageEvent} */ (event);
        this.#last = lastEventId;
        this.#tell(name, JSON.parse(data));
      });
    }
  }

  /** Nobody is at the other end, though the line is open: begin anew. */
  lost() {
    this.connected.value = false;
    this.start();
  }

  /**
   * @param {string|string[]} names  of the API, or `resync`
   * @param {(data: any) => void} listener
   * @returns {() => void} unsubscribe
   */
  on(names, listener) {
    const all = [names].flat();
    for (const name of all) {
      if (!this.#listeners.has(name)) this.#listeners.set(name, new Set());
      this.#listeners.get(name)?.add(listener);
    }
    return () => all.forEach((name) => this.#listeners.get(name)?.delete(listener));
  }

  /** What is shown may be old: whoever shows something asks anew. */
  missed() {
    this.#tell("resync", {});
  }

  /** @param {string} name @param {any} data */
  #tell(name, data) {
    for (const listener of [...(this.#listeners.get(name) ?? [])]) listener(data);
  }
}
