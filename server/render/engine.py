"""The contract every voice engine meets, whatever runs behind it."""

from collections.abc import Callable, Collection
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from server.render.index import Engine

KOKORO = "kokoro-82m"
KOKORO_VERSION = "1"  # of what the port makes of equal weights: a new one makes other audio


def kokoro_engine(weights_sha256: str) -> Engine:
    """The identity of Kokoro with the given weights, known without loading them."""
    return Engine(name=KOKORO, version=KOKORO_VERSION, weights=weights_sha256[:16])


@dataclass(frozen=True, slots=True)
class Take:
    """What one pass gave: `audio` float32 [n] at 24 kHz and the frames (25 ms, 600 samples) of each input id.

    `pred_dur` holds one count per phoneme plus one for each of the two boundary ids, and `n == 600 * sum(pred_dur)`.
    """

    audio: NDArray[np.float32]
    pred_dur: tuple[int, ...]


class Stopped(Exception):
    """A pass was given up because `stop` said so. Nothing is wrong; it can be asked for again."""


class Synthesizer(Protocol):
    """Turns one pass of phonemes into audio. Not thread-safe: one thread owns it."""

    @property
    def engine(self) -> Engine:
        """What makes the sound: part of every provenance."""

    @property
    def voices(self) -> Collection[str]: ...

    def render(self, phonemes: str, voice: str, *, speed: float, seed: int, stop: Callable[[], bool]) -> Take:
        """Render one pass. Equal arguments give equal samples.

        Raises Stopped when `stop` turned true, RenderError for an unknown voice or phonemes it cannot take.
        """
