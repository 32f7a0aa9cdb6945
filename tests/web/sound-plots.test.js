/** What is measured in a sound, on sounds of which it is known. */

import assert from "node:assert/strict";
import { test } from "node:test";

import { outline, pitch, spectra, transform } from "../../web/lib/sound-plots.js";

const RATE_HZ = 24_000;

/** A second of a voice-like tone: three harmonics. @param {number} hz */
const tone = (hz) => Float32Array.from({ length: RATE_HZ }, (_, at) => [1, 2, 3].reduce((sum, n) => sum + (0.2 / n) * Math.sin((2 * Math.PI * hz * n * at) / RATE_HZ), 0));

test("the pitch of a tone is its frequency, and silence has none", () => {
  for (const hz of [95, 120, 210, 330]) {
    const found = pitch(tone(hz), RATE_HZ);
    assert.ok(found.length > 80);
    const whole = found.slice(3, -4); // around the ends there is not enough sound
    for (const value of whole) assert.ok(Math.abs(/** @type {number} */ (value) - hz) / hz < 0.03, `${value} instead of ${hz}`);
  }
  assert.ok(pitch(new Float32Array(RATE_HZ), RATE_HZ).every((value) => value === null));
});

test("a spectrum is loudest where the tone is, and nowhere louder than 0 dB", () => {
  const sine = Float32Array.from({ length: RATE_HZ }, (_, at) => 0.5 * Math.sin((2 * Math.PI * 3000 * at) / RATE_HZ));
  for (const row of spectra(sine, 5)) {
    assert.equal(row.indexOf(Math.max(...row)), 64); // 3,000 Hz in steps of 24,000 / 512
    assert.ok(Math.max(...row) <= 0 && Math.min(...row) >= -80);
  }
  assert.equal(spectra(new Float32Array(10), 3).length, 3); // shorter than a window
});

test("what changes is drawn when it changes", () => {
  const [low, high] = [tone(110), tone(187)];
  const step = Float32Array.from(low, (value, at) => (at < 0.5 * RATE_HZ ? value : high[at]));
  const found = pitch(step, RATE_HZ, { step_s: 0.005 });
  const last = found.findLastIndex((value) => value !== null && Math.abs(value - 110) < 5) * 0.005;
  const first = found.findIndex((value) => value !== null && Math.abs(value - 187) < 8) * 0.005;
  assert.ok(Math.abs((last + first) / 2 - 0.5) < 0.006, `from ${last} to ${first} s`);

  const burst = Float32Array.from(low, (value, at) => (at >= 0.4 * RATE_HZ && at < 0.6 * RATE_HZ ? value : 0));
  const voiced = pitch(burst, RATE_HZ, { step_s: 0.005 }).flatMap((value, at) => (value === null ? [] : [at * 0.005]));
  assert.ok(Math.abs((voiced[0] + voiced[voiced.length - 1]) / 2 - 0.5) < 0.006, `${voiced[0]} to ${voiced[voiced.length - 1]} s`);
});

test("a click is loudest in the column of its moment, at the ends too", () => {
  for (const column of [0, 1, 30, 98, 99]) {
    const click = new Float32Array(RATE_HZ);
    click[column * 240 + 120] = 1;
    const loud = spectra(click, 100).map((row) => row[40]);
    assert.equal(loud.indexOf(Math.max(...loud)), column);
  }
});

test("the transform of an impulse is flat, and of a constant one line", () => {
  const [re, im] = [new Float32Array(8), new Float32Array(8)];
  re[0] = 1;
  transform(re, im);
  assert.deepEqual([...re], Array(8).fill(1));
  const [flat, none] = [new Float32Array(8).fill(1), new Float32Array(8)];
  transform(flat, none);
  assert.deepEqual([...flat].map(Math.round), [8, 0, 0, 0, 0, 0, 0, 0]);
});

test("an outline keeps the least and the greatest of each part", () => {
  assert.deepEqual(outline(Float32Array.of(0.5, -0.25, 0, 1), 2), [[-0.25, 0.5], [0, 1]]);
});
