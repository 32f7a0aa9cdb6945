"""The household's blends: recipes of voices under names of its own, in voices.json at the root of the store.

What is rendered keeps the recipe, never the name: a blend that is renamed, changed or deleted changes no audio.
"""

import logging
import re
import unicodedata
from pathlib import Path
from typing import Annotated, Final, Literal

from pydantic import Field

from server.errors import BadRequest, Conflict, LecternError, NotFound
from server.render.files import WriteLock, read_record, write_atomically
from server.render.index import FORMAT, Record
from server.render.recipes import Recipe, is_mix, recipe
from server.render.voices import VOICES

log = logging.getLogger(__name__)

FILE: Final = "voices.json"
MOST: Final = 100
LONGEST: Final = 40  # characters of a name
_SPACE: Final = re.compile(r"\s+")
_IDS: Final = frozenset(voice.id for voice in VOICES)


class BlendRecord(Record):
    """A name, and the recipe that it stands for."""

    name: Annotated[str, Field(min_length=1)]
    voice: Annotated[str, Field(min_length=1)]


class VoicesRecord(Record):
    """voices.json: missing where the household has no blends."""

    format: Literal[1] = FORMAT
    blends: tuple[BlendRecord, ...] = ()


class Blends:
    """The blends of the store at `root`. Every method raises StoreError where the file is damaged."""

    def __init__(self, root: Path, writing: WriteLock) -> None:
        self._path = root / FILE
        self._writing = writing

    def all(self) -> dict[str, Recipe]:
        """Name → recipe, by name. What somebody wrote into the file that is no recipe is passed over."""
        found = {}
        for blend in self._read():
            try:
                found[blend.name] = recipe(blend.voice)
            except LecternError as error:
                log.warning("a blend is passed over: %s", error)
                log.debug("that blend is %r", blend.name)
        return dict(sorted(found.items(), key=lambda one: _key(one[0])))

    def find(self, text: str) -> Recipe:
        """What `text` means: a voice, a recipe, or the name of a blend. Raises NotFound, BadRequest."""
        if text in _IDS or is_mix(text):
            return recipe(text)
        named = {_key(name): made for name, made in self.all().items()}
        if (found := named.get(_key(text))) is None:
            raise NotFound(f"There is no voice {text!r}; `lectern voices` lists them.")
        return found

    def put(self, name: str, made: Recipe, new_name: str | None = None) -> str:
        """Keep a blend under `name`, or under `new_name` from now on; gives the name it has.

        Raises BadRequest for a name that cannot be, Conflict where the new one is another's, or there are too many.
        """
        called = tidy(new_name or name)
        with self._writing:
            blends = list(self._read())
            before = next((at for at, one in enumerate(blends) if _key(one.name) == _key(name)), len(blends))
            others = blends[:before] + blends[before + 1 :]
            if any(_key(one.name) == _key(called) for one in others):
                raise Conflict(f"There is a blend called “{called}” already: choose another name, or change that one.")
            if len(others) >= MOST:
                raise Conflict(f"There are {MOST} blends, the most there can be: delete one first.")
            blends[before : before + 1] = [BlendRecord(name=called, voice=str(made))]
            self._write(blends)
        return called

    def remove(self, name: str) -> None:
        """Forget a blend; what is rendered with its recipe stays. Raises NotFound."""
        with self._writing:
            blends = self._read()
            left = [one for one in blends if _key(one.name) != _key(name)]
            if len(left) == len(blends):
                raise NotFound(f"There is no blend called “{name}”.")
            self._write(left)

    def _read(self) -> tuple[BlendRecord, ...]:
        return read_record(self._path, VoicesRecord, "").blends if self._path.exists() else ()

    def _write(self, blends: list[BlendRecord]) -> None:
        write_atomically(self._path, VoicesRecord(blends=tuple(blends)).to_json().encode())


def tidy(name: str) -> str:
    """A name as it is kept. Raises BadRequest for one that could not be told from a voice, or not be written."""
    plain = _SPACE.sub(" ", unicodedata.normalize("NFC", name)).strip()
    if not 1 <= len(plain) <= LONGEST or not plain.strip("."):
        raise BadRequest(f"A blend needs a name of at most {LONGEST} characters.")
    if not plain.isprintable() or set(plain) & set("*+/\\"):
        raise BadRequest(f"A blend cannot be called {plain!r}: leave out *, +, slashes and what cannot be seen.")
    if plain.casefold() in _IDS:
        raise BadRequest(f"{plain} is a voice already: give the blend another name.")
    return plain


def _key(name: str) -> str:
    return unicodedata.normalize("NFKC", _SPACE.sub(" ", name).strip()).casefold()
