"""A book is its bytes: renaming or moving a file changes nothing."""

import errno
import hashlib
from pathlib import Path

_CHUNK_BYTES = 1 << 20
ID_DIGITS = 16
# Left by file managers inside an unpacked EPUB; they come and go without the book changing.
JUNK = frozenset({".DS_Store", "Thumbs.db", "desktop.ini", ".directory"})


def book_id(path: Path) -> str:
    """First 16 hex digits of `content_sha256`. Raises OSError."""
    return content_sha256(path)[:ID_DIGITS]


def content_sha256(path: Path) -> str:
    """SHA-256 (hex) of the file, or of sorted names, sizes and contents of a folder. Raises OSError."""
    digest = hashlib.sha256()
    if path.is_dir():
        for name, file in sorted((f.relative_to(path).as_posix(), f) for f in folder_files(path)):
            digest.update(f"{name}\0{file.stat().st_size}\0".encode("utf-8", "surrogateescape"))
            _feed(digest, file)
    else:
        _feed(digest, path)
    return digest.hexdigest()


def folder_files(folder: Path) -> list[Path]:
    """The files of an unpacked EPUB, without what file managers leave there and without links out of it."""
    inside = folder.resolve()
    return [
        file
        for file in folder.rglob("*")
        if file.is_file() and file.name not in JUNK and file.resolve().is_relative_to(inside)
    ]


def _feed(digest: "hashlib._Hash", path: Path) -> None:
    if not path.is_file() and path.exists():  # a pipe would be waited on for ever
        raise OSError(errno.EINVAL, "neither a file nor a folder", str(path))
    with path.open("rb") as stream:
        while chunk := stream.read(_CHUNK_BYTES):
            digest.update(chunk)
