"""Who listens now, and where: known by what players ask for and by the places they save."""

import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Final

from server.render.queue import Focus

PRESENT_S: Final = 600.0  # so long after the last sign of them somebody counts as listening


@dataclass(frozen=True, slots=True)
class Seen:
    """Somebody's latest sign; `fresh`: they wait to hear something, and nothing was rendered for them since."""

    focus: Focus
    at_s: float
    fresh: bool = False


class Attention:
    """One listener a book: the household's last."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._seen: dict[str, Seen] = {}

    def hint(self, focus: Focus) -> None:
        """Somebody waits to hear this."""
        self._seen[focus.book] = Seen(focus, self._clock(), fresh=True)

    def follow(self, focus: Focus) -> None:
        """A listener has come this far."""
        before = self._seen.get(focus.book)
        self._seen[focus.book] = Seen(focus, self._clock(), fresh=before is not None and before.fresh)

    def leave(self, book: str) -> None:
        """Nobody listens to this book any more."""
        self._seen.pop(book, None)

    def present(self) -> list[Seen]:
        """Those who listen, the latest sign first."""
        long_ago = self._clock() - PRESENT_S
        self._seen = {book: seen for book, seen in self._seen.items() if seen.at_s >= long_ago}
        return sorted(self._seen.values(), key=lambda seen: -seen.at_s)

    @property
    def fresh(self) -> bool:
        """Does anybody wait for a first sound?"""
        return any(seen.fresh for seen in self.present())

    def settle(self, but: str | None) -> None:
        """Nobody waits any more, save for the book `but`: what they want to hear is there."""
        for book in self._seen.keys() - {but}:
            self._mark(book, fresh=False)

    def take(self, book: str) -> bool:
        """Whether somebody waited for this book; not any more, it is being rendered."""
        return self._mark(book, fresh=False)

    def give_back(self, book: str) -> None:
        """It was not rendered after all: they wait still."""
        self._mark(book, fresh=True)

    def _mark(self, book: str, *, fresh: bool) -> bool:
        seen = self._seen.get(book)
        if seen is None:
            return False
        self._seen[book] = replace(seen, fresh=fresh)
        return seen.fresh
