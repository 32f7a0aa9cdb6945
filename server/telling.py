"""What the household writes of its books, for the HTTP layer: kept in the store, shown at once, told to everybody."""

import asyncio
import contextlib
from collections.abc import Awaitable, Callable, Collection, Mapping
from pathlib import Path

from server.errors import LecternError, NotFound
from server.events import Hub
from server.library.covering import cover_aside
from server.render.index import Again
from server.render.lexicon.match import affected
from server.render.records import BookRecord
from server.render.store import Store
from server.render.voices import voice as find_voice

AgainIn = Callable[[str, Mapping[int, Collection[str]], Again], Awaitable[int]]


class Telling:
    """Implements `server.api.telling.Telling`.

    `shown` has the shelf know what a book's record says now; `again` has sentences rendered again.
    """

    def __init__(self, store: Store, hub: Hub, shown: Callable[[str], object], again: AgainIn) -> None:
        self._store = store
        self._hub = hub
        self._shown = shown
        self._again = again

    async def write(self, book: str, changed: dict[str, object]) -> None:
        otherwise = await asyncio.to_thread(self._write, book, changed)
        self._hub.publish("book.changed", id=book)
        if otherwise:
            await self._again(book, otherwise, "rule")

    async def cover(self, book: str, picture: Path | None) -> None:
        await asyncio.to_thread(self._store.book, book)
        if picture is None:
            await asyncio.to_thread(self._write, book, {"cover": None, "thumbnail": None})
        else:
            data, media_type, thumbnail = await cover_aside(picture)
            await asyncio.to_thread(self._store.put_cover, book, data, media_type, thumbnail)
            await asyncio.to_thread(self._shown, book)
        self._hub.publish("book.changed", id=book)

    def _write(self, book: str, changed: dict[str, object]) -> dict[int, set[str]]:
        """Gives the sentences that are said otherwise, since the book is another author's, or of another series."""
        before = self._store.book(book)
        after = self._store.write_about(book, **changed)
        self._shown(book)
        if (before.authors, before.series) == (after.authors, after.series):
            return {}
        return said_otherwise(self._store, before, after)


def said_otherwise(store: Store, before: BookRecord, after: BookRecord) -> dict[int, set[str]]:
    """Rendered sentences, by chapter, that other rules hold for, since the book has other authors or another series."""
    old, new = store.lexicon.of_book(before), store.lexicon.of_book(after)
    found: dict[int, set[str]] = {}
    try:
        voice = find_voice(after.voice)
    except NotFound:  # another program's: it is not added to
        return found
    for chapter in (chapter for chapter in after.chapters if chapter.enabled):
        with contextlib.suppress(LecternError):  # a damaged chapter hinders nobody
            entries = [entry for entry in store.chapter(after.id, chapter.number).sentences if entry.rendered]
            texts = [entry.text for entry in entries]
            touched = affected(texts, old, new, british=voice.british, only_text=not voice.english)
            if touched:
                found[chapter.number] = {entries[at].id for at in touched}
    return found
