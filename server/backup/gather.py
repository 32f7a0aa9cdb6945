"""What belongs into a backup, in an order that does not change: everything that nothing else could bring back."""

import contextlib
import logging
import os
import sqlite3
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from server.backup.archive import CONFIG, DATA, DATABASE, STORE, safe_member
from server.config import Settings
from server.render.files import WriteLock

log = logging.getLogger(__name__)

_BOOKS: Final = "books"
_REMOVED_RULES: Final = "removed/*.txt"  # pronunciation rules of books that were deleted: somebody wrote them


@dataclass(frozen=True, slots=True)
class Member:
    """A file of the backup: its bytes, or where they are."""

    name: str
    data: bytes | None
    path: Path | None = None


def gather(settings: Settings, config: Path, database: Path, *, audio: bool) -> Iterator[Member]:
    """All members of a backup but header and sums. `database` is a copy of it that nobody writes to.

    Each book is read while nothing in the store changes, so that its files fit together; audio files never change.
    """
    if config.is_file():
        yield Member(CONFIG, config.read_bytes())
    for path in hand_work(settings, config):
        with contextlib.suppress(FileNotFoundError):
            yield Member(DATA + path.relative_to(settings.data).as_posix(), path.read_bytes())
    if database.is_file():
        yield Member(DATABASE, None, database)
    lock = WriteLock(settings.store / ".lock")
    if not settings.store.is_dir():
        return
    for top in sorted(settings.store.iterdir()):
        if top.name.startswith("."):
            continue
        folders = sorted(top.iterdir()) if top.name == _BOOKS and top.is_dir() else [top]
        for folder in folders:
            with lock:
                texts, sounds = _read(settings.store, folder)
            yield from texts
            yield from sounds if audio else ()


def hand_work(settings: Settings, config: Path) -> list[Path]:
    """The files of the data folder, beside store and database, that a person or the household made."""
    found = [path for path in sorted(settings.data.glob("*")) if _is_plain(path) and not _same(path, config)]
    kept = [path for path in found if safe_member(DATA + path.name)]
    return kept + [path for path in sorted(settings.data.glob(_REMOVED_RULES)) if _is_plain(path)]


def _is_plain(path: Path) -> bool:
    return not path.name.startswith(".") and path.is_file() and not path.is_symlink()


def _same(one: Path, other: Path) -> bool:
    try:
        return one.samefile(other)
    except OSError:
        return False


def _read(root: Path, top: Path) -> tuple[list[Member], list[Member]]:
    """The texts of a folder with their bytes, and its audio files with their paths."""
    texts, sounds = [], []
    files = [top] if _is_plain(top) else [Path(at, name) for at, _, names in os.walk(top) for name in names]
    for path in sorted(files):
        parts = path.relative_to(root).parts
        if any(part.startswith(".") for part in parts) or not _is_plain(path):
            continue
        name = STORE + "/".join(parts)
        if not safe_member(name):
            log.warning("a file of the store has a name that no backup takes, and is left out")
            continue
        if path.suffix == ".m4a" and parts[0] == _BOOKS and len(parts) == 5:
            sounds.append(Member(name, None, path))
        else:
            texts.append(Member(name, path.read_bytes()))
    return texts, sounds


def copy_database(path: Path, copy: Path) -> bool:
    """Put a whole copy of the database, in use or not, at `copy`; gives whether there is one. Raises OSError."""
    copy.unlink(missing_ok=True)
    if not path.is_file():
        return False
    try:
        with contextlib.closing(sqlite3.connect(path, timeout=10)) as connection:
            connection.execute("VACUUM INTO ?", (str(copy),))
    except sqlite3.OperationalError as error:
        raise OSError(None, f"the database cannot be copied: {error}", str(path)) from error
    except sqlite3.DatabaseError:  # it is damaged: what it knew is in the store
        copy.unlink(missing_ok=True)
        return False
    return True
