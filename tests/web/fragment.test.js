import assert from "node:assert/strict";
import { test } from "node:test";
import { startOfFragment } from "../../web/lib/fragment.js";

const box = (type, ...parts) => {
  const body = Buffer.concat(parts);
  const head = Buffer.alloc(8);
  head.writeUInt32BE(body.length + 8);
  head.write(type, 4, "latin1");
  return Buffer.concat([head, body]);
};
const tfdt = (version, value) => {
  const body = Buffer.alloc(version ? 12 : 8);
  body[0] = version;
  if (version) body.writeBigUInt64BE(BigInt(value), 4);
  else body.writeUInt32BE(value, 4);
  return box("tfdt", body);
};
const fragment = (time) => {
  const moof = box("moof", box("mfhd", Buffer.alloc(8)), box("traf", box("tfhd", Buffer.alloc(16)), time, box("trun", Buffer.alloc(12))));
  const all = Buffer.concat([moof, box("mdat", Buffer.from("tfdt is a word here too"))]);
  return all.buffer.slice(all.byteOffset, all.byteOffset + all.byteLength);
};

test("the start is read in both widths", () => {
  assert.equal(startOfFragment(fragment(tfdt(0, 72_000))), 72_000);
  assert.equal(startOfFragment(fragment(tfdt(1, 24_000 * 3_600 * 90))), 24_000 * 3_600 * 90);
});

test("what is no fragment is refused", () => {
  assert.throws(() => startOfFragment(new ArrayBuffer(0)), RangeError);
  assert.throws(() => startOfFragment(new ArrayBuffer(4_000)), RangeError);
});
