/** Strings that this browser keeps; where it refuses storage, as long as the page lives. */

const PREFIX = "lectern.";

/** @typedef {Pick<Storage, "getItem"|"setItem"|"removeItem"|"key"|"length">} Store */

export class Kept {
  /** What storage refused. @type {Map<string, string>} */
  #memory = new Map();
  #store;

  /** @param {() => Store|undefined} [store]  a function, because even naming localStorage may throw */
  constructor(store = () => localStorage) {
    this.#store = store;
  }

  /** @param {string} name @returns {string|null} */
  get(name) {
    return this.#memory.get(name) ?? this.#tried((store) => store.getItem(PREFIX + name)) ?? null;
  }

  /** @param {string} name @param {string|null} value  null: nothing */
  set(name, value) {
    this.#memory.delete(name);
    if (value === null) return void this.#tried((store) => store.removeItem(PREFIX + name));
    const done = this.#tried((store) => (store.setItem(PREFIX + name, value), true));
    if (!done) this.#memory.set(name, value);
  }

  /** The names that begin with `start`. @param {string} start @returns {string[]} */
  names(start) {
    const stored = this.#tried((store) => Array.from({ length: store.length }, (_, i) => store.key(i) ?? "")) ?? [];
    const names = stored.filter((name) => name.startsWith(PREFIX)).map((name) => name.slice(PREFIX.length));
    return [...new Set([...names, ...this.#memory.keys()])].filter((name) => name.startsWith(start));
  }

  /** @template T @param {(store: Store) => T} run @returns {T|undefined} */
  #tried(run) {
    try {
      const store = this.#store();
      return store && run(store);
    } catch {
      return undefined; // a private window, a full disk
    }
  }
}
