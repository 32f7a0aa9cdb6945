/** The three ways to feed the audio element, and which one it is to be. */

import { RATE_HZ, isJoinable } from "./cue-index.js";
import { FileSource } from "./source-file.js";
import { canHls, HlsSource } from "./source-hls.js";
import { MseSource } from "./source-mse.js";

/** @typedef {MseSource|HlsSource|FileSource} Source */

/**
 * A stream from a place on, and how many seconds into it the place is: what was downloaded, else what the browser likes.
 * @param {HTMLAudioElement} audio
 * @param {import("./chapters.js").Chapters} chapters
 * @param {import("./source-mse.js").Wire} wire
 * @param {import("./plan.js").Cursor & {word?: number, offset_samples?: number}} cue
 * @param {import("./source-mse.js").OnStall} onStall
 * @returns {{source: Source, seek_s: number}}
 */
export function openSource(audio, chapters, wire, cue, onStall) {
  const index = chapters.peek(cue.chapter);
  const entry = index?.sentences[cue.at];
  const inside = cue.word ? (entry?.words?.[cue.word]?.start ?? 0) : (cue.offset_samples ?? 0);
  const inside_s = entry?.file ? inside / RATE_HZ : 0;
  const cursor = { chapter: cue.chapter, at: cue.at };
  const kept = index && wire.kept?.(index);
  if (kept) {
    const source = new FileSource(audio, chapters, cursor, kept, onStall);
    return { source, seek_s: source.start_s + inside_s };
  }
  const Source = canHls() && index && isJoinable(index) ? HlsSource : MseSource;
  return { source: new Source(audio, chapters, cursor, wire, onStall), seek_s: inside_s };
}

/** What follows the sound of a source whose end is not the book's. @param {Source|null} source */
export const nextOf = (source) => (source instanceof MseSource ? null : (source?.next ?? null));

/** Play at a speed, with the voice's pitch; the next stream begins with it too. @param {HTMLMediaElement} audio @param {number} speed */
export function keepSpeed(audio, speed) {
  audio.defaultPlaybackRate = speed;
  audio.playbackRate = speed;
  audio.preservesPitch = true;
}
