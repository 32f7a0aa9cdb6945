"""What differs between the library folder and the rows of its files. Decides nothing but what must be left alone."""

from collections.abc import Callable, Collection
from dataclasses import dataclass, field
from pathlib import Path

from server.library.files import IN_CLOUD, FileTable, Known
from server.library.kinds import BOOK_SUFFIXES
from server.library.settle import Signature, in_cloud, signature_of
from server.library.strays import is_stray
from server.library.walk import Look, as_listed, look_into


@dataclass(slots=True)
class Difference:
    """`new` are to be read, those first that may only have moved; `gone` are keys of rows without a file."""

    moved: list[Path] = field(default_factory=list)
    new: list[Path] = field(default_factory=list)
    gone: list[str] = field(default_factory=list)
    clouded: list[Path] = field(default_factory=list)
    closed: dict[Path, str] = field(default_factory=dict)  # what could not be looked into, and why
    away: dict[Path, int] = field(default_factory=dict)  # folders whose disk is gone → how many files were in it


def compare(files: FileTable) -> Difference:
    """Walk the folder and compare it with the rows. Blocks. Raises StoreError."""
    look = look_into(files.root, files.root)
    known = files.known()
    found = {files.key(path): path for path in look.found}
    found |= {key: files.root / key for key in known if key not in found and _stays(files, key, known[key])}
    signatures = {key: signature_of(path) for key, path in found.items()}
    away = _disks_away(files, look, known)
    shut = [files.key(path) for path in (*look.closed, *away)]
    here = found.keys() | {files.key(path) for path in look.clouded}
    gone = [key for key in sorted(known.keys() - here) if not any(under(key, folder) for folder in shut)]
    result = Difference(gone=gone, closed=_telling(files, look, known), away=away)
    may_have_been = _resemblance([known[key] for key in gone])
    for key, path in found.items():
        signature = signatures[key]
        if signature is None:
            look.clouded += [path] * in_cloud(path)
        elif key not in known or known[key].signature != signature.text:
            (result.moved if may_have_been(signature) else result.new).append(path)
    result.clouded = [path for path in look.clouded if is_news(known.get(files.key(path)))]
    return result


def _stays(files: FileTable, key: str, known: Known) -> bool:
    """Is a file still there that became a book, and that would be passed over today? It was meant once."""
    path = files.root / key
    return (
        known.book is not None
        and path.suffix.lower() in BOOK_SUFFIXES
        and is_stray(path, files.root)
        and as_listed(path, files.root) == path
    )


def is_news(known: Known | None) -> bool:
    """Is it worth telling that a file is only in iCloud? A book that was read from it needs it no more."""
    return known is None or (known.book is None and known.signature != IN_CLOUD)


def _telling(files: FileTable, look: Look, known: Collection[str]) -> dict[Path, str]:
    """What could not be looked into, but for links that lead nowhere and never led to a book."""
    return {
        path: reason
        for path, reason in (look.closed | look.unnamed).items()
        if not path.is_symlink() or path == files.root or any(under(key, files.key(path)) for key in known)
    }


def _resemblance(gone: Collection[Known]) -> Callable[[Signature], bool]:
    """Could a file be one of those that are gone? A copy elsewhere has at least the same size."""
    sizes = {known.signature.partition("-")[0] for known in gone if known.book is not None}
    return lambda signature: str(signature.size_bytes) in sizes


def _disks_away(files: FileTable, look: Look, known: Collection[str]) -> dict[Path, int]:
    """Folders in which a disk should begin and where now only a bare, other folder is: nothing in them is gone.

    Keeps in mind what the disks look like that are there.
    """
    away: dict[Path, int] = {}
    before = files.disks()
    for folder, inode in before.items():
        count = sum(under(key, files.key(folder)) for key in known)
        if count and is_bare(folder, inode):
            if any(path.is_relative_to(folder) for path in look.found):  # another folder or disk took its place
                files.record_disk(folder, folder.stat().st_ino)
            else:
                away[folder] = count
    for folder, inode in look.disks.items():
        if folder not in away and before.get(folder) != inode:
            files.record_disk(folder, inode)
    return away


def is_bare(folder: Path, inode: int) -> bool:
    """Is `folder` another one than the folder with this inode? That it holds no book is asked elsewhere."""
    try:
        return folder.is_dir() and folder.stat().st_ino != inode
    except OSError:
        return False


def under(key: str, folder: str) -> bool:
    """Is the file `key` in the folder `folder`, or that itself?"""
    return folder in (".", key) or key.startswith(f"{folder}/")


def told(difference: Difference) -> str | None:
    """One sentence for the user where something is left alone; None when all could be compared."""
    for folder, count in difference.away.items():
        return (
            f"{folder} is empty, and {count} book{'s' * (count != 1)} of it {'are' if count != 1 else 'is'} not there: "
            "is its disk connected? Nothing changes until it is back. If you emptied the folder yourself, put a book "
            "into it."
        )
    for folder, reason in difference.closed.items():
        return f"{folder} cannot be looked into ({reason}), so the books in it are left as they are."
    return None
