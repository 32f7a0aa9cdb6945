"""What Lectern takes of the computer that it runs on, and how fast that computer renders."""

import os
import shutil
from datetime import datetime
from pathlib import Path

from litestar import get
from pydantic import Field

from server.api.common import House, off_loop
from server.api.problems import documented
from server.api.view import View
from server.render.index import SAMPLE_RATE
from server.render.power import run
from server.render.speeds import KEPT_D

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


class HourView(View):
    """An hour in which something was rendered."""

    at: datetime = Field(description="When it began.")
    audio_s: float = Field(description="Seconds of audio that were made.")
    work_s: float = Field(description="Seconds of work that this took.")


class SpeedView(View):
    """How fast was rendered."""

    days: int = Field(description="For so long it is kept.")
    hours: list[HourView] = Field(description="Hours in which something was, the earliest first.")


@get("/speed", summary="How fast was rendered", tags=["house"], responses=documented())
async def get_speed(house: House) -> SpeedView:
    """Hour by hour, in the last days: seconds of audio made, and of work. The latest pass is in it at once."""
    hours = [
        HourView(at=hour.at, audio_s=hour.samples / SAMPLE_RATE, work_s=hour.work_s)
        for hour in await house.rendering.speeds()
    ]
    return SpeedView(days=KEPT_D, hours=hours)


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
