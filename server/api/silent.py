"""Connections that say nothing: closed after a while, so that nobody who holds many keeps the others out.

The web server itself closes a connection that rests after an answer; it waits for ever for the first request.
"""

import asyncio
import contextlib
import logging
import resource
import time
from collections import defaultdict
from collections.abc import Iterable
from typing import Any, Final

from server.access.decision import is_loopback

log = logging.getLogger(__name__)

SILENT_S: Final = 30.0  # from connecting to the end of the first request's headers
LOOK_S: Final = 5.0
MOST_SILENT: Final = 64  # connections of one device that have not asked for anything
HANDLES: Final = 4096  # files and connections; a Mac gives a Terminal 256
SAID_S: Final = 60.0


def raise_handles() -> None:
    """Let this process have as many files and connections open as it may need. Never raises."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = HANDLES if hard == resource.RLIM_INFINITY else min(HANDLES, hard)
    if soft == resource.RLIM_INFINITY or soft >= wanted:
        return
    with contextlib.suppress(OSError, ValueError):
        resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))


class Silences:
    """Looks after the connections of a web server; `connections` are its protocols."""

    def __init__(self, connections: Iterable[Any]) -> None:
        self._connections = connections
        self._since: dict[Any, float] = {}

    async def run(self) -> None:
        """Until cancelled."""
        while True:
            await asyncio.sleep(LOOK_S)
            self.look(time.monotonic())

    def look(self, now_s: float) -> None:
        """Close what has been silent for too long, and all silent ones of a device that has too many."""
        silent = [one for one in self._connections if _is_silent(one)]
        self._since = {one: self._since.get(one, now_s) for one in silent}
        devices: dict[str, list[Any]] = defaultdict(list)
        for one in silent:
            if now_s - self._since[one] >= SILENT_S:
                one.transport.close()
            elif one.client is not None and not is_loopback(one.client[0]):
                devices[one.client[0]].append(one)
        for those in devices.values():
            if len(those) > MOST_SILENT:
                for one in those:
                    one.transport.close()


def _is_silent(connection: Any) -> bool:
    """Has it asked for nothing yet? One that rests after an answer has a time limit of its own."""
    return (
        connection.cycle is None
        and connection.transport is not None
        and getattr(connection, "timeout_keep_alive_task", None) is None
    )


class Once:
    """An exception handler for an event loop that says in a minute once that there are too many connections."""

    def __init__(self) -> None:
        self._said_s = -SAID_S

    def __call__(self, loop: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
        if "out of system resource" not in str(context.get("message")):
            loop.default_exception_handler(context)
        elif time.monotonic() - self._said_s >= SAID_S:
            self._said_s = time.monotonic()
            log.error("there are more connections than this process may have; new ones wait")
