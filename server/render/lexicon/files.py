"""The files of rules beside the store, read again when they change, written whole or not at all."""

import hashlib
import threading
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from server.errors import BadRequest, Conflict, NotFound
from server.render.files import Stamp, WriteLock, stamp_of, write_atomically
from server.render.layout import safe_name
from server.render.lexicon.grammar import Parsed, Problem, read_rules
from server.render.lexicon.layers import LAYER_ID, Named, belongs, household, key, of_book
from server.render.lexicon.match import Layer, RuleSet
from server.render.records import BookRecord

MAX_BYTES: Final = 1_000_000
FOLDER: Final = "lexicon"
BOOK_FILE: Final = "overrides.txt"
NO_FILE: Final = hashlib.sha256(b"").hexdigest()[:32]  # the tag of what is not there: as of an empty file
_KEPT: Final = 256
_BOOK_RANK: Final = 3


@dataclass(frozen=True, slots=True)
class RuleFile:
    """A file as it was when it was read: `tag` changes with every change of its bytes."""

    text: str
    tag: str
    parsed: Parsed


EMPTY: Final = RuleFile("", NO_FILE, Parsed())


@dataclass(frozen=True, slots=True)
class Place:
    """A layer and the files that hold it; the first is the one that is written."""

    layer: Named
    paths: tuple[Path, ...]


def read_bytes(data: bytes) -> RuleFile:
    """A file's content as rules. One that is no text, or too long, has one problem and no rules."""
    tag = hashlib.sha256(data).hexdigest()[:32]
    if len(data) > MAX_BYTES:
        problem = f"The file is larger than {MAX_BYTES // 1_000_000} MB, so nothing of it is used; shorten it."
        return RuleFile("", tag, Parsed(problems=(Problem(0, problem),)))
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        problem = f"The file is no UTF-8 text (see line {line}), so nothing of it is used; save it as UTF-8."
        return RuleFile(data.decode("utf-8", "replace"), tag, Parsed(problems=(Problem(0, problem),)))
    return RuleFile(text, tag, read_rules(text))


