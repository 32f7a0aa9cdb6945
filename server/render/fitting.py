"""Do a chapter's files fit its index? Told without reading more than must be, for a store may have a hundred books.

What was found to fit is known again by a few numbers, which `.swept.json` keeps from one start to the next. Otherwise
names and sizes alone are read from the index: that takes a thirtieth of what the whole model does.
"""

import contextlib
import json
import os
from pathlib import Path
from typing import Final

from server.errors import LecternError
from server.render.files import TEMPORARY, stamp_of, write_atomically
from server.render.index import INDEX_FORMAT
from server.render.journal import journal_of
from server.render.layout import DELETED

Mark = tuple[int, ...]
_NONE: Final = (0, 0, 0)


class Known:
    """The chapters of a store that were found to fit, by the paths of their indexes."""

    def __init__(self, root: Path) -> None:
        self._path = root / ".swept.json"
        self._root = root
        self._before: dict[str, Mark] = {}
        self._now: dict[str, Mark] = {}
        with contextlib.suppress(OSError, ValueError, AttributeError, TypeError):
            self._before = {name: tuple(mark) for name, mark in json.loads(self._path.read_bytes()).items()}

    def fits(self, path: Path) -> bool:
        """Whether the files beside the index at `path` are those that it names, whole, and no others.

        False where that cannot be told. Raises OSError for a folder that cannot be read.
        """
        name, stamps = path.relative_to(self._root).as_posix(), _stamps(path)
        sizes = listing(path)
        if sizes is None:
            return False
        mark = (*stamps, len(sizes), sum(sizes.values()))
        if self._before.get(name) != mark and (_named(path) != sizes or _stamps(path) != stamps):
            return False
        self._now[name] = mark
        return True

    def keep(self) -> None:
        """Write what was found, for the next start."""
        if self._now == self._before:
            return
        with contextlib.suppress(LecternError):  # it costs time at the next start, no more
            write_atomically(self._path, json.dumps(self._now, separators=(",", ":")).encode())


def listing(path: Path) -> dict[str, int] | None:
    """Sizes of the audio files of the index at `path`, by what it calls them; None where a crash left others there.

    Raises OSError for a folder that cannot be read, or is on a disk that is not there.
    """
    folder, sizes = path.with_suffix(""), {}
    try:
        with os.scandir(folder) as entries:
            for entry in entries:
                if is_leftover(entry.name):
                    return None
                if entry.name.endswith(".m4a") and not entry.name.startswith("."):
                    sizes[f"{folder.name}/{entry.name}"] = entry.stat().st_size
    except FileNotFoundError:
        if any(part.is_symlink() for part in (folder, folder.parent)):
            raise
    return sizes


def is_leftover(name: str) -> bool:
    """Whether a file or folder of this name is what a crash left."""
    return name.startswith(".") and (name.endswith(TEMPORARY) or name.startswith(DELETED))


def _stamps(path: Path) -> Mark:
    return *(stamp_of(path) or _NONE), *(stamp_of(journal_of(path)) or _NONE)


def _named(path: Path) -> dict[str, int] | None:
    """Sizes of the files that index and journal name; None where they cannot be understood so."""
    try:
        index = json.loads(path.read_bytes())
        if index["format"] > INDEX_FORMAT:
            return None
        entries = {entry["id"]: entry for entry in index["sentences"]}
        journal = journal_of(path)
        lines = journal.read_bytes().split(b"\n")[:-1] if journal.exists() else []
        for change in map(json.loads, lines):
            if change["revision"] > index["revision"]:
                entries |= {entry["id"]: entry for entry in change["sentences"]}
        audio = (one for entry in entries.values() for one in (entry, entry.get("earlier", {})) if "file" in one)
        return {one["file"]: one["bytes"] for one in audio}
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return None
