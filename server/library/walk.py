"""What lies in the library folder: one walk over it, links followed once, and the name that a file really has there."""

import errno
import os
import unicodedata
from dataclasses import dataclass, field
from pathlib import Path

from server.library.settle import PARTIAL, is_candidate, is_there, real_name

_NOT_THERE = (errno.ENOENT, errno.ENOTDIR, errno.ELOOP)


@dataclass(slots=True)
class Look:
    """What a walk found. Paths lie under the folder as it was named, whatever links lead there."""

    found: list[Path] = field(default_factory=list)  # candidates, sorted
    clouded: list[Path] = field(default_factory=list)  # where a placeholder says that a candidate is only in iCloud
    closed: dict[Path, str] = field(default_factory=dict)  # what could not be looked into, and why
    unnamed: dict[Path, str] = field(default_factory=dict)  # what has no name that is text, and what to do about it
    disks: dict[Path, int] = field(default_factory=dict)  # the folder, and each in it where another disk begins → inode


def look_into(folder: Path, root: Path) -> Look:
    """Walk `folder`, which is `root` or lies in it. Raises nothing: what cannot be looked into is told.

    A folder that is reached in two ways is looked into once: where it really lies, or else by the first link. A link to
    a folder around `root` is passed over.
    """
    look = Look()
    seen: set[tuple[int, int]] = set()
    folders, links = [folder], list[Path]()
    around = _identities((Path(os.path.realpath(root)), *Path(os.path.realpath(root)).parents))
    devices: dict[Path, int] = {}
    while folders or links:
        linked = not folders
        here = links.pop(0) if linked else folders.pop()
        try:
            status = here.stat()
            identity = (status.st_dev, status.st_ino)
            if identity in seen or (linked and identity in around):
                continue
            seen.add(identity)
            devices[here] = status.st_dev
            if devices.get(here.parent) != status.st_dev:
                look.disks[here] = status.st_ino
            _look_at_entries(here, root, look, folders, links)
        except OSError as error:
            look.closed[here] = error.strerror or str(error)
    look.found.sort()
    look.clouded = sorted(set(look.clouded) - set(look.found))
    return look


def _look_at_entries(here: Path, root: Path, look: Look, folders: list[Path], links: list[Path]) -> None:
    with os.scandir(here) as entries:
        for entry in sorted(entries, key=lambda one: one.name):
            path = Path(entry.path)
            if not _is_text(entry.name):  # neither the rows nor an answer could hold it
                if is_candidate(path, root) or entry.is_dir():
                    shown = os.fsencode(entry.path).decode("utf-8", "replace")
                    look.unnamed[Path(shown)] = "its name is not in UTF-8: rename it"
            elif (real := real_name(entry.name)) is not None:
                look.clouded += [path.with_name(real)] * is_candidate(path.with_name(real), root)
            elif is_candidate(path, root):
                look.found += [path] * _leads_somewhere(entry)
            elif entry.name.startswith((".", "~")) or entry.name.lower().endswith(PARTIAL):
                continue
            elif entry.is_symlink():
                if not _leads_somewhere(entry):  # it may be a folder on a disk that is not here
                    look.closed[path] = "the link leads nowhere"
                elif entry.is_dir():
                    links.append(path)
            elif entry.is_dir():
                folders.append(path)


def _is_text(name: str) -> bool:
    """Whether a name is UTF-8, which some disks do not ask for."""
    try:
        name.encode()
    except UnicodeEncodeError:
        return False
    return True


def _leads_somewhere(entry: "os.DirEntry[str]") -> bool:
    return not entry.is_symlink() or is_there(Path(entry.path))


def _identities(folders: tuple[Path, ...]) -> set[tuple[int, int]]:
    found = set()
    for folder in folders:
        try:
            status = folder.stat()
        except OSError:
            continue
        found.add((status.st_dev, status.st_ino))
    return found


def as_listed(path: Path, root: Path) -> Path | None:
    """`path`, which lies in `root`, by the names that the folders list; None when there is no such file.

    Many disks find a file by another case, or by another composition of its letters, than its name is listed with.
    """
    try:
        path.stat()
    except OSError as error:
        return None if error.errno in _NOT_THERE else path
    real = root
    for part in path.relative_to(root).parts:
        try:
            with os.scandir(real) as entries:
                names = {entry.name for entry in entries}
        except OSError:  # it may be entered, though not listed
            return path
        if part not in names:
            alike = [name for name in names if _folded(name) == _folded(part)]
            if not alike:
                return None
            part = alike[0]
        real = real / part
    return real


def _folded(name: str) -> str:
    return unicodedata.normalize("NFC", name).casefold()
