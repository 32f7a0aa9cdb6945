import assert from "node:assert/strict";
import { test } from "node:test";
import { joinHeads, readHead } from "../../web/lib/offline-mp4.js";

const u32 = (...values) => Buffer.concat(values.map((value) => (value = Buffer.from(Uint32Array.of(value).buffer).reverse())));
const box = (kind, ...parts) => ((parts = Buffer.concat(parts)), Buffer.concat([u32(parts.length + 8), Buffer.from(kind), parts]));

/** A chapter's file with access units of these sizes, each full of its own number. */
function file(sizes, mark) {
  const table = box("stbl", box("stsd", u32(0, mark)), box("stts", u32(0, 1, sizes.length, 1024)), box("stsc", u32(0, 0)), box("stsz", u32(0, 0, sizes.length, ...sizes)), box("stco", u32(0, 1, 99)), box("sbgp", u32(0, 0, 1, sizes.length, 1)));
  const track = box("trak", box("tkhd", u32(3, 0, 0, 1, 0, 5, 7)), box("edts", box("elst", u32(0, 1, 5, 1024, 0x10000))), box("mdia", box("mdhd", u32(0, 0, 0, 24_000, 5, 0)), box("minf", table)));
  const data = Buffer.concat(sizes.map((size, at) => Buffer.alloc(size, mark + at)));
  return new Uint8Array(Buffer.concat([box("ftyp", Buffer.from("M4A ")), box("moov", box("mvhd", u32(0, 0, 0, 24_000, 5, 1)), track), box("mdat", data)]));
}

/** Content of the boxes down this path. */
function at(bytes, ...kinds) {
  let view = Buffer.from(bytes);
  for (const kind of kinds) {
    const found = view.indexOf(kind);
    view = view.subarray(found + 4, found - 4 + view.readUInt32BE(found - 4));
  }
  return Array.from({ length: Math.floor(view.length / 4) }, (_, i) => view.readUInt32BE(4 * i));
}

test("a header is read as soon as all of it is there", () => {
  const whole = file([10, 20, 30], 1);
  const length = whole.length - 60;
  assert.equal(readHead(whole.subarray(0, 20)), null);
  assert.equal(readHead(whole.subarray(0, length - 9)), null);
  const head = readHead(whole.subarray(0, length));
  assert.deepEqual([head.bytes.length, [...head.units]], [length, [10, 20, 30]]);
});

test("what is no chapter's file is refused", () => {
  const swapped = new Uint8Array(Buffer.concat([box("mdat", u32(1)), box("moov", u32())]));
  for (const bytes of [swapped, new Uint8Array(Buffer.concat([box("moov"), box("mdat")])), new Uint8Array(64)]) {
    assert.throws(() => readHead(bytes), RangeError);
  }
});

test("a run is the first chapter with its priming, and the others without theirs", () => {
  const files = [file([10, 20, 30], 1), file([40, 50], 101), file([60, ...Array(100).fill(7)], 201)];
  const { header, parts, size } = joinHeads(files.map(readHead));
  const joined = Buffer.concat([header, ...parts.map((part, i) => files[i].subarray(part.from, part.to))]);
  assert.equal(joined.length, size);
  const sizes = [10, 20, 30, 50, ...Array(100).fill(7)];
  assert.deepEqual(at(joined, "moov", "stsz"), [0, 0, sizes.length, ...sizes]);
  assert.deepEqual(at(joined, "moov", "stts"), [0, 1, sizes.length, 1024]);
  assert.equal(at(joined, "moov", "mvhd")[4], (sizes.length - 1) * 1024);
  assert.equal(at(joined, "moov", "tkhd")[5], (sizes.length - 1) * 1024);
  assert.equal(at(joined, "moov", "mdhd")[4], sizes.length * 1024);
  assert.deepEqual(at(joined, "moov", "elst"), [0, 1, (sizes.length - 1) * 1024, 1024, 0x10000]);
  assert.equal(at(joined, "moov", "sbgp")[3], sizes.length);
  assert.equal(joined.readUInt32BE(header.length - 8), size - header.length + 8);
  // Chunks: three units, one, then 64 and 36; each is where the table says.
  assert.deepEqual(at(joined, "moov", "stsc"), [0, 4, 1, 3, 1, 2, 1, 1, 3, 64, 1, 4, 36, 1]);
  const [, count, ...offsets] = at(joined, "moov", "stco");
  assert.deepEqual([count, offsets.map((offset) => joined[offset])], [4, [1, 102, 202, (202 + 64) % 256]]);
});
