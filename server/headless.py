"""Rendering a book without a server: `lectern render FILE`."""

import asyncio
import contextlib
from collections.abc import Callable, Collection
from dataclasses import dataclass
from pathlib import Path

from server.api.renditions import SoundIn
from server.config import Settings, path_of
from server.errors import LecternError, NotFound, WorkerLost
from server.house import House, prepare
from server.library.languages import chosen
from server.lock import hold
from server.render.blame import CRASHES, Blame, PassRefused
from server.render.counting import count_chapter
from server.render.grouping import first_waiting
from server.render.index import SAMPLE_RATE
from server.render.messages import PassDone, PassRequest, Size
from server.render.store import Store
from server.render.voices import require_language


@dataclass(frozen=True, slots=True)
class RenderProgress:
    """How far a render is: sentences done of those asked for, and audio made in this run."""

    chapter: int
    title: str
    done: int
    total: int
    audio_s: float
    work_s: float


@dataclass(frozen=True, slots=True)
class RenderSummary:
    """What a render left in the store. `rendered` counts this run's sentences, `there` those made before."""

    book: str
    title: str
    rendered: int
    there: int
    failed: int
    audio_s: float
    work_s: float
    folder: Path


def render_file(
    settings: Settings,
    path_or_id: str,
    *,
    chapters: Collection[int] | None,
    limit: int | None,
    voice: str | None,
    report: Callable[[RenderProgress], None],
    language: str | None = None,
) -> RenderSummary:
    """Import a file, or take a book by id, and render it; `chapters` None are those that are read aloud.

    `voice` is what it is read with from now on; audio that it has in another stays. `language` counts for more than
    what the file says. Raises BookRefused, NotFound, BadRequest for a voice of another language, Conflict while a
    server runs, WorkerLost when rendering keeps failing.
    """
    language = chosen(language) if language else None
    engine = prepare(settings)
    if voice is not None:
        voice = str(Store(settings.store).blends.find(voice))
    with hold(settings), contextlib.closing(House(settings, engine)) as house:
        return asyncio.run(_Run(house, chapters, limit, voice, language, report).run(path_or_id))


class _Run:
    def __init__(
        self,
        house: House,
        chapters: Collection[int] | None,
        limit: int | None,
        voice: str | None,
        language: str | None,
        report: Callable[[RenderProgress], None],
    ) -> None:
        self._house = house
        self._wanted = chapters
        self._limit = limit
        self._voice = voice
        self._language = language
        self._report = report
        self._rendered = self._there = self._failed = self._total = 0
        self._audio_samples = 0
        self._work_s = 0.0
        self._blame = Blame()
        self._rendition = ""

    async def run(self, path_or_id: str) -> RenderSummary:
        house = self._house
        book = await self._find(path_or_id)
        if self._voice is not None:
            await house.voicing.choose(book, await house.voicing.sound(book, SoundIn(voice=self._voice)))
        record = house.store.book(book)
        self._rendition = record.rendition
        numbers = self._chapters(book)
        self._count(book, numbers)
        try:
            for number in numbers:
                await self._chapter(book, number)
        finally:
            await house.supervisor.end()
        return RenderSummary(
            book=book,
            title=record.title,
            rendered=self._rendered,
            there=self._there,
            failed=self._failed,
            audio_s=self._audio_samples / SAMPLE_RATE,
            work_s=self._work_s,
            folder=house.store.rendition_folder(book, record.rendition),
        )

    async def _find(self, path_or_id: str) -> str:
        path = path_of(path_or_id)
        if not path.exists():
            try:
                return self._house.store.book(path_or_id).id
            except NotFound:
                raise NotFound(f"There is no file {path_or_id}, nor a book with that id.") from None
        book = await self._house.scanner.read(path, self._language)
        if self._voice is not None:  # before anything is put on the shelf
            require_language(self._voice, book.read_as or book.language, book.title)
        return await self._house.put_book(book, path)

    def _chapters(self, book: str) -> list[int]:
        known = {chapter.number: chapter.enabled for chapter in self._house.store.book(book).chapters}
        if self._wanted is None:
            return [number for number, enabled in known.items() if enabled]
        missing = sorted(set(self._wanted) - known.keys())
        if missing:
            raise NotFound(f"The book has chapters 1 to {len(known)}; there is no chapter {missing[0]}.")
        return sorted(set(self._wanted))

    def _count(self, book: str, numbers: list[int]) -> None:
        for number in numbers:
            entries = self._house.store.chapter(book, number).sentences
            self._there += sum(entry.rendered for entry in entries)
            self._failed += sum(entry.failed is not None for entry in entries)
            self._total += sum(not entry.settled for entry in entries)
        if self._limit is not None:
            self._total = min(self._total, self._limit)

    async def _chapter(self, book: str, number: int) -> None:
        title = self._house.store.chapter(book, number).title
        losses = 0
        while self._limit is None or self._rendered < self._limit:
            first = first_waiting(self._house.store.chapter(book, number), None)
            if first is None:
                break
            try:
                await self._pass(book, number, first.id, title)
                losses = 0
            except (WorkerLost, PassRefused) as error:
                losses += 1
                await self._blame_for(book, number, error)
                if losses > CRASHES:
                    raise
        await asyncio.to_thread(count_chapter, self._house.store, self._house.catalog, book, number)

    async def _pass(self, book: str, number: int, start: str, title: str) -> None:
        size: Size = "alone" if self._blame.suspected(book, self._rendition, number, start) else "usual"
        done = await self._house.supervisor.render(PassRequest(self._rendered, book, number, start, size))
        if isinstance(done, PassDone):
            self._blame.acquit(book, self._rendition, number, done.sentences)
            self._rendered += len(done.sentences)
            self._audio_samples += done.audio_samples
            self._work_s += done.work_s
            audio_s = self._audio_samples / SAMPLE_RATE
            self._report(RenderProgress(number, title, self._rendered, self._total, audio_s, self._work_s))

    async def _blame_for(self, book: str, number: int, error: LecternError) -> None:
        sentence = self._house.supervisor.guilty(error)
        order = sentence and self._blame.note(book, self._rendition, number, sentence, error)
        if order:
            await self._house.supervisor.quarantine(order)
            self._failed += 1
