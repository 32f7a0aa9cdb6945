"""The store on disk: books, chapter indexes and sentence audio, as docs/store-format.md lays them out.

Everything is written so that a crash at any point leaves what was there or what was meant: an index entry is saved
after its audio file is whole, and audio is taken out of the index before its files go.
"""

from collections.abc import Callable, Collection, Iterable
from datetime import datetime
from pathlib import Path

from server.errors import NotFound
from server.library.editions import Spot
from server.library.model import Book
from server.render.about import put_picture, retell, write
from server.render.blends import Blends
from server.render.bookmarks import Bookmarks
from server.render.choices import Choices
from server.render.coverage import CoverageRecord
from server.render.deleting import delete_audio
from server.render.ears import Taken, asked_again, renewed
from server.render.edition import locate, put, settle_place
from server.render.files import WriteLock, read_record, write_atomically
from server.render.index import Again, ChapterIndex, Engine, SentenceEntry
from server.render.layout import (
    make_rendition,
    not_ours,
    sentence_file,
)
from server.render.lexicon.files import Lexicon
from server.render.listening import Listening
from server.render.places import Places
from server.render.records import BookRecord, Place, RenditionRecord, StoreRecord
from server.render.removing import remove_folder
from server.render.renditions import Renditions
from server.render.stored import StoredBooks
from server.render.sweep import sweep
from server.render.turning import turn_chapter


