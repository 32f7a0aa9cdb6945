"""The store on disk: books, chapter indexes and sentence audio, as docs/store-format.md lays them out.

Everything is written so that a crash at any point leaves what was there or what was meant: an index entry is saved
after its audio file is whole, and audio is taken out of the index before its files go.
"""

import contextlib
import shutil
from collections.abc import Collection, Iterable
from datetime import datetime
from pathlib import Path

from server.errors import LecternError, NotFound
from server.library.editions import Spot
from server.library.model import Book
from server.render.choices import Choices
from server.render.coverage import CoverageRecord
from server.render.edition import locate, put, settle_place
from server.render.files import RecordCache, WriteLock, read_record, write_atomically, write_error
from server.render.index import Again, ChapterIndex, Engine, SentenceEntry, asked_again
from server.render.layout import (
    DELETED,
    chapter_name,
    check_format,
    make_rendition,
    safe_name,
    sentence_file,
)
from server.render.lexicon.files import Lexicon
from server.render.records import BookRecord, Place, RenditionRecord, StoreRecord
from server.render.sweep import sweep
from server.render.turning import turn_chapter


class Store:
    """A store rooted at `root`. Safe between threads and processes: a lock is held while anything changes.

    A method that takes a book's id raises NotFound when there is no such book, StoreError when its files are damaged
    or the disk refuses.
    """

    def __init__(self, root: Path) -> None:
        self.root = root
        self._chapters = RecordCache(ChapterIndex)
        self._books = RecordCache(BookRecord, size=512)
        self._writing = WriteLock(root / ".lock")
        self.lexicon = Lexicon(root, self._writing)
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

    def cover_path(self, book: str, *, small: bool = False) -> Path | None:
        """The cover image, None when the book has none; `small` is its thumbnail where there is one."""
        record = self.book(book)
        cover = (record.thumbnail if small else None) or record.cover
        return None if cover is None else self.book_folder(book) / cover

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

    def place(self, book: str) -> Place | None:
        """Where the listener is, None before the first time."""
        path = self.book_folder(book) / "place.json"
        return read_record(path, Place, "") if path.exists() else None

    def edition(self, book: str) -> int:
        """Which edition of a book plays; 0 is the first."""
        return self.rendition(book).edition or 0

    def locate(self, book: str, chapter: int, sentence: str, edition: int | None = None) -> Spot | None:
        """Where a sentence of `edition` (None: the latest that has it) is in the one that plays; None for no such."""
        return locate(self, book, Spot(chapter, sentence), edition)

    def choices(self, book: str) -> Choices:
        """What the household chose for a book."""
        path = self.book_folder(book) / "choices.json"
        return read_record(path, Choices, "") if path.exists() else Choices()

    def coverage(self, book: str) -> CoverageRecord | None:
        """What becomes of every character of a book; None where an older version took it in. Raises NotFound."""
        self.book(book)
        path = self.book_folder(book) / "coverage.json"
        return read_record(path, CoverageRecord, "") if path.exists() else None

    # Writing

    def put_book(
        self,
        book: Book,
        *,
        source: Path,
        voice: str,
        engine: Engine,
        bitrate: int,
        added: datetime,
        speed: float = 1.0,
    ) -> BookRecord:
        """Write all of `book` but its audio; give its record.

        May be repeated: what is there stays (added, and voice and rendition once something is rendered), and what a
        crash kept from being written is added. Where the text is another one, each sentence that is still in it keeps
        its audio, and the listener's place goes along.
        """
        with self._writing:
            wanted = make_rendition(voice=voice, engine=engine, bitrate=bitrate, speed=speed)
            return put(self, book, source, wanted, added)

    def save_book(self, record: BookRecord) -> None:
        path = self.book_folder(record.id) / "book.json"
        with self._writing:
            write_atomically(path, record.to_json().encode())
            self._books.forget(path)

    def save_chapter(self, index: ChapterIndex) -> ChapterIndex:
        """Write `index` with its totals and a new, larger revision; give what was written.

        Whoever changes an index others change too uses `add_audio`, which reads and writes in one step.
        """
        path = self.chapter_path(index.book, index.chapter, index.rendition)
        with self._writing:
            before = self._chapters.read(path, "").revision if path.exists() else 0
            saved = index.totals().model_copy(update={"revision": max(before, index.revision) + 1})
            write_atomically(path, saved.to_json().encode())
            self._chapters.forget(path)
        return saved

    def add_audio(
        self,
        book: str,
        rendition: str,
        number: int,
        entries: Iterable[SentenceEntry],
        *,
        codec_config: bytes | None = None,
        silence: bytes | None = None,
    ) -> ChapterIndex:
        """Put rendered or failed sentences into a chapter's index, whose files are already whole; give the new index.

        Raises NotFound when the chapter has no such sentence.
        """
        with self._writing:
            before = self.chapter(book, number, rendition)
            try:
                index = before.with_entries(entries, codec_config=codec_config, silence=silence)
            except KeyError as error:
                raise NotFound(f"Chapter {number} of book {book} has no sentence {error.args[0]}.") from None
            saved = self.save_chapter(index)
            replaced = {entry.file for entry in before.sentences} - {entry.file for entry in saved.sentences}
            for file in filter(None, replaced):  # rendered again: the new one is known now
                (self.rendition_folder(book, before.rendition) / file).unlink(missing_ok=True)
            return saved

    def write_sentence(self, book: str, rendition: str, number: int, sid: str, data: bytes, *, take: str = "") -> Path:
        """Write the audio file of a sentence, whole or not at all; the index does not know it yet."""
        path = self.rendition_folder(book, rendition) / sentence_file(number, sid, take)
        with self._writing:
            write_atomically(path, data)
        return path

    def save_place(self, book: str, place: Place) -> Place:
        """Keep the listener's place; gives it as it is kept: in the edition that plays, should another have come."""
        with self._writing:
            self.book(book)
            write_atomically(self.book_folder(book) / "place.json", place.to_json().encode())
            settle_place(self, book)
            return self.place(book) or place

    def save_choices(self, book: str, choices: Choices) -> None:
        path = self.book_folder(book) / "choices.json"
        with self._writing:
            write_atomically(path, choices.to_json().encode())

    def change_choices(self, book: str, **fields: object) -> Choices:
        """Change some of what was chosen for a book, whoever changes the rest meanwhile; gives what it was before."""
        with self._writing:
            before = self.choices(book)
            after = before.model_copy(update=fields)
            if after != before:
                self.save_choices(book, after)
            return before

    def save_coverage(self, ledger: CoverageRecord) -> None:
        with self._writing:
            write_atomically(self.book_folder(ledger.book) / "coverage.json", ledger.to_json().encode())

    def render_again(self, book: str, number: int, ids: Collection[str], why: Again) -> int:
        """Have sentences of a chapter rendered again, or once more where they were given up; give how many.

        What they have plays until the new is whole. Raises NotFound.
        """
        with self._writing:
            index = self.chapter(book, number)
            entries = [asked_again(entry, why) for entry in index.sentences if entry.id in ids]
            changed = [entry for entry in entries if entry != index.sentences[index.position(entry.id)]]
            if changed:
                self.save_chapter(index.with_entries(changed))
            return len(changed)

    def turn_chapter(self, book: str, number: int, enabled: bool) -> ChapterIndex:
        """Have a chapter read aloud, or not, whatever the rules say; give its index."""
        with self._writing:
            return turn_chapter(self, book, number, enabled)

    def delete_audio(self, book: str) -> int:
        """Take the audio of every rendition away, keeping text and place; give the bytes freed."""
        with self._writing:
            record, folder, freed = self.book(book), self.book_folder(book), 0
            for path in sorted(folder.glob("*/rendition.json")):
                if path.parent.name != record.rendition:
                    freed += self.remove(path.parent)
            for chapter in record.chapters:
                index = self.chapter(book, chapter.number)
                if any(sentence.rendered or sentence.failed is not None for sentence in index.sentences):
                    self.save_chapter(
                        index.model_copy(update={"sentences": tuple(s.without_audio() for s in index.sentences)})
                    )
                freed += self.remove(folder / record.rendition / chapter_name(chapter.number))
        return freed

    def delete_book(self, book: str) -> int:
        """Take a book away with all that belongs to it; give the bytes freed."""
        with self._writing:
            record = self.book_folder(book) / "book.json"
            if not record.exists():
                raise NotFound(f"There is no book {book!r}.")
            self._books.forget(record)
            return self.remove(self.book_folder(book))

    def sweep(self) -> list[Path]:
        """Remove what crashes leave: temporary files, half-deleted folders, audio no index knows. Give what went.

        Only while nothing is being rendered: a sentence file is an orphan until its index is saved. An index entry
        whose file has gone goes back to text. What cannot be read is left alone.
        """
        with self._writing:
            return sweep(self)

    # For the modules of the store only, with its lock held

    def put_file(self, path: Path, record: StoreRecord | RenditionRecord) -> None:
        """Write what never changes, unless it is there."""
        if not path.exists():
            write_atomically(path, record.to_json().encode())

    def remove(self, folder: Path) -> int:
        """Take a folder away in one step that a crash cannot halve; give the bytes that this frees."""
        if not folder.exists():
            return 0
        # A file with a second name, in the folder of another edition, frees nothing.
        found = (file.stat() for file in folder.rglob("*") if file.is_file())
        size = sum(status.st_size for status in found if status.st_nlink == 1)
        doomed = folder.with_name(DELETED + folder.name)
        try:
            if doomed.exists():
                shutil.rmtree(doomed)
            folder.rename(doomed)
            shutil.rmtree(doomed)
        except OSError as error:
            raise write_error(folder, error) from error
        return size
