/**
 * Reports of places on their way to the server. Each is kept in this browser until it is answered, so that neither a
 * server asleep nor a page that was closed loses one; what has become of it meanwhile is for the server to say.
 */

/** @typedef {import("./types.js").Place} Place */
/** @typedef {import("./types.js").Position} Position */
/** @typedef {Place & {reason: import("./place-keeper.js").Reason, heard_s: number, edition?: number}} Told */
/** @typedef {Told & {counter: number, at_ms: number}} Report */
/** @typedef {Told & {device: string, counter: number, age_s: number}} Letter  a report as it is sent */

const RETRY_MS = 10_000;
const MOST = 20; // reports of a book that wait: jumps, each with what was played after it
const HEARD_MOST_S = 86_400;
const PASSING = new Set([401, 403, 408, 421, 425, 429]); // refusals of now, not of the report

export class Outbox {
  /** @type {Map<string, Promise<void>>} by book, what is being sent */
  #sending = new Map();
  /** @type {Set<(book: string, answer: Position) => void>} */
  #listeners = new Set();
  /** @type {ReturnType<typeof setTimeout>|undefined} */
  #retry;
  #kept;
  #device;
  #send;
  #now;

  /**
   * @param {import("./kept.js").Kept} kept
   * @param {{id: string, count: () => number}} device
   * @param {(book: string, letter: Letter, leaving: boolean) => Promise<Position>} send
   * @param {() => number} [now]  in ms
   */
  constructor(kept, device, send, now = Date.now) {
    this.#kept = kept;
    this.#device = device;
    this.#send = send;
    this.#now = now;
  }

  get device() {
    return this.#device;
  }

  /** Whoever asks with this browser now: what another one left here waits for that one. @param {string} person */
  set person(person) {
    const nobodys = this.#kept.get("person") === null ? this.#books().map((book) => /** @type {const} */ ([book, this.#read(book)])) : [];
    for (const [book] of nobodys) this.#write(book, () => []);
    this.#kept.set("person", person);
    for (const [book, waiting] of nobodys) this.#write(book, () => waiting); // made before it was known who asks
  }

  /** @param {(book: string, answer: Position) => void} listener @returns {() => void} unsubscribe */
  onAnswer(listener) {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Keep a report and send it, after those that wait. @param {string} book @param {Told} told @param {boolean} [leaving]  do not wait for anything */
  post(book, told, leaving = false) {
    const report = { ...told, counter: this.#device.count(), at_ms: this.#now() };
    const flying = this.#sending.has(book);
    this.#write(book, (waiting) => filed(waiting, report, flying).slice(-MOST));
    if (!leaving) return this.deliver(book);
    for (const one of this.#read(book).slice(-2)) this.#one(book, one, true);
    return Promise.resolve();
  }

  /** Send what waits, of one book or of all; resolves when it is answered or has to wait on. @param {string} [book] @returns {Promise<unknown>} */
  deliver(book) {
    if (book === undefined) return Promise.all(this.#books().map((one) => this.deliver(one)));
    const before = this.#sending.get(book) ?? Promise.resolve();
    const sending = before.then(() => this.#all(book)).finally(() => this.#sending.get(book) === sending && this.#sending.delete(book));
    this.#sending.set(book, sending);
    return sending;
  }

  /** @param {string} book */
  async #all(book) {
    for (const report of this.#read(book)) {
      if (!(await this.#one(book, report, false))) return;
    }
  }

  /** @param {string} book @param {Report} report @param {boolean} leaving @returns {Promise<boolean>} whether it is done with */
  async #one(book, { at_ms, ...told }, leaving) {
    const done = () => this.#write(book, (waiting) => waiting.filter((one) => one.counter !== told.counter));
    const age_s = Math.max(0, (this.#now() - at_ms) / 1000);
    try {
      const answer = await this.#send(book, { ...told, heard_s: Math.min(told.heard_s, HEARD_MOST_S), device: this.#device.id, age_s }, leaving);
      done();
      for (const listener of [...this.#listeners]) listener(book, answer);
    } catch (error) {
      const status = /** @type {{status?: number}} */ (error).status ?? 0;
      if (status < 400 || status >= 500 || PASSING.has(status)) {
        this.#later();
        return false;
      }
      done(); // refused for good: the sentence is gone, the book deleted
    }
    return true;
  }

  #later() {
    clearTimeout(this.#retry);
    this.#retry = setTimeout(() => this.deliver(), RETRY_MS);
  }

  get #start() {
    return `unsent.${this.#kept.get("person") ?? ""}.`;
  }

  #books() {
    return this.#kept.names(this.#start).map((name) => name.slice(this.#start.length));
  }

  /** @param {string} book @returns {Report[]} oldest first */
  #read(book) {
    try {
      const found = JSON.parse(this.#kept.get(this.#start + book) ?? "[]");
      return Array.isArray(found) ? found.filter((one) => one && Number.isFinite(one.counter)) : [];
    } catch {
      return [];
    }
  }

  /** Read anew each time: another page of this browser may have written. @param {string} book @param {(waiting: Report[]) => Report[]} change */
  #write(book, change) {
    const waiting = change(this.#read(book));
    this.#kept.set(this.#start + book, waiting.length ? JSON.stringify(waiting) : null);
  }
}

/**
 * What waits, with one more: of what was merely played on only the end is told, with all that was heard.
 * @param {readonly Report[]} waiting
 * @param {Report} report
 * @param {boolean} flying  what waits may have arrived already
 */
export function filed(waiting, report, flying) {
  const last = waiting.at(-1);
  const goesOn = !flying && last?.reason === "played" && report.reason === "played";
  if (!goesOn || !last) return [...waiting, report];
  return [...waiting.slice(0, -1), { ...report, heard_s: last.heard_s + report.heard_s }];
}
