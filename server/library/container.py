"""The files of an EPUB, zipped or as a folder: found however they are written, and never more than the limits allow."""

import logging
import lzma
import posixpath
import re
import stat
import struct
import unicodedata
import zipfile
import zlib
from collections import Counter
from pathlib import Path
from typing import Protocol
from urllib.parse import unquote

from server.errors import BookRefused
from server.library.identity import folder_files
from server.library.zips import open_zip

log = logging.getLogger(__name__)

MAX_ENTRIES = 40_000
MAX_FILE_BYTES = 48 << 20  # one text or image; the largest chapter seen in the wild is 4 MB
MAX_READ_BYTES = 512 << 20  # all that is read of one book
MAX_TOTAL_BYTES = 8 << 30  # all that it says it holds: books with recorded audio come to 2 GB
MAX_RATIO = 300  # deflate on real text stays under 20
_RATIO_FLOOR_BYTES = 4 << 20  # small files may be as repetitive as they like
_UTF_8_NAMES = 0x800  # flag of a ZIP entry
_LOCAL_HEADER = struct.Struct("<4s5H3I2H")
# What Python raises for an entry that is damaged, locked, or packed in a way that it does not know.
_BROKEN = (
    zlib.error, lzma.LZMAError, EOFError, OSError, RuntimeError, NotImplementedError, ValueError, IndexError,
)  # fmt: skip
_SCHEME = re.compile(r"[a-zA-Z][a-zA-Z0-9+.-]+:")


class FileMissingError(KeyError):
    """No such file in the container."""


class FileUnreadableError(Exception):
    """A file of the container is there and cannot be read; the message says why."""


class _Source(Protocol):
    names: list[str]
    doubled: list[str]
    mangled: list[str]
    misnamed: list[str]

    def read(self, name: str, limit_bytes: int) -> bytes: ...

    def close(self) -> None: ...


class _Folder:
    def __init__(self, path: Path) -> None:
        self._root = path
        self.names = sorted(file.relative_to(path).as_posix() for file in folder_files(path))
        self.doubled: list[str] = []
        self.mangled: list[str] = []
        self.misnamed: list[str] = []

    def read(self, name: str, limit_bytes: int) -> bytes:
        with (self._root / name).open("rb") as stream:
            return stream.read(limit_bytes)

    def close(self) -> None:
        pass


class _Zip:
    def __init__(self, path: Path) -> None:
        self._zip = open_zip(path)
        # Of entries with one name the last counts, as ZIP readers have it.
        self._entries = {info.filename: info for info in self._zip.infolist() if info.filename and not info.is_dir()}
        self.names = list(self._entries)
        counts = Counter(info.filename for info in self._zip.infolist() if info.filename and not info.is_dir())
        self.doubled = [name for name, times in counts.items() if times > 1]
        # Names beyond ASCII that do not say that they are UTF-8: they may be in whatever the maker's system had.
        self.misnamed: list[str] = []
        self.mangled = [
            name for name, info in self._entries.items() if not name.isascii() and not info.flag_bits & _UTF_8_NAMES
        ]

    def check(self, label: str) -> None:
        infos = self._zip.infolist()
        total_bytes = sum(info.file_size for info in infos)
        if total_bytes > MAX_TOTAL_BYTES:
            raise BookRefused("too-large", f"{label} would unpack to {total_bytes >> 30} GB; no book needs that much.")
        for info in infos:
            packed = max(info.compress_size, 1)
            if info.file_size > _RATIO_FLOOR_BYTES and info.file_size / packed > MAX_RATIO:
                raise BookRefused(
                    "too-large",
                    f"{label} holds {info.filename[:80]}, which would swell {info.file_size // packed} times on "
                    "unpacking: that is no book but a ZIP bomb.",
                )
        if any(info.flag_bits & 1 for info in infos):
            raise BookRefused("drm", f"{label} is a ZIP locked with a password; unlock it first and drop the copy.")

    def read(self, name: str, limit_bytes: int) -> bytes:
        info = self._entries[name]
        try:
            with self._zip.open(info) as stream:
                return stream.read(limit_bytes)
        except zipfile.BadZipFile as error:
            if "differ" in str(error):
                self.misnamed.append(name)
                return self._read_past_header(info, limit_bytes)
            raise FileUnreadableError(f"{name}: {error}") from error
        except _BROKEN as error:
            raise FileUnreadableError(f"{name}: {error}") from error

    def _read_past_header(self, info: zipfile.ZipInfo, limit_bytes: int) -> bytes:
        """Read an entry whose local header has another name than the directory, as some shops' files have it."""
        file = self._zip.fp
        if file is None:
            raise FileUnreadableError(f"{info.filename}: closed")
        file.seek(info.header_offset)
        header = _LOCAL_HEADER.unpack(file.read(_LOCAL_HEADER.size))
        file.seek(header[9] + header[10], 1)
        packed = file.read(min(info.compress_size, MAX_FILE_BYTES))
        if info.compress_type == zipfile.ZIP_STORED:
            return packed[:limit_bytes]
        if info.compress_type != zipfile.ZIP_DEFLATED:
            raise FileUnreadableError(f"{info.filename}: compressed in a way that EPUB does not allow")
        try:
            return zlib.decompressobj(-15).decompress(packed, limit_bytes)
        except zlib.error as error:
            raise FileUnreadableError(f"{info.filename}: {error}") from error

    def close(self) -> None:
        self._zip.close()


