/** The one thing the player reads out of an MP4 fragment: when it starts. Pure. */

const TFDT = 0x74666474; // "tfdt"
const HEAD_BYTES = 512; // it stands in the first box, before the list of samples grows long

/**
 * The fragment's own start (baseMediaDecodeTime), in samples. Throws a RangeError when it has none.
 * @param {ArrayBuffer} bytes
 */
export function startOfFragment(bytes) {
  const view = new DataView(bytes);
  for (let at = 4; at < Math.min(view.byteLength - 12, HEAD_BYTES); at += 1) {
    if (view.getUint32(at) !== TFDT) continue;
    const wide = view.getUint8(at + 4) === 1;
    return wide ? Number(view.getBigUint64(at + 8)) : view.getUint32(at + 8);
  }
  throw new RangeError("The audio is not a fragment.");
}
