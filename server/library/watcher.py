"""Watches the library folder. Events are hints: a path that changed is handed on once it has rested."""

import asyncio
import contextlib
import logging
import os
import time
from collections.abc import Awaitable, Callable
from pathlib import Path

from watchfiles import Change, awatch

from server.library.settle import Settler, candidates, is_candidate, may_be_folder

log = logging.getLogger(__name__)

POLL_S = 0.5  # how often resting files are looked at while there are any
LOOK_S = 5.0  # how often to look whether the folder is still the one that is watched


class Watcher:
    """Runs until cancelled: calls `look_at` for each settled path and `scan` at start and every `rescan_s`."""

    def __init__(
        self,
        root: Path,
        *,
        settle_s: float,
        rescan_s: float,
        look_at: Callable[[Path], Awaitable[None]],
        scan: Callable[[], Awaitable[None]],
    ) -> None:
        self._root = root
        self._settler = Settler(settle_s)
        self._rescan_s = rescan_s
        self._look_at = look_at
        self._scan = scan
        self._wake = asyncio.Event()
        self._again = asyncio.Event()  # the folder came back: what is in it is compared at once

    async def run(self) -> None:
        async with asyncio.TaskGroup() as tasks:
            tasks.create_task(self._watch())
            tasks.create_task(self._settle())
            tasks.create_task(self._rescan())

    async def _watch(self) -> None:
        came_back = False
        while True:
            watched = self._identity()
            if watched is not None:
                try:
                    await self._follow(watched, came_back)
                    log.warning("the library folder went away; it is watched again when it is back")
                except OSError as error:
                    log.warning("watching the library folder stopped (%s); it is tried again", type(error).__name__)
            came_back = True
            await asyncio.sleep(LOOK_S)

    async def _follow(self, watched: tuple[int, int], came_back: bool) -> None:
        """Note changes while the folder stays the same one: the system does not tell when it is moved or unmounted."""
        changes = awatch(
            self._root,
            step=200,
            rust_timeout=int(LOOK_S * 1000),
            yield_on_timeout=True,
            ignore_permission_denied=True,
        )
        async for found in changes:
            for change, name in found:
                self._touch(Path(name), change)
            if came_back:
                self._again.set()
                came_back = False
            if self._identity() != watched:
                return

    def _identity(self) -> tuple[int, int] | None:
        """Which folder it is, by device and inode; None when there is none."""
        try:
            status = self._root.stat()
        except OSError:
            return None
        return (status.st_dev, status.st_ino) if self._root.is_dir() else None

    def _touch(self, path: Path, change: Change = Change.modified) -> None:
        """Note a change. Inside a book that is a folder, the folder is what changed.

        A folder that came or went is noted too: of what is in it the system may tell nothing.
        """
        real = Path(os.path.realpath(self._root))
        if path.is_relative_to(real):  # macOS names what changed by its real path, whatever link the folder is
            path = self._root / path.relative_to(real)
        for outer in (path, *path.parents):
            if outer == self._root:
                break
            if outer.suffix.lower() == ".epub":
                path = outer
        if path == self._root or not path.is_relative_to(self._root):
            return
        if is_candidate(path, self._root) or (change is not Change.modified and may_be_folder(path, self._root)):
            self._settler.touch(path, time.monotonic())
            self._wake.set()

    async def _settle(self) -> None:
        while True:
            if not self._settler:
                self._wake.clear()
                await self._wake.wait()
            await asyncio.sleep(POLL_S)
            for path in self._settler.due(time.monotonic()):
                if is_candidate(path, self._root):
                    await self._look_at(path)
                elif path.is_dir():
                    for book in candidates(path, self._root)[0]:
                        await self._look_at(book)
                else:  # a folder that went, with all its books
                    self._again.set()

    async def _rescan(self) -> None:
        # The first scan also finds what came while the server was down.
        while True:
            await self._scan()
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(self._rescan_s):
                    await self._again.wait()
            self._again.clear()
