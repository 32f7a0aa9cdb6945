"""What the render process takes for itself before it works: the store's writer lock, and its standard output."""

import contextlib
import fcntl
import logging
import os
import signal
import subprocess
import time
from pathlib import Path
from typing import IO, Final

from server.errors import StoreError
from server.render.files import write_error
from server.render.store import Store

log = logging.getLogger(__name__)

PATIENCE_S: Final = 20.0  # a process whose daemon is gone ends within a second or two of computing


def own_stdout() -> IO[bytes]:
    """Keep standard output for answers: whatever a library prints goes to standard error."""
    own = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    return own


def writer_lock(folder: Path) -> IO[bytes]:
    """Wait until no other render process writes this store.

    There is one daemon, so another one was left behind by a daemon that is gone; it ends by itself, and one that does
    not, because it hangs, is ended. Raises StoreError where nothing can be written, or somebody else holds the lock.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
        stream = (folder / ".writer.lock").open("a+b")
    except OSError as error:
        raise write_error(folder, error) from error
    if not _taken_within(stream, PATIENCE_S):
        stream.seek(0)
        holder = stream.read(20).decode("ascii", "replace").strip()
        if holder.isdecimal() and _renders(int(holder), folder.parent):
            log.warning("an earlier render process (%s) hangs and is ended", holder)
            with contextlib.suppress(ProcessLookupError):
                os.kill(int(holder), signal.SIGKILL)
        if not _taken_within(stream, PATIENCE_S):
            raise StoreError(f"Another program (process {holder or 'unknown'}) writes to {folder}: end it.")
    stream.truncate(0)
    stream.write(str(os.getpid()).encode())
    stream.flush()
    return stream


def _taken_within(stream: IO[bytes], limit_s: float) -> bool:
    end = time.monotonic() + limit_s
    while True:
        try:
            fcntl.flock(stream, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            if time.monotonic() >= end:
                return False
            time.sleep(0.1)
        else:
            return True


def _renders(pid: int, data: Path) -> bool:
    """Is that a render process for this data folder? The number may be another program's by now."""
    told = subprocess.run(["ps", "-ww", "-o", "command=", "-p", str(pid)], capture_output=True, text=True)
    return f"--data {data} --threads" in told.stdout


def is_written(folder: Path) -> bool:
    """Whether a render process, of whichever program, has this store."""
    try:
        with (folder / ".writer.lock").open("rb") as stream:
            fcntl.flock(stream, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    except OSError:
        return False  # there was none yet
    return False


def swept(root: Path) -> Store:
    """The store, without what a crash left in it. Raises StoreError where that cannot be taken away."""
    try:
        store = Store(root)
        for path in store.sweep():
            log.info("swept %s", path.name)
        return store
    except OSError as error:
        raise write_error(root, error) from error
