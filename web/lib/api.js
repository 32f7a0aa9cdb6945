/** The HTTP API as functions. Every failure is an ApiError whose message is a sentence for the reader. */

/** @typedef {import("./types.js").Book} Book */
/** @typedef {import("./types.js").BookDetail} BookDetail */
/** @typedef {import("./types.js").Bookmark} Bookmark */
/** @typedef {import("./types.js").ChapterIndex} ChapterIndex */
/** @typedef {import("./types.js").Place} Place */
/** @typedef {import("./types.js").Position} Position */

export const BASE = "/api/v1";
const SAVE_MS = 15_000; // a computer that is off the net is known by its silence only
export const SILENT = "Lectern does not answer. Is the computer it runs on awake?";
const PROXY = new Set([502, 503, 504]); // of the computer itself, whose server is down
const STRANGER = "Something else than Lectern answers at this address. Is this device in another network?";

export class ApiError extends Error {
  /**
   * @param {string} message
   * @param {{status?: number, code?: string, kind?: string|null, cause?: unknown}} [about]  status 0: no answer at all
   */
  constructor(message, { status = 0, code = "", kind = null, cause } = {}) {
    super(message, { cause });
    this.name = "ApiError";
    this.status = status;
    this.code = code;
    this.kind = kind;
  }
}

/**
 * The server's problem document (RFC 9457) as an error. A refusal without one is not Lectern's: a hotel's page to log in,
 * a router with the same address. It decides nothing, and counts as no answer at all.
 * @param {number} status
 * @param {string} body
 */
export function problem(status, body) {
  try {
    const { detail, title, code, kind } = JSON.parse(body);
    if (code || PROXY.has(status)) return new ApiError(detail || title || SILENT, { status, code, kind });
  } catch (cause) {
    if (PROXY.has(status)) return new ApiError(`The server answered ${status}, and did not say why.`, { status, cause });
  }
  return new ApiError(STRANGER);
}

/**
 * @param {string} path
 * @param {RequestInit} [options]
 */
export async function call(path, options) {
  /** @type {Response} */
  let response;
  try {
    response = await fetch(BASE + path, options);
  } catch (cause) {
    if (options?.signal?.aborted) throw cause;
    throw new ApiError(SILENT, { cause });
  }
  if (!response.ok) throw problem(response.status, await response.text());
  return response;
}

/**
 * @param {string} path
 * @param {RequestInit} [options]
 */
export async function json(path, options) {
  const response = await call(path, options);
  const body = await response.text().catch((cause) => {
    if (options?.signal?.aborted) throw cause;
    throw new ApiError(SILENT, { cause }); // the line broke in the middle
  });
  try {
    return JSON.parse(body);
  } catch (cause) {
    throw new ApiError(STRANGER, { cause });
  }
}

/**
 * @param {string} method
 * @param {unknown} [body]
 * @returns {RequestInit}
 */
export const send = (method, body) => ({
  method,
  headers: body === undefined ? {} : { "content-type": "application/json" },
  body: body === undefined ? undefined : JSON.stringify(body),
});

/** @param {string} id @param {number} chapter */
const chapterPath = (id, chapter) => `/books/${encodeURIComponent(id)}/chapters/${chapter}`;

/** @param {string} id */
const bookPath = (id) => `/books/${encodeURIComponent(id)}`;

/**
 * An index writes a word as four numbers: give them their names.
 * @template {{sentences: any[]}} T
 * @param {T} index
 */
function withNamedWords(index) {
  for (const entry of index.sentences) {
    entry.words = entry.words?.map((/** @type {number[]} */ [start, end, char_start, char_end]) => ({ start, end, char_start, char_end }));
  }
  return index;
}

