"""Is the store what it says it is? Every hash, length, index and gap of it, as docs/store-format.md asks."""

import functools
import hashlib
import re
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final, Literal

from server.errors import LecternError
from server.render.ears import taken_back
from server.render.files import DAMAGED, read_record
from server.render.holding import is_written
from server.render.houserules import HOUSEHOLD, HouseFile
from server.render.index import ChapterIndex, SentenceEntry
from server.render.layout import BOOK_ID
from server.render.listening import ListeningRecord
from server.render.mp4 import hidden_samples
from server.render.placefile import read_lines
from server.render.places import OWNER
from server.render.records import Place
from server.render.sweep import not_imported

if TYPE_CHECKING:
    from server.render.store import Store

# What mends it: rendering the sentence again, taking the file away, reading the book's file anew; or a person.
Way = Literal["render", "remove", "reread", "ask"]
_IN_FLIGHT_S: Final = 60.0  # from the first file of a pass to the index that names it
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
    journals: int = 0
    sentences: int = 0
    rendered: int = 0
    bytes: int = 0


def verify(store: "Store", tally: Tally, *, decode: Decoder | None = None) -> Iterator[Fault]:
    """Look at everything; `tally` counts. With `decode` the sound of every file is decoded as well.

    A server may be at work meanwhile: what it just wrote is no fault.
    """
    since = time.time() - (_IN_FLIGHT_S if is_written(store.root) else 0)
    for folder in sorted((store.root / "books").glob("[!.]*")):
        try:
            if (folder / "book.json").exists():
                tally.books += 1
                yield from _Verifier(store, folder.name, tally, decode, since).book()
            elif BOOK_ID.fullmatch(folder.name) is not None:
                yield from _no_book(store, folder)
        except OSError as error:
            yield Fault(_name(store, folder), f"cannot be read ({error.strerror})", "ask", folder.name)
    try:
        store.blends.all()
    except LecternError as error:
        yield Fault("voices.json", str(error), "ask")
    if HouseFile(store.root).warning is not None:
        yield Fault(HOUSEHOLD, "cannot be understood: the usual rules for rendering hold", "ask")
    for path in sorted(store.root.glob("listening/[!.]*/[!.]*.json")):
        try:
            read_record(path, ListeningRecord, "")
        except LecternError as error:
            yield Fault(_name(store, path), str(error), "ask")
    for path in sorted(store.root.glob(f"*/*/*{DAMAGED}*")):
        yield Fault(_name(store, path), "could not be understood and was begun anew: mend it, or delete it", "ask")
    for path in sorted(store.root.rglob(".*.tmp")):
        if not _is_new(path, since):
            yield Fault(_name(store, path), "is a file that was never finished", "remove")


def _no_book(store: "Store", folder: Path) -> Iterator[Fault]:
    """A folder without book.json. Raises OSError."""
    if folder.is_symlink():
        yield Fault(_name(store, folder), "is a link to where there is no book.json", "ask", folder.name)
    elif (kept := not_imported(folder)) is not None:
        yield Fault(_name(store, folder), f"has {kept} but no book.json", "reread", folder.name)


def _is_new(path: Path, since: float) -> bool:
    """Whether a file was written since, or has gone."""
    try:
        return path.stat().st_mtime >= since
    except FileNotFoundError:
        return True


def _name(store: "Store", path: Path) -> str:
    return path.relative_to(store.root).as_posix()


