"""Watches the library folder. Events are hints: a path that changed is handed on once it has rested."""

import asyncio
import logging
import time
from collections.abc import Awaitable, Callable
from pathlib import Path

from watchfiles import awatch

from server.library.settle import Settler, is_candidate

log = logging.getLogger(__name__)

POLL_S = 0.5  # how often resting files are looked at while there are any
ROOT_GONE_S = 15.0  # how long to wait before looking whether a folder that vanished is back


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

    async def run(self) -> None:
        async with asyncio.TaskGroup() as tasks:
            tasks.create_task(self._watch())
            tasks.create_task(self._settle())
            tasks.create_task(self._rescan())

    async def _watch(self) -> None:
        while True:
            if not self._root.is_dir():
                await asyncio.sleep(ROOT_GONE_S)
                continue
            try:
                async for changes in awatch(self._root, step=200, recursive=True):
                    for _, name in changes:
                        self._touch(Path(name))
            except OSError as error:
                log.warning("watching the library folder stopped (%s); it is tried again", type(error).__name__)
                await asyncio.sleep(ROOT_GONE_S)

    def _touch(self, path: Path) -> None:
        """Note a change. Inside a book that is a folder, the folder is what changed."""
        for outer in (path, *path.parents):
            if outer == self._root:
                break
            if outer.suffix.lower() == ".epub":
                path = outer
        if path != self._root and path.is_relative_to(self._root) and is_candidate(path, self._root):
            self._settler.touch(path, time.monotonic())
            self._wake.set()

    async def _settle(self) -> None:
        while True:
            if not self._settler:
                self._wake.clear()
                await self._wake.wait()
            await asyncio.sleep(POLL_S)
            for path in self._settler.due(time.monotonic()):
                await self._look_at(path)

    async def _rescan(self) -> None:
        # The first scan also finds what came while the server was down.
        while True:
            await self._scan()
            await asyncio.sleep(self._rescan_s)
