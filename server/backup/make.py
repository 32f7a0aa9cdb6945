"""Making a backup: gathered, written beside its place, read back whole, and only then called by its name."""

import contextlib
import os
import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Final, Literal

from server import __version__
from server.backup import STEPS
from server.backup.archive import About, Writer, read_archive
from server.backup.gather import copy_database, gather
from server.config import Settings
from server.errors import Conflict, StoreError
from server.render.files import sync_file, sync_folder, write_error

Kind = Literal["nightly", "backup"]
_NAME: Final = re.compile(r"lectern-(nightly|backup)-(\d{8}T\d{6})Z(-audio)?\.tar(\.gz)?")
_STAMP: Final = "%Y%m%dT%H%M%S"
_ANY_SIZE: Final = 1 << 62


@dataclass(frozen=True, slots=True)
class Backup:
    """A backup that is there."""

    path: Path
    made: datetime
    nightly: bool
    audio: bool
    bytes: int


@dataclass(frozen=True, slots=True)
class Made:
    """What was just put into a backup; `left_out` audio files went away while it was made."""

    path: Path
    files: int
    bytes: int
    left_out: int


def backups(folder: Path) -> list[Backup]:
    """The backups in a folder, by their names, the newest first. Anything else in it is not ours."""
    found = []
    with contextlib.suppress(OSError):
        for path in folder.iterdir():
            if (named := _NAME.fullmatch(path.name)) is None or not path.is_file() or path.is_symlink():
                continue
            with contextlib.suppress(ValueError, OSError):
                made = datetime.strptime(named[2], _STAMP).replace(tzinfo=UTC)
                found.append(Backup(path, made, named[1] == "nightly", bool(named[3]), path.stat().st_size))
    return sorted(found, key=lambda backup: (backup.made, backup.path.name), reverse=True)


def prune(folder: Path, keep: int) -> list[Path]:
    """Delete all nightly backups but the newest `keep`; gives what went."""
    gone = []
    for backup in [one for one in backups(folder) if one.nightly][keep:]:
        with contextlib.suppress(OSError):
            backup.path.unlink()
            gone.append(backup.path)
    return gone


def make_backup(
    settings: Settings, config: Path, target: Path, *, audio: bool, kind: Kind = "backup", now: datetime | None = None
) -> Made:
    """Write a backup to `target`, a file that is not there yet or a folder, while a server may run.

    It appears whole, after all of it was read back and compared, or not at all. Raises StoreError, Conflict.
    """
    _require_settled(settings)
    made = now or datetime.now(UTC)
    path = target
    if target.is_dir() or target == settings.backups:
        path = target / f"lectern-{kind}-{made.strftime(_STAMP)}Z{'-audio.tar' if audio else '.tar.gz'}"
    if path.exists():
        raise Conflict(f"{path} is there already: name another file.")
    making = path.with_name(f".{path.name}.tmp")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        _sweep(path.parent)
        with _removed_after(making):
            files, left_out = _write(settings, config, making, About(made, audio, __version__))
            read_archive(making, lambda _name, _size, chunks: _use_up(chunks), _ANY_SIZE)
            size = making.stat().st_size
            _require_settled(settings)  # a restore that was begun meanwhile moves half of it away
            making.replace(path)
            sync_folder(path.parent)
    except OSError as error:
        raise write_error(path, error) from error
    return Made(path, files, size, left_out)


def _require_settled(settings: Settings) -> None:
    """Raise Conflict where a restore has files change places: half of what is here would look like all of it."""
    if os.path.lexists(settings.data / STEPS):
        raise Conflict(
            f"A restore in {settings.data} is under way, or was broken off: no backup is made of half of it. "
            "Wait for it, or start Lectern, which finishes it; then try again."
        )


def _use_up(chunks: Iterator[bytes]) -> None:
    for _ in chunks:
        pass


@contextlib.contextmanager
def _removed_after(path: Path) -> Iterator[None]:
    try:
        yield
    finally:
        with contextlib.suppress(OSError):
            path.unlink(missing_ok=True)


def _sweep(folder: Path) -> None:
    """Take away what a backup that was broken off left."""
    for path in folder.glob(".lectern-*.tmp"):
        named = _NAME.fullmatch(path.name[1:].removesuffix(".tmp").removesuffix(".db"))
        if named is not None and _old(path):
            path.unlink(missing_ok=True)


def _old(path: Path) -> bool:
    """Whether nobody has written to it for an hour: another backup may be on its way at this moment."""
    return datetime.now(UTC).timestamp() - path.stat().st_mtime > 3600


def _write(settings: Settings, config: Path, making: Path, about: About) -> tuple[int, int]:
    """Write all members; gives how many, and how many vanished meanwhile."""
    copy = making.with_name(making.name.removesuffix(".tmp") + ".db.tmp")
    left_out = 0
    with making.open("wb") as stream, _removed_after(copy):
        os.chmod(making, 0o600)  # noqa: PTH101 (what people listen to, and who may, is nobody else's business)
        writer = Writer(stream, about)
        copy_database(settings.database, copy)
        for member in gather(settings, config, copy, audio=about.audio):
            if member.data is not None:
                writer.put(member.name, member.data)
                continue
            try:
                source = member.path.open("rb") if member.path is not None else None
            except FileNotFoundError:
                source = None
            if source is None:
                left_out += 1  # rendered anew while this was made
                continue
            with source:
                writer.copy(member.name, source, os.fstat(source.fileno()).st_size)
        files = writer.close()
        stream.flush()
        sync_file(stream.fileno())
    return files, left_out


def newest(settings: Settings) -> Backup | None:
    """The newest backup in the folder for them, nightly or not."""
    return next(iter(backups(settings.backups)), None)


def require_room(settings: Settings) -> None:
    """Raise StoreError where the folder for backups cannot be made or written to."""
    try:
        settings.backups.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise StoreError(
            f"The folder for backups, {settings.backups}, cannot be made ({error.strerror}). Choose another with "
            "LECTERN_BACKUP_FOLDER."
        ) from error
