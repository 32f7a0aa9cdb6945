"""When has a file in the watched folder finished arriving? Pure bookkeeping; the clock is handed in."""

import os
import re
import threading
from dataclasses import dataclass
from pathlib import Path

from server.library.kinds import BOOK_SUFFIXES, HINTED_SUFFIXES
from server.library.strays import is_stray

PARTIAL = (".download", ".crdownload", ".part", ".partial", ".tmp", ".icloud")
JUNK_NAMES = ("Icon\r", "Thumbs.db", "desktop.ini")
_DATALESS = 0x4000_0000  # macOS st_flags: the bytes are in iCloud, reading would wait for a download
_PLACEHOLDER = re.compile(r"\.(.+)\.icloud")  # what older macOS leaves in the place of a file that is in iCloud


@dataclass(frozen=True, slots=True)
class Signature:
    """What must stay the same while a file rests; `text` is how the database remembers it."""

    size_bytes: int
    mtime_ns: int
    inode: int
    locked: bool = False  # it may not be read: once it may, it is another matter

    @property
    def text(self) -> str:
        return f"{self.size_bytes}-{self.mtime_ns}-{self.inode}{'-locked' if self.locked else ''}"


def _looked_at(path: Path, root: Path) -> bool:
    parts = path.relative_to(root).parts
    if any(part.startswith((".", "~")) or part.lower().endswith(PARTIAL) for part in parts):
        return False
    return not any(part.lower().endswith(".epub") for part in parts[:-1])  # inside a book that is a folder


def may_be_folder(path: Path, root: Path) -> bool:
    """Could books lie in `path`, which may be gone already?"""
    return _looked_at(path, root) and not path.is_file()


def is_candidate(path: Path, root: Path) -> bool:
    """Would a person call this a book they dropped? Hidden, partial and system files are not, nor are strays.

    What people mean to be read and cannot be is one too: it is named as refused, not passed over in silence.
    """
    return (
        path.suffix.lower() in BOOK_SUFFIXES + HINTED_SUFFIXES
        and _looked_at(path, root)
        and path.name not in JUNK_NAMES
        and not is_stray(path, root)
    )


def signature_of(path: Path) -> Signature | None:
    """The signature of a file or of a book that is a folder; None when it is gone or only in the cloud."""
    try:
        stat = path.stat()
        if flags_of(stat) & _DATALESS:
            return None
        locked = not os.access(path, os.R_OK)
        if not path.is_dir():
            return Signature(stat.st_size, stat.st_mtime_ns, stat.st_ino, locked)
        size, newest = 0, stat.st_mtime_ns
        for folder, _, names in os.walk(path):
            for name in names:
                inner = (Path(folder) / name).stat()
                size += inner.st_size
                newest = max(newest, inner.st_mtime_ns)
        return Signature(size, newest, stat.st_ino, locked)
    except OSError:
        return None


def flags_of(stat: os.stat_result) -> int:
    """macOS's flags of a file; 0 elsewhere."""
    return getattr(stat, "st_flags", 0)


def in_cloud(path: Path) -> bool:
    """Is the book at `path` only in iCloud, by its own flag or by the placeholder that older macOS leaves?"""
    try:
        return bool(flags_of(path.stat()) & _DATALESS)
    except OSError:
        return is_there(path.with_name(f".{path.name}.icloud"))


def is_there(path: Path) -> bool:
    """Does `path` lead to something? A folder that may not be entered, or a link in a circle, does not."""
    try:
        path.stat()
    except OSError:
        return False
    return True


def real_name(name: str) -> str | None:
    """The name of the file that a placeholder of iCloud stands for; None when it is no placeholder."""
    found = _PLACEHOLDER.fullmatch(name)
    return found[1] if found else None


class Settler:
    """Collects paths that changed and gives each back once it has rested for `quiet_s` seconds.

    What is gone rests twice as long: when it was only moved, where it went is looked at first. Safe between threads.
    """

    def __init__(self, quiet_s: float) -> None:
        self._quiet_s = quiet_s
        self._seen: dict[Path, tuple[Signature | None, float]] = {}
        self._lock = threading.Lock()

    def touch(self, path: Path, now: float) -> None:
        with self._lock:
            self._seen[path] = (signature_of(path), now)

    def offer(self, path: Path, now: float) -> None:
        """Like `touch`, unless the path is resting already."""
        if path not in self._seen:
            self.touch(path, now)

    def __bool__(self) -> bool:
        return bool(self._seen)

    def due(self, now: float) -> list[Path]:
        """Paths that rested long enough, or are gone; each is given back once."""
        ready: list[Path] = []
        with self._lock:
            for path, (signature, since) in list(self._seen.items()):
                current = signature_of(path)
                if current != signature:
                    self._seen[path] = (current, now)
                elif now - since >= self._quiet_s * (2 if current is None else 1):
                    ready.append(path)
                    del self._seen[path]
        return ready
