"""Where words begin in running speech, for those beginnings that show in the spectrum.

Three kinds do: a sibilant after a vowel or sonorant (its hiss sets in), a stop (its burst), a vowel or sonorant after
a sibilant (the hiss ends). Half way between the levels before and after, or the steepest rise, is the moment.
"""

import numpy as np
from numpy.typing import NDArray

from benchmarks.hearing import RATE_HZ, sound_of
from server.render.engine import Take
from server.render.onsets import UNIT_SAMPLES
from server.render.timing import symbol_starts

HOP = 24  # 1 ms
WINDOW = 240  # 10 ms
HISS_HZ = 4_500, 11_000
ALL_HZ = 60, 11_000
SIBILANTS, STOPS = "szʃ", "ptkbdɡ"
VOICED = "AIOQWYᵊaeiouɑɐɒæɔəɚɛɜɪʊʌᵻmnŋlɹwj"
CLEAR_DB = 12
Levels = NDArray[np.float64]


class Landmarks:
    """The landmarks of one take of the pass string `phonemes`."""

    def __init__(self, phonemes: str, take: Take) -> None:
        self._phonemes, self._starts, self._audio = phonemes, symbol_starts(take.pred_dur), take.audio

    def onset(self, last: int, start: int) -> int | None:
        """The sample at which the word at symbol `start` begins, `last` being the end of the one before it.

        None where a mark stands between them, or where nothing shows.
        """
        if self._phonemes[last:start] != " ":
            return None
        sound, before = sound_of(self._phonemes[start:]), self._phonemes[:last].rstrip("ː")[-1]
        nominal = self._starts[start]
        if sound in SIBILANTS and before in VOICED:
            return self._hiss_begins(nominal)
        if sound in STOPS:
            return self._burst(nominal)
        if sound in VOICED and before in SIBILANTS:
            return self._hiss_ends(nominal)
        return None

    def _hiss_begins(self, nominal: int) -> int | None:
        low, level = self._level(HISS_HZ, nominal, 7)
        peak = int(np.argmax(level))
        base = float(np.percentile(level[: peak + 1], 10))
        under = np.flatnonzero(level[:peak] < (level[peak] + base) / 2)
        return low + int(under[-1]) * HOP if len(under) and level[peak] - base > CLEAR_DB else None

    def _hiss_ends(self, nominal: int) -> int | None:
        low, level = self._level(HISS_HZ, nominal, 6)
        peak = int(np.argmax(level[: len(level) * 2 // 3]))
        base = float(np.percentile(level[peak:], 10))
        under = np.flatnonzero(level[peak:] < (level[peak] + base) / 2)
        return low + (peak + int(under[0])) * HOP if len(under) and level[peak] - base > CLEAR_DB else None

    def _burst(self, nominal: int) -> int | None:
        low, level = self._level(ALL_HZ, nominal, 5)
        rise = level[8:] - level[:-8]
        return low + (int(np.argmax(rise)) + 4) * HOP if rise.max() > CLEAR_DB else None

    def _level(self, band_hz: tuple[int, int], nominal: int, before: int) -> tuple[int, Levels]:
        """Energy in a band, dB, around every `HOP` from `before` units before `nominal` to one after it.

        With the sample of the first.
        """
        low = max(0, nominal - before * UNIT_SAMPLES - WINDOW // 2)
        audio = self._audio[low : nominal + UNIT_SAMPLES + WINDOW // 2]
        frames = np.lib.stride_tricks.sliding_window_view(audio, WINDOW)[::HOP] * np.hanning(WINDOW)
        power = np.abs(np.fft.rfft(frames, 512)) ** 2
        hz = np.fft.rfftfreq(512, 1 / RATE_HZ)
        inside = power[:, (hz >= band_hz[0]) & (hz < band_hz[1])].sum(axis=1)
        return low + WINDOW // 2, np.asarray(10 * np.log10(inside + 1e-7))
