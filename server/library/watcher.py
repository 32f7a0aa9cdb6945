"""Watches the library folder. Events are hints: a path that changed is handed on once it has rested.

Where the system sends no events, on a network disk, the folder is compared every `poll_s` seconds instead, and what
differs rests like everything else.
"""

import asyncio
import contextlib
import logging
import os
import time
from collections.abc import Awaitable, Callable, Iterable
from pathlib import Path

from watchfiles import Change, awatch

from server.library.settle import Settler, is_candidate, may_be_folder, real_name
from server.library.walk import look_into

log = logging.getLogger(__name__)

POLL_S = 0.5  # how often resting files are looked at while there are any
LOOK_S = 5.0  # how often to look whether the folder is still the one that is watched, and the clock
JUMP_S = 30.0  # the clock on the wall is so far ahead of the one that runs only while the machine does: it slept


class Watcher:
    """Runs until cancelled: calls `look_at` with settled paths and `scan` at start and every `rescan_s`.

    `differing` gives the paths that differ from what is known; it is asked every `poll_s`, unless that is None.
    """

    def __init__(
        self,
        root: Path,
        *,
        settle_s: float,
        rescan_s: float,
        look_at: Callable[..., Awaitable[None]],
        scan: Callable[[], Awaitable[None]],
        differing: Callable[[], Awaitable[Iterable[Path]]] | None = None,
        poll_s: Callable[[], float | None] = lambda: None,
    ) -> None:
        self._root = root
        self._settler = Settler(settle_s)
        self._rescan_s = rescan_s
        self._look_at = look_at
        self._scan = scan
        self._differing = differing
        self._poll_s = poll_s
        self._wake = asyncio.Event()
        self._again = asyncio.Event()  # the folder came back: what is in it is compared at once

    async def run(self) -> None:
        async with asyncio.TaskGroup() as tasks:
            tasks.create_task(self._watch())
            tasks.create_task(self._settle())
            tasks.create_task(self._rescan())
            tasks.create_task(self._notice_sleep())
            if self._differing is not None:
                tasks.create_task(self._poll(self._differing))

    async def _watch(self) -> None:
        came_back = False
        while True:
            watched = await asyncio.to_thread(self._identity)
            if watched is not None:
                try:
                    await self._follow(watched, came_back)
                    log.warning("the library folder went away; it is watched again when it is back")
                except (OSError, RuntimeError, ExceptionGroup) as error:
                    # What the system tells of it may be a name that is no text: the folder is compared instead.
                    log.warning("watching the library folder stopped (%s); it is tried again", type(error).__name__)
            came_back = True
            await asyncio.sleep(LOOK_S)

    async def _follow(self, watched: tuple[int, int], came_back: bool) -> None:
        """Note changes while the folder stays the same one: the system does not tell when it is moved or unmounted."""
        changes = awatch(
            self._root,
            watch_filter=None,  # what is a book is decided here
            step=200,
            rust_timeout=int(LOOK_S * 1000),
            yield_on_timeout=True,
            ignore_permission_denied=True,
        )
        async for found in changes:
            await asyncio.to_thread(self._touch_all, found)
            if self._settler:
                self._wake.set()
            if came_back:
                self._again.set()
                came_back = False
            if await asyncio.to_thread(self._identity) != watched:
                return

    def _identity(self) -> tuple[int, int] | None:
        """Which folder it is, by device and inode; None when there is none."""
        try:
            status = self._root.stat()
        except OSError:
            return None
        return (status.st_dev, status.st_ino) if self._root.is_dir() else None

    def _touch_all(self, found: Iterable[tuple[Change, str]]) -> None:
        now = time.monotonic()  # one for all: both ends of a move rest equally long
        for change, name in found:
            self._touch(Path(name), change, now)

    def _touch(self, path: Path, change: Change = Change.modified, now: float | None = None) -> None:
        """Note a change. Inside a book that is a folder, the folder is what changed.

        A folder that came or went is noted too: of what is in it the system may tell nothing.
        """
        real = Path(os.path.realpath(self._root))
        if path.is_relative_to(real):  # macOS names what changed by its real path, whatever link the folder is
            path = self._root / path.relative_to(real)
        if (name := real_name(path.name)) is not None:  # the placeholder of a file that is in iCloud
            path = path.with_name(name)
        for outer in (path, *path.parents):
            if outer == self._root:
                break
            if outer.suffix.lower() == ".epub":
                path = outer
        if path == self._root or not path.is_relative_to(self._root):
            return
        if is_candidate(path, self._root) or (change is not Change.modified and may_be_folder(path, self._root)):
            self._settler.touch(path, time.monotonic() if now is None else now)

    async def _settle(self) -> None:
        while True:
            if not self._settler:
                self._wake.clear()
                await self._wake.wait()
            await asyncio.sleep(POLL_S)
            due = await asyncio.to_thread(self._due)
            if due:
                await self._look_at(*due)

    def _due(self) -> list[Path]:
        """The books that have rested, and those in folders that have."""
        books: list[Path] = []
        for path in self._settler.due(time.monotonic()):
            if is_candidate(path, self._root):
                books.append(path)
            elif path.is_dir():
                books += look_into(path, self._root).found
            else:  # a folder that went, with all its books
                self._again.set()
        return list(dict.fromkeys(books))

    async def _rescan(self) -> None:
        # The first scan also finds what came while the server was down.
        while True:
            await self._scan()
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(self._rescan_s):
                    await self._again.wait()
            self._again.clear()

    async def _poll(self, differing: Callable[[], Awaitable[Iterable[Path]]]) -> None:
        """Look at the folder again and again while it is on a disk that tells of no changes."""
        while True:
            poll_s = await asyncio.to_thread(self._poll_s)
            await asyncio.sleep(LOOK_S if poll_s is None else poll_s)
            if poll_s is None:
                continue
            found = await differing()
            now = time.monotonic()
            for path in found:
                await asyncio.to_thread(self._settler.offer, path, now)
            if self._settler:
                self._wake.set()

    async def _notice_sleep(self) -> None:
        """Compare the folder when the machine has slept: what happened meanwhile may have no event."""
        ahead_s = _ahead_s()
        while True:
            await asyncio.sleep(LOOK_S)
            before_s, ahead_s = ahead_s, _ahead_s()
            if ahead_s - before_s > JUMP_S:
                log.info("the machine slept; the library folder is compared")
                self._again.set()


def _ahead_s() -> float:
    """How far the clock on the wall is ahead of the one that stands still while the machine sleeps."""
    return time.time() - time.monotonic()
