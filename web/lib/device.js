/** What the server knows this browser by, and how it counts its reports. */

const KINDS = /** @type {[RegExp, string][]} */ ([
  [/iPhone/, "iPhone"], [/iPad/, "iPad"], [/Android.*Mobile/, "Android phone"], [/Android/, "Android tablet"],
  [/Macintosh/, "Mac"], [/Windows/, "Windows computer"], [/CrOS/, "Chromebook"], [/Linux/, "Linux computer"],
]);
const LETTERS = 8;
const APART = " · ";

export class Device {
  /** Its kind and some letters of its own: a name that others can be told. */
  id;
  #kept;
  #now;
  #last = 0;

  /** @param {import("./kept.js").Kept} kept @param {string} [agent] @param {() => number} [now] */
  constructor(kept, agent = navigator.userAgent, now = Date.now) {
    this.#kept = kept;
    this.#now = now;
    this.id = kept.get("device") ?? `${kindOf(agent)}${APART}${letters()}`;
    kept.set("device", this.id);
  }

  /**
   * The next number of a report, greater than any before: the hour too, so that what storage has lost does not bring an
   * old number back, and what it holds, so that a clock put back does not either.
   */
  count() {
    this.#last = Math.max(this.#last + 1, Number(this.#kept.get("counter") ?? 0) + 1 || 1, Math.floor(this.#now()));
    this.#kept.set("counter", String(this.#last));
    return this.#last;
  }
}

/** @param {string} agent  of a browser */
export function kindOf(agent) {
  return KINDS.find(([pattern]) => pattern.test(agent))?.[1] ?? "browser";
}

/** A device as people are told of it: `an iPhone`, `a Mac`; what is not ours keeps its name. @param {string|null|undefined} id */
export function said(id) {
  if (!id) return "another device";
  const [kind, own] = id.split(APART);
  if (own === undefined) return id;
  return `${/^[aeiou]/i.test(kind) ? "an" : "a"} ${kind}`;
}

// crypto.randomUUID would need HTTPS.
const letters = () => Array.from(crypto.getRandomValues(new Uint8Array(LETTERS)), (byte) => (byte % 36).toString(36)).join("");
