"""Backups: those that are there, one made now, and how to go back to one."""

from datetime import datetime
from typing import Protocol

from litestar import get, post
from litestar.params import JSONBody
from pydantic import Field

from server.api.common import House
from server.api.problems import documented
from server.api.view import View


class BackupView(View):
    """A backup that is there."""

    name: str
    made: datetime
    nightly: bool = Field(description="Made by the server at night; the oldest of these make room for new ones.")
    audio: bool = Field(description="Whether the audio is in it; else it is rendered again after a restore.")
    bytes: int
    restore: str = Field(description="What to type on this computer to go back to it, once Lectern is stopped.")


class BackupsView(View):
    """The backups in the folder for them, the newest first."""

    folder: str
    at: str = Field(description="When the nightly one is made, as the setting `backup_at`.")
    stop: str | None = Field(
        description="What to type on this computer to stop Lectern, before a restore; null where it was begun by hand, "
        "and Ctrl-C stops it."
    )
    begin: str = Field(description="What to type to start it again after that.")
    making: bool = Field(description="Whether one is being made that was asked for.")
    trouble: str | None = Field(description="Why the last one that was asked for could not be made.")
    backups: list[BackupView]


class BackupIn(View):
    """What is to be put into a backup."""

    audio: bool = Field(default=False, description="The audio too, which makes it as large as that is.")


class Keeping(Protocol):
    """What the house does with backups."""

    async def view(self) -> BackupsView: ...

    async def make(self, audio: bool) -> None:
        """Begin one. Raises Conflict while one is being made."""


@get("/backups", summary="Backups", tags=["house"], responses=documented())
async def list_backups(house: House) -> BackupsView:
    """Those that are there, and whether one is being made."""
    return await house.keeping.view()


@post("/backups", status_code=202, summary="Make a backup now", tags=["house"], responses=documented(409, 413))
async def make_backup(house: House, data: JSONBody[BackupIn]) -> BackupsView:
    """Begun at once; `backups.changed` tells when it is there, or why it is not."""
    await house.keeping.make(data.audio)
    return await house.keeping.view()
