"""The house: library, store, database, planner and render process put together, as the HTTP layer asks for them."""

import asyncio
import contextlib
import logging
from collections.abc import Collection, Mapping
from functools import partial
from pathlib import Path

from server import __version__
from server.access.keeper import Keeper
from server.api.household import BookDetail, Books, BookView, Deleted, Deletion
from server.api.previews import Preview, PreviewIn
from server.api.reports import Check, Queue, Refusal, Status
from server.audition.stage import Audition
from server.config import Settings
from server.configuring import Configuring
from server.db import Database
from server.errors import BadRequest, LecternError, NotFound, SettingsError
from server.events import Hub
from server.hearing import Hearing
from server.intake import Intake
from server.keeping import Keeping
from server.library.catalog import Catalog, Shelved
from server.library.disks import Polling
from server.library.files import FileTable
from server.library.lineup import Lineup
from server.library.model import Book, Notes
from server.library.search import Search
from server.library.shelf import Shelf, Show, Sort
from server.placing import Placing
from server.previews import Previews
from server.removal import REMOVED, remove_audio, remove_book
from server.render.choices import Choices
from server.render.counting import book_stamp, count_chapter, place_row, renew
from server.render.engine import kokoro_engine
from server.render.index import SAMPLE_RATE, Again, Engine
from server.render.lead import keep_place
from server.render.places import OWNER
from server.render.planner import Planner
from server.render.progress import keep_reading
from server.render.records import BookRecord, Place
from server.render.store import Store
from server.render.supervisor import Supervisor
from server.rendering import Rendering, space_warning
from server.setup import check_models
from server.setup.checkup import Checkup
from server.speech import Speech
from server.surveying import Surveying
from server.tables import BookRow
from server.telling import Telling
from server.views import book_detail, book_view, queue_view, stand_in, worker_view
from server.voicing import Voicing

log = logging.getLogger(__name__)

SEARCH = "search.db"  # beside the database: the text of all books, to be searched
QUEUED, QUEUED_BOOKS = 100, 30  # chapters that the queue lists, of so many books at most; it tells how many there are


