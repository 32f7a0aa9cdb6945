"""Backups that somebody asks for: made beside the server by a process of its own, as the nightly ones are; and back."""

import asyncio
import contextlib
import logging
import os
import shlex
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Final

from server.api.backups import BackupsView, BackupView, RestoredView
from server.api.configuration import Configuration
from server.backup import wish
from server.backup.archive import OTHERS
from server.backup.checking import check_aside
from server.backup.make import Backup, backups
from server.config import Settings, variables
from server.daemon import service
from server.errors import BackupRefused, Conflict, DiskFull, LecternError, NotFound, StoreError
from server.events import Hub
from server.setup.typed import complaint, lectern

log = logging.getLogger(__name__)

COMMAND: Final = (sys.executable, "-m", "server", "backup", "--json")


class Keeping:
    """Implements `server.api.backups.Keeping`; `settings` gives those that hold, `configuration` who starts anew."""

    def __init__(
        self,
        settings: Callable[[], Settings],
        hub: Hub,
        configuration: Callable[[], Configuration],
        *,
        command: tuple[str, ...] = COMMAND,
    ) -> None:
        self._settings, self._hub, self._command = settings, hub, command
        self._configuration = configuration  # which starts Lectern again
        self._restoring = asyncio.Lock()
        self._making: asyncio.Task[None] | None = None
        self._trouble: str | None = None

    async def view(self) -> BackupsView:
        settings = self._settings()
        found = await asyncio.to_thread(backups, settings.backups)
        command = lectern(None)
        managed = await asyncio.to_thread(_managed)
        return BackupsView(
            folder=str(settings.backups),
            at=settings.backup_at,
            stop=f"{command} uninstall" if managed else None,
            begin=f"{command} {'install' if managed else 'serve'}",
            making=self._making is not None,
            trouble=self._trouble,
            can_restore=(await self._configuration().view()).can_restart,
            restored=_told(await asyncio.to_thread(wish.outcome, settings)),
            backups=[_view(one, command) for one in found],
        )

    async def make(self, audio: bool) -> None:
        if self._making is not None:
            raise Conflict("A backup is being made already: wait until it is there.")
        if self._restoring.locked():
            raise Conflict("Lectern goes back to a backup just now: make one afterwards.")
        self._trouble = None
        self._making = asyncio.create_task(self._make(audio), name="backup")
        self._hub.publish("backups.changed")

    async def take_in(self, file: Path) -> str:
        try:
            settings = self._settings()
            about = await check_aside(settings, file)
            name = await asyncio.to_thread(wish.take_in, settings, file, about)
        except DiskFull:
            raise
        except StoreError as error:
            raise BackupRefused(_plain(error, file, "That file")) from error
        self._hub.publish("backups.changed")
        return name

    async def restore(self, name: str) -> None:
        """The wish is written, and Lectern starts again: `server.backup.wish` grants it before anything is opened."""
        if self._restoring.locked():
            raise Conflict("A backup is being checked already, to go back to it: wait for that.")
        async with self._restoring:
            settings = self._settings()
            found = await asyncio.to_thread(backups, settings.backups)
            path = next((one.path for one in found if one.path.name == name), None)
            if path is None:
                raise NotFound("That backup is not in the folder for backups any more.")
            if self._making is not None:
                raise Conflict("A backup is being made: wait until it is there.")
            told = await self._configuration().view()
            if not told.can_restart:
                raise Conflict(
                    "This Lectern cannot start itself again: stop it, and type what is told beside the backup."
                )
            if told.waits:
                raise Conflict("Some settings wait for a start: start Lectern again first, then go back to the backup.")
            try:
                await check_aside(settings, path)
            except StoreError as error:
                raise BackupRefused(_plain(error, path, name)) from error
            await asyncio.to_thread(wish.ask, settings, name)
            try:
                await self._configuration().restart()
            except LecternError:
                await asyncio.to_thread(wish.withdraw, settings)
                raise

    async def _make(self, audio: bool) -> None:
        try:
            self._trouble = await _run((*self._command, "--audio") if audio else self._command, self._settings())
        finally:
            self._making = None
        if self._trouble is None:
            log.info("a backup is made that somebody asked for")
        else:
            log.error("a backup that somebody asked for failed: %s", self._trouble)
        self._hub.publish("backups.changed")


async def _run(command: tuple[str, ...], settings: Settings) -> str | None:
    """Run the command; gives a sentence where it failed."""
    try:
        process = await asyncio.create_subprocess_exec(
            *command,
            stdin=asyncio.subprocess.DEVNULL,
            stdout=asyncio.subprocess.DEVNULL,
            stderr=asyncio.subprocess.PIPE,
            env=os.environ | variables(settings),
        )
    except OSError as error:
        return f"The backup cannot be begun ({error.strerror})."
    try:
        _, told = await process.communicate()
    except asyncio.CancelledError:
        with contextlib.suppress(ProcessLookupError):
            process.kill()
        raise
    if process.returncode == 0:
        return None
    return complaint(told) or "The backup was broken off: try it again; the log says more."


def _plain(error: StoreError, path: Path, called: str) -> str:
    """Why a file is no backup, for the page: without its path, and without what to type."""
    return str(error).replace(str(path), called).replace(f" {OTHERS}", "")


def _told(outcome: wish.Outcome | None) -> RestoredView | None:
    if outcome is None:
        return None
    return RestoredView(name=outcome.name, at=outcome.at, told=list(outcome.told), trouble=outcome.trouble)


def _view(backup: Backup, command: str) -> BackupView:
    return BackupView(
        name=backup.path.name,
        made=backup.made,
        nightly=backup.nightly,
        audio=backup.audio,
        bytes=backup.bytes,
        restore=f"{command} restore {shlex.quote(str(Path(backup.path)))}",
    )


def _managed() -> bool:
    """Whether Lectern is a service of the system: then it is stopped and begun by that."""
    try:
        return service().path.exists()
    except LecternError:
        return False
