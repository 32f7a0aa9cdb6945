"""Files that appear whole or not at all, and JSON read once per version."""

import errno
import fcntl
import itertools
import os
import threading
from collections import OrderedDict
from pathlib import Path
from typing import Generic, TypeVar

from pydantic import ValidationError

from server.errors import NotFound, StoreError
from server.render.index import Record

R = TypeVar("R", bound=Record)

TEMPORARY = ".tmp"  # ends the name of a file not yet whole
_counter = itertools.count()
# fsync on macOS leaves data in the drive's own cache; this asks the drive as well.
_FULL_SYNC: int | None = getattr(fcntl, "F_FULLFSYNC", None)


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
                _sync(stream.fileno())
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
        return StoreError(f"The disk is full: {path} could not be written. Free some space and it goes on.")
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
        _sync(handle)
    finally:
        os.close(handle)


def _sync(handle: int) -> None:
    if _FULL_SYNC is not None:
        try:
            fcntl.fcntl(handle, _FULL_SYNC)
            return
        except OSError as error:  # a network or foreign file system may not know it
            if error.errno not in (errno.ENOTSUP, errno.EINVAL, errno.ENOTTY):
                raise
    os.fsync(handle)


def read_record(path: Path, kind: type[R], missing: str) -> R:
    """The record in the file at `path`.

    Raises NotFound with the sentence `missing` when there is no file, StoreError when it cannot be understood.
    """
    try:
        return kind.model_validate_json(path.read_bytes())
    except (FileNotFoundError, NotADirectoryError):
        raise NotFound(missing) from None
    except OSError as error:
        raise StoreError(f"{path} could not be read ({error.strerror}); check the disk.") from error
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        where = ".".join(str(part) for part in first["loc"]) or "the file"
        raise StoreError(f"{path} is damaged at {where}: {first['msg']}. Put it back from a backup.") from error


class RecordCache(Generic[R]):
    """The last few records read, each as long as its file stays the same file. Safe between threads."""

    def __init__(self, kind: type[R], size: int = 12) -> None:
        self._kind = kind
        self._size = size
        self._held: OrderedDict[Path, tuple[tuple[int, int, int], R]] = OrderedDict()
        self._lock = threading.Lock()

    def read(self, path: Path, missing: str) -> R:
        """Like `read_record`, without parsing a file that has not changed."""
        try:
            status = path.stat()
        except OSError:
            return read_record(path, self._kind, missing)
        # Every write makes a new file, so the inode changes even where the clock is coarse.
        stamp = (status.st_ino, status.st_mtime_ns, status.st_size)
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

    def forget(self, path: Path) -> None:
        """Read the file at `path` anew next time."""
        with self._lock:
            self._held.pop(path, None)