class Lexicon:
    """All rule files of the store at `root`. Safe between threads."""

    def __init__(self, root: Path, writing: WriteLock | None = None) -> None:
        self._root = root
        self._lock = threading.Lock()
        self._writing = writing or WriteLock(root / ".lock")
        self._files: dict[Path, tuple[Stamp | None, RuleFile]] = {}
        self._sets: dict[tuple[object, ...], RuleSet] = {}

    def of_book(self, record: BookRecord) -> RuleSet:
        """The rules that hold for a book now. The same object while no file has changed."""
        places = self.places(record)
        files = [(place.layer, path, self.read(path)) for place in places for path in place.paths]
        version = (record.id, *((layer.id, path.name, file.tag) for layer, path, file in files))
        with self._lock:
            if (found := self._sets.get(version)) is not None:
                return found
        made = RuleSet(tuple(Layer(_name(layer, path), layer.rank, file.parsed.rules) for layer, path, file in files))
        with self._lock:
            while len(self._sets) >= _KEPT:
                del self._sets[next(iter(self._sets))]
            return self._sets.setdefault(version, made)

    def of_household(self) -> RuleSet:
        """The rules that hold where there is no book."""
        layer = household()
        path = self._root / FOLDER / f"{layer.id}.txt"
        return RuleSet((Layer(layer.id, layer.rank, self.read(path).parsed.rules),))

    def places(self, record: BookRecord) -> list[Place]:
        """The layers of a book, the outermost first, its own last, with the files of each."""
        there = self._there()
        return [
            *(Place(layer, self._paths(layer, there)) for layer in of_book(record.authors, record.series)),
            self.book(record),
        ]

    def book(self, record: BookRecord) -> Place:
        """The layer of the book itself."""
        path = self._root / "books" / safe_name(record.id, "book") / BOOK_FILE
        return Place(Named("book", "book", record.title), (path,))

    def known(self, records: list[BookRecord]) -> list[Place]:
        """Every layer but those of single books: of the household, of who and what these books name, of every file."""
        there = self._there()
        named = [household(), *(layer for record in records for layer in of_book(record.authors, record.series))]
        layers: dict[tuple[str, str], Named] = {}
        for layer in named:  # one author may be written in several ways
            layers.setdefault((layer.kind, key(layer.name)), layer)
        found = [Place(layer, self._paths(layer, there)) for layer in layers.values()]
        taken = {path for place in found for path in place.paths}
        return found + [Place(_of_file(path, self.read(path)), (path,)) for path in there if path not in taken]

    def place(self, layer: str, records: list[BookRecord]) -> Place:
        """One of `known`, by its id in any spelling of its name, or by the name of a file. Raises NotFound."""
        if LAYER_ID.fullmatch(layer):
            there = self._there()
            for record in records:
                for named in of_book(record.authors, record.series):
                    if named.id == layer:
                        return Place(named, self._paths(named, there))
            for place in self.known(records):
                if layer in (place.layer.id, *(path.stem for path in place.paths)):
                    return place
        raise NotFound(
            "There is no such layer: neither a file of this name, nor an author or series of it on the shelf."
        )

    def read(self, path: Path) -> RuleFile:
        """The file at `path`, parsed once for each of its versions; empty where there is none. Never raises."""
        stamp = stamp_of(path)
        if stamp is None:
            return EMPTY
        with self._lock:
            if (held := self._files.get(path)) and held[0] == stamp:
                return held[1]
        try:
            with path.open("rb") as stream:
                read = read_bytes(stream.read(MAX_BYTES + 1))
        except FileNotFoundError:
            return EMPTY
        except OSError as error:
            problem = f"The file could not be read ({error.strerror}), so nothing of it is used; check its permissions."
            return RuleFile("", "unreadable", Parsed(problems=(Problem(0, problem),)))
        with self._lock:
            while len(self._files) >= _KEPT:
                del self._files[next(iter(self._files))]
            self._files[path] = (stamp, read)
        return read

    def write(self, place: Place, text: str, expected: str | None) -> RuleFile:
        """Put `text` into the layer's file; `expected` is the tag it must still have, None for any.

        Raises Conflict when it has another, NotFound where its book is gone, BadRequest for a text that is too long,
        StoreError.
        """
        path = place.paths[0]
        data = self.draft(place, text)
        if len(data) > MAX_BYTES:
            raise BadRequest(f"The rules are longer than {MAX_BYTES // 1_000_000} MB, the most that a file may have.")
        with self._writing:
            if path.name == BOOK_FILE and not path.with_name("book.json").exists():
                raise NotFound("That book has been deleted in the meantime.")
            if expected is not None and self.read(path).tag != expected:
                raise Conflict("The rules have been changed in the meantime; read them again.")
            write_atomically(path, data)
        return self.read(path)

    def draft(self, place: Place, text: str) -> bytes:
        """What `text` is as a file: the first one of an author or a series begins with a comment that says whose.

        Raises UnicodeEncodeError for half a character.
        """
        layer = place.layer
        new = layer.kind in ("author", "series") and not place.paths[0].exists()
        if new and layer.kind not in read_rules(text).header:
            text = f"# {layer.kind}: {layer.name}\n{text}"
        return text.encode()

    def relative(self, path: Path) -> str:
        """`path` as seen from the store."""
        return path.relative_to(self._root).as_posix()

    def _there(self) -> list[Path]:
        try:
            return sorted(path for path in (self._root / FOLDER).glob("[!.]*.txt") if LAYER_ID.fullmatch(path.stem))
        except OSError:
            return []

    def _paths(self, layer: Named, there: list[Path]) -> tuple[Path, ...]:
        own = self._root / FOLDER / f"{layer.id}.txt"
        if layer.kind == "household":
            return (own,)
        found = [path for path in there if belongs(layer, path.stem, self.read(path).parsed.header)]
        return tuple(found) or (own,)


def replaced(rules: RuleSet, place: Place, parsed: Parsed) -> RuleSet:
    """`rules` as they would be with other rules in the file that is written for `place`."""
    name = _name(place.layer, place.paths[0])
    layers = [layer for layer in rules.layers if layer.id != name]
    return RuleSet((*layers, Layer(name, place.layer.rank, parsed.rules)))


def _name(layer: Named, path: Path) -> str:
    return layer.id if layer.kind == "book" else path.stem


def _of_file(path: Path, file: RuleFile) -> Named:
    kind, _, rest = path.stem.partition("-")
    name = file.parsed.header.get(kind, rest.replace("-", " "))
    return Named("author" if kind == "author" else "series", path.stem, name)
