"""A second witness for where words begin: the sentence laid over its own words, spoken one by one.

Each word is rendered by itself, so that its beginning and end are measured by their silences; put end to end these
words are a template, and dynamic time warping finds each of them in the sentence. Durations play no part in it.
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from benchmarks.hearing import HOP as SILENCE_HOP
from benchmarks.hearing import RATE_HZ, Samples, silence

HOP = 120  # 5 ms
WINDOW = 480  # 20 ms
BANDS = 40
LOW_HZ, HIGH_HZ = 80, 10_000
KEPT_SILENCE = 6  # frames left between two words of the template

Features = NDArray[np.float64]


def alone(word: str) -> str:
    """The pass string that speaks `word` (phonemes) by itself."""
    return f"{word}."


def align(sentence: Samples, words: Sequence[Samples]) -> list[int]:
    """The sample of `sentence` at which each of its `words` begins, each given as spoken by itself."""
    parts: list[Features] = []
    begins: list[int] = []
    at = 0
    for audio in words:
        loud = np.flatnonzero(~silence(audio)) * SILENCE_HOP
        first, last = int(loud[0]) // HOP, int(loud[-1]) // HOP
        low = max(0, first - KEPT_SILENCE)
        parts.append(_mel(audio)[low : last + 1])
        begins.append(at + first - low)
        at += len(parts[-1])
    lead = max(0, int(np.flatnonzero(~silence(sentence))[0]) * SILENCE_HOP // HOP - KEPT_SILENCE)
    path = _warp(_centred(_mel(sentence)[lead:]), _centred(np.concatenate(parts)))
    return [(lead + int(np.flatnonzero(path >= begin)[0])) * HOP for begin in begins]


def _mel(audio: Samples) -> Features:
    """Log-mel energies [frames, BANDS] around every `HOP`, floored 60 dB under the peak."""
    padded = np.pad(audio, WINDOW // 2)
    frames = np.lib.stride_tricks.sliding_window_view(padded, WINDOW)[::HOP] * np.hanning(WINDOW)
    power = np.abs(np.fft.rfft(frames, 1024)) ** 2
    low, high = (2595 * np.log10(1 + edge / 700) for edge in (LOW_HZ, HIGH_HZ))
    mel = np.linspace(low, high, BANDS + 2)
    edges = 700 * (10 ** (mel / 2595) - 1)
    hz = np.fft.rfftfreq(1024, 1 / RATE_HZ)[:, None]
    rising = (hz - edges[:-2]) / (edges[1:-1] - edges[:-2])
    falling = (edges[2:] - hz) / (edges[2:] - edges[1:-1])
    log = np.log(power @ np.clip(np.minimum(rising, falling), 0, None) + 1e-9)
    return np.asarray(np.maximum(log, log.max() - 6 * np.log(10)))


def _centred(features: Features) -> Features:
    return np.asarray(features - features.mean(axis=0))


def _warp(sentence: Features, template: Features) -> NDArray[np.int64]:
    """For each frame of `sentence` the frame of `template` it is laid on: the cheapest path from corner to corner."""
    rows, columns = len(sentence), len(template)
    squares = (sentence**2).sum(1)[:, None] + (template**2).sum(1)[None] - 2 * sentence @ template.T
    cost = np.sqrt(np.maximum(squares, 0))
    total = np.full((rows + 1, columns + 1), np.inf)
    total[0, 0] = 0
    for diagonal in range(2, rows + columns + 1):
        at = np.arange(max(1, diagonal - columns), min(rows, diagonal - 1) + 1)
        to = diagonal - at
        best = np.minimum(total[at - 1, to - 1], np.minimum(total[at - 1, to], total[at, to - 1]))
        total[at, to] = best + cost[at - 1, to - 1]
    path = np.zeros(rows, np.int64)
    i, j = rows, columns
    while i > 0:
        path[i - 1] = j - 1
        steps = (total[i - 1, j - 1], total[i - 1, j], total[i, j - 1])
        step = int(np.argmin(steps))
        i, j = (i - 1, j - 1) if step == 0 else (i - 1, j) if step == 1 else (i, j - 1)
    return path
