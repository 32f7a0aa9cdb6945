/** What is measured in the sound of a sentence, for plots. Pure: `samples` are floats from -1 to 1. */

/**
 * The outline of a sound: the least and the greatest sample of each of `columns` equal parts.
 * @param {Float32Array} samples
 * @param {number} columns
 * @returns {[number, number][]}
 */
export function outline(samples, columns) {
  return Array.from({ length: columns }, (_, column) => {
    const end = Math.floor(((column + 1) * samples.length) / columns);
    let low = 0;
    let high = 0;
    for (let at = Math.floor((column * samples.length) / columns); at < end; at += 1) {
      if (samples[at] < low) low = samples[at];
      else if (samples[at] > high) high = samples[at];
    }
    return [low, high];
  });
}

/**
 * The pitch of the voice, by autocorrelation: one value each `step_s` from 0 on, of the sound around that moment; null
 * where there is none, or not enough sound around it.
 * @param {Float32Array} samples
 * @param {number} rate_hz
 * @param {{step_s?: number, low_hz?: number, high_hz?: number}} [options]
 * @returns {(number|null)[]}
 */
export function pitch(samples, rate_hz, { step_s = 0.01, low_hz = 60, high_hz = 400 } = {}) {
  const every = Math.max(1, Math.round(rate_hz / 8000)); // pitch needs no more, and it is nine times the speed
  const thin = samples.filter((_, at) => at % every === 0);
  const rate = rate_hz / every;
  const window = Math.round(rate * 0.035);
  const [least, most] = [Math.floor(rate / high_hz), Math.ceil(rate / low_hz)];
  const power = new Float64Array(thin.length + 1);
  for (let at = 0; at < thin.length; at += 1) power[at + 1] = power[at] + thin[at] ** 2;
  const step = rate * step_s;
  return Array.from({ length: Math.floor((thin.length - 1) / step) + 1 }, (_, at) => pitchAt(thin, power, Math.round(at * step), window, least, most, rate));
}

/**
 * The pitch around a moment: what is compared with itself a period later lies in its middle, whatever the period.
 * @param {Float32Array} s @param {Float64Array} power  sum of squares before each sample @param {number} middle
 * @param {number} window @param {number} least @param {number} most @param {number} rate
 */
function pitchAt(s, power, middle, window, least, most, rate) {
  const reach = Math.ceil((window + most) / 2);
  if (middle < reach || middle + reach > s.length) return null;
  const energy = (/** @type {number} */ from) => power[from + window] - power[from];
  if (energy(middle - (window >> 1)) / window < 1e-5) return null; // silence
  let best = 0;
  const match = new Float32Array(most + 1);
  for (let lag = least; lag <= most; lag += 1) {
    const at = middle - ((window + lag) >> 1);
    match[lag] = dot(s, at, at + lag, window) / Math.sqrt(energy(at) * energy(at + lag) + 1e-12);
    if (match[lag] > best) best = match[lag];
  }
  if (best < 0.6) return null; // a hiss, or two sounds at once
  // The first peak that is nearly as high as the highest: twice the period matches as well as the period.
  for (let lag = least + 1; lag < most; lag += 1) {
    if (match[lag] > 0.9 * best && match[lag] >= match[lag - 1] && match[lag] >= match[lag + 1]) return rate / lag;
  }
  return null;
}

/** @param {Float32Array} s @param {number} a @param {number} b @param {number} count */
function dot(s, a, b, count) {
  let sum = 0;
  for (let at = 0; at < count; at += 1) sum += s[a + at] * s[b + at];
  return sum;
}

/**
 * How loud each frequency is over time: `columns` rows of `size / 2` values in decibels below the loudest, 0 to -80. The
 * window of each lies around the middle of its part of the time; beyond the ends there is silence.
 * @param {Float32Array} samples
 * @param {number} columns
 * @param {number} [size]  samples in a window, a power of two
 * @returns {Float32Array[]}
 */
export function spectra(samples, columns, size = 512) {
  const hann = Float32Array.from({ length: size }, (_, at) => 0.5 - 0.5 * Math.cos((2 * Math.PI * at) / size));
  const rows = [];
  let loudest = -Infinity;
  for (let column = 0; column < columns; column += 1) {
    const start = Math.round(((column + 0.5) * samples.length) / columns - size / 2);
    const re = Float32Array.from(hann, (weight, at) => weight * (samples[start + at] ?? 0));
    const im = new Float32Array(size);
    transform(re, im);
    const row = Float32Array.from({ length: size / 2 }, (_, at) => 10 * Math.log10(re[at] ** 2 + im[at] ** 2 + 1e-12));
    for (const value of row) if (value > loudest) loudest = value;
    rows.push(row);
  }
  return rows.map((row) => row.map((value) => Math.max(-80, value - loudest)));
}

/** Fourier transform in place, of a power of two. @param {Float32Array} re @param {Float32Array} im */
export function transform(re, im) {
  const size = re.length;
  for (let at = 1, to = 0; at < size; at += 1) {
    let bit = size >> 1;
    for (; to & bit; bit >>= 1) to ^= bit;
    to ^= bit;
    if (at < to) [re[at], re[to], im[at], im[to]] = [re[to], re[at], im[to], im[at]];
  }
  for (let length = 2; length <= size; length *= 2) {
    const angle = (-2 * Math.PI) / length;
    for (let start = 0; start < size; start += length) {
      for (let at = 0; at < length / 2; at += 1) {
        const [cos, sin] = [Math.cos(angle * at), Math.sin(angle * at)];
        const [a, b] = [start + at, start + at + length / 2];
        const [x, y] = [re[b] * cos - im[b] * sin, re[b] * sin + im[b] * cos];
        [re[b], im[b], re[a], im[a]] = [re[a] - x, im[a] - y, re[a] + x, im[a] + y];
      }
    }
  }
}
