"""Files that appear whole or not at all, and JSON read once per version."""

import errno
import fcntl
import itertools
import logging
import os
import threading
import time
from collections import OrderedDict
from pathlib import Path
from types import TracebackType
from typing import Generic, TypeVar

from pydantic import ValidationError

from server.errors import DiskFull, NotFound, StoreError
from server.render.index import Record

R = TypeVar("R", bound=Record)
Stamp = tuple[int, int, int]  # which version of a file there is

log = logging.getLogger(__name__)

TEMPORARY = ".tmp"  # ends the name of a file not yet whole
DAMAGED = ".damaged"  # in the name of one that could not be understood and was replaced
_counter = itertools.count()
_LOCK_S = 30.0  # nobody holds the lock for longer than an import takes to write; then something hangs
_LOCK_POLL_S = 0.005
# fsync on macOS leaves data in the drive's own cache; this asks the drive as well.
_FULL_SYNC: int | None = getattr(fcntl, "F_FULLFSYNC", None)


def stamp_of(path: Path | str) -> Stamp | None:
    """Which version of a file there is, if any. Each write makes a new file: the inode tells if a clock is coarse."""
    try:
        status = os.stat(path)  # noqa: PTH116 - Path.stat takes three times as long for a str
    except OSError:
        return None
    return status.st_ino, status.st_mtime_ns, status.st_size


def write_atomically(path: Path, data: bytes) -> None:
    """Put `data` at `path`: a reader, and a crash at any point, sees the old file or the new one.

    Makes missing folders. Raises StoreError when the disk is full or the folder cannot be written.
    """
    temporary = path.with_name(f".{path.name}.{os.getpid()}-{next(_counter)}{TEMPORARY}")
    try:
        make_folder(path.parent)
        try:
            with temporary.open("wb") as stream:
                stream.write(data)
                stream.flush()
                sync_file(stream.fileno())
            temporary.replace(path)
        except BaseException:
            temporary.unlink(missing_ok=True)
            raise
        sync_folder(path.parent)
    except OSError as error:
        raise write_error(path, error) from error


def write_error(path: Path, error: OSError) -> StoreError:
    """`error` as a sentence that names the way out."""
    if error.errno in (errno.ENOSPC, errno.EDQUOT):
        return DiskFull(f"The disk is full: {path} could not be written. Free some space and it goes on.")
    return StoreError(f"{path} could not be written ({error.strerror}); check that the folder may be written to.")


def make_folder(folder: Path) -> None:
    """Make `folder` and what it stands in, each made durable in its parent. Raises OSError."""
    if folder.is_dir():
        return
    make_folder(folder.parent)
    folder.mkdir(exist_ok=True)
    sync_folder(folder.parent)


def sync_folder(folder: Path) -> None:
    """Make the names in `folder` durable: a rename is only safe from a power cut after this."""
    handle = os.open(folder, os.O_RDONLY)
    try:
        sync_file(handle)
    finally:
        os.close(handle)


def sync_file(handle: int) -> None:
    """Make what was written durable. Raises OSError."""
    if _FULL_SYNC is not None:
        try:
            fcntl.fcntl(handle, _FULL_SYNC)
            return
        except OSError as error:  # a network or foreign file system may not know it
            if error.errno not in (errno.ENOTSUP, errno.EINVAL, errno.ENOTTY):
                raise
    os.fsync(handle)


class WriteLock:
    """Held while something in the store changes: by one thread of one process, which may take it again.

    It ends with its process, however that ends. Raises StoreError when another process does not let go.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._thread = threading.RLock()
        self._depth = 0
        self._handle = -1

    def __enter__(self) -> None:
        self._thread.acquire()
        try:
            if self._depth == 0:
                self._handle = self._lock()
            self._depth += 1
        except BaseException:
            self._thread.release()
            raise

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self._depth -= 1
        if self._depth == 0:
            os.close(self._handle)  # and with it the lock
        self._thread.release()

    def _lock(self) -> int:
        try:
            make_folder(self._path.parent)
            handle = os.open(self._path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
        except OSError as error:
            raise write_error(self._path, error) from error
        until = time.monotonic() + _LOCK_S
        while True:
            try:
                fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
                return handle
            except BlockingIOError:
                if time.monotonic() > until:
                    os.close(handle)
                    raise StoreError(
                        f"Another process has been writing to {self._path.parent} for {_LOCK_S:.0f} seconds; "
                        "end it and try again."
                    ) from None
                time.sleep(_LOCK_POLL_S)


def read_record(path: Path, kind: type[R], missing: str) -> R:
    """The record in the file at `path`.

    Raises NotFound with the sentence `missing` when there is no file, StoreError when it cannot be understood.
    """
    try:
        return kind.read(path.read_bytes())
    except (FileNotFoundError, NotADirectoryError):
        raise NotFound(missing) from None
    except OSError as error:
        raise StoreError(f"{path} could not be read ({error.strerror}); check the disk.") from error
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        where = ".".join(str(part) for part in first["loc"]) or "the file"
        raise StoreError(f"{path} is damaged at {where}: {first['msg']}. Put it back from a backup.") from error


def keep_damaged(path: Path) -> Path:
    """Put a file that cannot be understood under another name beside it, so that a new one can be written; give that.

    Raises StoreError.
    """
    kept, number = path.with_name(path.name + DAMAGED), 2
    while kept.exists():
        kept, number = path.with_name(f"{path.name}{DAMAGED}-{number}"), number + 1
    try:
        path.rename(kept)
        sync_folder(path.parent)
    except OSError as error:
        raise write_error(path, error) from error
    log.warning("%s cannot be understood: it is kept as %s", path, kept)
    return kept


def read_or_keep(path: Path, kind: type[R]) -> R | None:
    """The record at `path`, None where there is none; one that is damaged is put under another name, and is none.

    For what a person would rather begin anew than be kept waiting for. Raises StoreError where the disk refuses.
    """
    try:
        return kind.read(path.read_bytes())
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError as error:
        raise StoreError(f"{path} could not be read ({error.strerror}); check the disk.") from error
    except ValidationError:
        keep_damaged(path)
        return None


class RecordCache(Generic[R]):
    """The last few records read, each as long as its file stays the same file. Safe between threads."""

    def __init__(self, kind: type[R], size: int = 12) -> None:
        self._kind = kind
        self._size = size
        self._held: OrderedDict[Path, tuple[tuple[int, int, int], R]] = OrderedDict()
        self._lock = threading.Lock()

    def read(self, path: Path, missing: str) -> R:
        """Like `read_record`, without parsing a file that has not changed."""
        stamp = stamp_of(path)
        if stamp is None:
            return read_record(path, self._kind, missing)
        with self._lock:
            if (held := self._held.get(path)) and held[0] == stamp:
                self._held.move_to_end(path)
                return held[1]
        record = read_record(path, self._kind, missing)
        with self._lock:
            self._held[path] = (stamp, record)
            while len(self._held) > self._size:
                self._held.popitem(last=False)
        return record

    def at_hand(self, path: Path) -> R | None:
        """The record at `path`, if that is known without reading the file."""
        stamp = stamp_of(path)
        with self._lock:
            held = self._held.get(path)
        return held[1] if held and held[0] == stamp else None

    def forget(self, path: Path) -> None:
        """Read the file at `path` anew next time."""
        with self._lock:
            self._held.pop(path, None)
