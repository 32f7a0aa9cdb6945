"""Bounded publish and subscribe inside the daemon; the event stream of the API hangs on it."""

import asyncio
import itertools
import secrets
from collections import deque
from collections.abc import AsyncIterator
from dataclasses import dataclass
from typing import Any, Final

BACKLOG = 256  # a subscriber that falls this far behind loses its oldest events, never anyone else's
KEPT: Final = 512  # events for those who come back after a lost connection
GAP: Final = "gap"


@dataclass(frozen=True, slots=True)
class Event:
    """`kind` is a dotted name (`book.added`, `render.progress`); `data` is JSON-ready."""

    id: int
    kind: str
    data: dict[str, Any]


class Hub:
    """Fan-out to any number of subscribers on one event loop. `publish` must be called on that loop.

    `run` is another word in each run of the daemon: the numbers of one mean nothing in the next.
    """

    def __init__(self) -> None:
        self.run = secrets.token_hex(4)
        self._queues: set[asyncio.Queue[Event | None]] = set()
        self._ids = itertools.count(1)
        self._kept: deque[Event] = deque(maxlen=KEPT)
        self._last = 0
        self._closed = False

    def publish(self, kind: str, /, **data: Any) -> None:
        event = Event(next(self._ids), kind, data)
        self._last = event.id
        self._kept.append(event)
        for queue in self._queues:
            self._put(queue, event)

    def close(self) -> None:
        """End every stream, so that the web server can stop."""
        self._closed = True
        for queue in self._queues:
            self._put(queue, None)

    def name(self, event: Event) -> str:
        """What a client sends back as Last-Event-ID."""
        return f"{self.run}-{event.id}"

    @property
    def latest(self) -> str:
        """The name of the last event, or of the beginning."""
        return f"{self.run}-{self._last}"

    async def subscribe(self, after: str | None = None) -> AsyncIterator[Event]:
        """Yield events from now on, until the hub closes.

        With `after`, the name of the last one that was received, those that were missed come first; one of the kind
        `gap` where that cannot be told: it was another run, or is too long ago.
        """
        if self._closed:
            return
        queue: asyncio.Queue[Event | None] = asyncio.Queue(BACKLOG)
        missed = self._since(after) if after is not None else []
        reached = self._last
        self._queues.add(queue)
        try:
            for event in missed:
                yield event
            while (following := await queue.get()) is not None:
                if following.id > reached + 1:  # others fell out of the queue meanwhile
                    yield self._gap(following.id - 1)
                reached = following.id
                yield following
        finally:
            self._queues.discard(queue)

    def _since(self, after: str) -> list[Event]:
        run, _, number = after[:40].partition("-")
        if run != self.run or not (number.isascii() and number.isdecimal()):
            return [self._gap(self._last)]
        seen = int(number)
        if seen > self._last or (self._kept and seen < self._kept[0].id - 1):
            return [self._gap(self._last)]
        return [event for event in self._kept if event.id > seen]

    def _gap(self, last: int) -> Event:
        """Stands for everything up to the event numbered `last`."""
        return Event(last, GAP, {})

    @staticmethod
    def _put(queue: asyncio.Queue[Event | None], event: Event | None) -> None:
        if queue.full():
            queue.get_nowait()
        queue.put_nowait(event)
