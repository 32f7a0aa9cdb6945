/** Server-sent events. The browser reconnects by itself; `resync` tells that events may have been missed. */

import { BASE } from "./api.js";
import { Signal } from "./signal.js";

const NAMES = [
  "book.added", "book.changed", "book.renewed", "book.removed", "import.started", "import.refused",
  "import.duplicate", "library.notice",
  "render.progress", "render.state", "position",
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

  start() {
    this.#source?.close();
    const source = new EventSource(`${BASE}/events`);
    this.#source = source;
    source.onopen = () => {
      const again = this.connected.value === false;
      this.connected.value = true;
      if (again) this.#tell("resync", {});
    };
    source.onerror = () => {
      this.connected.value = false;
      // A refused connection (a proxy's 502) closes the source for good: open a new one.
      if (source.readyState === EventSource.CLOSED) {
        clearTimeout(this.#retry);
        this.#retry = window.setTimeout(() => this.start(), RETRY_MS);
      }
    };
    for (const name of NAMES) {
      source.addEventListener(name, (event) => this.#tell(name, JSON.parse(/** @type {MessageEvent} */ (event).data)));
    }
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

  /** @param {string} name @param {any} data */
  #tell(name, data) {
    for (const listener of [...(this.#listeners.get(name) ?? [])]) listener(data);
  }
}
