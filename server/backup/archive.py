"""The file of a backup: a tar whose first member says what it is and whose last has the hash of every other.

Nothing in a file is believed: names that could lead elsewhere, links, sizes that the disk has no room for, and
whatever the last member does not confirm are refused.
"""

import gzip
import hashlib
import io
import json
import re
import tarfile
import unicodedata
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import IO, Any, Final, cast

from server.backup import STEPS
from server.errors import StoreError

FORMAT: Final = 1
HEADER: Final = "lectern.json"
SUMS: Final = "SHA256SUMS"  # in the form that sha256sum and shasum check
DATABASE: Final = "database/lectern.db"
CONFIG: Final = "config/config.toml"
STORE: Final = "store/"
DATA: Final = "data/"

MOST_FILES: Final = 5_000_000
CHUNK_BYTES: Final = 1 << 18
_LARGEST_READ: Final = 1 << 26  # tarfile reads a long name at once, however long it says that it is
_HEADER_BYTES: Final = 10_000
_PART: Final = re.compile(r"[^/\\\x00-\x1f\x7f]{1,255}")
OTHERS: Final = "`lectern restore` without a file lists those there are."
# Of the data folder: made again (search, what is being read in), belonging to a process, or copies of the database.
PASSING: Final = (".db", ".db-wal", ".db-shm", ".db-journal", ".lock", ".pid", ".sock", ".part", ".tmp", ".m4a")
_FOLDERS: Final = ("store", "models", "backups", "logs", "incoming", "previews", "removed")


class _Unfit(Exception):
    """Why a file is no backup that can be used, in words that follow on its name."""


@dataclass(frozen=True, slots=True)
class About:
    """What the first member says of a backup."""

    made: datetime
    audio: bool
    lectern: str
    format: int = FORMAT

    def to_json(self) -> bytes:
        told = {"format": self.format, "lectern": self.lectern, "made": self.made.isoformat(), "audio": self.audio}
        return json.dumps(told, separators=(",", ":")).encode() + b"\n"


def safe_member(name: str) -> bool:
    """Whether a member of this name belongs to a backup and can only be put where it belongs."""
    if name in (DATABASE, CONFIG):
        return True
    parts = name.split("/")
    if name.startswith(DATA):
        kept = (
            len(parts) == 2
            and parts[1].casefold() != STEPS
            and not name.endswith(PASSING)
            and parts[1].casefold() not in _FOLDERS
        )
        fits = kept or (len(parts) == 3 and parts[1] == "removed" and name.endswith(".txt"))
    else:
        fits = name.startswith(STORE)
    return (
        fits
        and 2 <= len(parts) <= 8
        and all(_PART.fullmatch(part) is not None and not part.startswith(".") for part in parts)
        and len(name.encode("utf-8", "surrogateescape")) <= 1000
        and not any("\ud800" <= sign <= "\udfff" for sign in name)
    )


class Writer:
    """Adds members in the order in which they come, and the sums at the end. Raises OSError."""

    def __init__(self, stream: IO[bytes], about: About) -> None:
        # Of what is audio already nothing is gained, and half an hour is lost.
        self._packed: IO[bytes] = stream
        if not about.audio:
            self._packed = cast(IO[bytes], gzip.GzipFile("", "wb", compresslevel=4, fileobj=stream, mtime=0))
        self._stream = stream
        self._tar = tarfile.TarFile(fileobj=self._packed, mode="w", format=tarfile.PAX_FORMAT, encoding="utf-8")
        self._sums: list[str] = []
        self.bytes = 0
        self.put(HEADER, about.to_json())

    def put(self, name: str, data: bytes) -> None:
        self.copy(name, io.BytesIO(data), len(data))

    def copy(self, name: str, source: IO[bytes], size: int) -> None:
        """Add `size` bytes of `source`. Raises OSError when there are fewer."""
        digest = hashlib.sha256()
        info = tarfile.TarInfo(name)
        info.size, info.mode = size, 0o600

        class Told:
            def read(self, count: int) -> bytes:
                data = source.read(count)
                digest.update(data)
                return data

        self._tar.addfile(info, cast(IO[bytes], Told()))
        self._sums.append(f"{digest.hexdigest()}  {name}\n")
        self.bytes += size

    def close(self) -> int:
        """Write the sums; gives how many members there are beside header and sums."""
        sums = "".join(self._sums).encode()
        info = tarfile.TarInfo(SUMS)
        info.size, info.mode = len(sums), 0o600
        self._tar.addfile(info, io.BytesIO(sums))
        self._tar.close()
        if self._packed is not self._stream:
            self._packed.close()
        return len(self._sums) - 1


class _Bounded:
    """A stream that never gives more at once than a name or a chunk has."""

    def __init__(self, stream: Any) -> None:
        self._stream = stream
        self.seek, self.tell = stream.seek, stream.tell

    def read(self, count: int = -1) -> bytes:
        if not 0 <= count <= _LARGEST_READ:
            raise _Unfit("a member is larger than it can be")
        return cast(bytes, self._stream.read(count))


