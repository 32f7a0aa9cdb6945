"""Passes of our own text, rendered once and kept: what the measurements of word timing work on.

Text goes the way of the product: front end, passes, synthesis with the seed that the renderer would choose.
"""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from server.render.engine import Take, kokoro_engine
from server.render.g2p import G2P
from server.render.passes import Pass, plan
from server.render.pronounce.words import Phonemes
from server.render.synth import KokoroSynth
from server.render.takes import seed_of


@dataclass(frozen=True, slots=True)
class Paragraph:
    """`texts` and their phonemes, and the passes that speak them in `voice`."""

    voice: str
    texts: tuple[str, ...]
    said: tuple[Phonemes, ...]
    passes: tuple[Pass, ...]


class Studio:
    """Paragraphs and takes, the takes kept in `folder`. The model is loaded when a take is missing."""

    def __init__(self, folder: Path, models: Path, threads: int = 2) -> None:
        self._folder, self._models, self._threads = folder, models, threads
        self._g2p: dict[bool, G2P] = {}
        self._synth: KokoroSynth | None = None
        folder.mkdir(parents=True, exist_ok=True)

    def paragraph(self, texts: Sequence[str], voice: str) -> Paragraph:
        british = voice.startswith("b")
        if british not in self._g2p:
            self._g2p[british] = G2P(british)
        said = self._g2p[british].sentences(texts, [False] * len(texts))
        return Paragraph(voice, tuple(texts), tuple(said), tuple(plan(said, [0] * len(said))))

    def take(self, phonemes: str, voice: str, speed: float = 1.0) -> Take:
        """The pass `phonemes` in `voice`, from the folder or from the model."""
        path = self._path(phonemes, voice, speed)
        if not path.exists():
            if self._synth is None:
                self._synth = KokoroSynth(self._models, kokoro_engine("measurement"), self._threads)
            made = self._synth.render(phonemes, voice, speed=speed, seed=seed_of(phonemes, voice), stop=lambda: False)
            whole = path.with_suffix(".part.npz")
            np.savez(whole, audio=made.audio, pred_dur=np.array(made.pred_dur))
            whole.rename(path)
        kept = np.load(path)
        return Take(kept["audio"], tuple(int(frames) for frames in kept["pred_dur"]))

    def has(self, phonemes: str, voice: str) -> bool:
        """Is the pass in the folder?"""
        return self._path(phonemes, voice, 1.0).exists()

    def _path(self, phonemes: str, voice: str, speed: float) -> Path:
        name = hashlib.sha256(f"{voice}\0{speed}\0{phonemes}".encode()).hexdigest()[:24]
        return self._folder / f"{name}.npz"
