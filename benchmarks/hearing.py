"""Where words begin and end, by the sound alone: what durations are measured against.

Nothing here knows the product's rules. The nominal time of a word only says which pause is the one before it.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from benchmarks.takes import Paragraph
from server.render.engine import Take
from server.render.onsets import MARKS, UNIT_SAMPLES
from server.render.passes import Pass
from server.render.timing import symbol_starts

RATE_HZ = 24_000
HOP = 24  # 1 ms
WINDOW = 120  # 5 ms
SILENCE_DB = -40  # below the loudest 5 ms of the pass; the breaths of some voices reach −45
SHORTEST_PAUSE = 60  # hops
STOPS, FRICATIVES, SONORANTS = "pbtdkɡʧʤɾ", "fvszʃʒθðh", "mnŋlɹwj"

Samples = NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class Heard:
    """A spoken word in a pass: `number` in sentence `sentence`, its phonemes, what stands between it and the last.

    `nominal` and `nominal_end` are samples by the durations; `onset` is where its sound begins after a pause, and
    `last_end` where the word before that pause ends (nominal: `last_nominal_end`): both None where there is none.
    """

    sentence: int
    number: int
    phonemes: str
    gap: str
    last: str
    nominal: int
    nominal_end: int
    onset: int | None
    last_end: int | None
    last_nominal_end: int | None

    @property
    def units(self) -> float:
        """Onset less nominal start, in units of 25 ms."""
        assert self.onset is not None
        return (self.onset - self.nominal) / UNIT_SAMPLES


def sound_of(phonemes: str) -> str:
    """The first symbol that makes a sound."""
    return phonemes.lstrip("ˈˌ")[:1]


def words_of(paragraph: Paragraph, one: Pass) -> Iterator[tuple[int, int, int, int]]:
    """(sentence, number, start, end) in the pass string of each spoken word that lies whole in `one`."""
    for piece in one.pieces:
        shift = piece.pass_start - piece.ph_start
        for number, word in enumerate(paragraph.said[piece.sentence].words):
            if piece.ph_start <= word.ph_start < word.ph_end <= piece.ph_end:
                yield piece.sentence, number, word.ph_start + shift, word.ph_end + shift


def hear(paragraph: Paragraph, one: Pass, take: Take) -> list[Heard]:
    """Every word of a pass, those after a pause with their measured onset."""
    starts = symbol_starts(take.pred_dur)
    silent = silence(take.audio)
    found: list[Heard] = []
    before: tuple[int, int] | None = None
    for sentence, number, start, end in words_of(paragraph, one):
        gap = one.phonemes[before[1] : start] if before else ""
        pause = None
        if before is None or any(symbol in MARKS for symbol in gap):
            low = starts[before[0]] if before else 0
            pause = pause_before(silent, low, starts[start])
        found.append(
            Heard(
                sentence,
                number,
                one.phonemes[start:end],
                gap,
                one.phonemes[before[1] - 1] if before else "",
                starts[start],
                starts[end],
                pause[1] if pause else None,
                pause[0] if pause and before else None,
                starts[before[1]] if before else None,
            )
        )
        before = start, end
    return found


def silence(audio: Samples) -> NDArray[np.bool_]:
    """Whether the `WINDOW` samples from each `HOP` on are silent."""
    loud = level(audio)
    return np.asarray(loud < loud.max() * 10 ** (SILENCE_DB / 20))


def level(audio: Samples) -> NDArray[np.float64]:
    """Root mean square of `WINDOW` samples from each `HOP` on."""
    power = np.concatenate(([0.0], np.cumsum(np.square(audio, dtype=np.float64))))
    at = np.arange(0, len(audio) - WINDOW, HOP)
    return np.sqrt((power[at + WINDOW] - power[at]) / WINDOW)


def pause_before(silent: NDArray[np.bool_], low: int, nominal: int) -> tuple[int, int] | None:
    """The longest silence that begins after `low` and well before `nominal` and ends near it: its samples."""
    begin, last = low // HOP, (nominal - 2 * UNIT_SAMPLES) // HOP
    edges = np.flatnonzero(np.diff(np.concatenate(([0], silent.astype(np.int8), [0]))))
    runs = [
        (stop - start, start, stop)
        for start, stop in edges.reshape(-1, 2)
        if start < last and stop > begin and stop * HOP < nominal + 4 * UNIT_SAMPLES and stop - start >= SHORTEST_PAUSE
    ]
    if not runs:
        return None
    _, start, stop = max(runs)
    # A window is loud as soon as its newest samples are, silent once its oldest are.
    return start * HOP, stop * HOP + WINDOW - HOP
