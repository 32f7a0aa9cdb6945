/**
 * Chapters that were downloaded as files of their own, joined to one: what its header must say. Pure.
 *
 * A chapter's file (server/render/chapter_file.py) is a header and then the access units of one AAC track, the first of
 * which primes the decoder and is hidden by the edit list. A run of chapters keeps the first one's; the priming of the
 * others is left out, as it is left out between two sentences. So the voice goes on from chapter to chapter within one
 * file, without a script that would have to act when the phone is locked.
 */

const FRAME_SAMPLES = 1024;
const CHUNK_UNITS = 64; // access units that lie together, about 3 s: a player seeks to the beginning of a chunk
const CONTAINERS = new Set(["moov", "trak", "edts", "mdia", "minf", "stbl"]);

/**
 * @typedef {object} Head  of a chapter's file
 * @property {Uint8Array} bytes  all of it before the media data
 * @property {Uint32Array} units  bytes of each access unit, the priming one first
 */
/** @typedef {{from: number, to: number}} Part  bytes of a chapter's file that belong to the run */
/** @typedef {{kind: string, start: number, end: number, inside: number}} Box  `inside`: where its content begins */

/**
 * The header of a chapter's file; null while `bytes`, its beginning, do not hold all of it. Throws RangeError for what
 * is no such file.
 * @param {Uint8Array} bytes
 * @returns {Head|null}
 */
export function readHead(bytes) {
  const top = boxes(bytes, 0, bytes.length);
  const media = top.find((box) => box.kind === "mdat");
  const movie = top.find((box) => box.kind === "moov");
  if (!media || !movie) return null;
  if (movie.start > media.start) throw new RangeError("The audio does not begin with its header.");
  const table = path(bytes, movie, ["trak", "mdia", "minf", "stbl", "stsz"]);
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const count = table ? view.getUint32(table.inside + 8) : 0;
  if (!table || count < 2 || view.getUint32(table.inside + 4) !== 0 || table.inside + 12 + 4 * count > table.end) {
    throw new RangeError("The audio does not say how long its parts are.");
  }
  const units = Uint32Array.from({ length: count }, (_, i) => view.getUint32(table.inside + 12 + 4 * i));
  return { bytes: bytes.slice(0, media.inside), units };
}

/**
 * The header of the run, and which bytes of each chapter's file follow it.
 * @param {readonly Head[]} heads  at least one
 * @returns {{header: Uint8Array, parts: Part[], size: number}}
 */
export function joinHeads(heads) {
  const parts = heads.map((head, at) => {
    const skipped = at ? head.units[0] : 0;
    return { from: head.bytes.length + skipped, to: head.bytes.length + sum(head.units) };
  });
  const length = parts.reduce((all, part) => all + part.to - part.from, 0);
  const rows = heads.map((head, at) => (at ? head.units.subarray(1) : head.units));
  // Absolute offsets depend on the header's own length: measure it with any, then write it.
  const base = written(heads[0].bytes, rows, 0, length).length;
  const header = written(heads[0].bytes, rows, base, length);
  return { header, parts, size: header.length + length };
}

/** The first chapter's header with the tables of all. @param {Uint8Array} first @param {Uint32Array[]} rows @param {number} base @param {number} length */
function written(first, rows, base, length) {
  const out = rewrite(first, boxes(first, 0, first.length).filter((box) => box.kind !== "mdat"), tables(rows, base));
  return joined([...out, numbers(length + 8), text("mdat")]);
}

/**
 * What replaces the content of the boxes that tell of times and sizes, by their kind.
 * @param {Uint32Array[]} rows @param {number} base
 * @returns {Record<string, (old: Uint8Array) => Uint8Array>}
 */
