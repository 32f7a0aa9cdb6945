"""The house: library, store, database, planner and render process put together, as the HTTP layer asks for them."""

import asyncio
import logging
import shutil
from collections.abc import Collection, Mapping
from datetime import UTC, datetime
from pathlib import Path

from server import __version__
from server.api.household import BookDetail, Books, BookView, Deleted, Deletion, Position, PositionIn
from server.api.previews import Preview, PreviewIn
from server.api.reports import Check, Queue, Refusal, Status
from server.config import Settings
from server.db import Database
from server.errors import LecternError, NotFound, SettingsError
from server.events import Hub
from server.intake import Intake, free_name, put_aside
from server.library.catalog import Catalog, Shelved
from server.library.disks import Polling
from server.library.files import FileTable
from server.library.model import Book, Notes
from server.library.search import Search
from server.library.shelf import Shelf, Sort
from server.previews import Previews
from server.render.counting import book_stamp, count_chapter, place_row, renew
from server.render.engine import kokoro_engine
from server.render.index import SAMPLE_RATE, Again, Engine
from server.render.lexicon.files import BOOK_FILE
from server.render.planner import Planner
from server.render.records import BookRecord, Place
from server.render.store import Store
from server.render.supervisor import Supervisor
from server.render.voices import VOICES
from server.setup import check_models
from server.setup.doctor import examine
from server.tables import BookRow
from server.views import book_detail, book_view, position_view, queue_view, stand_in, worker_view

log = logging.getLogger(__name__)

SEARCH = "search.db"  # beside the database: the text of all books, to be searched

QUEUED = 100  # chapters that the queue lists, of so many books at most; it tells how many there are
QUEUED_BOOKS = 30

REMOVED = "removed"  # folder beside the store that deleted books' EPUBs are moved to


def prepare(settings: Settings) -> Engine:
    """Make the folders and name the engine.

    Raises SettingsError for a folder that cannot be and for an unknown voice, SetupError without a model.
    """
    if settings.voice not in {voice.id for voice in VOICES}:
        raise SettingsError(f"LECTERN_VOICE is {settings.voice!r}; `lectern voices` lists them.")
    for folder, name in ((settings.data, "LECTERN_DATA"), (settings.library, "LECTERN_LIBRARY")):
        try:
            folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise SettingsError(
                f"The folder {folder} cannot be made ({error.strerror}). Choose another with {name}."
            ) from error
    return kokoro_engine(check_models(settings.models).weights_sha256)