class Container:
    """Read-only view of an EPUB's files by path inside the container.

    Raises BookRefused where a limit is passed, zipfile.BadZipFile where the ZIP has no directory.
    """

    def __init__(self, path: Path) -> None:
        self.label = path.name
        self.is_folder = path.is_dir()
        self._source: _Source
        if path.is_dir():
            self._source = _Folder(path)
        else:
            self._source = _Zip(path)
        self._read_bytes = 0
        self.names = self._source.names
        self.renamed: list[str] = []  # paths that were found only without regard to case
        try:
            if len(self.names) > MAX_ENTRIES:
                raise BookRefused("too-large", f"{self.label} holds {len(self.names)} files; no book needs that many.")
            if isinstance(self._source, _Zip):
                self._source.check(self.label)
        except BookRefused:
            self._source.close()
            raise
        self._exact = {_tidy(name): name for name in reversed(self.names)}
        self.doubled = self._source.doubled
        self.mangled = self._source.mangled
        self.misnamed = self._source.misnamed  # grows while files are read
        self._folded = {_fold(name): name for name in reversed(self.names)}

    def find(self, path: str) -> str | None:
        """The name under which a container path is stored, whatever its case, slashes or escapes; None if absent."""
        for candidate in (path, unquote(path)):
            tidy = _tidy(candidate)
            if tidy in self._exact:
                return self._exact[tidy]
        found = self._folded.get(_fold(path)) or self._folded.get(_fold(unquote(path)))
        if found and found not in self.renamed:
            self.renamed.append(found)
        return found

    def read(self, path: str) -> bytes:
        """The bytes of a file. Raises FileMissingError, FileUnreadableError, or BookRefused("too-large")."""
        name = self.find(path)
        if name is None:
            raise FileMissingError(path)
        data = self._source.read(name, MAX_FILE_BYTES + 1)
        self._read_bytes += len(data)
        if len(data) > MAX_FILE_BYTES or self._read_bytes > MAX_READ_BYTES:
            raise BookRefused("too-large", f"{self.label} holds {name[:80]}, which is too large for a book's text.")
        return data

    def beginning(self, name: str, size_bytes: int) -> bytes:
        """The first bytes of a file by the name it is stored under. Raises FileUnreadableError, OSError."""
        return self._source.read(name, size_bytes)

    def close(self) -> None:
        self._source.close()

    def __enter__(self) -> "Container":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def resolve(base: str, href: str) -> tuple[str, str] | None:
    """(container path, fragment) that `href` in the file `base` points at; None for what lies outside.

    Percent escapes stay for `Container.find` to try both ways, since some names really hold a "%20".
    """
    href = "".join(href.split("\n")).strip()
    if _SCHEME.match(href) or href.startswith("//"):
        return None
    path, _, fragment = href.partition("#")
    path = path.partition("?")[0].replace("\\", "/")
    if not path:
        return base, unquote(fragment)
    joined = path if path.startswith("/") else posixpath.join(posixpath.dirname(base), path)
    return _tidy(joined), unquote(fragment)


def climbs_out(path: str) -> bool:
    """Whether a path leads above the root of the container."""
    return posixpath.normpath(unquote(path).replace("\\", "/").lstrip("/")).startswith("..")


def _tidy(path: str) -> str:
    """A path inside the container: forward slashes, no dots, never above the root, composed characters."""
    path = unicodedata.normalize("NFC", path.replace("\\", "/"))
    return posixpath.normpath("/" + path).lstrip("/")


def _fold(path: str) -> str:
    return _tidy(path).casefold()


def is_special(path: Path) -> bool:
    """Whether a path is neither a file nor a folder (a pipe, a socket), which reading would wait on for ever."""
    mode = path.stat().st_mode
    return not (stat.S_ISREG(mode) or stat.S_ISDIR(mode))
