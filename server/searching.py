"""Keeps the search index in step with the store: what came in is put into it, what went is taken out."""

import asyncio
import contextlib
import hashlib
import logging
from collections.abc import Collection, Iterator

from server.errors import LecternError
from server.events import Hub
from server.library.search import Passage, Search
from server.render.records import BookRecord
from server.render.store import Store

log = logging.getLogger(__name__)

LATER_S = 900.0  # so long until what could not be done is tried again, if nothing else happens
_MATTERS = ("book.added", "book.renewed", "book.removed")


class Indexer:
    """Runs until cancelled. What fails is logged and tried again later: nothing else waits for the search."""

    def __init__(self, store: Store, search: Search, hub: Hub) -> None:
        self._store = store
        self._search = search
        self._hub = hub
        self._wake = asyncio.Event()
        self._told: set[str] = set()  # books that something was told of since they were looked at

    async def run(self) -> None:
        loop = asyncio.get_running_loop()
        self._search.on_damage = lambda: loop.call_soon_threadsafe(self._wake.set)
        listening = asyncio.create_task(self._listen())
        told: set[str] | None = None
        try:
            while True:
                self._wake.clear()
                await asyncio.to_thread(self.reconcile, told)
                told = None
                with contextlib.suppress(TimeoutError):
                    async with asyncio.timeout(LATER_S):
                        await self._wake.wait()
                        told, self._told = self._told, set()
        finally:
            self._search.on_damage = lambda: None
            listening.cancel()

    def reconcile(self, told: Collection[str] | None = None) -> None:
        """Make the index hold the books of the store, no more and no less, as they are now. Blocks.

        Of those that are in it only `told` are looked at, where that is given: thousands of records take seconds.
        """
        try:
            there, known = set(self._store.books()), self._search.books()
            for book in sorted(known.keys() - there):
                self._search.remove(book)
        except (LecternError, OSError) as error:
            log.warning("the search index is not compared now: %s", error)
            return
        for book in sorted(there if told is None else there & (set(told) | (there - known.keys()))):
            try:
                edition = edition_of(self._store.book(book))
                if known.get(book) != edition:
                    self._search.put(book, self._passages(book), edition)
            except (LecternError, OSError) as error:
                log.warning("a book cannot be searched now: %s", error)

    def _passages(self, book: str) -> Iterator[Passage]:
        for chapter in self._store.book(book).chapters:
            for entry in self._store.chapter(book, chapter.number).sentences:
                yield Passage(chapter.number, entry.id, entry.text)

    async def _listen(self) -> None:
        async for event in self._hub.subscribe():
            if event.kind in _MATTERS:
                self._told.add(event.data.get("id", ""))
                self._wake.set()


def edition_of(record: BookRecord) -> str:
    """Changes with the text of a book, which a book that nobody heard yet may change without a rendition of its own."""
    sizes = [(chapter.sentences, chapter.characters) for chapter in record.chapters]
    text = repr((record.rendition, record.source.sha256, sizes))
    return hashlib.sha256(text.encode()).hexdigest()[:16]