class House:
    """Implements `server.api.household.Household`."""

    def __init__(self, settings: Settings, engine: Engine) -> None:
        self.settings = settings
        self.hub = Hub()
        self.store = Store(settings.store)
        self.database = Database(settings.database)
        self.search = Search(settings.data / SEARCH)
        self.catalog = Catalog(self.database)
        self.shelf = Shelf(self.database)
        self.files = FileTable(settings.library, self.database)
        self.intake = Intake(settings, self.store, self.catalog, self.files, self.hub, engine)
        self.scanner = self.intake.scanner
        self.polling = Polling(settings.library, settings.poll_s, always=settings.poll)
        self.supervisor = Supervisor(settings, engine)
        self.planner = Planner(self.store, self.catalog, self.supervisor, self.hub)
        self._previews = Previews(settings, self.store, self.planner)
        self.intake.on_book = self.planner.wake
        self.intake.on_renewed = self.planner.leave
        self.intake.quiet = self.planner.quiet
        self.intake.clear()

    # What the shelf shows

    async def status(self) -> Status:
        books, samples = await asyncio.to_thread(self.shelf.sums)
        return Status(
            version=__version__,
            library=str(self.settings.library),
            url=self.settings.url,
            worker=worker_view(self.planner),
            books=books,
            rendered_s=samples / SAMPLE_RATE,
            importing=list(self.scanner.importing),
            waiting=self.scanner.waiting,
            notice=self.scanner.notice,
            polled=await asyncio.to_thread(self.polling.told),
        )

    async def page(self, sort: Sort, query: str, limit: int | None, offset: int) -> Books:
        return await asyncio.to_thread(self._page, sort, query, limit, offset)

    async def books(self) -> list[BookView]:
        """All books, newest first."""
        return (await self.page("added", "", None, 0)).books

    def _page(self, sort: Sort, query: str, limit: int | None, offset: int) -> Books:
        found, total = self.shelf.page(sort, query, limit, offset)
        views = [book_view(item, self._shown(item.book), self.planner.speed) for item in found]
        return Books(books=views, total=total)

    def _shown(self, row: BookRow) -> BookRecord:
        """What the shelf shows of a book: from its row, unless its record has changed since that was made."""
        if not row.shown or row.stamp != book_stamp(self.store, row.id):
            try:
                return renew(self.store, self.catalog, row.id)
            except LecternError as error:
                log.error("a book is shown without its record: %s", error)
                return stand_in(row)
        return BookRecord.model_validate_json(row.shown)

    async def book(self, book: str) -> BookDetail:
        item = await asyncio.to_thread(self.catalog.book, book)
        record = await asyncio.to_thread(self._record, item)
        files = await asyncio.to_thread(self.files.paths_of, book)
        edition, notes = await asyncio.to_thread(self._reading, book)
        keys = [self.files.key(path) for path in files]
        return book_detail(item, record, self.planner.speed, keys, edition=edition, notes=notes)

    def _reading(self, book: str) -> tuple[int, Notes]:
        """Which edition of a book plays, and where its notes are; of a damaged one as little as of its record."""
        try:
            return self.store.edition(book), self.store.choices(book).notes or "skipped"
        except LecternError:
            return 0, "skipped"

    def _record(self, item: Shelved) -> BookRecord:
        """The book's record. One that cannot be read has a stand-in: the rest of the shelf shows, and it can go."""
        try:
            return self.store.book(item.book.id)
        except LecternError as error:
            log.error("a book is shown without its record: %s", error)
            return stand_in(item.book)

    async def queue(self) -> Queue:
        focus = self.planner.focus
        line = await asyncio.to_thread(self.shelf.line, focus.book if focus else None, (), QUEUED_BOOKS)
        total = await asyncio.to_thread(self.shelf.waiting)
        return queue_view(line, focus, self.planner.speed, limit=QUEUED, total=total)

    async def refusals(self) -> list[Refusal]:
        rows = await asyncio.to_thread(self.files.refusals)
        here = await asyncio.to_thread(self.files.refused_here)
        return [
            Refusal(id=row.id or 0, name=row.name, kind=row.kind, reason=row.reason, at=row.at, here=row.id in here)
            for row in rows
        ]

    async def dismiss(self, refusal: int) -> None:
        if not await asyncio.to_thread(self.files.dismiss, refusal):
            raise NotFound(f"There is no refused import {refusal}; it may have been dismissed already.")

    async def doctor(self) -> list[Check]:
        findings = await asyncio.to_thread(examine, self.settings)
        return [Check(name=f.name, ok=f.ok, detail=f.detail, remedy=f.remedy) for f in findings]

    # Books come and go

    async def put_book(self, book: Book, path: Path) -> str:
        return await self.intake.put_book(book, path)

    async def import_file(self, name: str, path: Path, language: str | None = None) -> str:
        return await self.intake.import_file(name, path, language)

    async def read_refused(self, refusal: int, language: str) -> str:
        return await self.intake.read_refused(refusal, language)

    async def delete(self, book: str, what: Deletion) -> Deleted:
        await asyncio.to_thread(self.catalog.book, book)
        self.planner.leave(book)
        async with self.planner.quiet():
            if what == "audio":
                freed = await asyncio.to_thread(self._delete_audio, book)
                self.hub.publish("book.changed", id=book)
                return Deleted(deleted=what, freed_bytes=freed, moved_to=None)
            freed, moved = await asyncio.to_thread(self._delete_all, book)
        self.hub.publish("book.removed", id=book)
        return Deleted(deleted=what, freed_bytes=freed, moved_to=REMOVED if moved else None)

    def _delete_audio(self, book: str) -> int:
        freed = self.store.delete_audio(book)
        self.store.change_choices(book, paused=True)
        self.catalog.pause(book)
        for chapter in self.store.book(book).chapters:
            count_chapter(self.store, self.catalog, book, chapter.number)
        return freed

    def _delete_all(self, book: str) -> tuple[int, bool]:
        # The EPUB goes first: while it lies in the library folder, the next scan would bring the book back.
        moved = False
        folder = self.settings.data / REMOVED
        for path in self.files.paths_of(book):
            if path.exists():
                put_aside(path, folder)
                moved = True
        rules = self.store.book_folder(book) / BOOK_FILE
        if rules.exists():  # somebody's handwork: it lies beside the EPUB that it was made for
            folder.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(rules, free_name(folder / f"{book}-{BOOK_FILE}"))
            moved = True
        self.catalog.remove(book)
        return self.store.delete_book(book), moved

    # What is chosen for a book

    async def choose(self, book: str, notes: Notes) -> BookDetail:
        await self.intake.choose_notes(book, notes)
        return await self.book(book)

    async def turn_chapter(self, book: str, number: int, enabled: bool) -> BookDetail:
        await asyncio.to_thread(self.store.turn_chapter, book, number, enabled)
        await asyncio.to_thread(count_chapter, self.store, self.catalog, book, number)
        await asyncio.to_thread(renew, self.store, self.catalog, book)
        self.hub.publish("book.changed", id=book)
        self.planner.wake()
        return await self.book(book)

    async def render_again(self, book: str, spots: Mapping[int, Collection[str]], why: Again) -> int:
        count = await asyncio.to_thread(self._mark_again, book, spots, why)
        if count:
            self.hub.publish("book.changed", id=book)
            self.planner.wake()
        return count

    def _mark_again(self, book: str, spots: Mapping[int, Collection[str]], why: Again) -> int:
        count = 0
        for number, ids in sorted(spots.items()):
            if marked := self.store.render_again(book, number, ids, why):
                count_chapter(self.store, self.catalog, book, number)
                count += marked
        return count

    # Listening

    async def position(self, book: str) -> Position | None:
        item = await asyncio.to_thread(self.catalog.book, book)
        return None if item.place is None else position_view(item.place)

    async def set_position(self, book: str, place: PositionIn) -> Position:
        kept = await asyncio.to_thread(self._keep_place, book, place)
        row = place_row(book, kept)
        await asyncio.to_thread(self.catalog.set_place, row)
        self.planner.follow(book, kept.chapter, kept.sentence)
        view = position_view(row)
        self.hub.publish("position", book=book, **view.model_dump(mode="json"))
        return view

    def _keep_place(self, book: str, place: PositionIn) -> Place:
        edition = self.store.edition(book) if place.edition is None else place.edition
        told = Place(**place.model_dump(exclude={"edition"}), updated=datetime.now(UTC), edition=edition or None)
        kept = self.store.save_place(book, told)
        self.store.change_choices(book, paused=None)  # somebody listens again
        return kept

    async def preview(self, asked: PreviewIn) -> Preview:
        return await self._previews.make(asked)

    def hint(self, book: str, chapter: int, sentence: str | None) -> None:
        self.planner.hint(book, chapter, sentence)

    def close(self) -> None:
        self.intake.clear()
        self.search.close()
        self.database.close()
