"""Who reads for a voice: English in two accents, the other languages by readers of their own, each loaded when needed.

A voice is of one language, and a book has a voice of its language: so the voice alone decides.
"""

from collections.abc import Sequence
from typing import Protocol

from server.library.languages import Spoken
from server.render.pronounce.overrides import Override
from server.render.pronounce.words import Phonemes
from server.render.voices import voice as find_voice


class Pronouncer(Protocol):
    """Text to phonemes, as `server.render.g2p.G2P` does it."""

    def sentences(
        self, texts: Sequence[str], headings: Sequence[bool], overrides: Sequence[Sequence[Override]] | None = None
    ) -> list[Phonemes]: ...


class Pronouncers:
    """Gives the pronouncer of a voice, and keeps it. Not thread-safe."""

    def __init__(self) -> None:
        self._loaded: dict[tuple[str, bool], Pronouncer] = {}

    def __call__(self, voice: str) -> Pronouncer:
        """Loading takes seconds the first time. Raises NotFound for an unknown voice, SetupError for a missing part."""
        found = find_voice(voice)
        key = found.speaks.code, found.british
        if key not in self._loaded:
            self._loaded[key] = _load(found.speaks, found.british)
        return self._loaded[key]


def _load(language: Spoken, british: bool) -> Pronouncer:
    # Imported late: each brings a dictionary, and a household that reads English needs only the first.
    match language.reader:
        case "english":
            from server.render.g2p import G2P

            return G2P(british)
        case "espeak":
            from server.render.foreign.espeaking import EspeakReader

            return EspeakReader(language.code)
        case "japanese":
            from server.render.foreign.japanese import JapaneseReader

            return JapaneseReader()
        case "mandarin":
            from server.render.foreign.mandarin import MandarinReader

            return MandarinReader()
