"""The household's rules for rendering, as the HTTP layer asks for them."""

import asyncio
import logging
import threading
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from server.api.rendering import PowerView, RulesIn, RulesView
from server.errors import Conflict, LecternError, NotFound
from server.events import Hub
from server.library.catalog import Catalog
from server.library.policy import Policy
from server.library.shelf import Shelf
from server.render.houserules import HouseRules
from server.render.planner import Planner
from server.render.speeds import SPEEDS, Hour, Speeds
from server.render.store import Store

log = logging.getLogger(__name__)

_ARRANGING: Final = threading.Lock()  # of two orders at once the second is the one that holds, and not half of each


class Rendering:
    """Keeps rules and choices, and tells the planner, who heeds them with the next pass."""

    def __init__(self, store: Store, catalog: Catalog, shelf: Shelf, planner: Planner, hub: Hub, data: Path) -> None:
        self._store = store
        self._catalog = catalog
        self._shelf = shelf
        self._planner = planner
        self._hub = hub
        self._speeds = planner.speeds = Speeds(data / SPEEDS)

    def close(self) -> None:
        """Nothing is rendered any more."""
        self._speeds.close()

    async def speeds(self) -> list[Hour]:
        return await asyncio.to_thread(self._speeds.hours)

    async def rules(self) -> tuple[RulesView, str]:
        return await asyncio.to_thread(self._rules)

    def _rules(self) -> tuple[RulesView, str]:
        file, power = self._planner.conditions.file, self._planner.conditions.power()
        tag, rules = file.tag, file.rules
        view = RulesView(
            **rules.model_dump(exclude={"format", "quiet"}),
            quiet=list(rules.quiet),
            warning=file.warning,
            power=PowerView(battery=power.battery, low_power=power.low),
            audio_bytes=self._shelf.sums()[2],
        )
        return view, tag

    async def change(self, rules: RulesIn, tag: str | None) -> None:
        made = HouseRules(**rules.model_dump())
        await asyncio.to_thread(self._planner.conditions.file.write, made, tag)
        self._planner.wake()
        self._hub.publish("rules.changed")

    async def choose(self, book: str, render: Policy | None) -> None:
        await asyncio.to_thread(self._choose, book, render)
        self._planner.wake()
        self._hub.publish("book.changed", id=book)

    def _choose(self, book: str, render: Policy | None) -> None:
        self._catalog.book(book)
        self._store.change_choices(book, render=render)
        self._catalog.choose(book, render or "")

    async def arrange(self, books: Sequence[str]) -> None:
        await asyncio.to_thread(arrange, self._store, self._catalog, books)
        self._planner.wake()
        self._hub.publish("queue.changed", books=list(books))


def arrange(store: Store, catalog: Catalog, books: Sequence[str]) -> None:
    """Put books in order by hand, in their choices and in the rows. Raises Conflict where one is gone, StoreError."""
    with _ARRANGING:
        known, before = set(catalog.ids()), catalog.turns()
        if gone := [book for book in books if book not in known]:
            raise Conflict(f"There is no book {gone[0]} here any more. Look at the queue again.")
        done: dict[str, int | None] = {}
        try:
            for at, book in enumerate(books, 1):
                store.change_choices(book, turn=at)
                done[book] = at
            for book in before.keys() - set(books):
                done[book] = None
                try:
                    store.change_choices(book, turn=None)
                except NotFound:  # deleted meanwhile
                    continue
                except LecternError as error:  # damaged choices of a book keep nobody from putting the others in order
                    log.error("a book keeps its turn until its choices can be read: %s", error)
        except NotFound as error:
            raise Conflict(f"{error} Look at the queue again.") from error
        finally:
            catalog.put_turns(done)  # of an order that is cut short too: what the store has holds


def space_warning(taken_bytes: int, cap_bytes: int | None) -> str | None:
    """A sentence for the user where there is more audio than they want; None where there is not."""
    if cap_bytes is None or taken_bytes <= cap_bytes:
        return None
    return (
        f"The audio takes {_size(taken_bytes)}, more than the {_size(cap_bytes)} that you set. Delete the audio of "
        "books that you have heard, or set another limit: nothing is deleted by itself."
    )


def _size(count: int) -> str:
    unit, name = next(((u, n) for u, n in ((1e9, "GB"), (1e6, "MB")) if count >= u), (1e3, "KB"))
    return f"{count / unit:.1f} {name}" if count < 10 * unit else f"{count / unit:.0f} {name}"
