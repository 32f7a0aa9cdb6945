"""Finds what is rendered next: asks database and indexes what `queue.py` decides by. Everything blocks."""

import contextlib
from collections.abc import Collection, Sequence

from server.errors import LecternError
from server.library.catalog import Catalog, Shelved
from server.library.lineup import Lineup
from server.library.policy import Reach
from server.render.attention import Seen
from server.render.conditions import Permit
from server.render.grouping import first_waiting
from server.render.index import ChapterIndex, SentenceEntry
from server.render.lead import lead, measure
from server.render.queue import Listener, Target, newcomers, order, pick, serve
from server.render.store import Store


class Chooser:
    """Call it in a thread. Raises StoreError when the database does not answer."""

    def __init__(self, store: Store, catalog: Catalog) -> None:
        self._store = store
        self._catalog = catalog
        self._lineup = Lineup(catalog.database)

    def newcomer(self, avoided: Collection[str], reach: Reach) -> Target | None:
        """The beginning of the book added first that has nothing yet."""
        return next(newcomers(self._lineup.newcomer(avoided, reach), reach), None)

    def next(self, seen: Sequence[Seen], avoided: Collection[str], permit: Permit) -> Target | None:
        """What comes first, by those who listen, the policies and what is permitted now."""
        here = [one for one in seen if one.focus.book not in avoided]
        shelf, listeners = self.line(here, avoided, 0 if permit.most is not None else 1, permit.reach)
        if permit.most is not None:
            return pick(serve(shelf, listeners, permit.reach, permit.most), self._has)
        return pick(order(shelf, listeners, permit.reach), self._has)

    def held(self, avoided: Collection[str], permit: Permit) -> bool:
        """Is there anything that is only not rendered because it is not permitted now? Raises nothing."""
        try:
            return bool(self._lineup.line((), avoided, 1, permit.reach))
        except LecternError:
            return True  # nobody knows: it is looked at again

    def line(
        self, seen: Sequence[Seen], avoided: Collection[str], books: int, reach: Reach
    ) -> tuple[list[Shelved], list[Listener]]:
        """The books listened to and the first `books` that wait, and those who listen with what they have ahead."""
        shelf = self._line(seen, avoided, books, reach)
        return shelf, self._listeners(shelf, seen)

    def _line(self, seen: Sequence[Seen], avoided: Collection[str], books: int, reach: Reach) -> list[Shelved]:
        listened = [one.focus.book for one in seen]
        shelf = self._lineup.line(listened, avoided, books, reach)
        if not any(shelved.book.lead is None for shelved in shelf):
            return shelf
        for shelved in shelf:  # its place in the line was a guess
            with contextlib.suppress(LecternError):
                measure(self._store, self._catalog, shelved.book.id)
        return self._lineup.line(listened, avoided, books, reach)

    def _listeners(self, shelf: Sequence[Shelved], seen: Sequence[Seen]) -> list[Listener]:
        books = {shelved.book.id: shelved for shelved in shelf}
        found = []
        for one in seen:
            if (shelved := books.get(one.focus.book)) is None:
                continue
            ready = 0
            with contextlib.suppress(LecternError):  # the pass will say what is wrong with it
                ready = lead(self._store, shelved, one.focus)
            found.append(Listener(one.focus, ready, one.fresh))
        return found

    def _has(self, target: Target) -> bool:
        try:
            return wanted(self._store.chapter(target.book, target.chapter), target) is not None
        except LecternError:
            return True  # the pass will say what is wrong with it


def wanted(index: ChapterIndex, target: Target) -> SentenceEntry | None:
    """The first sentence of a chapter that is to be rendered for `target`; None where there is none."""
    if target.again:
        return next((entry for entry in index.sentences if entry.again is not None), None)
    known = any(entry.id == target.start for entry in index.sentences)
    return first_waiting(index, target.start if known else None)
