"""What a page says aloud, recorded sample by sample, and where in the book that lies.

The page's audio element is led through an AudioWorklet, which hands on every block it gets: what is recorded is what
is heard. Beside it stands which word was lit after each frame that was painted. The page must be opened with
`bypass_csp`, since the worklet is no file of the server's.
"""

import base64
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from playwright.sync_api import Page

from server.library.editions import Spot
from server.render.aac import decode
from server.render.index import SAMPLE_RATE, ChapterIndex
from server.render.store import Store

Samples = NDArray[np.float32]
BLOCK = SAMPLE_RATE  # a second is located at a time
WINDOW = 480  # 20 ms: as long as what a browser takes whole when it changes the speed
SLACK = 360  # 15 ms: how far it goes, either way, to find a piece that fits the one before
QUIET = 0.003  # below it a window says nothing about where it is

# Makes a node of an AudioContext that keeps what it is given as `window.recording`.
TAP = """async (context) => {
  const worklet = `
    registerProcessor("recorder", class extends AudioWorkletProcessor {
      #block = new Int16Array(2400);
      #filled = 0;
      process([[samples]]) {
        for (let i = 0; i < 128; i++) {
          this.#block[this.#filled++] = samples ? Math.max(-1, Math.min(1, samples[i])) * 32767 : 0;
          if (this.#filled < this.#block.length) continue;
          this.port.postMessage({ end: currentFrame + i + 1, block: this.#block });
          this.#block = new Int16Array(2400);
          this.#filled = 0;
        }
        return true;
      }
    });`;
  await context.audioWorklet.addModule(URL.createObjectURL(new Blob([worklet], { type: "text/javascript" })));
  const node = new AudioWorkletNode(context, "recorder", { channelCount: 1 });
  const recording = { context, first: -1, blocks: [], lit: [] };
  node.port.onmessage = ({ data }) => {
    if (recording.first < 0) recording.first = data.end - data.block.length;
    recording.blocks.push(data.block);
  };
  window.recording = recording;
  node.connect(context.destination);
  return node;
}"""
BEGIN = """async () => {
  const audio = document.querySelector("audio");
  const context = new AudioContext({ sampleRate: 24000 });
  context.createMediaElementSource(audio).connect(await (TAP)(context));
  await context.resume();
  const { recording } = window;
  // After all that a frame does, so that what is noted is what the frame shows.
  const painted = new MessageChannel();
  painted.port1.onmessage = () => {
    const lit = document.querySelector(".word.lit");
    const spoken = document.querySelector(".sentence.spoken");
    const { state, chapter } = document.querySelector("book-reader")?.dataset ?? {};
    const frame = Math.round(context.currentTime * 24000);
    const word = lit ? Number(lit.dataset.word) : -1;
    const playing = state === "playing" && !audio.seeking;
    recording.lit.push([frame, Number(chapter), spoken?.dataset.sentence ?? "", word, playing]);
  };
  const look = () => (painted.port2.postMessage(0), requestAnimationFrame(look));
  requestAnimationFrame(look);
}""".replace("TAP", TAP)
TAKE = """() => {
  const { recording } = window;
  const blocks = recording.blocks.splice(0);
  const bytes = new Uint8Array(blocks.reduce((sum, block) => sum + block.byteLength, 0));
  blocks.reduce((at, block) => (bytes.set(new Uint8Array(block.buffer), at), at + block.byteLength), 0);
  let text = "";
  for (let i = 0; i < bytes.length; i += 32768) text += String.fromCharCode(...bytes.subarray(i, i + 32768));
  return { first: recording.first, pcm: btoa(text), lit: recording.lit.splice(0) };
}"""
FRAME = "() => Math.round(window.recording.context.currentTime * 24000)"


@dataclass(frozen=True, slots=True)
class Lit:
    """The word that a frame showed, when `frame` samples had been handed to the loudspeaker; -1: none yet."""

    frame: int
    chapter: int
    sentence: str
    word: int
    playing: bool

    @property
    def spot(self) -> Spot:
        return Spot(self.chapter, self.sentence)


class Recorder:
    """Records a page with an open book from now on; with another `begin`, what that sets up as `window.recording`."""

    def __init__(self, page: Page, begin: str = BEGIN) -> None:
        self._page = page
        self._blocks: list[Samples] = []
        self._first = 0
        self.lit: list[Lit] = []
        page.evaluate(begin)

    def frame(self) -> int:
        """How many samples have been handed to the loudspeaker by now."""
        return int(self._page.evaluate(FRAME))

    def fetch(self) -> None:
        """Take out of the page what it has recorded since the last time."""
        taken: dict[str, Any] = self._page.evaluate(TAKE)
        self._first = max(taken["first"], 0)
        self._blocks.append(
            np.frombuffer(base64.b64decode(taken["pcm"]), np.int16).astype(np.float32) / np.float32(32767)
        )
        self.lit += [Lit(*one) for one in taken["lit"]]

    def samples(self) -> tuple[int, Samples]:
        """The frame of the first sample that was recorded, and all of them [n]."""
        return self._first, np.concatenate(self._blocks)