export const api = {
  /** Who asks. @returns {Promise<import("./types.js").Me>} */
  me: () => json("/me"),
  /** @returns {Promise<import("./types.js").People>} */
  people: () => json("/people"),
  /** @param {{login: string, name: string}} person @returns {Promise<import("./types.js").Person>} */
  addPerson: (person) => json("/people", send("POST", person)),
  /** @param {string} id @param {{role?: string, name?: string}} changed @returns {Promise<import("./types.js").Person>} */
  changePerson: (id, changed) => json(`/people/${id}`, send("PATCH", changed)),
  /** @param {string} id */
  removePerson: (id) => call(`/people/${id}`, { method: "DELETE" }),
  /** The address for a phone. @returns {Promise<{url: string|null, kind: "serve"|"tailnet"|"lan"|"none", secure: boolean, advice: string|null}>} */
  address: () => json("/address"),
  /** @returns {Promise<import("./types.js").Status>} */
  status: () => json("/status"),
  /** @param {{sort?: string, q?: string, show?: string, limit: number, offset?: number}} asked @returns {Promise<{books: Book[], total: number}>} */
  page: (asked) => json(`/books?${new URLSearchParams(Object.entries(asked).map(([name, value]) => [name, String(value)]))}`),
  /** Sentences that hold what is looked for. @param {{q: string, book?: string, limit: number, offset?: number}} asked @param {AbortSignal} [signal] @returns {Promise<import("./types.js").Hits>} */
  search: (asked, signal) => json(`/search?${new URLSearchParams(Object.entries(asked).map(([name, value]) => [name, String(value)]))}`, { signal }),
  /** @param {string} id @returns {Promise<BookDetail>} */
  book: (id) => json(bookPath(id)),
  /** @param {string} id @param {"audio"|"everything"} what */
  remove: (id, what) => json(`${bookPath(id)}?what=${what}`, { method: "DELETE" }),
  /** @param {string} id @param {number} chapter @returns {Promise<ChapterIndex>} */
  chapter: async (id, chapter) => withNamedWords(await json(chapterPath(id, chapter), { cache: "no-cache" })),
  /** Pictures, and text that is not read. @param {string} id @param {number} chapter @returns {Promise<import("./types.js").Beside>} */
  beside: (id, chapter) => json(`${chapterPath(id, chapter)}/beside`, { cache: "no-cache" }),
  /** What an index lacks by now. @param {ChapterIndex} index @returns {Promise<import("./types.js").Changes>} */
  changes: async ({ book, chapter, rendition, revision }) =>
    withNamedWords(await json(`${chapterPath(book, chapter)}/changes?rendition=${rendition}&since=${revision}`, { cache: "no-store" })),
  /** The place as `device` is told it; null before the first. @param {string} id @param {string} device @returns {Promise<Position|null>} */
  position: async (id, device) => {
    try {
      return await json(`${bookPath(id)}/position?device=${encodeURIComponent(device)}`, { cache: "no-cache" });
    } catch (error) {
      if (/** @type {ApiError} */ (error).status === 404) return null;
      throw error;
    }
  },
  /** @param {string} id @param {import("./outbox.js").Letter} place @param {boolean} [keepalive] @returns {Promise<Position>} */
  savePosition: (id, place, keepalive = false) =>
    json(`${bookPath(id)}/position`, { ...send("PUT", place), keepalive, signal: AbortSignal.timeout(SAVE_MS) }),
  /** The latest first. @param {string} id @returns {Promise<import("./types.js").Jump[]>} */
  jumps: async (id) => (await json(`${bookPath(id)}/position/jumps`, { cache: "no-cache" })).jumps,
  /** Go back from a jump. @param {string} id @param {number} entry @param {{device: string, counter: number}} from @returns {Promise<Position>} */
  backFrom: (id, entry, from) => json(`${bookPath(id)}/position/jumps/${entry}/back`, send("POST", from)),
  /** In reading order. @param {string} id @returns {Promise<Bookmark[]>} */
  bookmarks: async (id) => (await json(`${bookPath(id)}/bookmarks`, { cache: "no-cache" })).bookmarks,
  /** @param {string} id @param {Place & {edition?: number, note?: string|null}} place @returns {Promise<Bookmark>} */
  addBookmark: (id, place) => json(`${bookPath(id)}/bookmarks`, send("POST", place)),
  /** @param {string} id @param {string} mark @param {string|null} note @returns {Promise<Bookmark>} */
  noteBookmark: (id, mark, note) => json(`${bookPath(id)}/bookmarks/${encodeURIComponent(mark)}`, send("PATCH", { note })),
  /** @param {string} id @param {string} mark */
  removeBookmark: (id, mark) => call(`${bookPath(id)}/bookmarks/${encodeURIComponent(mark)}`, { method: "DELETE" }),
  /** @param {string} id @param {number} chapter @param {boolean} enabled @returns {Promise<BookDetail>} */
  turnChapter: (id, chapter, enabled) => json(chapterPath(id, chapter), send("PATCH", { enabled })),
  /** @param {string} id @param {string} notes  "skipped", "inline" or "end" @returns {Promise<BookDetail>} */
  chooseNotes: (id, notes) => json(bookPath(id), send("PATCH", { notes })),
  /** @returns {Promise<{voices: import("./types.js").Voice[], blends: import("./types.js").Blend[]}>} */
  voices: () => json("/voices"),
  /** @param {string} id @returns {Promise<import("./types.js").Renditions>} */
  renditions: (id) => json(`${bookPath(id)}/renditions`),
  /** Have a book read with another voice, or as it was. @param {string} id @param {import("./types.js").Sound} sound @returns {Promise<BookDetail>} */
  chooseSound: (id, { voice, speed, bitrate }) => json(bookPath(id), send("PATCH", { voice, speed, bitrate })),
  /** @param {string} id @param {string} rendition @returns {Promise<{freed_bytes: number}>} */
  removeRendition: (id, rendition) => json(`${bookPath(id)}/renditions/${encodeURIComponent(rendition)}`, { method: "DELETE" }),
  /** Hear a text. @param {{text: string, voice: string, speed: number}} asked @returns {Promise<{audio: string}>} */
  hearVoice: (asked) => json("/preview", send("POST", { ...asked, inline: false })),
  /** @param {string} name @param {{voice: string, weight: number}[]} shares @param {string} [renamed] @returns {Promise<import("./types.js").Blend>} */
  keepBlend: (name, shares, renamed) => json(`/blends/${encodeURIComponent(name)}`, send("PUT", { shares, name: renamed })),
  /** @param {string} name */
  removeBlend: (name) => call(`/blends/${encodeURIComponent(name)}`, { method: "DELETE" }),
  /** @param {string} id @param {string} render  "all", "ahead", "sample", "paused" or "house" @returns {Promise<BookDetail>} */
  chooseRender: (id, render) => json(bookPath(id), send("PATCH", { render })),
  /** When and how much is rendered, and which version of that it is. @returns {Promise<{rules: import("./types.js").Rules, tag: string}>} */
  rendering: async () => {
    const answer = await call("/rendering", { cache: "no-cache" });
    return { rules: await answer.json(), tag: answer.headers.get("etag") ?? "*" };
  },
  /** @param {Record<string, unknown>} rules @param {string} tag  of the rules that were changed */
  saveRendering: (rules, tag) => {
    const options = send("PUT", rules);
    return json("/rendering", { ...options, headers: { ...options.headers, "if-match": tag } });
  },
  /** Ask for the render to begin here. @param {string} id @param {number} chapter @param {string} [sentence] */
  listen: (id, chapter, sentence) => call(`${bookPath(id)}/listen`, send("POST", { chapter, sentence })),
  /** @returns {Promise<import("./house-api.js").Queue>} */
  queue: () => json("/queue"),
  /** @returns {Promise<import("./types.js").Refusal[]>} */
  refusals: async () => (await json("/imports")).imports,
  /** @param {string|number} id */
  dismiss: (id) => call(`/imports/${encodeURIComponent(id)}`, { method: "DELETE" }),
  /** Read a refused file of the library folder in `language`. @param {string|number} id @param {string} language @returns {Promise<BookDetail>} */
  readRefused: (id, language) => json(`/imports/${encodeURIComponent(id)}/book?language=${language}`, { method: "POST" }),
  /** Sentences to listen to. @param {{order?: string, limit: number, offset?: number}} asked @returns {Promise<{items: import("./types.js").EarsItem[], total: number}>} */
  ears: (asked) => json(`/ears?${new URLSearchParams(Object.entries(asked).map(([name, value]) => [name, String(value)]))}`),
  /** @param {string} id @param {number} chapter @param {string} sentence @param {"wrong"|"withdrawn"|"accepted"|"again"|"earlier"} state @param {string} [note] @returns {Promise<{state: string|null, changed: boolean}>} */
  sayEars: (id, chapter, sentence, state, note) =>
    json(`${chapterPath(id, chapter)}/sentences/${encodeURIComponent(sentence)}/ears`, send("POST", { state, note })),
  /** The pronunciation rules of a book, and the tag of this version of them. @param {string} id @returns {Promise<{text: string, tag: string}>} */
  rules: async (id) => {
    const response = await call(`${bookPath(id)}/lexicon`);
    return { text: (await response.json()).text, tag: response.headers.get("etag") ?? "*" };
  },
  /** Write them, or only tell what that would change. @param {string} id @param {{text: string, tag: string}} rules @param {boolean} [dry] @returns {Promise<import("./types.js").RulesChange>} */
  saveRules: async (id, { text, tag }, dry = false) => {
    const options = send("PUT", { text });
    const response = await call(`${bookPath(id)}/lexicon?${dry ? "dry_run=true" : "apply=true"}`, { ...options, headers: { ...options.headers, "if-match": tag } });
    return { ...(await response.json()), tag: response.headers.get("etag") ?? "*" };
  },
  /** Have a text said with rules that are only tried. @param {string} book @param {string} text @param {string} rules @returns {Promise<{audio: string|null, problems: string[]}>} */
  preview: (book, text, rules) => json("/preview", send("POST", { book, text, rules, inline: false })),
  /** @returns {Promise<import("./types.js").Check[]>} */
  doctor: async () => (await json("/doctor")).checks,

  /**
   * One file of a stream that starts at sentence `from`; it ends with the chapter, or with the book if it runs `on`.
   * @param {string} id @param {number} chapter @param {string} from @param {string} file @param {boolean} [on]
   */
  streamUrl: (id, chapter, from, file, on = false) =>
    `${BASE}${chapterPath(id, chapter)}/${on ? "stream-on" : "stream"}/${encodeURIComponent(from)}/${file}`,
  /** Size of a complete chapter's file, and the tag of these bytes. @param {string} id @param {number} chapter @param {AbortSignal} signal */
  chapterFile: async (id, chapter, signal) => {
    const { headers } = await call(`${chapterPath(id, chapter)}/chapter.m4a`, { headers: { range: "bytes=0-0" }, cache: "no-store", signal });
    const [tag, bytes] = [(headers.get("etag") ?? "").replaceAll('"', ""), Number(headers.get("content-range")?.split("/")[1])];
    if (!tag || !(bytes > 0)) throw new ApiError(STRANGER);
    return { tag, bytes };
  },
  /** A part of it, as long as it is the same. @param {string} id @param {number} chapter @param {{start: number, end: number, tag: string}} part @param {AbortSignal} signal */
  filePiece: async (id, chapter, { start, end, tag }, signal) => {
    const headers = { range: `bytes=${start}-${end - 1}`, "if-match": `"${tag}"` };
    return (await call(`${chapterPath(id, chapter)}/chapter.m4a`, { headers, cache: "no-store", signal })).arrayBuffer();
  },
  /** @param {string} url @param {AbortSignal} signal @returns {Promise<ArrayBuffer>} */
  bytes: async (url, signal) => (await call(url.slice(BASE.length), { signal })).arrayBuffer(),
};

/**
 * Upload a book, telling how far it is. XMLHttpRequest, because fetch does not report upload progress.
 * @param {File} file
 * @param {(share: number) => void} onProgress  0 to 1
 * @param {string} [language]  to read it in, whatever the book says
 * @returns {Promise<Book>}
 */
export function upload(file, onProgress, language) {
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest();
    request.open("POST", `${BASE}/books?name=${encodeURIComponent(file.name)}${language ? `&language=${language}` : ""}`);
    request.setRequestHeader("content-type", "application/octet-stream");
    request.upload.onprogress = (event) => event.lengthComputable && onProgress(event.loaded / event.total);
    request.onerror = () => reject(new ApiError(SILENT));
    request.onload = () =>
      request.status < 300 ? resolve(JSON.parse(request.responseText)) : reject(problem(request.status, request.responseText));
    request.send(file);
  });
}
