"""A synthesizer that makes tones: every letter lasts 3 frames, every mark or space 6 frames of silence."""

from collections.abc import Callable

import numpy as np

from server.render.engine import Stopped, Take
from server.render.index import Engine

ENGINE = Engine(name="tones", version="1", weights="0000")
SILENT = set(' ;:,.!?—…"()“”ˈˌ')
FRAME_SAMPLES = 600


class FakeSynth:
    """Meets `server.render.engine.Synthesizer`; equal arguments give equal samples."""

    engine = ENGINE
    voices = ("af_heart", "bf_emma")
    device = "a tone generator"

    def render(self, phonemes: str, voice: str, *, speed: float, seed: int, stop: Callable[[], bool]) -> Take:
        durations = [4, *(6 if symbol in SILENT else 3 for symbol in phonemes), 2]
        audio = np.zeros(sum(durations) * FRAME_SAMPLES, np.float32)
        at = durations[0] * FRAME_SAMPLES
        breath = np.random.default_rng(len(phonemes))
        for symbol, frames in zip(phonemes, durations[1:-1], strict=True):
            if stop():
                raise Stopped
            length = frames * FRAME_SAMPLES
            if symbol not in SILENT:
                hertz = 200 + 5 * (ord(symbol) % 80)
                # The tone begins two frames early, as the model's speech does.
                start = at - 2 * FRAME_SAMPLES
                audio[start : start + length] = 0.3 * np.sin(2 * np.pi * hertz * np.arange(length) / 24_000)
                # A voice never says a thing twice in the same way.
                audio[start : start + length] += 0.1 * breath.standard_normal(length)
            at += length
        # Nor is its silence digital: AAC takes three times as long over sound beside exact zeros.
        audio += 1e-6 * breath.standard_normal(len(audio)).astype(np.float32)
        return Take(audio, tuple(durations))
