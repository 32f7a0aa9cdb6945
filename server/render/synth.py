"""Kokoro behind the Synthesizer contract; the only user of the model port."""

import hashlib
import json
import logging
import os
import re
from collections.abc import Callable, Collection
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from server.errors import DeviceWrong, LecternError, NotSpeech, RenderError, StoreError
from server.kokoro_mlx import PhonemesError, WeightsError, blas, load, load_voices, mixed
from server.kokoro_mlx import Stopped as PortStopped
from server.kokoro_mlx.check import (
    PHONEMES,
    SEED,
    SPEED,
    Reading,
    TooOldError,
    WrongNumbersError,
    compare,
    has_gpu,
    on_cpu,
    on_gpu,
    probe,
    read,
    require,
    stored,
    use_cpu,
)
from server.render.engine import Stopped, Take
from server.render.files import write_atomically
from server.render.index import Engine
from server.render.messages import Compute
from server.render.recipes import recipe

log = logging.getLogger(__name__)

WEIGHTS, VOICES = "kokoro.safetensors", "voices.safetensors"
MIXES = 16  # recipes whose tables are kept, of half a megabyte each


class KokoroSynth:
    """Kokoro-82M on MLX. Owned by one thread."""

    def __init__(self, models: Path, engine: Engine, threads: int, compute: Compute = "device") -> None:
        """Load weights and voices.

        Raises RenderError naming the file that cannot be loaded, or an MLX too old; DeviceWrong where the device fails.
        """
        self._models, self._threads, self._compute = models, threads or default_threads(), compute
        if compute == "cpu":
            use_cpu()
        try:
            require()
            self._model = load(models / WEIGHTS, threads=self._threads)
            self._voices = load_voices(models / VOICES)
            self._mixed: dict[str, NDArray[np.float32]] = {}
        except TooOldError as error:
            raise RenderError(f"{error}. Run `make setup`.") from error
        except (OSError, WeightsError) as error:
            raise RenderError(f"The model in {models} cannot be loaded ({error}). Run `lectern setup`.") from error
        except RuntimeError as error:  # of MLX, where a device gives up
            if _short_of_memory(error):
                raise MemoryError(str(error)) from error
            raise DeviceWrong(f"the device broke off while the model was loaded ({error})") from error
        self.engine = engine

    @property
    def voices(self) -> Collection[str]:
        return self._voices.keys()

    @property
    def device(self) -> str:
        """What it computes on, in words."""
        if not on_gpu():
            return f"the CPU with {blas.described()}"
        return "the GPU without TF32" if self._compute == "no-tf32" else "the GPU"

    @property
    def gpu(self) -> bool:
        """Whether the machine has a GPU, used or not."""
        return has_gpu()

    def check(self) -> str | None:
        """Compare the device's numbers with those of a CPU: what is wrong with them, in words, or None. About 1 s."""
        try:
            probe()
            found = read(self._model)
            compare(found, stored(self.engine.weights) or self._own_reading(found))
        except (WrongNumbersError, RuntimeError) as error:  # MLX raises RuntimeError where a device gives up
            self._require_weights()
            return str(error)
        return None

    def _require_weights(self) -> None:
        """Before a device is blamed: raise RenderError where the file is not the one that was installed."""
        try:
            with (self._models / WEIGHTS).open("rb") as stream:
                found = hashlib.file_digest(stream, "sha256").hexdigest()
        except OSError as error:
            raise RenderError(f"The model in {self._models} cannot be read ({error}). Run `lectern setup`.") from error
        if not found.startswith(self.engine.weights):
            raise RenderError(f"The model in {self._models} is damaged. Run `lectern setup`.")

    def _own_reading(self, found: Reading) -> Reading:
        """What this machine's CPU reads with weights that nobody has stored a reading of; it is asked only once."""
        path = self._models / f"selfcheck-{self.engine.weights}.json"
        asked = [PHONEMES, SPEED, SEED, self.engine.version]
        try:
            told = json.loads(path.read_bytes())
            if told["input"] == asked:
                return Reading.from_json(told["reading"])
        except (OSError, ValueError, KeyError, TypeError):
            log.info("the CPU is asked what these weights say")
        if on_gpu():
            found = on_cpu(self._read_anew)
        compare(found, found)  # which it does not pass if it is no numbers
        try:
            write_atomically(path, json.dumps({"input": asked, "reading": found.to_json()}).encode())
        except StoreError as error:  # a folder that may only be read: then the CPU is asked at each start
            log.info("the reading is not kept: %s", error)
        return found

    def _read_anew(self) -> Reading:
        probe()  # the judge is judged too
        return read(load(self._models / WEIGHTS, threads=self._threads))

    def render(self, phonemes: str, voice: str, *, speed: float, seed: int, stop: Callable[[], bool]) -> Take:
        style = self._style(voice)
        if not speed > 0:
            raise RenderError(f"The speed must be above zero, not {speed}.")
        try:
            take = self._model.render(phonemes, style, speed=speed, seed=seed, stop=stop)
        except PortStopped:
            raise Stopped from None
        except (PhonemesError, WeightsError) as error:
            raise RenderError(str(error)) from error
        except (ValueError, OverflowError, RuntimeError) as error:  # durations that are no numbers; a device that fails
            if _short_of_memory(error):
                raise MemoryError(str(error)) from error
            raise NotSpeech(f"The engine broke off ({error}). Run `lectern doctor`.") from error
        return Take(take.audio, take.pred_dur)

    def _style(self, voice: str) -> NDArray[np.float32]:
        """The table of a voice, or of the mix that a recipe asks for. Raises RenderError where there is none."""
        if (known := self._voices.get(voice)) is not None:
            return known
        if (made := self._mixed.get(voice)) is not None:
            return made
        try:
            shares = recipe(voice).shares
            made = mixed([(self._voices[one.voice], one.weight) for one in shares])
        except (KeyError, LecternError) as error:
            raise RenderError(f"There is no voice {voice!r}; `lectern voices` lists them.") from error
        if len(self._mixed) >= MIXES:
            self._mixed.clear()
        self._mixed[voice] = made
        return made


def _short_of_memory(error: Exception) -> bool:
    """MLX says so in words only."""
    return re.search(r"\balloc|insufficient memory|out of memory", str(error), re.IGNORECASE) is not None


def default_threads() -> int:
    """All cores but one: the threads of a matrix product wait for each other in a busy loop, and with one thread too
    many for the machine a pass takes six times the CPU (measured: 19 s instead of 3 for 1.65 s of audio).
    """
    return max(1, (os.cpu_count() or 2) - 1)
