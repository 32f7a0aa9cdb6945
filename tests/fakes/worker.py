"""The real render process with tones for a voice and letters for phonemes.

`LECTERN_TEST_PASS_S` makes each pass take that long; while the file `LECTERN_TEST_DISK_FULL` exists nothing can be
written, while `LECTERN_TEST_HOARD` exists there is not enough memory; a text with the word "crash" ends the process,
one with "refuse" cannot be rendered; one with "vanish" ends the process, and one with "stumble" fails, as it is read.
With `LECTERN_TEST_WIRE` all that is rendered goes through bytes.
`LECTERN_TEST_COMPUTE=cpu` is a machine whose GPU computes wrong numbers.
"""

import os
import re
import resource
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from server.errors import RenderError, StoreError
from server.render import holding
from server.render.engine import Take
from server.render.messages import PREVIEWS
from server.render.preview import Previewer
from server.render.pronounce.words import Phonemes, PhonemeWord
from server.render.renderer import Renderer
from server.render.store import Store
from server.render.worker import Voice, main
from tests.fakes.synth import FakeSynth
from tests.fakes.wire import WireSynth


class Letters:
    """Phonemes that are the text's own ASCII letters, or those of the words of a rule, ended by a stop."""

    def sentences(
        self, texts: Sequence[str], headings: Sequence[bool], overrides: Sequence[Sequence[Any]] | None = None
    ) -> list[Phonemes]:
        if any("vanish" in text for text in texts):
            os._exit(11)
        if any("stumble" in text for text in texts):
            raise AssertionError("a library did not expect this")
        said = [{one.start: one.words or "" for one in asked} for asked in overrides or [()] * len(texts)]
        return [self._one(text, otherwise) for text, otherwise in zip(texts, said, strict=True)]

    @staticmethod
    def _one(text: str, otherwise: dict[int, str]) -> Phonemes:
        phonemes, words = "", []
        for match in re.finditer(r"\w+", text):
            heard = otherwise.get(match.start(), match[0]).lower()
            said = "".join(letter for letter in heard if "a" <= letter <= "z") or "a"
            phonemes += " " if phonemes else ""
            words.append(PhonemeWord(match.start(), match.end(), len(phonemes), len(phonemes) + len(said)))
            phonemes += said
        return Phonemes(phonemes=phonemes + "." if phonemes else "", words=tuple(words), guessed=())


class FullDisk(Store):
    def write_sentence(self, *given: Any, **named: Any) -> Path:
        if Path(os.environ.get("LECTERN_TEST_DISK_FULL", "/nowhere")).exists():
            raise StoreError("The disk is full.")
        return super().write_sentence(*given, **named)


class Moody(FakeSynth):
    @staticmethod
    def hoard() -> None:
        """Ask for more memory than the system gives."""
        limits = resource.getrlimit(resource.RLIMIT_AS)
        resource.setrlimit(resource.RLIMIT_AS, (4 << 30, limits[1]))
        try:
            np.ones(1 << 30)
        finally:
            resource.setrlimit(resource.RLIMIT_AS, limits)

    def render(self, phonemes: str, voice: str, *, speed: float, seed: int, stop: Callable[[], bool]) -> Take:
        if Path(os.environ.get("LECTERN_TEST_HOARD", "/nowhere")).exists():
            self.hoard()
        if "crash" in phonemes:
            os._exit(11)
        if "refuse" in phonemes:
            raise RenderError("The engine refuses this.")
        time.sleep(float(os.environ.get("LECTERN_TEST_PASS_S", "0")))
        return super().render(phonemes, voice, speed=speed, seed=seed, stop=stop)


def load(store: Store, _options: Any) -> Voice:
    compute: Any = os.environ.get("LECTERN_TEST_COMPUTE", "device")
    synth = WireSynth(Moody()) if os.environ.get("LECTERN_TEST_WIRE") else Moody()
    renderer = Renderer(FullDisk(store.root), synth, lambda _british: Letters())
    previewer = Previewer(store, Moody(), lambda _voice: Letters(), store.root.parent / PREVIEWS, 48_000)
    return Voice(renderer, FakeSynth.device, previewer=previewer, compute=compute)


if __name__ == "__main__":
    holding.PATIENCE_S = float(os.environ.get("LECTERN_TEST_LOCK_S", holding.PATIENCE_S))  # type: ignore[misc]
    sys.exit(main(load=load))
