"""What Lectern takes of the computer that it runs on: memory and disk."""

import os
import shutil
from pathlib import Path

from litestar import get
from pydantic import Field

from server.api.common import House, off_loop
from server.api.problems import documented
from server.api.view import View
from server.render.power import run

_KIB = 1024


class MachineView(View):
    """Null is what cannot be told here."""

    memory_bytes: int | None = Field(description="Memory that Lectern lies in, with the process that renders.")
    free_bytes: int | None = Field(description="Room on the disk of the data folder.")
    disk_bytes: int | None = Field(description="How large that disk is.")


@get("/machine", summary="Memory and disk", tags=["house"], responses=documented())
async def get_machine(house: House) -> MachineView:
    """As it is just now."""
    return await off_loop(_machine, house.settings.data)


def _machine(data: Path) -> MachineView:
    try:
        disk = shutil.disk_usage(data)
    except OSError:
        return MachineView(memory_bytes=_memory(), free_bytes=None, disk_bytes=None)
    return MachineView(memory_bytes=_memory(), free_bytes=disk.free, disk_bytes=disk.total)


def _memory() -> int | None:
    if shutil.which("ps") is None:
        return None
    return family_bytes(run(("ps", "-axo", "pid=,ppid=,rss=")), os.getpid())


def family_bytes(told: str, root: int) -> int | None:
    """The memory of the process `root` and all that it began, by a table of `pid ppid rss`; None where it is not in."""
    rows = [[int(cell) for cell in line.split()] for line in told.splitlines() if line.replace(" ", "").isdigit()]
    family, size = {root}, 0
    while len(family) > size:  # until nobody's child is added any more
        size = len(family)
        family |= {row[0] for row in rows if len(row) == 3 and row[1] in family}
    found = [row[2] for row in rows if len(row) == 3 and row[0] in family]
    return sum(found) * _KIB if any(row[:1] == [root] for row in rows) else None
