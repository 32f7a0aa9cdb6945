/**
 * Plays takes of one text from memory, so that another one goes on at once. Sound is decoded whole: a switch is a new
 * source at the right second, faded in where the old one is faded out.
 */

import { ApiError, SILENT, problem } from "./api.js";

const RATE_HZ = 24_000;
const PRIMING_S = 1_024 / RATE_HZ; // what some decoders leave in front of the first sample of AAC
const FADE_S = 0.012; // short enough for a consonant, long enough for no click

/** @typedef {import("./audition-text.js").Span} Span */
/** @typedef {{audio_s: number, words: Span[], timed: boolean, buffer: AudioBuffer}} Loaded */

export class Stage {
  #context = new AudioContext({ sampleRate: RATE_HZ, latencyHint: "interactive" });
  /** @type {{source: AudioBufferSourceNode, gain: GainNode, take: Loaded, begun_s: number, from_s: number}|null} */
  #now = null;
  #ended;

  /** @param {() => void} ended  a take has come to its end by itself */
  constructor(ended) {
    this.#ended = ended;
  }

  get playing() {
    return this.#now !== null;
  }

  /** Second of the take that plays. */
  get now_s() {
    if (!this.#now) return 0;
    const { take, begun_s, from_s } = this.#now;
    return Math.min(take.audio_s, from_s + Math.max(0, this.#context.currentTime - begun_s));
  }

  /** Play a take from a second on, in place of what plays. @param {Loaded} take @param {number} from_s */
  play(take, from_s) {
    this.#context.resume(); // browsers begin with a silent one until somebody has touched the page
    this.#drop();
    const source = new AudioBufferSourceNode(this.#context, { buffer: take.buffer });
    const gain = new GainNode(this.#context, { gain: 0 });
    const begun_s = this.#context.currentTime;
    gain.gain.setValueAtTime(0, begun_s);
    gain.gain.linearRampToValueAtTime(1, begun_s + FADE_S);
    source.connect(gain).connect(this.#context.destination);
    source.start(begun_s, from_s);
    const now = { source, gain, take, begun_s, from_s };
    source.addEventListener("ended", () => this.#now === now && ((this.#now = null), this.#ended()));
    this.#now = now;
  }

  /** @returns {number} the second where it stopped */
  stop() {
    const at_s = this.now_s;
    this.#drop();
    return at_s;
  }

  close() {
    this.#drop();
    this.#context.close();
  }

  #drop() {
    if (!this.#now) return;
    const { source, gain } = this.#now;
    this.#now = null;
    const end_s = this.#context.currentTime + FADE_S;
    gain.gain.linearRampToValueAtTime(0, end_s);
    source.stop(end_s);
  }

  /**
   * One file. `audio_s` tells how much of it is meant: decoders differ in what they leave before and after.
   * @param {string} url @param {number} audio_s @param {AbortSignal} [signal]
   */
  async decode(url, audio_s, signal) {
    const answer = await fetch(url, { signal }).catch((cause) => {
      throw signal?.aborted ? cause : new ApiError(SILENT, { cause });
    });
    if (!answer.ok) throw problem(answer.status, await answer.text());
    const made = await this.#context.decodeAudioData(await answer.arrayBuffer());
    const skip_s = made.duration - audio_s >= PRIMING_S - 0.5 / RATE_HZ ? PRIMING_S : 0;
    return this.#cut(made, skip_s, audio_s);
  }

  /** Several in a row, with silence after each. @param {{buffer: AudioBuffer, gap_s: number}[]} parts */
  string(parts) {
    const whole_s = parts.reduce((sum, { buffer, gap_s }) => sum + buffer.duration + gap_s, 0);
    const whole = this.#context.createBuffer(1, Math.max(1, Math.round(whole_s * RATE_HZ)), RATE_HZ);
    let at_s = 0;
    for (const { buffer, gap_s } of parts) {
      whole.copyToChannel(buffer.getChannelData(0), 0, Math.round(at_s * RATE_HZ));
      at_s += buffer.duration + gap_s;
    }
    return whole;
  }

  /** @param {AudioBuffer} made @param {number} skip_s @param {number} audio_s */
  #cut(made, skip_s, audio_s) {
    const length = Math.max(1, Math.round(audio_s * RATE_HZ));
    const buffer = this.#context.createBuffer(1, length, RATE_HZ);
    const start = Math.round(skip_s * RATE_HZ);
    buffer.copyToChannel(made.getChannelData(0).subarray(start, start + length), 0);
    return buffer;
  }
}
