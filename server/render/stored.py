"""What a store holds, read: where its files are, and its records."""

import contextlib
import logging
from pathlib import Path, PurePath

from server.errors import LecternError, NotFound, StoreError
from server.render.choices import Choices
from server.render.coverage import CoverageRecord
from server.render.files import RecordCache, read_record
from server.render.index import ChapterIndex
from server.render.journal import ChapterFiles, journal_of
from server.render.layout import chapter_name, check_format, safe_name
from server.render.records import BookRecord, Place, RenditionRecord

log = logging.getLogger(__name__)


class StoredBooks:
    """The reading half of `Store`, which tells what its methods raise."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self._chapters = ChapterFiles()
        self._books = RecordCache(BookRecord, size=512)
        if (mark := root / "store.json").exists():
            check_format(mark)

    # Paths

    def book_folder(self, book: str) -> Path:
        return self.root / "books" / safe_name(book, "book")

    def rendition_folder(self, book: str, rendition: str) -> Path:
        return self.book_folder(book) / safe_name(rendition, "rendition")

    def chapter_path(self, book: str, number: int, rendition: str | None = None) -> Path:
        """Where the index of chapter `number` (from 1) is, in `rendition` or the one that plays."""
        return self.rendition_folder(book, rendition or self.book(book).rendition) / f"{chapter_name(number)}.json"

    def chapter_files(self, book: str, number: int, rendition: str | None = None) -> tuple[Path, Path]:
        """Whatever changes in a chapter changes one of these: its index, and the journal that may be beside it."""
        path = self.chapter_path(book, number, rendition)
        return path, journal_of(path)

    def sentence_path(self, book: str, number: int, sid: str, rendition: str | None = None) -> Path:
        """The audio file of a rendered sentence. Raises NotFound when there is no such sentence or no audio yet."""
        index = self.chapter(book, number, rendition)
        try:
            entry = index.sentences[index.position(sid)]
        except KeyError:
            raise NotFound(f"Chapter {number} has no sentence {sid!r}.") from None
        if entry.file is None:
            raise NotFound(f"Sentence {sid} of chapter {number} is not rendered yet.")
        return self.rendition_folder(book, index.rendition) / entry.file

    def require(self, book: str) -> Path:
        """The path of a book's record, which may be damaged. Raises NotFound where there is none."""
        path = self.book_folder(book) / "book.json"
        if not path.exists():
            raise NotFound(f"There is no book {book!r}.")
        return path

    def cover_path(self, book: str, *, small: bool = False) -> Path | None:
        """The cover image, None when the book has none; `small` is its thumbnail where there is one."""
        record = self.book(book)
        cover = (record.thumbnail if small else None) or record.cover
        if cover is None or PurePath(cover).is_absolute() or ".." in PurePath(cover).parts:
            return None  # whatever a store says, nothing from outside the book's folder is shown
        return self.book_folder(book) / cover

    # Reading

    def books(self) -> list[str]:
        """Ids of the books that are here, sorted."""
        return sorted(path.parent.name for path in (self.root / "books").glob("[!.]*/book.json"))

    def book(self, book: str) -> BookRecord:
        return self._books.read(self.book_folder(book) / "book.json", f"There is no book {book!r}.")

    def find(self, name: str) -> BookRecord:
        """The book with this id, or the only one with this title, whatever its case. Raises NotFound."""
        with contextlib.suppress(NotFound):
            return self.book(name)
        matches: list[BookRecord] = []
        for book in self.books():
            with contextlib.suppress(LecternError):  # another book's record is damaged
                record = self.book(book)
                matches += [record] * (record.title.casefold() == name.casefold())
        if len(matches) > 1:
            raise NotFound(f"{len(matches)} books are called {name!r}: give the id, `lectern status` lists them.")
        if not matches:
            raise NotFound(f"There is no book {name!r} on the shelf; `lectern status` lists them.")
        return matches[0]

    def rendition(self, book: str, rendition: str | None = None) -> RenditionRecord:
        """What made the audio of `rendition`, or of the one that plays."""
        folder = self.rendition_folder(book, rendition or self.book(book).rendition)
        return read_record(folder / "rendition.json", RenditionRecord, f"Book {book} has no rendition {folder.name}.")

    def chapter(self, book: str, number: int, rendition: str | None = None) -> ChapterIndex:
        """The index of chapter `number` (from 1), in `rendition` or the one that plays."""
        path = self.chapter_path(book, number, rendition)
        return self._chapters.read(path, f"Book {book} has no chapter {number}.")

    def at_hand(self, book: str, number: int) -> ChapterIndex | None:
        """Like `chapter`, but None where a file must be read first: this does not block."""
        record = self._books.at_hand(self.book_folder(book) / "book.json")
        return None if record is None else self._chapters.at_hand(self.chapter_path(book, number, record.rendition))

    def place(self, book: str) -> Place | None:
        """Where the listener is, None before the first time.

        None too where the file is damaged: the journal of places is the truth, and it is written anew from that.
        """
        path = self.book_folder(book) / "place.json"
        try:
            return read_record(path, Place, "") if path.exists() else None
        except StoreError as error:
            log.warning("a place is taken from its journal alone: %s", error)
            return None

    def edition(self, book: str) -> int:
        """Which edition of a book plays; 0 is the first."""
        return self.rendition(book).edition or 0

    def choices(self, book: str) -> Choices:
        """What the household chose for a book."""
        path = self.book_folder(book) / "choices.json"
        return read_record(path, Choices, "") if path.exists() else Choices()

    def coverage(self, book: str) -> CoverageRecord | None:
        """What becomes of every character of a book; None where an older version took it in. Raises NotFound."""
        self.book(book)
        path = self.book_folder(book) / "coverage.json"
        return read_record(path, CoverageRecord, "") if path.exists() else None
