"""How much memory a process holds."""

import contextlib
import os
from pathlib import Path
from typing import Final

from server.render.power import run

MEGABYTE: Final = 1_000_000


def resident_mb(pid: int) -> float | None:
    """Megabytes of memory in which the process lies just now; None where it is gone or cannot be told. Blocks."""
    with contextlib.suppress(OSError, ValueError, IndexError):  # Linux
        pages = int(Path(f"/proc/{pid}/statm").read_text().split()[1])
        return pages * os.sysconf("SC_PAGE_SIZE") / MEGABYTE
    told = run(("ps", "-o", "rss=", "-p", str(pid))).strip()  # in KiB
    return int(told) * 1024 / MEGABYTE if told.isdigit() else None