class Store(StoredBooks):
    """A store rooted at `root`. Safe between threads and processes: a lock is held while anything changes.

    A method that takes a book's id raises NotFound when there is no such book, StoreError when its files are damaged
    or the disk refuses.
    """

    def __init__(self, root: Path) -> None:
        super().__init__(root)
        self._writing = WriteLock(root / ".lock")
        self.lexicon = Lexicon(root, self._writing)
        self.bookmarks = Bookmarks(self, self._writing)
        self.places = Places(self, self._writing)
        self.listening = Listening(self, self._writing)
        self.blends = Blends(root, self._writing)
        self.renditions = Renditions(self, self._writing)

    def locate(self, book: str, chapter: int, sentence: str, edition: int | None = None) -> Spot | None:
        """Where a sentence of `edition` (None: the latest that has it) is in the one that plays; None for no such."""
        return locate(self, book, Spot(chapter, sentence), edition)

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
            saved = _next(index, before)
            self.mark()
            self._chapters.replace(path, saved)
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

        Raises NotFound when the chapter has no such sentence, Conflict when its audio is another program's.
        """
        with self._writing:
            before = self.chapter(book, number, rendition)
            if silence is not None and not before.joinable:
                raise not_ours(number)
            try:
                index = before.ours().with_entries(entries, codec_config=codec_config, silence=silence)
            except KeyError as error:
                raise NotFound(f"Chapter {number} of book {book} has no sentence {error.args[0]}.") from None
            saved = _next(index, before.revision)
            self.mark()
            self._chapters.add(self.chapter_path(book, number, before.rendition), before, saved)
            changed = [(old, new) for old, new in zip(before.sentences, saved.sentences, strict=True) if new is not old]
            replaced = {file for old, _ in changed for file in old.files}
            for file in replaced.difference(*(new.files for _, new in changed)):  # its sentence has newer ones
                (self.rendition_folder(book, before.rendition) / file).unlink(missing_ok=True)
            return saved

    def add_takes(
        self,
        book: str,
        rendition: str,
        number: int,
        takes: Iterable[Taken],
        *,
        codec_config: bytes,
        silence: bytes,
        outdated: Callable[[], Collection[str]] = tuple,
    ) -> ChapterIndex:
        """`add_audio` of what was just rendered: what it replaces is kept, with what was said of it meanwhile.

        `outdated` tells which are said otherwise by now: they are rendered once more.
        """
        with self._writing:
            known = {entry.id: entry for entry in self.chapter(book, number, rendition).sentences}
            old, made = outdated(), []
            for taken in takes:
                entry = taken.made
                now = known.get(entry.id, entry)
                if now.rendered and now.settled and now.sha256 != entry.sha256:
                    # Somebody found what it has good, or put that back, while this was being spoken.
                    if entry.file is not None and entry.file not in now.files:
                        (self.rendition_folder(book, rendition) / entry.file).unlink(missing_ok=True)
                else:
                    made.append(renewed(now, taken, outdated=entry.id in old))
            return self.add_audio(book, rendition, number, made, codec_config=codec_config, silence=silence)

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
                self.require(book)  # of one that was deleted meanwhile nothing comes back
                self.save_choices(book, after)
            return before

    def write_about(self, book: str, **changed: object) -> BookRecord:
        """Change what a person wrote of a book; None goes back to what the book says. Give the record that is shown."""
        with self._writing:
            return write(self, book, changed)

    def put_cover(self, book: str, data: bytes, media_type: str, thumbnail: bytes) -> BookRecord:
        """Have a book shown with a picture that a person chose; give its record."""
        with self._writing:
            self.book(book)
            return write(self, book, dict(put_picture(self.book_folder(book), data, media_type, thumbnail)))

    def retell(self, book: str) -> BookRecord:
        """Finish what was cut short of `write_about`; give the record."""
        with self._writing:
            return retell(self, book)

    def save_coverage(self, ledger: CoverageRecord) -> None:
        with self._writing:
            write_atomically(self.book_folder(ledger.book) / "coverage.json", ledger.to_json().encode())

    def complete_coverage(self, before: CoverageRecord | None, whole: CoverageRecord) -> None:
        """Put `whole` in the place of a book's ledger, unless that is another one than `before` by now."""
        with self._writing:
            if self.coverage(whole.book) == before:
                self.save_coverage(whole)

    def render_again(
        self, book: str, number: int, ids: Collection[str], why: Again, rendition: str | None = None
    ) -> int:
        """Have sentences of a chapter rendered again, or once more where they were given up; give how many.

        What they have plays until the new is whole. Raises NotFound.
        """
        with self._writing:
            index = self.chapter(book, number, rendition)
            if not index.joinable:
                return 0  # another program's audio: it is not added to
            entries = [asked_again(entry, why) for entry in index.sentences if entry.id in ids]
            changed = [entry for entry in entries if entry != index.sentences[index.position(entry.id)]]
            if changed:
                self.add_audio(book, index.rendition, number, changed)
            return len(changed)

    def change_sentence(
        self, book: str, number: int, sid: str, change: Callable[[SentenceEntry], SentenceEntry]
    ) -> SentenceEntry:
        """Put `change` of a sentence's entry in its place; give it. Raises NotFound, and what `change` raises."""
        with self._writing:
            index = self.chapter(book, number)
            try:
                before = index.sentences[index.position(sid)]
            except KeyError:
                raise NotFound(f"Chapter {number} has no sentence {sid!r}.") from None
            if (after := change(before)) != before:
                if after.again is not None and not index.joinable:
                    raise not_ours(number)
                self.add_audio(book, index.rendition, number, [after])
            return after

    def turn_chapter(self, book: str, number: int, enabled: bool) -> ChapterIndex:
        """Have a chapter read aloud, or not, whatever the rules say; give its index."""
        with self._writing:
            return turn_chapter(self, book, number, enabled)

    def delete_audio(self, book: str, *, pause: bool = False) -> int:
        """Take the audio of every rendition away, keeping text and place; give the bytes freed.

        With `pause` nothing is rendered of the book until somebody listens.
        """
        with self._writing:
            return delete_audio(self, book, pause=pause)

    def delete_book(self, book: str) -> int:
        """Take a book away with all that belongs to it; give the bytes freed."""
        with self._writing:
            self._books.forget(self.require(book))
            return self.remove(self.book_folder(book))

    def sweep(self) -> list[Path]:
        """Remove what crashes leave: temporary files, half-deleted folders, audio no index knows. Give what went.

        Only while nothing is being rendered: a sentence file is an orphan until its index is saved. An index entry
        whose file has gone goes back to text. What cannot be read is left alone.
        """
        return sweep(self, self._writing)

    # For the modules of the store only, with its lock held

    def put_file(self, path: Path, record: RenditionRecord) -> None:
        """Write what never changes, unless it is there."""
        if not path.exists():
            write_atomically(path, record.to_json().encode())

    def mark(self) -> None:
        """Say which format the store is of, before something is written that only this one knows."""
        path, record = self.root / "store.json", StoreRecord()
        if not path.exists() or read_record(path, StoreRecord, "") != record:
            write_atomically(path, record.to_json().encode())

    def remove(self, folder: Path) -> int:
        """Take a folder away in one step that a crash cannot halve; give the bytes that this frees."""
        return remove_folder(folder)


def _next(index: ChapterIndex, revision: int) -> ChapterIndex:
    """`index` as it follows on a revision, with its totals; what has lost all its audio is ours to render."""
    return index.ours().totals().model_copy(update={"revision": max(revision, index.revision) + 1})