function tables(rows, base) {
  const count = rows.reduce((all, row) => all + row.length, 0);
  const heard = (count - 1) * FRAME_SAMPLES;
  const chunks = rows.flatMap((row) => cut(row));
  let at = base;
  const offsets = chunks.map((chunk) => (at += sum(chunk)) - sum(chunk));
  return {
    mvhd: (old) => patched(old, 16, heard),
    tkhd: (old) => patched(old, 20, heard),
    mdhd: (old) => patched(old, 16, count * FRAME_SAMPLES),
    elst: (old) => patched(old, 8, heard),
    stts: () => numbers(0, 1, count, FRAME_SAMPLES),
    stsc: () => chunkRuns(chunks),
    stsz: () => joined([numbers(0, 0, count), ...rows.map(row32)]),
    stco: () => joined([numbers(0, offsets.length), row32(offsets)]),
    sbgp: (old) => patched(old, 12, count),
  };
}

/** @param {Uint32Array} row @returns {Uint32Array[]} */
function cut(row) {
  return Array.from({ length: Math.ceil(row.length / CHUNK_UNITS) }, (_, i) => row.subarray(i * CHUNK_UNITS, (i + 1) * CHUNK_UNITS));
}

/** One entry wherever the number of access units in a chunk changes. @param {Uint32Array[]} chunks */
function chunkRuns(chunks) {
  const entries = chunks.flatMap((chunk, at) => (chunk.length === chunks[at - 1]?.length ? [] : [[at + 1, chunk.length, 1]]));
  return joined([numbers(0, entries.length), row32(entries.flat())]);
}

/** @param {Uint8Array} bytes @param {Box[]} found @param {ReturnType<typeof tables>} news @returns {Uint8Array[]} */
function rewrite(bytes, found, news) {
  return found.flatMap((box) => {
    const old = bytes.subarray(box.inside, box.end);
    const body = CONTAINERS.has(box.kind) ? joined(rewrite(bytes, boxes(bytes, box.inside, box.end), news)) : (news[box.kind]?.(old) ?? old);
    return [numbers(body.length + 8), text(box.kind), body];
  });
}

/** The boxes that lie from `start` to `end`; the last may reach beyond. @param {Uint8Array} bytes @param {number} start @param {number} end @returns {Box[]} */
function boxes(bytes, start, end) {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  /** @type {Box[]} */
  const found = [];
  for (let at = start; at + 8 <= end;) {
    const size = view.getUint32(at);
    const kind = String.fromCharCode(...bytes.subarray(at + 4, at + 8));
    if (size < 8) throw new RangeError("The audio is no file of a chapter.");
    if (kind !== "mdat" && at + size > end) break; // not all of it is here yet
    found.push({ kind, start: at, end: at + size, inside: at + 8 });
    at += size;
  }
  return found;
}

/** @param {Uint8Array} bytes @param {Box} box @param {string[]} kinds @returns {Box|undefined} */
function path(bytes, box, kinds) {
  const [kind, ...rest] = kinds;
  const next = boxes(bytes, box.inside, box.end).find((one) => one.kind === kind);
  return next && rest.length ? path(bytes, next, rest) : next;
}

/** @param {Uint8Array} old @param {number} at @param {number} value */
function patched(old, at, value) {
  const bytes = old.slice();
  new DataView(bytes.buffer).setUint32(at, value);
  return bytes;
}

/** @param {...number} values  a few, as 32 bits each */
const numbers = (...values) => row32(values);

/** @param {ArrayLike<number>} values  any number of them: an argument each would be too many */
function row32(values) {
  const bytes = new Uint8Array(4 * values.length);
  const view = new DataView(bytes.buffer);
  for (let i = 0; i < values.length; i += 1) view.setUint32(4 * i, values[i]);
  return bytes;
}

/** @param {string} kind */
const text = (kind) => Uint8Array.from(kind, (letter) => letter.charCodeAt(0));

/** @param {Uint32Array} row */
const sum = (row) => row.reduce((all, value) => all + value, 0);

/** @param {Uint8Array[]} parts */
function joined(parts) {
  const bytes = new Uint8Array(parts.reduce((all, part) => all + part.length, 0));
  let at = 0;
  for (const part of parts) bytes.set(part, at), (at += part.length);
  return bytes;
}
