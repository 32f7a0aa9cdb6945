"""Kokoro behind the Synthesizer contract; the only user of the model port."""

import logging
import os
import sys
from collections.abc import Callable, Collection
from pathlib import Path

from server.errors import RenderError
from server.kokoro_mlx import Stopped as PortStopped
from server.kokoro_mlx import WeightsError, blas, load, load_voices
from server.render.engine import Stopped, Take
from server.render.index import Engine

log = logging.getLogger(__name__)


class KokoroSynth:
    """Kokoro-82M on MLX. Owned by one thread."""

    def __init__(self, models: Path, engine: Engine, threads: int) -> None:
        """Load weights and voices. Raises RenderError naming the file that cannot be loaded."""
        try:
            self._model = load(models / "kokoro.safetensors", threads=threads or default_threads())
            self._voices = load_voices(models / "voices.safetensors")
        except (OSError, WeightsError) as error:
            raise RenderError(f"The model in {models} cannot be loaded ({error}). Run `lectern setup`.") from error
        self.engine = engine

    @property
    def voices(self) -> Collection[str]:
        return self._voices.keys()

    @property
    def device(self) -> str:
        """What it computes on, in words."""
        return "the GPU" if sys.platform == "darwin" else f"the CPU with {blas.described()}"

    def render(self, phonemes: str, voice: str, *, speed: float, seed: int, stop: Callable[[], bool]) -> Take:
        style = self._voices.get(voice)
        if style is None:
            raise RenderError(f"There is no voice {voice!r}; `lectern voices` lists them.")
        try:
            take = self._model.render(phonemes, style, speed=speed, seed=seed, stop=stop)
        except PortStopped:
            raise Stopped from None
        except ValueError as error:
            raise RenderError(str(error)) from error
        return Take(take.audio, take.pred_dur)


def default_threads() -> int:
    """All cores but one: the threads of a matrix product wait for each other in a busy loop, and with one thread too
    many for the machine a pass takes six times the CPU (measured: 19 s instead of 3 for 1.65 s of audio).
    """
    return max(1, (os.cpu_count() or 2) - 1)
