"""The audition behind the API: the engines that take part, what they said lately, and the opinions."""

import asyncio
import hashlib
import json
import logging
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Final

from server.audition.contract import Engine, EngineVoice, WordSpan
from server.audition.opinions import Opinions
from server.audition.performing import Performance, perform
from server.audition.say import SayEngine
from server.errors import LecternError, NotFound
from server.render.files import write_atomically
from server.render.wavefile import as_wav

log = logging.getLogger(__name__)

FOLDER: Final = "audition"
KEPT: Final = 60  # takes of other engines; older ones go


@dataclass(frozen=True, slots=True)
class Heard:
    """A take of an engine: the name of its WAV file, its length in samples, its words, and whether they are timed."""

    name: str
    samples: int
    words: tuple[WordSpan, ...]
    timed: bool


@dataclass(frozen=True, slots=True)
class Troupe:
    """An engine with its voices, or with the sentence that says why there are none."""

    engine: Engine
    voices: tuple[EngineVoice, ...]
    trouble: str | None


class Audition:
    """In the data folder `data`. `engines` are those besides Lectern's own voice."""

    def __init__(self, data: Path, engines: Sequence[Engine] | None = None) -> None:
        self.opinions = Opinions(data)
        self._folder = data / FOLDER
        self._engines = tuple(engines) if engines is not None else (SayEngine(),)
        self._one = asyncio.Lock()

    async def troupes(self) -> list[Troupe]:
        """Every engine, whether it can be used or not. Never raises for an engine that fails."""
        return [await self._troupe(engine) for engine in self._engines]

    async def _troupe(self, engine: Engine) -> Troupe:
        if (why := engine.trouble()) is not None:
            return Troupe(engine, (), why)
        try:
            return Troupe(engine, tuple(await engine.voices()), None)
        except LecternError as error:
            log.warning("an engine of the audition fails: %s", error)
            return Troupe(engine, (), str(error))

    def engine_of(self, voice: str) -> tuple[Engine, str] | None:
        """The engine that a voice such as `say:Daniel` belongs to, and its own name for it; None for Lectern's own."""
        name, colon, own = voice.partition(":")
        if not colon:
            return None
        engine = next((one for one in self._engines if one.declared.id == name), None)
        if engine is None:
            raise NotFound(f"There is no engine {name!r} here.")
        return engine, own

    async def say(self, engine: Engine, voice: str, text: str) -> Heard:
        """A passage, from the disk where it was said lately; one at a time.

        Raises BadRequest, NotFound, RenderError, StoreError.
        """
        key = json.dumps([engine.declared.id, engine.declared.word_times, voice, text])
        name = hashlib.sha256(key.encode()).hexdigest()[:32]
        async with self._one:
            if (there := await asyncio.to_thread(self._kept, name)) is not None:
                return there
            said = await perform(engine, text, voice)
            return await asyncio.to_thread(self._keep, name, said)

    def path(self, name: str) -> Path:
        """Where the sound of a take lies, if it is still kept."""
        return self._folder / f"{name}.wav"

    def _kept(self, name: str) -> Heard | None:
        try:
            told = json.loads(self.path(name).with_suffix(".json").read_bytes())
            words = tuple(WordSpan(**one) for one in told["words"])
            return Heard(name, told["samples"], words, told["timed"]) if self.path(name).is_file() else None
        except (OSError, ValueError, TypeError, KeyError):
            return None

    def _keep(self, name: str, said: Performance) -> Heard:
        made = Heard(name, len(said.pcm) // 2, said.words, said.timed)
        write_atomically(self.path(name), as_wav(said.pcm))
        write_atomically(self.path(name).with_suffix(".json"), json.dumps(asdict(made)).encode())
        try:
            kept = sorted(self._folder.glob("[!.]*.wav"), key=lambda path: path.stat().st_mtime, reverse=True)
            for old in kept[KEPT:]:
                old.unlink(missing_ok=True)
                old.with_suffix(".json").unlink(missing_ok=True)
        except OSError as error:  # one that was taken away meanwhile is none to take away
            log.warning("an old take stays: %s", error.strerror)
        return made