def prepare(settings: Settings) -> Engine:
    """Make the folders and name the engine.

    Raises SettingsError for a folder that cannot be and for an unknown voice, SetupError without a model.
    """
    try:
        Store(settings.store).blends.find(settings.voice)
    except (NotFound, BadRequest) as error:
        raise SettingsError(f"LECTERN_VOICE is {settings.voice!r}: {error}") from error
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
        self.access = Keeper(settings)
        self.store = Store(settings.store)
        self.database = Database(settings.database)
        self.search = Search(settings.data / SEARCH)
        self.catalog = Catalog(self.database)
        self.shelf = Shelf(self.database)
        self.lineup = Lineup(self.database)
        self.files = FileTable(settings.library, self.database)
        self.intake = Intake(settings, self.store, self.catalog, self.files, self.hub, engine)
        self.scanner = self.intake.scanner
        self.polling = Polling(settings.library, settings.poll_s, always=settings.poll)
        self.supervisor = Supervisor(settings, engine)
        self.planner = Planner(self.store, self.catalog, self.supervisor, self.hub)
        self.voicing = Voicing(self.store, self.catalog, self.planner, self.hub, engine)
        count = partial(count_chapter, self.store, self.catalog)
        self.ears = Hearing(self.store, self.catalog.ears, self.hub, count, self.planner.wake)
        self.places = Placing(
            self.store,
            self.hub,
            self._keep_place,
            self.planner.follow,
            resume=self.catalog.resume,
            read=lambda person, place: keep_reading(self.store, self.catalog, person, place),
        )
        self.rendering = Rendering(self.store, self.catalog, self.shelf, self.planner, self.hub, settings.data)
        self.audition = Audition(settings.data)
        self.telling = Telling(self.store, self.hub, partial(renew, self.store, self.catalog), self.render_again)
        self.surveying = Surveying(lambda: self.settings, self.store, self.hub)
        self.keeping = Keeping(lambda: self.settings, self.hub, lambda: self.configuration)
        self.speech = Speech(settings, self.store.blends, self.planner)
        self._previews, self._checkup = Previews(settings, self.store, self.planner), Checkup()
        self.heeding = [self._hold, self.intake.hold, self.speech.hold, self._previews.hold]
        self.configuration = Configuring(settings, self.store.blends, self.hub, self.heeding)
        self.intake.on_book = self.planner.wake
        self.intake.on_renewed = self.planner.leave
        self.intake.quiet = self.planner.quiet
        self.intake.clear()

    def _hold(self, settings: Settings) -> None:
        """Have settings that changed hold from now on, as far as that goes without a new start."""
        self.settings = settings

    # What the shelf shows

    async def status(self) -> Status:
        books, samples, taken = await asyncio.to_thread(self.shelf.sums)
        cap = await asyncio.to_thread(lambda: self.planner.conditions.file.rules.cap_bytes)
        return Status(
            version=__version__,
            library=str(self.settings.library),
            data=str(self.settings.data.absolute()),
            url=self.settings.url,
            worker=worker_view(self.planner),
            books=books,
            rendered_s=samples / SAMPLE_RATE,
            audio_bytes=taken,
            space=space_warning(taken, cap),
            ears=await asyncio.to_thread(self.catalog.ears.count),
            importing=list(self.scanner.importing),
            waiting=self.scanner.waiting,
            notice=self.scanner.notice,
            polled=await asyncio.to_thread(self.polling.told),
        )

    async def page(
        self, sort: Sort, query: str, limit: int | None, offset: int, show: Show = "all", person: str = OWNER
    ) -> Books:
        return await asyncio.to_thread(self._page, sort, query, limit, offset, show, person)

    async def books(self) -> list[BookView]:
        """All books, newest first."""
        return (await self.page("added", "", None, 0)).books

    def _page(self, sort: Sort, query: str, limit: int | None, offset: int, show: Show, person: str) -> Books:
        found, total = self.shelf.page(sort, query, limit, offset, show=show, person=person)
        outlook = self.planner.outlook()
        views = [book_view(item, self._shown(item.book), outlook) for item in found]
        return Books(books=views, total=total)

    def _shown(self, row: BookRow) -> BookRecord:
        """What the shelf shows of a book: from its row, unless its record has changed since that was made."""
        if not row.shown or row.stamp != book_stamp(self.store, row.id):
            try:
                return renew(self.store, self.catalog, row.id)
            except LecternError as error:
                log.error("a book is shown without its record: %s", error)
                return stand_in(row)
        return BookRecord.read(row.shown)

    async def book(self, book: str, person: str = OWNER) -> BookDetail:
        item = await asyncio.to_thread(self.catalog.book, book)
        progress = await asyncio.to_thread(self.shelf.progress, book, person)
        record = await asyncio.to_thread(self._record, item)
        files = await asyncio.to_thread(self.files.paths_of, book)
        edition, choices = await asyncio.to_thread(self._reading, book)
        keys = [self.files.key(path) for path in files]
        return book_detail(item, progress, record, self.planner.outlook(), keys, edition=edition, choices=choices)

    def _reading(self, book: str) -> tuple[int, Choices]:
        """Which edition of a book plays, and what was chosen for it; of a damaged one as little as of its record."""
        try:
            return self.store.edition(book), self.store.choices(book)
        except LecternError:
            return 0, Choices()

    def _record(self, item: Shelved) -> BookRecord:
        """The book's record. One that cannot be read has a stand-in: the rest of the shelf shows, and it can go."""
        try:
            return self.store.book(item.book.id)
        except LecternError as error:
            log.error("a book is shown without its record: %s", error)
            return stand_in(item.book)

    async def queue(self) -> Queue:
        return await asyncio.to_thread(self._queue)

    def _queue(self) -> Queue:
        outlook = self.planner.outlook()
        line, listeners = self.planner.chooser.line(self.planner.attention.present(), (), QUEUED_BOOKS, outlook.reach)
        total, samples = self.lineup.waiting(outlook.reach)
        by_hand = len(self.catalog.turns())
        return queue_view(line, listeners, outlook, limit=QUEUED, total=total, samples=samples, by_hand=by_hand)

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
        found = await asyncio.to_thread(self._checkup.examine, self.settings)
        return [Check(name=f.name, ok=f.ok, detail=f.detail, remedy=f.remedy) for f in found]

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
                try:
                    freed = await asyncio.to_thread(remove_audio, self.store, self.catalog, book)
                finally:
                    self.hub.publish("book.changed", id=book)
                return Deleted(deleted=what, freed_bytes=freed, moved_to=None)
            parts = (self.settings, self.store, self.catalog, self.files)
            freed, moved = await asyncio.to_thread(remove_book, *parts, book)
        self.hub.publish("book.removed", id=book)
        return Deleted(deleted=what, freed_bytes=freed, moved_to=REMOVED if moved else None)

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
        if why == "rule":  # it is said otherwise in every voice
            self.store.renditions.render_again(book, spots, why)
        return count

    # Listening

    def _keep_place(self, book: str, place: Place) -> None:
        keep_place(self.store, self.catalog, place_row(book, place))

    async def preview(self, asked: PreviewIn) -> Preview:
        return await self._previews.make(asked)

    def hint(self, book: str, chapter: int, sentence: str | None) -> None:
        self.planner.hint(book, chapter, sentence)

    def close(self) -> None:
        self.access.close()
        self.rendering.close()
        self.intake.clear()
        with contextlib.suppress(LecternError):  # a full disk: a minute of statistics, no more
            self.places.close()
        self.search.close()
        self.database.close()