@contextmanager
def _opened(path: Path) -> Iterator[tarfile.TarFile]:
    with path.open("rb") as stream:
        packed = stream.read(2) == b"\x1f\x8b"
        stream.seek(0)
        plain = gzip.GzipFile(fileobj=stream, mode="rb") if packed else stream
        with tarfile.open(fileobj=cast(IO[bytes], _Bounded(plain)), mode="r:", encoding="utf-8") as tar:
            yield tar


def read_archive(path: Path, take: Callable[[str, int, Iterator[bytes]], None], room_bytes: int) -> About:
    """Give every member but header and sums to `take`, with its name, size and chunks; then check all sums.

    `take` must use up the chunks. Raises StoreError, in a sentence that names the file, and OSError of the disk.
    """
    try:
        return _read(path, take, room_bytes)
    except _Unfit as error:
        raise StoreError(f"{path} cannot be used: {error}. {OTHERS}") from error
    except (
        tarfile.TarError, zlib.error, EOFError, gzip.BadGzipFile, UnicodeError, ValueError, OverflowError,
        RecursionError,
    ) as error:  # fmt: skip
        raise StoreError(f"{path} is no whole backup of Lectern ({error or 'it ends too soon'}). {OTHERS}") from error


def _read(path: Path, take: Callable[[str, int, Iterator[bytes]], None], room_bytes: int) -> About:
    about: About | None = None
    sums: list[str] = []
    names: set[str] = set()
    with _opened(path) as tar:
        while (info := tar.next()) is not None:
            if about is None:
                about = _header(tar, info, sums)
                continue
            if info.name == SUMS:
                _confirm(tar, info, sums)
                return about
            room_bytes -= _fitting(info, names, room_bytes)
            digest = hashlib.sha256()
            take(info.name, info.size, _chunks(tar, info, digest))
            sums.append(f"{digest.hexdigest()}  {info.name}\n")
            cast(Any, tar).members.clear()  # tarfile remembers every member, and there may be a million
    raise _Unfit("its end is missing")


def _header(tar: tarfile.TarFile, info: tarfile.TarInfo, sums: list[str]) -> About:
    if info.name != HEADER or not info.isreg() or info.size > _HEADER_BYTES:
        raise _Unfit("it is no backup of Lectern")
    digest = hashlib.sha256()
    data = b"".join(_chunks(tar, info, digest))
    sums.append(f"{digest.hexdigest()}  {HEADER}\n")
    try:
        told = json.loads(data)
        about = About(_made(told["made"]), bool(told["audio"]), str(told["lectern"]), told["format"])
    except (ValueError, KeyError, TypeError, OverflowError, RecursionError) as error:
        raise _Unfit("it does not say what it is") from error
    if type(about.format) is not int or about.format < 1:
        raise _Unfit("it does not say what it is")
    if about.format > FORMAT:
        raise _Unfit("a newer Lectern made it: update Lectern")
    return about


def _made(told: str) -> datetime:
    """When a backup was made, which names its file and is shown. Raises ValueError, OverflowError, TypeError."""
    made = datetime.fromisoformat(told)
    if made.tzinfo is None or not 2000 <= made.year < 9999:
        raise ValueError("no time at which a backup was made")
    return made.astimezone(UTC)


def _fitting(info: tarfile.TarInfo, names: set[str], room_bytes: int) -> int:
    """The member's size, once it is found to be one that a backup has. Raises _Unfit."""
    if not safe_member(info.name):
        raise _Unfit(f"a member is called {info.name[:100]!r}, which no backup has")
    if info.type not in (tarfile.REGTYPE, tarfile.AREGTYPE) or info.sparse is not None:
        raise _Unfit(f"{info.name} is no plain file")
    # A Mac's disk takes names that differ only in case, or in how an accent is written, for one.
    key = unicodedata.normalize("NFC", info.name).casefold()
    if key in names or len(names) >= MOST_FILES:
        raise _Unfit(f"{info.name} is in it twice, or it has too many files")
    names.add(key)
    if info.size > room_bytes:
        raise _Unfit("the disk has no room for it: make room")
    return info.size


def _chunks(tar: tarfile.TarFile, info: tarfile.TarInfo, digest: Any) -> Iterator[bytes]:
    source = tar.extractfile(info)
    left = info.size
    while left > 0 and source is not None:
        data = source.read(min(CHUNK_BYTES, left))
        if not data:
            raise _Unfit(f"{info.name} is cut short")
        digest.update(data)
        left -= len(data)
        yield data


def _confirm(tar: tarfile.TarFile, info: tarfile.TarInfo, sums: list[str]) -> None:
    wanted = "".join(sums).encode()
    given = b"".join(_chunks(tar, info, hashlib.sha256())) if info.size <= max(len(wanted), 1 << 20) else b""
    if given == wanted:
        return
    known = set(given.decode(errors="replace").splitlines(keepends=True))
    wrong = next((line for line in sums if line not in known), None)
    raise _Unfit(f"{wrong.split('  ', 1)[1].strip()} is damaged" if wrong else "files of it are missing")