class Score:
    """What a book should sound like from its first chapter on, and when each word of it is said."""

    def __init__(self, store: Store, book: str, chapters: Sequence[ChapterIndex]) -> None:
        parts: list[Samples] = []
        self.starts: dict[Spot, int] = {}  # of each sentence, in samples
        self.chapters: dict[int, int] = {}
        self._words: dict[Spot, list[int]] = {}
        at = 0
        for index in chapters:
            self.chapters[index.chapter] = at
            for entry in index.sentences:
                spot = Spot(index.chapter, entry.id)
                path = store.sentence_path(book, index.chapter, entry.id)
                sound = decode(path.read_bytes())
                self.starts[spot] = at
                self._words[spot] = [word[0] for word in entry.words or []]
                parts += [sound, np.zeros(entry.gap_after_samples or 0, np.float32)]
                at += len(sound) + len(parts[-1])
        self.pcm: Samples = np.concatenate(parts)

    def span(self, spot: Spot, word: int) -> tuple[int, int]:
        """When `word` is the one to be lit, in samples: until the next begins, the last until the sentence ends."""
        start, words = self.starts[spot], self._words[spot]
        after = [at for at in self.starts.values() if at > start]
        begin = start if word < 0 else start + words[word]
        end = start + words[word + 1] if word + 1 < len(words) else min(after, default=len(self.pcm))
        return begin, end

    def find(self, recorded: Samples, guess: int, speed: float, reach: int) -> tuple[float, float]:
        """Where `recorded` lies that was played at `speed` without a change of pitch.

        Its start is looked for within `reach` samples of `guess`. Gives the sample at which it starts and how alike the
        two are, 0 to 1; the first is worth nothing where that is low.
        """
        slack = 0 if speed == 1 else SLACK
        total = np.zeros(2 * reach + 1)
        windows = 0
        for at in range(0, len(recorded) - WINDOW, WINDOW):
            window = recorded[at : at + WINDOW]
            if np.sqrt(np.mean(window**2)) < QUIET:
                continue
            place = guess + round((at + WINDOW / 2) * speed - WINDOW / 2) - reach
            alike = _alike(window, self._piece(place - slack, 2 * (reach + slack) + WINDOW))
            total += _highest(alike, 2 * slack + 1)
            windows += 1
        if windows == 0:
            return float(guess), 0.0
        # Within the slack all places are as good: the middle of them is meant.
        best = np.flatnonzero(total > total.max() - 0.01 * windows * (slack > 0) - 1e-9)
        best = best[np.abs(best - total.argmax()) <= 2 * slack]
        return float(guess - reach + best.mean()), float(total.max()) / windows

    def _piece(self, at: int, length: int) -> Samples:
        """`length` samples from `at` on; silence before the book and after it."""
        piece = np.zeros(length, np.float32)
        inside = self.pcm[max(at, 0) : max(at + length, 0)]
        begin = max(-at, 0)
        piece[begin : begin + len(inside)] = inside
        return piece


def alike_at(window: Samples, piece: Samples) -> tuple[int, float]:
    """Where a longer piece is most like `window`, played at its own speed, and how alike the two are, 0 to 1."""
    if not window.any():
        return 0, 0.0
    alike = _alike(window, piece)
    return int(alike.argmax()), float(alike.max())


def _alike(window: Samples, piece: Samples) -> NDArray[np.float64]:
    """Normalised correlation of a window [w] with each place of a longer piece [n] → [n - w + 1]."""
    size = 1 << int(np.ceil(np.log2(len(piece) + len(window))))
    product = np.fft.irfft(np.fft.rfft(piece, size) * np.conj(np.fft.rfft(window, size)), size)
    sums = np.cumsum(np.concatenate([[0.0], piece.astype(np.float64) ** 2]))
    energy = sums[len(window) :] - sums[: -len(window)]
    scale = np.sqrt(np.maximum(energy, 1e-4) * float(np.sum(window.astype(np.float64) ** 2)))
    return np.asarray(product[: len(energy)] / scale)


def _highest(values: NDArray[np.float64], width: int) -> NDArray[np.float64]:
    """The highest of each `width` neighbours [n] → [n - width + 1]."""
    reached = 1
    while reached < width:
        step = min(reached, width - reached)
        values = np.maximum(values[:-step], values[step:])
        reached += step
    return values
