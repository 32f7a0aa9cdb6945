"""A restore that somebody asks for from the page: checked while Lectern runs, done at its next start before all else.

Nothing of a running Lectern changes places under it. The wish is taken back before it is granted, so that a start that
fails is not repeated, and it holds only for the start that was asked for with it.
"""

import filecmp
import json
import logging
import os
import shutil
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

from server.backup import STEPS
from server.backup.archive import STORE, About, read_archive
from server.backup.make import backups
from server.backup.restore import Restored, restore
from server.config import Settings
from server.errors import BadRequest, Conflict, LecternError, NotFound, StoreError
from server.render.blends import FILE as BLENDS
from server.render.blends import Blends
from server.render.files import WriteLock, sync_file, sync_folder, write_atomically, write_error

log = logging.getLogger(__name__)

WISH: Final = ".restore-wish.json"  # in the data folder; names that begin with a dot are in no backup
OUTCOME: Final = ".restored.json"
HOLDS_S: Final = 600.0
KEPT_FREE_BYTES: Final = 200_000_000
_STAMP: Final = "%Y%m%dT%H%M%S"


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of the restore that was asked for last; `told` in sentences, `trouble` where nothing changed."""

    name: str
    at: datetime
    told: tuple[str, ...]
    trouble: str | None


def check(settings: Settings, archive: Path) -> About:
    """Read a backup whole, as a restore would. Raises StoreError, Conflict where Lectern could not start with it."""
    voices = b""

    def take(name: str, size: int, chunks: Iterator[bytes]) -> None:
        nonlocal voices
        for chunk in chunks:
            if name == STORE + BLENDS and len(voices) < 1_000_000:
                voices += chunk

    try:
        room = shutil.disk_usage(settings.data).free - KEPT_FREE_BYTES
        about = read_archive(archive, take, max(room, 0))
        with tempfile.TemporaryDirectory(dir=settings.data) as folder:
            if voices:
                (Path(folder) / BLENDS).write_bytes(voices)
            Blends(Path(folder), WriteLock(Path(folder) / ".lock")).find(settings.voice)
    except OSError as error:
        raise StoreError(f"{archive.name} cannot be read ({error.strerror}).") from error
    except (NotFound, BadRequest) as error:
        raise Conflict(
            f"“{settings.voice}”, the usual voice, is a blend that is not in this backup: choose another usual voice "
            "first, and start Lectern again."
        ) from error
    return about


def take_in(settings: Settings, file: Path, about: About) -> str:
    """Put a file that was sent, and is `about` what `check` told, among the backups; gives its name.

    Raises StoreError, Conflict where another has that name.
    """
    with file.open("rb") as stream:
        packed = stream.read(2) == b"\x1f\x8b"
    made = about.made.astimezone(UTC).strftime(_STAMP)
    name = f"lectern-backup-{made}Z{'-audio' if about.audio else ''}.tar{'.gz' if packed else ''}"
    path, making = settings.backups / name, settings.backups / f".{name}.tmp"
    try:
        settings.backups.mkdir(parents=True, exist_ok=True)
        if path.exists():
            if filecmp.cmp(file, path, shallow=False):
                return name
            raise Conflict(f"Another backup of the same second is there already: move {name} away first.")
        try:
            making.unlink(missing_ok=True)
            try:
                os.link(file, making)  # no second time the space of it, and at once
            except OSError:  # the folder is on another disk, or on one that knows no second names
                shutil.copyfile(file, making)
            making.chmod(0o600)  # what people listen to, and who may, is nobody else's business
            with making.open("rb") as copy:
                sync_file(copy.fileno())
            making.replace(path)
            sync_folder(path.parent)
        finally:
            making.unlink(missing_ok=True)
    except OSError as error:
        raise write_error(path, error) from error
    return name


def ask(settings: Settings, name: str) -> None:
    """Have a backup put back at the next start."""
    told = {"name": name, "at": datetime.now(UTC).isoformat()}
    write_atomically(settings.data / WISH, json.dumps(told).encode())


def withdraw(settings: Settings) -> None:
    (settings.data / WISH).unlink(missing_ok=True)


def grant(settings: Settings, config: Path) -> None:
    """Do the restore that was asked for, if one was. The data folder's lock must be held, and nothing opened in it.

    What keeps it from being done is told on the page. Raises StoreError only where it was broken off half done, which
    the next start finishes.
    """
    path = settings.data / WISH
    try:
        told = json.loads(path.read_bytes())
        name, at = str(told["name"]), datetime.fromisoformat(told["at"]).astimezone(UTC)
    except FileNotFoundError:
        return
    except (OSError, ValueError, KeyError, TypeError, OverflowError) as error:
        log.error("a wish to restore cannot be understood, and is let go: %s", error)
        name = ""
    try:
        path.unlink()
        sync_folder(path.parent)
    except OSError as error:  # it would be granted again and again
        log.error("a restore that was asked for is not done: its wish cannot be taken back (%s)", error.strerror)
        return
    if not name:
        return
    try:
        done = in_words(_do(settings, config, name, at))
    except (LecternError, OSError) as error:
        log.error("the restore that was asked for was not done: %s", error)
        _record(settings, Outcome(name, datetime.now(UTC), (), str(error)))
        if os.path.lexists(settings.data / STEPS):
            raise
        return
    log.info("a backup was put back, as somebody asked for")
    _record(settings, Outcome(name, datetime.now(UTC), tuple(done), None))


def _do(settings: Settings, config: Path, name: str, at: datetime) -> Restored:
    if abs((datetime.now(UTC) - at).total_seconds()) > HOLDS_S:
        raise StoreError("Lectern did not start again when it was asked to, so nothing was put back: ask once more.")
    archive = next((one.path for one in backups(settings.backups) if one.path.name == name), None)
    if archive is None:
        raise StoreError(f"{name} is not in the folder for backups any more, so nothing was put back.")
    return restore(settings, config, archive)


def outcome(settings: Settings) -> Outcome | None:
    """What became of the last restore that was asked for; None where none was."""
    try:
        told = json.loads((settings.data / OUTCOME).read_bytes())
        return Outcome(told["name"], datetime.fromisoformat(told["at"]), tuple(told["told"]), told["trouble"])
    except (OSError, ValueError, KeyError, TypeError):
        return None


def _record(settings: Settings, what: Outcome) -> None:
    told = {"name": what.name, "at": what.at.isoformat(), "told": what.told, "trouble": what.trouble}
    try:
        write_atomically(settings.data / OUTCOME, json.dumps(told).encode())
    except (OSError, StoreError) as error:
        log.error("what became of a restore cannot be kept: %s", error)


def in_words(restored: Restored) -> list[str]:
    """What a person reads after a restore."""
    lines = [
        f"Restored as it was on {restored.about.made:%d %B %Y, %H:%M} UTC: {_count(restored.books, 'book')}, "
        f"{_count(restored.places, 'place')} in them."
    ]
    missing = restored.sentences - restored.rendered
    if missing:
        lines.append(
            f"{restored.rendered} of {_count(restored.sentences, 'sentence')} have audio; the rest is rendered again."
        )
    if restored.aside is not None:
        lines.append(f"What was here before lies in {restored.aside}. Delete it when you are sure.")
    if restored.config is not None:
        lines.append(f"The backup's settings lie in {restored.config}; those of this machine stay in use.")
    return lines


def _count(number: int, what: str) -> str:
    return f"{number:,} {what}{'' if number == 1 else 's'}"
