"""What somebody thinks of voices, kept in audition.json in the data folder: stars, notes, favourites and scores."""

import threading
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Annotated, Final, Literal, TypeVar

from pydantic import Field

from server.audition.passages import PairKind
from server.errors import BadRequest, Conflict, NotFound
from server.render.files import read_or_keep, write_atomically
from server.render.index import FORMAT, Count, Record

T = TypeVar("T")

FILE: Final = "audition.json"
MOST: Final = 1_000  # voices: more nobody has heard
LONGEST_VOICE: Final = 200


class Opinion(Record):
    """Of one voice: 0 stars is none given."""

    stars: Annotated[int, Field(ge=0, le=5)] = 0
    note: str = ""
    favourite: bool = False

    @property
    def empty(self) -> bool:
        return self == Opinion()


class Tally(Record):
    """So many out of so many: rounds won of those taken part in, or answers right of those given."""

    good: Count = 0
    of: Count = 0

    def plus(self, good: bool) -> "Tally":
        return Tally(good=self.good + good, of=self.of + 1)


class AuditionRecord(Record):
    """audition.json: missing where nobody has said anything yet."""

    format: Literal[1] = FORMAT
    voices: Mapping[str, Opinion] = {}
    blind: Mapping[str, Tally] = {}
    pairs: Mapping[str, Mapping[PairKind, Tally]] = {}


class Opinions:
    """The file in `folder`. A damaged one is put under another name, and a new one begun. Safe between threads."""

    def __init__(self, folder: Path) -> None:
        self._path = folder / FILE
        self._writing = threading.Lock()

    def read(self) -> AuditionRecord:
        """All of it. Raises StoreError."""
        return read_or_keep(self._path, AuditionRecord) or AuditionRecord()

    def think(self, voice: str, opinion: Opinion) -> AuditionRecord:
        """Keep what somebody thinks of a voice. Raises NotFound, Conflict, StoreError."""
        name = plausible_voice(voice)

        def change(was: AuditionRecord) -> AuditionRecord:
            voices = {key: value for key, value in was.voices.items() if key != name}
            if not opinion.empty:
                voices[name] = opinion
            return was.model_copy(update={"voices": _few(voices)})

        return self._change(change)

    def judge(self, heard: Sequence[str], won: str) -> AuditionRecord:
        """These were heard, and that was liked best. Raises BadRequest, NotFound, Conflict, StoreError."""
        names = [plausible_voice(voice) for voice in heard]
        if len(set(names)) < 2 or len(set(names)) != len(names):
            raise BadRequest("A blind round needs at least two voices, each of them once.")
        if won not in names:
            raise NotFound("The best of a blind round is one of those that were heard in it.")

        def change(was: AuditionRecord) -> AuditionRecord:
            told = {name: was.blind.get(name, Tally()).plus(name == won) for name in names}
            return was.model_copy(update={"blind": _few({**was.blind, **told})})

        return self._change(change)

    def answer(self, voice: str, kind: PairKind, right: bool) -> AuditionRecord:
        """A sentence was taken for a question or a statement. Raises NotFound, Conflict, StoreError."""
        name = plausible_voice(voice)

        def change(was: AuditionRecord) -> AuditionRecord:
            own = was.pairs.get(name, {})
            told = {**own, kind: own.get(kind, Tally()).plus(right)}
            return was.model_copy(update={"pairs": _few({**was.pairs, name: told})})

        return self._change(change)

    def forget_scores(self, what: Literal["blind", "pairs"]) -> AuditionRecord:
        """Begin to count anew; stars and notes stay. Raises StoreError."""
        return self._change(lambda was: was.model_copy(update={what: {}}))

    def _change(self, change: Callable[[AuditionRecord], AuditionRecord]) -> AuditionRecord:
        with self._writing:
            told = change(self.read())
            write_atomically(self._path, told.to_json().encode())
            return told


def plausible_voice(voice: str) -> str:
    """The name of a voice as a key. Raises NotFound for what can be none."""
    if not 1 <= len(voice) <= LONGEST_VOICE or not voice.isprintable() or voice != voice.strip():
        raise NotFound(f"There is no such voice: its name has at most {LONGEST_VOICE} characters that can be seen.")
    return voice


def _few(voices: dict[str, T]) -> dict[str, T]:
    if len(voices) > MOST:
        raise Conflict(f"There is something said of {MOST:,} voices already; take some of it back first.")
    return voices
