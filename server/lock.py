"""One Lectern per data folder: a lock that dies with the process that holds it."""

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager

from server.backup import STEPS
from server.config import Settings
from server.errors import Conflict


@contextmanager
def hold(settings: Settings) -> Iterator[None]:
    """Hold the data folder's lock, and finish there what a restore that was broken off left.

    Raises Conflict, naming the process that has the lock; StoreError where the restore cannot be finished.
    """
    path = settings.data / "lectern.lock"
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("a+") as stream:
        try:
            fcntl.flock(stream, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            stream.seek(0)
            holder = stream.read().strip() or "unknown"
            raise Conflict(
                f"Lectern is already running on {settings.data} (process {holder}). "
                "Use it, stop it, or choose another folder with LECTERN_DATA."
            ) from None
        stream.truncate(0)
        stream.write(str(os.getpid()))
        stream.flush()
        if (settings.data / STEPS).exists():
            from server.backup.restore import finish  # loads the store: only where there is something to do

            finish(settings)
        yield


def holder(settings: Settings) -> int | None:
    """The process that holds the data folder, None when none does. Only read: the lock itself is left alone."""
    try:
        number = int((settings.data / "lectern.lock").read_text())
        os.kill(number, 0)
    except (OSError, ValueError, OverflowError):
        return None
    return number
