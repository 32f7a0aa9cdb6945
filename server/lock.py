"""One Lectern per data folder: a lock that dies with the process that holds it."""

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager

from server.config import Settings
from server.errors import Conflict


@contextmanager
def hold(settings: Settings) -> Iterator[None]:
    """Hold the data folder's lock. Raises Conflict, naming the process that has it."""
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
        yield
