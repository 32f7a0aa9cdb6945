"""A backup every night, made by a process of its own: it may be ended at any moment, and never slows an answer."""

import asyncio
import contextlib
import logging
import os
import shutil
import signal
import sys
import threading
from collections.abc import Callable
from datetime import datetime, time, timedelta
from pathlib import Path
from typing import Final

from server.backup.make import Backup, backups
from server.config import Settings, variables

log = logging.getLogger(__name__)

FIRST_S: Final = 300.0  # after a start: then other things are wanted more
LOOK_S: Final = 60.0  # between looks at the clock, which may be put on, or have stood still in sleep
RETRY_S: Final = 3600.0
LIMIT_S: Final = 7200.0  # a disk or a network share that answers no more would end all backups, and nobody be told
_ENDS_S: Final = 1.0  # what waits on such a disk does not die, and a server that ends waits no longer for it
COMMAND: Final = (sys.executable, "-m", "server", "backup", "--nightly", "--json")


def last_due(now: datetime, at: str) -> datetime:
    """When a backup should last have been made, by the clock of `now`'s zone; `at` is HH:MM."""
    hour, minute = map(int, at.split(":"))
    today = datetime.combine(now.date(), time(hour, minute), tzinfo=now.tzinfo)
    return today if today <= now else today - timedelta(days=1)


def is_due(now: datetime, at: str, nightly: list[Backup]) -> bool:
    """Whether a backup is to be made: the newest is older than the last time for one. The future does not count."""
    last = max((backup.made for backup in nightly if backup.made <= now), default=None)
    return at != "off" and (last is None or last < last_due(now, at))


class Nightly:
    """Makes the backups while the server runs. `run` goes on until it is cancelled, whatever goes wrong."""

    def __init__(
        self,
        settings: Settings,
        *,
        command: tuple[str, ...] = COMMAND,
        clock: Callable[[], datetime] = lambda: datetime.now().astimezone(),
        first_s: float = FIRST_S,
        look_s: float = LOOK_S,
        retry_s: float = RETRY_S,
        limit_s: float = LIMIT_S,
    ) -> None:
        self._settings, self._clock = settings, clock
        nice = shutil.which("nice")
        self._command = (nice, "-n", "10", *command) if nice else command
        self._first_s, self._look_s, self._retry_s = first_s, look_s, retry_s
        self._limit_s = limit_s

    def hold(self, settings: Settings) -> None:
        """Heed these settings from now on."""
        self._settings = settings

    async def run(self) -> None:
        await asyncio.sleep(self._first_s)
        while True:
            done = True
            try:
                nightly = [one for one in await _listed(self._settings.backups, self._limit_s) if one.nightly]
            except TimeoutError:
                log.error("the folder for backups does not answer: no nightly backup can be made there")
                done = False
            else:
                if is_due(self._clock(), self._settings.backup_at, nightly):
                    done = await self._make()
            await asyncio.sleep(self._look_s if done else self._retry_s)

    async def _make(self) -> bool:
        """Run the command; gives whether it made a backup."""
        try:
            process = await asyncio.create_subprocess_exec(
                *self._command,
                stdin=asyncio.subprocess.DEVNULL,
                stdout=asyncio.subprocess.DEVNULL,
                stderr=asyncio.subprocess.PIPE,
                start_new_session=True,  # so that what it began ends with it
                env=os.environ | variables(self._settings),
            )
        except OSError as error:
            log.error("the nightly backup cannot be begun: %s", error.strerror)
            return False
        try:
            async with asyncio.timeout(self._limit_s):
                _, told = await process.communicate()
        except TimeoutError:
            await _end(process)
            log.error(
                "the nightly backup was not done in %.0f minutes and is ended: look whether the disk of the folder for "
                "backups answers; it is tried again in an hour",
                self._limit_s / 60,
            )
            return False
        except asyncio.CancelledError:
            await _end(process)
            raise
        if process.returncode != 0:
            lines = told.decode(errors="replace").strip().splitlines() or [f"exit code {process.returncode}"]
            log.error("the nightly backup failed, and is tried again in an hour: %s", lines[-1])
            return False
        log.info("the nightly backup is made")
        return True


async def _listed(folder: Path, limit_s: float) -> list[Backup]:
    """The backups in a folder, looked for in a thread that nobody waits for at the end. Raises TimeoutError."""
    loop, found = asyncio.get_running_loop(), asyncio.Event()
    listed: list[Backup] = []

    def look() -> None:
        listed.extend(backups(folder))
        with contextlib.suppress(RuntimeError):  # the loop has ended meanwhile
            loop.call_soon_threadsafe(found.set)

    threading.Thread(target=look, name="backups", daemon=True).start()
    async with asyncio.timeout(limit_s):
        await found.wait()
    return listed


async def _end(process: asyncio.subprocess.Process) -> None:
    """Kill the process with what it began, and wait for that a moment only."""
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, signal.SIGKILL)
    with contextlib.suppress(TimeoutError):
        async with asyncio.timeout(_ENDS_S):
            await process.wait()
