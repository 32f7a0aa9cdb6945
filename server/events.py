"""Bounded publish and subscribe inside the daemon; the event stream of the API hangs on it."""

import asyncio
import itertools
from collections.abc import AsyncIterator
from dataclasses import dataclass
from typing import Any

BACKLOG = 256  # a subscriber that falls this far behind loses its oldest events, never anyone else's


@dataclass(frozen=True, slots=True)
class Event:
    """`kind` is a dotted name (`book.added`, `render.progress`); `data` is JSON-ready."""

    id: int
    kind: str
    data: dict[str, Any]


class Hub:
    """Fan-out to any number of subscribers on one event loop. `publish` must be called on that loop."""

    def __init__(self) -> None:
        self._queues: set[asyncio.Queue[Event | None]] = set()
        self._ids = itertools.count(1)
        self._closed = False

    def publish(self, kind: str, /, **data: Any) -> None:
        event = Event(next(self._ids), kind, data)
        for queue in self._queues:
            self._put(queue, event)

    def close(self) -> None:
        """End every stream, so that the web server can stop."""
        self._closed = True
        for queue in self._queues:
            self._put(queue, None)

    async def subscribe(self) -> AsyncIterator[Event]:
        """Yield events from now on, until the hub closes."""
        if self._closed:
            return
        queue: asyncio.Queue[Event | None] = asyncio.Queue(BACKLOG)
        self._queues.add(queue)
        try:
            while (event := await queue.get()) is not None:
                yield event
        finally:
            self._queues.discard(queue)

    @staticmethod
    def _put(queue: asyncio.Queue[Event | None], event: Event | None) -> None:
        if queue.full():
            queue.get_nowait()
        queue.put_nowait(event)
