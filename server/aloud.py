"""A text read aloud here and now, without a server and without keeping anything: what `lectern say` does."""

from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np

from server.config import Settings
from server.errors import DeviceWrong, NotFound
from server.render.engine import Synthesizer, kokoro_engine
from server.render.files import write_atomically
from server.render.index import SAMPLE_RATE
from server.render.lexicon.files import Lexicon
from server.render.pronouncers import Pronouncers
from server.render.reading import Reading, interpret
from server.render.recital import Uttered, perform
from server.render.soundfile import sound_file
from server.render.store import Store
from server.render.synth import KokoroSynth
from server.setup import check_models


def read_aloud(settings: Settings, text: str, *, voice: str | None, book: str | None, inline: bool) -> Reading:
    """`text` in sentences with their sounds, said as in `book` if one is given. `inline` obeys [word](/phonemes/).

    Raises NotFound for a voice or a book that is not there, BadRequest for a form that cannot be understood.
    """
    lexicon = Lexicon(settings.store)
    store = Store(settings.store)
    record = store.find(book) if book is not None else None
    chosen = str(store.blends.find(voice or (record.voice if record is not None else settings.voice)))
    rules = lexicon.of_book(record) if record is not None else lexicon.of_household()
    return interpret(text, chosen, Pronouncers()(chosen), rules, inline=inline)


def load_voice(settings: Settings) -> Synthesizer:
    """The engine, on whatever computes right numbers. Raises SetupError, RenderError, DeviceWrong."""
    engine = kokoro_engine(check_models(settings.models).weights_sha256)
    try:
        synth = KokoroSynth(settings.models, engine, settings.threads)
        fault = synth.check()
    except DeviceWrong as error:
        fault = str(error)
    if fault is None:
        return synth
    synth = KokoroSynth(settings.models, engine, settings.threads, "cpu")
    if worse := synth.check():
        raise DeviceWrong(f"Nothing is said: the numbers are wrong on the CPU too ({worse}). Run `lectern doctor`.")
    return synth


def utter(settings: Settings, reading: Reading, *, speed: float) -> Iterator[Uttered]:
    """The sentences of `reading` as sound, each as soon as it is there. Raises as `load_voice`, RenderError."""
    if not any(line.passes for line in reading.lines):
        return
    yield from perform(reading.lines, load_voice(settings), reading.voice, speed=speed)


def check_target(path: Path) -> None:
    """Raise BadRequest for a name of no kind of sound file, NotFound without its folder, before any work is done."""
    sound_file(np.zeros(SAMPLE_RATE // 10, np.float32), path.suffix, 48_000)
    if not path.absolute().parent.is_dir():
        raise NotFound(f"There is no folder {path.parent} to write {path.name} into.")


def save(path: Path, uttered: Sequence[Uttered], bitrate: int) -> None:
    """All of it as one sound file of the kind that its name says. Raises BadRequest, StoreError."""
    audio = np.concatenate([one.audio for one in uttered]) if uttered else np.zeros(SAMPLE_RATE // 10, np.float32)
    write_atomically(path, sound_file(audio, path.suffix, bitrate))
