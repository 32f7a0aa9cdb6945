/**
 * The voice louder than it is. Off unless somebody asks: until then the audio element sounds by itself, as it must
 * where the screen is locked.
 */

import { canHls } from "./source-hls.js";

/** Whether this browser can: where HLS plays under lock, sound that goes through Web Audio would fall silent there. */
export const canBoost = () => "AudioContext" in window && !canHls();

/**
 * @param {HTMLAudioElement} audio
 * @param {typeof import("./settings.js").settings} settings
 * @returns {() => void} the undo
 */
export function attachBoost(audio, settings) {
  /** @type {{context: AudioContext, gain: GainNode}|null} */
  let graph = null;
  const apply = () => {
    const boost = canBoost() ? settings.boost.value : 1;
    if (!graph && boost === 1) return;
    // A context is only let sound after a tap: the one that plays counts.
    if (!graph && !audio.paused) graph = louder(audio);
    if (!graph) return;
    graph.gain.gain.value = boost;
    if (!audio.paused) graph.context.resume();
  };
  const unsubscribe = settings.boost.subscribe(apply);
  audio.addEventListener("play", apply);
  return () => {
    unsubscribe();
    audio.removeEventListener("play", apply);
    graph?.context.close();
  };
}

/** @param {HTMLAudioElement} audio */
function louder(audio) {
  const context = new AudioContext();
  const gain = context.createGain();
  // Loud places are held down rather than cut off.
  const limit = new DynamicsCompressorNode(context, { threshold: -8, knee: 6, ratio: 12, attack: 0.003, release: 0.12 });
  context.createMediaElementSource(audio).connect(gain).connect(limit).connect(context.destination);
  return { context, gain };
}
