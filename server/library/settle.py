"""When has a file in the watched folder finished arriving? Pure bookkeeping; the clock is handed in."""

import os
from dataclasses import dataclass
from pathlib import Path

PARTIAL = (".download", ".crdownload", ".part", ".partial", ".tmp", ".icloud")
JUNK_NAMES = ("Icon\r", "Thumbs.db", "desktop.ini")
BOOK_SUFFIXES = (".epub",)
# Dropped by people who mean them to be read: they are named as refused instead of being passed over in silence.
HINTED_SUFFIXES = (".pdf", ".mobi", ".azw", ".azw3", ".kfx", ".acsm")
_DATALESS = 0x4000_0000  # macOS st_flags: the bytes are in iCloud, reading would wait for a download


@dataclass(frozen=True, slots=True)
class Signature:
    """What must stay the same while a file rests; `text` is how the database remembers it."""

    size_bytes: int
    mtime_ns: int
    inode: int

    @property
    def text(self) -> str:
        return f"{self.size_bytes}-{self.mtime_ns}-{self.inode}"


def _looked_at(path: Path, root: Path) -> bool:
    parts = path.relative_to(root).parts
    if any(part.startswith((".", "~")) or part.lower().endswith(PARTIAL) for part in parts):
        return False
    return not any(part.lower().endswith(".epub") for part in parts[:-1])  # inside a book that is a folder


def may_be_folder(path: Path, root: Path) -> bool:
    """Could books lie in `path`, which may be gone already?"""
    return _looked_at(path, root) and not path.is_file()


def is_candidate(path: Path, root: Path) -> bool:
    """Would a person call this a book they dropped? Hidden, partial and system files are not."""
    return (
        _looked_at(path, root)
        and path.name not in JUNK_NAMES
        and path.suffix.lower() in BOOK_SUFFIXES + HINTED_SUFFIXES
    )


def candidates(folder: Path, root: Path) -> tuple[list[Path], list[OSError]]:
    """The candidates in `folder` (`root` or in it), sorted, and what kept parts of it from being looked into."""
    closed: list[OSError] = []
    found: list[Path] = []
    for inner, names, files in os.walk(folder, onerror=closed.append):
        here = Path(inner)
        found += [here / name for name in names + files if is_candidate(here / name, root)]
        # A folder called .epub is a book itself: what lies in it is not looked at.
        names[:] = [name for name in names if not name.lower().endswith(".epub") and not name.startswith(".")]
    return sorted(found), closed


def signature_of(path: Path) -> Signature | None:
    """The signature of a file or of a book that is a folder; None when it is gone or only in the cloud."""
    try:
        stat = path.stat()
        if getattr(stat, "st_flags", 0) & _DATALESS:
            return None
        if not path.is_dir():
            return Signature(stat.st_size, stat.st_mtime_ns, stat.st_ino)
        size, newest = 0, stat.st_mtime_ns
        for folder, _, names in os.walk(path):
            for name in names:
                inner = (Path(folder) / name).stat()
                size += inner.st_size
                newest = max(newest, inner.st_mtime_ns)
        return Signature(size, newest, stat.st_ino)
    except OSError:
        return None


class Settler:
    """Collects paths that changed and gives each back once it has rested for `quiet_s` seconds."""

    def __init__(self, quiet_s: float) -> None:
        self._quiet_s = quiet_s
        self._seen: dict[Path, tuple[Signature | None, float]] = {}

    def touch(self, path: Path, now: float) -> None:
        self._seen[path] = (signature_of(path), now)

    def __bool__(self) -> bool:
        return bool(self._seen)

    def due(self, now: float) -> list[Path]:
        """Paths that rested long enough, or are gone; each is given back once."""
        ready: list[Path] = []
        for path, (signature, since) in list(self._seen.items()):
            current = signature_of(path)
            if current != signature:
                self._seen[path] = (current, now)
            elif now - since >= self._quiet_s:
                ready.append(path)
                del self._seen[path]
        return ready
