"""Is the store what it says it is? Every hash, length, index and gap of it, as docs/store-format.md asks."""

import hashlib
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from server.errors import LecternError
from server.render.index import ChapterIndex, SentenceEntry
from server.render.layout import chapter_name

if TYPE_CHECKING:
    from server.render.store import Store

# What mends it: rendering the sentence again, taking the file away, reading the book's file anew; or a person.
Way = Literal["render", "remove", "reread", "ask"]
Decoder = Callable[[bytes], int]  # bytes of an audio file → samples in it; raises LecternError


@dataclass(frozen=True, slots=True)
class Fault:
    """Something that is not as it should be: in which file, what, and what mends it."""

    path: str  # from the root of the store
    what: str
    way: Way
    book: str | None = None
    rendition: str | None = None
    chapter: int | None = None
    sentence: str | None = None


@dataclass(slots=True)
class Tally:
    """What was looked at."""

    books: int = 0
    renditions: int = 0
    chapters: int = 0
    sentences: int = 0
    rendered: int = 0
    bytes: int = 0


def verify(store: "Store", tally: Tally, *, decode: Decoder | None = None) -> Iterator[Fault]:
    """Look at everything; `tally` counts. With `decode` the sound of every file is decoded as well."""
    for folder in sorted((store.root / "books").glob("[!.]*")):
        if not (folder / "book.json").exists():
            if any(folder.glob("*/*/*.m4a")):
                yield Fault(_name(store, folder), "has audio but no book.json", "reread", folder.name)
            continue
        tally.books += 1
        yield from _Verifier(store, folder.name, tally, decode).book()
    for path in sorted(store.root.rglob(".*.tmp")):
        yield Fault(_name(store, path), "is a file that was never finished", "remove")


def _name(store: "Store", path: Path) -> str:
    return path.relative_to(store.root).as_posix()


class _Verifier:
    """One book."""

    def __init__(self, store: "Store", book: str, tally: Tally, decode: Decoder | None) -> None:
        self._store = store
        self._book = book
        self._folder = store.book_folder(book)
        self._tally = tally
        self._decode = decode

    def book(self) -> Iterator[Fault]:
        try:
            record = self._store.book(self._book)
        except LecternError as error:
            yield self._fault(self._folder / "book.json", str(error), "ask")
            return
        if record.id != self._book:
            yield self._fault(self._folder / "book.json", f"is of the book {record.id}", "ask")
        for named in filter(None, (record.cover, record.thumbnail)):
            if not (self._folder / named).is_file():
                yield self._fault(self._folder / named, "is missing", "reread")
        for name, read in (("place.json", self._store.place), ("choices.json", self._store.choices)):
            try:
                read(self._book)
            except LecternError as error:
                yield self._fault(self._folder / name, str(error), "ask")
        try:
            self._store.coverage(self._book)
        except LecternError as error:
            yield self._fault(self._folder / "coverage.json", str(error), "reread")
        if not (self._folder / record.rendition / "rendition.json").exists():
            yield self._fault(self._folder / record.rendition, "is missing, and it is what plays", "reread")
        for number, listed in enumerate(record.chapters, 1):
            path = self._store.chapter_path(self._book, number, record.rendition)
            if listed.number != number or not path.exists():
                yield self._fault(path, "is missing", "reread", record.rendition, number)
        for folder in sorted(path.parent for path in self._folder.glob("[!.]*/rendition.json")):
            self._tally.renditions += 1
            yield from self._rendition(folder)

    def _rendition(self, folder: Path) -> Iterator[Fault]:
        try:
            self._store.rendition(self._book, folder.name)
        except LecternError as error:
            yield self._fault(folder / "rendition.json", str(error), "ask", folder.name)
        known: set[Path] = set()
        for path in sorted(folder.glob("chapter-*.json")):
            try:
                number = int(path.stem.removeprefix("chapter-"))
                index = self._store.chapter(self._book, number, folder.name)
            except (LecternError, ValueError) as error:
                yield self._fault(path, str(error), "ask", folder.name)
                known |= set(path.with_suffix("").glob("*.m4a"))  # whose they are cannot be told
                continue
            self._tally.chapters += 1
            yield from self._chapter(path, index, number)
            known |= {folder / entry.file for entry in index.sentences if entry.file is not None}
        for path in sorted(set(folder.glob("*/*.m4a")) - known):
            yield self._fault(path, "is audio that no index names", "remove", folder.name)

    def _chapter(self, path: Path, index: ChapterIndex, number: int) -> Iterator[Fault]:
        if (index.book, index.rendition, index.chapter) != (self._book, path.parent.name, number):
            yield self._fault(path, "is the index of another chapter", "ask", path.parent.name, number)
        if index.totals() != index:
            yield self._fault(path, "has wrong totals", "render", path.parent.name, number)
        if len({entry.id for entry in index.sentences}) != len(index.sentences):
            yield self._fault(path, "has two sentences with one id", "ask", path.parent.name, number)
        if index.has_audio and (index.codec_config is None or index.silence is None):
            yield self._fault(path, "has audio but does not say how it is coded", "ask", path.parent.name, number)
        for entry in index.sentences:
            self._tally.sentences += 1
            if entry.file is not None:
                self._tally.rendered += 1
                if (what := self._sentence(path.parent, entry, number)) is not None:
                    where = path.parent / entry.file
                    yield self._fault(where, what, "render", path.parent.name, number, entry.id)

    def _sentence(self, folder: Path, entry: SentenceEntry, number: int) -> str | None:
        """What is wrong with a sentence's file; None when nothing is."""
        # What was rendered again has more of a name.
        if (
            re.fullmatch(rf"{chapter_name(number)}/{re.escape(entry.id)}(-[0-9a-f]{{8}})?\.m4a", str(entry.file))
            is None
        ):
            return "has a name that is not its sentence's"
        try:
            data = (folder / str(entry.file)).read_bytes()
        except OSError as error:
            return f"cannot be read ({error.strerror})"
        self._tally.bytes += len(data)
        if len(data) != entry.bytes:
            return f"has {len(data)} bytes instead of {entry.bytes}"
        if hashlib.sha256(data).hexdigest() != entry.sha256:
            return "is not the file that was rendered: its hash is another"
        if (entry.data_offset or 0) + sum(entry.au_sizes or ()) != len(data):
            return "does not end where its access units do"
        if self._decode is not None:
            try:
                samples = self._decode(data)
            except LecternError as error:
                return f"cannot be decoded ({error})"
            if samples != entry.samples:
                return f"decodes to {samples} samples instead of {entry.samples}"
        return None

    def _fault(
        self,
        path: Path,
        what: str,
        way: Way,
        rendition: str | None = None,
        chapter: int | None = None,
        sentence: str | None = None,
    ) -> Fault:
        return Fault(_name(self._store, path), what, way, self._book, rendition, chapter, sentence)


def mend(store: "Store", fault: Fault) -> bool:
    """Mend what can be: a sentence goes back to text and is rendered again, what nobody knows is taken away.

    Gives whether it was. Only while nothing else writes to the store. Raises StoreError.
    """
    if fault.way == "remove":
        (store.root / fault.path).unlink(missing_ok=True)
        return True
    if fault.way != "render" or fault.book is None or fault.chapter is None:
        return False
    index = store.chapter(fault.book, fault.chapter, fault.rendition)
    entries = [entry.without_audio() for entry in index.sentences if entry.id == fault.sentence]
    store.save_chapter(index.with_entries(entries))
    if fault.sentence is not None:
        (store.root / fault.path).unlink(missing_ok=True)
    return True
