"""Previews: a text read, and said, in the render process, kept for as long as somebody may listen to it."""

import logging
from collections.abc import Callable
from pathlib import Path
from typing import Final

import numpy as np

from server.errors import RenderError
from server.render.engine import Synthesizer
from server.render.files import write_atomically
from server.render.index import SAFE_NAME
from server.render.lexicon.files import Lexicon
from server.render.lexicon.grammar import read_rules
from server.render.lexicon.match import Layer, RuleSet
from server.render.messages import PreviewDone, PreviewRequest
from server.render.reading import interpret
from server.render.recital import Pronouncer, perform
from server.render.soundfile import Samples, sound_file
from server.render.store import Store

log = logging.getLogger(__name__)

KEPT: Final = 50  # files; older ones go
_TRIAL: Final = "trial"
_TRIAL_RANK: Final = 9  # inside the book's own layer


class Previewer:
    """Reads and says what it is asked to. Owned by one thread."""

    def __init__(
        self, store: Store, synth: Synthesizer, pronouncer: Callable[[str], Pronouncer], folder: Path, bitrate: int
    ) -> None:
        self._store = store
        self._lexicon = Lexicon(store.root)
        self._synth = synth
        self._pronouncer = pronouncer
        self._folder = folder
        self._bitrate = bitrate

    def preview(self, order: PreviewRequest, stop: Callable[[], bool]) -> PreviewDone:
        """Do as `order` says. Raises Stopped, NotFound, BadRequest, RenderError, NotSpeech, StoreError."""
        if order.source is not None:
            audio = self._kept(order.source)
            self._keep(str(order.audio), audio, order.form)
            return PreviewDone(order.id, (), (), len(audio))
        if order.book is not None:
            known = self._lexicon.of_book(self._store.book(order.book))
        else:
            known = self._lexicon.of_household()
        trial = read_rules(order.rules)
        rules = RuleSet((*known.layers, Layer(_TRIAL, _TRIAL_RANK, trial.rules)))
        reading = interpret(order.text, order.voice, self._pronouncer(order.voice), rules, inline=order.inline)
        uttered = (
            list(perform(reading.lines, self._synth, order.voice, speed=order.speed, stop=stop))
            if order.audio is not None
            else []
        )
        audio = np.concatenate([one.audio for one in uttered]) if uttered else np.zeros(0, np.float32)
        if order.audio is not None:
            self._keep(order.audio, audio, order.form)
        return PreviewDone(order.id, tuple(reading.objects(uttered)), tuple(map(str, trial.problems)), len(audio))

    def _kept(self, name: str) -> Samples:
        if SAFE_NAME.fullmatch(name) is None:
            raise RenderError(f"{name!r} is no name for a preview.")
        try:
            return np.fromfile(self._folder / f"{name}.pcm", "<i2").astype(np.float32) / np.float32(32_767)
        except OSError as error:
            raise RenderError("What was to be turned into a sound file is gone; ask for it again.") from error

    def _keep(self, name: str, audio: Samples, kind: str) -> None:
        if SAFE_NAME.fullmatch(name) is None:
            raise RenderError(f"{name!r} is no name for a preview.")
        silence = np.zeros(2_400, np.float32)  # of a text with nothing to say
        data = sound_file(audio if len(audio) else silence, kind, self._bitrate)
        write_atomically(self._folder / f"{name}{kind}", data)
        try:
            files = sorted(self._folder.glob("[!.]*.*"), key=lambda path: path.stat().st_mtime, reverse=True)
            for old in files[KEPT:]:
                old.unlink(missing_ok=True)
        except OSError as error:  # one that was taken away meanwhile is none to take away
            log.warning("an old preview stays: %s", error.strerror)
