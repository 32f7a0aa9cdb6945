"""What somebody should listen to, for the HTTP layer: read from the database and the store, changed in the store."""

import asyncio
import logging
from collections.abc import Callable
from datetime import UTC, datetime
from functools import partial
from typing import Final

from server.api.audio import sentence_url
from server.api.ears import EarsAnswer, EarsItem, EarsList, Neighbour, State, Wish, reason
from server.errors import LecternError
from server.events import Hub
from server.library.ears import EarsTable
from server.render.ears import accepted, rendered_otherwise, sounds_wrong, taken_back, withdrawn
from server.render.index import ChapterIndex, SentenceEntry
from server.render.store import Store
from server.tables import EarsRow

log = logging.getLogger(__name__)

_STATES: Final[dict[str, State]] = {"gate": "gate", "listener": "listener", "redone": "redone"}


class Hearing:
    """Implements `server.api.ears.Ears`. `count` makes the counters of a chapter true after it changed."""

    def __init__(
        self, store: Store, table: EarsTable, hub: Hub, count: Callable[[str, int], object], wake: Callable[[], None]
    ) -> None:
        self._store = store
        self._table = table
        self._hub = hub
        self._count = count
        self._wake = wake

    async def listed(self, book: str | None, *, oldest: bool, limit: int, offset: int) -> EarsList:
        return await asyncio.to_thread(self._listed, book, oldest, limit, offset)

    async def say(self, book: str, chapter: int, sentence: str, wish: Wish, note: str | None) -> EarsAnswer:
        entry, changed = await asyncio.to_thread(self._change, book, chapter, sentence, wish, note)
        self._hub.publish("ears.changed", book=book, chapter=chapter, sentence=sentence)
        if wish in ("again", "earlier"):
            self._hub.publish("book.changed", id=book)
            self._wake()
        return EarsAnswer(
            book=book,
            chapter=chapter,
            sentence=sentence,
            state=entry.ears,
            again=entry.again is not None,
            earlier=entry.earlier is not None,
            changed=changed,
        )

    def _change(
        self, book: str, chapter: int, sentence: str, wish: Wish, note: str | None
    ) -> tuple[SentenceEntry, bool]:
        now = datetime.now(UTC)
        changes: dict[Wish, Callable[[SentenceEntry], SentenceEntry]] = {
            "wrong": partial(sounds_wrong, note=(note or "").strip(), at=now),
            "withdrawn": withdrawn,
            "accepted": accepted,
            "again": partial(rendered_otherwise, at=now),
            "earlier": taken_back,
        }
        seen: list[SentenceEntry] = []

        def change(entry: SentenceEntry) -> SentenceEntry:
            seen.append(entry)
            return changes[wish](entry)

        entry = self._store.change_sentence(book, chapter, sentence, change)
        self._count(book, chapter)
        return entry, entry != seen[-1]

    def _listed(self, book: str | None, oldest: bool, limit: int, offset: int) -> EarsList:
        rows = self._table.page(book, oldest=oldest, limit=limit, offset=offset)
        items = []
        for row in rows:
            try:
                items += self._items(row)
            except LecternError as error:  # a damaged book hides no other
                log.warning("a sentence to listen to cannot be shown: %s", error)
        return EarsList(items=items, total=self._table.count(book))

    def _items(self, row: EarsRow) -> list[EarsItem]:
        """None or one: what the row tells of may have changed since it was counted."""
        index = self._store.chapter(row.book, row.chapter)
        at = next((at for at, entry in enumerate(index.sentences) if entry.id == row.sentence), None)
        if at is None or (state := _STATES.get(index.sentences[at].ears or "")) is None:
            return []
        entry = index.sentences[at]
        item = EarsItem(
            book=row.book,
            title=self._store.book(row.book).title,
            chapter=row.chapter,
            chapter_title=index.title,
            sentence=entry.id,
            text=entry.text,
            before=_neighbour(index, at - 1),
            after=_neighbour(index, at + 1),
            state=state,
            reason=reason(state, entry.gate or ()),
            note=entry.note,
            at=row.at.replace(tzinfo=UTC) if row.at.tzinfo is None else row.at,
            audio=sentence_url(index.book, index.chapter, entry),
            earlier_audio=sentence_url(index.book, index.chapter, entry, earlier=True) if entry.earlier else None,
            again=entry.again is not None,
            earlier=entry.earlier is not None,
        )
        return [item]


def _neighbour(index: ChapterIndex, at: int) -> Neighbour | None:
    if not 0 <= at < len(index.sentences):
        return None
    entry = index.sentences[at]
    return Neighbour(text=entry.text, audio=sentence_url(index.book, index.chapter, entry) if entry.rendered else None)
