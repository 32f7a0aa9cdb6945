/** The HTTP API as functions. Every failure is an ApiError whose message is a sentence for the reader. */

/** @typedef {import("./types.js").Book} Book */
/** @typedef {import("./types.js").BookDetail} BookDetail */
/** @typedef {import("./types.js").ChapterIndex} ChapterIndex */
/** @typedef {import("./types.js").Place} Place */
/** @typedef {import("./types.js").Position} Position */

export const BASE = "/api/v1";
const SILENT = "Lectern does not answer. Is the computer it runs on awake?";

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
 * The server's problem document (RFC 9457) as an error.
 * @param {number} status
 * @param {string} body
 */
export function problem(status, body) {
  try {
    const { detail, title, code, kind } = JSON.parse(body);
    return new ApiError(detail || title || SILENT, { status, code, kind });
  } catch (cause) {
    return new ApiError(`The server answered ${status}, and did not say why.`, { status, cause });
  }
}

/**
 * @param {string} path
 * @param {RequestInit} [options]
 */
async function call(path, options) {
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
const json = async (path, options) => (await call(path, options)).json();

/**
 * @param {string} method
 * @param {unknown} [body]
 * @returns {RequestInit}
 */
const send = (method, body) => ({
  method,
  headers: body === undefined ? {} : { "content-type": "application/json" },
  body: body === undefined ? undefined : JSON.stringify(body),
});

/** @param {string} id @param {number} chapter */
const chapterPath = (id, chapter) => `/books/${encodeURIComponent(id)}/chapters/${chapter}`;

/** @param {string} id */
const bookPath = (id) => `/books/${encodeURIComponent(id)}`;

export const api = {
  /** @returns {Promise<import("./types.js").Status>} */
  status: () => json("/status"),
  /** @param {{sort?: string, q?: string, limit: number, offset?: number}} asked @returns {Promise<{books: Book[], total: number}>} */
  page: (asked) => json(`/books?${new URLSearchParams(Object.entries(asked).map(([name, value]) => [name, String(value)]))}`),
  /** @param {string} id @returns {Promise<BookDetail>} */
  book: (id) => json(bookPath(id)),
  /** @param {string} id @param {"audio"|"everything"} what */
  remove: (id, what) => json(`${bookPath(id)}?what=${what}`, { method: "DELETE" }),
  /** @param {string} id @param {number} chapter @returns {Promise<ChapterIndex>} */
  chapter: (id, chapter) => json(chapterPath(id, chapter), { cache: "no-cache" }),
  /** @param {string} id @param {Place & {edition?: number}} place @param {boolean} [keepalive] @returns {Promise<Position>} */
  savePosition: (id, place, keepalive = false) =>
    json(`${bookPath(id)}/position`, { ...send("PUT", place), keepalive }),
  /** @param {string} id @param {number} chapter @param {boolean} enabled @returns {Promise<BookDetail>} */
  turnChapter: (id, chapter, enabled) => json(chapterPath(id, chapter), send("PATCH", { enabled })),
  /** @param {string} id @param {string} notes  "skipped", "inline" or "end" @returns {Promise<BookDetail>} */
  chooseNotes: (id, notes) => json(bookPath(id), send("PATCH", { notes })),
  /** Ask for the render to begin here. @param {string} id @param {number} chapter @param {string} [sentence] */
  listen: (id, chapter, sentence) => call(`${bookPath(id)}/listen`, send("POST", { chapter, sentence })),
  /** @returns {Promise<{items: import("./types.js").QueueItem[], total: number, paused: boolean}>} */
  queue: () => json("/queue"),
  /** @returns {Promise<import("./types.js").Refusal[]>} */
  refusals: async () => (await json("/imports")).imports,
  /** @param {string|number} id */
  dismiss: (id) => call(`/imports/${encodeURIComponent(id)}`, { method: "DELETE" }),
  /** Read a refused file of the library folder in `language`. @param {string|number} id @param {string} language @returns {Promise<BookDetail>} */
  readRefused: (id, language) => json(`/imports/${encodeURIComponent(id)}/book?language=${language}`, { method: "POST" }),
  /** @returns {Promise<import("./types.js").Check[]>} */
  doctor: async () => (await json("/doctor")).checks,

  /**
   * One file of a stream that starts at sentence `from`; it ends with the chapter, or with the book if it runs `on`.
   * @param {string} id @param {number} chapter @param {string} from @param {string} file @param {boolean} [on]
   */
  streamUrl: (id, chapter, from, file, on = false) =>
    `${BASE}${chapterPath(id, chapter)}/${on ? "stream-on" : "stream"}/${encodeURIComponent(from)}/${file}`,
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