class _Verifier:
    """One book."""

    def __init__(self, store: "Store", book: str, tally: Tally, decode: Decoder | None, since: float) -> None:
        self._store = store
        self._book = book
        self._folder = store.book_folder(book)
        self._tally = tally
        self._decode = decode
        self._since = since

    def book(self) -> Iterator[Fault]:
        try:
            record = self._store.book(self._book)
        except LecternError as error:
            yield self._fault(self._folder / "book.json", str(error), "ask")
            return
        if record.id != self._book:
            yield self._fault(self._folder / "book.json", f"is of the book {record.id}", "ask")
        own = (record.own.cover, record.own.thumbnail) if record.own is not None else ()
        for named in dict.fromkeys(filter(None, (record.cover, record.thumbnail, *own))):
            if not (self._folder / named).is_file():
                yield self._fault(self._folder / named, "is missing", "reread")
        kept: list[tuple[str, Callable[[str], object]]] = [
            ("place.json", lambda _: read_record(self._folder / "place.json", Place, "")),  # passed over elsewhere
            ("choices.json", self._store.choices),
        ]
        for one in self._store.bookmarks.people(self._book):
            name = "bookmarks.json" if one == OWNER else f"bookmarks/{one}.json"
            kept.append((name, functools.partial(self._store.bookmarks.of, person=one)))
        for name, read in kept:
            try:
                if (self._folder / name).exists():
                    read(self._book)
            except LecternError as error:
                yield self._fault(self._folder / name, str(error), "ask")
        yield from self._places()
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
        for folder in sorted({path.parent for path in self._folder.glob("[!.]*/chapter-*")}):
            if folder.name != record.rendition and not (folder / "rendition.json").exists():
                yield self._fault(folder, "has chapters but no rendition.json", "reread", folder.name)
        for folder in sorted(path.parent for path in self._folder.glob("[!.]*/rendition.json")):
            self._tally.renditions += 1
            yield from self._rendition(folder)

    def _places(self) -> Iterator[Fault]:
        """The journals of places: their lines are a newer version's, or damaged."""
        for path in sorted(self._folder.glob("places/[!.]*.jsonl")):
            try:
                strange = len(read_lines(path).strange)
            except LecternError as error:
                yield self._fault(path, str(error), "ask")
                continue
            if strange:
                yield self._fault(path, f"has {strange} lines that cannot be understood; they are kept", "ask")

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
                known |= set(path.with_suffix("").glob("[!.]*.m4a"))  # whose they are cannot be told
                continue
            self._tally.chapters += 1
            self._tally.journals += path.with_suffix(".jsonl").exists()
            yield from self._chapter(path, index, number)
            known |= {folder / file for entry in index.sentences for file in entry.files}
        for path in sorted(folder.glob("chapter-*.jsonl")):
            if not path.with_suffix(".json").exists():
                yield self._fault(path, "is the journal of an index that is missing", "remove", folder.name)
        for path in sorted(set(folder.glob("[!.]*/[!.]*.m4a")) - known):
            if self._came_meanwhile(path):
                continue
            yield self._fault(path, "is audio that no index names", "remove", folder.name)

    def _chapter(self, path: Path, index: ChapterIndex, number: int) -> Iterator[Fault]:
        if (index.book, index.rendition, index.chapter) != (self._book, path.parent.name, number):
            yield self._fault(path, "is the index of another chapter", "ask", path.parent.name, number)
        if index.totals() != index:
            yield self._fault(path, "has wrong totals", "render", path.parent.name, number)
        if len({entry.id for entry in index.sentences}) != len(index.sentences):
            yield self._fault(path, "has two sentences with one id", "ask", path.parent.name, number)
        if index.has_audio and index.codec_config is None:
            yield self._fault(path, "has audio but does not say how it is coded", "ask", path.parent.name, number)
        # Another program's files are not rendered again here, as long as there are any.
        others = not index.joinable and any((path.parent / file).exists() for e in index.sentences for file in e.files)
        for entry in index.sentences:
            self._tally.sentences += 1
            if entry.file is not None:
                self._tally.rendered += 1
                what = self._sentence(path, entry, index)
                if what is not None and not self._changed(index, entry):
                    where = path.parent / entry.file
                    way: Way = "ask" if others else "render"
                    yield self._fault(where, what, way, path.parent.name, number, entry.id)
            what = None if entry.earlier is None else self._sentence(path, taken_back(entry), index)
            if entry.earlier is not None and what is not None and not self._changed(index, entry):
                way = "ask" if others else "remove"  # the next start forgets it
                yield self._fault(path.parent / entry.earlier.file, what, way, path.parent.name, number, entry.id)

    def _changed(self, index: ChapterIndex, entry: SentenceEntry) -> bool:
        """Whether a running server has another entry, with other files, by now: the next look tells of that."""
        try:
            now = self._store.chapter(index.book, index.chapter, index.rendition)
            return now.sentences[now.position(entry.id)].files != entry.files
        except (LecternError, KeyError):
            return True  # deleted, or another edition

    def _came_meanwhile(self, path: Path) -> bool:
        """Whether a file that no index named is one that a running server rendered since, or has deleted."""
        if _is_new(path, self._since):
            return True
        try:
            number = int(path.parent.name.removeprefix("chapter-"))
            now = self._store.chapter(self._book, number, path.parent.parent.name)
        except (LecternError, ValueError):
            return False
        return any(path.parent.parent / file == path for entry in now.sentences for file in entry.files)

    def _sentence(self, path: Path, entry: SentenceEntry, index: ChapterIndex) -> str | None:
        """What is wrong with the file of a sentence in the index at `path`; None when nothing is."""
        # What was rendered again has more of a name.
        name = rf"{path.stem}/{re.escape(entry.id)}(-[0-9A-Za-z_-]{{1,16}})?\.m4a"
        if re.fullmatch(name, str(entry.file)) is None:
            return "has a name that is not its sentence's"
        try:
            data = (path.parent / str(entry.file)).read_bytes()
        except OSError as error:
            return f"cannot be read ({error.strerror})"
        self._tally.bytes += len(data)
        if len(data) != entry.bytes:
            return f"has {len(data)} bytes instead of {entry.bytes}"
        if hashlib.sha256(data).hexdigest() != entry.sha256:
            return "is not the file that was rendered: its hash is another"
        end = (entry.data_offset or 0) + sum(entry.au_sizes or ())
        if end > len(data) or (index.silence is not None and end != len(data)):
            return "does not end where its access units do"
        if (hidden := hidden_samples(data) or 0) != index.priming:
            return f"hides {hidden} samples at its beginning, and its index says {index.priming}"
        if self._decode is not None:
            try:
                samples = self._decode(data)
            except LecternError as error:
                return f"cannot be decoded ({error})"
            # Some decoders give the rest of the last access unit too; a file that is joined has none.
            if samples != entry.samples and (index.silence is not None or samples < (entry.samples or 0)):
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
