/**
 * Pauses by choice: the silence after a sentence runs faster or slower than the words, which keep their speed.
 *
 * Only while the page is in view: a script that is stopped in the middle of a pause could not slow down again.
 */

import { RATE_HZ } from "./cue-index.js";

const AFTER_S = 0.05; // of silence before the speed changes
const BEFORE_S = 0.12; // of time before the next sentence: what is on its way to the loudspeaker keeps its speed
const FASTEST = 4;

/**
 * Playback rate at a place in a sentence.
 * @param {{speed: number, share: number}} wanted  `share` of the pause that the speed leaves; 0: as it was spoken
 * @param {import("./types.js").SentenceEntry|undefined} entry
 * @param {number} inside_s
 */
export function rateAt({ speed, share }, entry, inside_s) {
  if (share === 1 || !entry?.speech_end || !entry.samples) return speed;
  const rate = share === 0 ? 1 : Math.min(speed / share, Math.max(FASTEST, speed));
  const from = entry.speech_end / RATE_HZ + AFTER_S;
  const to = (entry.samples + (entry.gap_after_samples ?? 0)) / RATE_HZ - BEFORE_S * rate;
  return inside_s >= from && inside_s < to ? rate : speed;
}

/**
 * @param {HTMLAudioElement} audio
 * @param {import("./playback.js").Playback} playback
 * @param {typeof import("./settings.js").settings} settings
 * @returns {() => void} the undo
 */
export function attachPace(audio, playback, settings) {
  let frame = 0;
  const set = (/** @type {number} */ rate) => {
    if (audio.playbackRate !== rate) audio.playbackRate = rate;
  };
  const tick = () => {
    const cue = playback.cue.value;
    const wanted = { speed: settings.speed.value, share: settings.pauses.value };
    set(rateAt(wanted, cue ? playback.index?.sentences[cue.at] : undefined, playback.inside_s));
    frame = requestAnimationFrame(tick);
  };
  const turn = () => {
    const runs = settings.pauses.value !== 1 && playback.state.value === "playing" && !document.hidden;
    cancelAnimationFrame(frame);
    if (runs) tick();
    else set(settings.speed.value);
  };
  const undo = [settings.pauses.subscribe(turn), playback.state.subscribe(turn)];
  document.addEventListener("visibilitychange", turn);
  return () => {
    undo.forEach((run) => run());
    document.removeEventListener("visibilitychange", turn);
    cancelAnimationFrame(frame);
  };
}
