"""The layers that hold for a book, and the names of their files: household, author, series, book (pure).

A file of an author is found by the author's name, however a book writes it: "J.R.R. Tolkien" and "Tolkien, J. R. R."
are one person, and share one file.
"""

import hashlib
import re
import unicodedata
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Final, Literal

LayerKind = Literal["household", "author", "series", "book"]

RANKS: Final[Mapping[LayerKind, int]] = {"household": 0, "author": 1, "series": 2, "book": 3}
HOUSEHOLD: Final = "household"
LAYER_ID: Final = re.compile(r"household|(author|series)-([0-9a-z-]{1,80})")
_SLUG_CHARS: Final = 60
_HASH_DIGITS: Final = 8
_HASHED: Final = re.compile(rf"(?:^|-)([0-9a-f]{{{_HASH_DIGITS}}})$")


@dataclass(frozen=True, slots=True)
class Named:
    """A layer: its `id` is also the name of its file; `name` is whom or what it is for."""

    kind: LayerKind
    id: str
    name: str

    @property
    def rank(self) -> int:
        return RANKS[self.kind]


def household() -> Named:
    return Named("household", HOUSEHOLD, "household")


def for_name(kind: LayerKind, name: str) -> Named:
    """The layer of an author or a series."""
    return Named(kind, f"{kind}-{slug(name)}", " ".join(name.split()))


def key(name: str) -> str:
    """What makes two spellings of a name the same: its letters and digits, without accents, first name first."""
    return "".join(_words(name))


def slug(name: str) -> str:
    """`name` as part of a file's name. Two names have one slug only where they have one key."""
    words = "-".join(_words(name))
    plain = re.sub(r"[^0-9a-z]+", "-", words).strip("-")
    if plain == words and key(plain) == key(name) and 0 < len(plain) <= _SLUG_CHARS and not _HASHED.search(plain):
        return plain
    digits = hashlib.sha256(key(name).encode()).hexdigest()[:_HASH_DIGITS]
    return f"{plain[:_SLUG_CHARS].strip('-')}-{digits}".strip("-")


def belongs(layer: Named, file_id: str, header: Mapping[str, str]) -> bool:
    """Whether the file `file_id` (its name without ending) is of `layer`: by its first comment, else by its name."""
    if not file_id.startswith(f"{layer.kind}-"):
        return False
    if (named := header.get(layer.kind)) is not None:
        return key(named) == key(layer.name)
    return file_id == layer.id or key(file_id.removeprefix(f"{layer.kind}-")) == key(layer.name)


def of_book(authors: Iterable[str], series: str | None) -> list[Named]:
    """The layers of a book but its own, the outermost first."""
    found = [household(), *(for_name("author", name) for name in authors if key(name))]
    if series and key(series):
        found.append(for_name("series", series))
    return list(dict.fromkeys(found))


def _words(name: str) -> list[str]:
    last, _, first = name.partition(",")
    name = f"{first} {last}"
    plain = unicodedata.normalize("NFKD", name).casefold()
    plain = "".join(char for char in plain if not unicodedata.combining(char))
    return re.findall(r"[^\W_]+", plain)
