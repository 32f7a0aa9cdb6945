"""The process that reads one book, within limits, and writes the answer to its standard output.

It imports little: every imported file starts it anew.
"""

import json
import resource
import sys
from contextlib import suppress
from pathlib import Path
from typing import cast

from server.errors import BookRefused
from server.library.model import Notes
from server.library.wire import BOOK, REFUSAL, dump


def limit(memory_bytes: int, cpu_s: int) -> None:
    """Set the limits of this process, as far as the system knows them (macOS has no limit on address space)."""
    for name, value in (("RLIMIT_AS", memory_bytes), ("RLIMIT_DATA", memory_bytes), ("RLIMIT_CPU", cpu_s)):
        with suppress(ValueError, OSError):
            resource.setrlimit(getattr(resource, name), (value, value))
    with suppress(ValueError, OSError):
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def answer(path: Path, memory_bytes: int, cpu_s: int, notes: Notes, language: str | None = None) -> bytes:
    """Read within limits; the answer for the parent."""
    limit(memory_bytes, cpu_s)
    from server.library.reader import read_book  # after the limits: its parsers count too

    try:
        return BOOK + dump(read_book(path, language, notes))
    except BookRefused as refusal:
        return REFUSAL + json.dumps([refusal.kind, str(refusal)]).encode()
    except MemoryError:
        too_large = f"{path.name} takes more memory to read than a book should; try another copy."
        return REFUSAL + json.dumps(["too-large", too_large]).encode()
    except OSError as error:
        unreadable = (
            f"{path.name} cannot be opened ({error.strerror or error}); check its permissions and copy it again."
        )
        return REFUSAL + json.dumps(["unreadable", unreadable]).encode()


if __name__ == "__main__":
    path, memory, cpu, notes_, *rest = sys.argv[1:]
    sys.stdout.buffer.write(answer(Path(path), int(memory), int(cpu), cast(Notes, notes_), *rest[:1]))
