/** Short sounds one after the other: a sentence, or a sentence with its neighbours. Who plays next silences who plays. */

const audio = new Audio();
/** @type {{queue: string[], onAt: (at: number) => void, at: number}|null} */
let playing = null;

audio.addEventListener("ended", () => step());
audio.addEventListener("error", () => step());

function step() {
  if (!playing) return;
  playing.at += 1;
  if (playing.at >= playing.queue.length) return stopSounds();
  playing.onAt(playing.at);
  audio.src = playing.queue[playing.at];
  audio.play().catch((error) => error.name !== "AbortError" && stopSounds());
}

/**
 * Must be called inside a tap or key press the first time.
 * @param {string[]} urls
 * @param {(at: number) => void} onAt  which of them begins; -1 when it is over
 */
export function playSounds(urls, onAt) {
  stopSounds();
  playing = { queue: urls, onAt, at: -1 };
  step();
}

export function stopSounds() {
  const over = playing;
  playing = null;
  audio.pause();
  over?.onAt(-1);
}
