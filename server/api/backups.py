"""Backups: those that are there, one made now, and how to go back to one."""

import re
import shutil
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Annotated, Final, Protocol

from litestar import get, post
from litestar.openapi.spec import OpenAPIMediaType, Operation, RequestBody, Schema
from litestar.openapi.spec.enums import OpenAPIFormat, OpenAPIType
from litestar.params import JSONBody, PathParameter
from pydantic import Field

from server.api.common import Call, House
from server.api.imports import incoming, receive
from server.api.problems import documented
from server.api.view import View
from server.errors import NotFound
from server.render.files import write_error

BACKUP: Final = re.compile(r"lectern-[0-9A-Za-z-]{1,60}\.tar(?:\.gz)?")
KEPT_FREE_BYTES: Final = 200_000_000  # of the disk, when a backup is sent


class BackupView(View):
    """A backup that is there."""

    name: str
    made: datetime
    nightly: bool = Field(description="Made by the server at night; the oldest of these make room for new ones.")
    audio: bool = Field(description="Whether the audio is in it; else it is rendered again after a restore.")
    bytes: int
    restore: str = Field(description="What to type on this computer to go back to it, once Lectern is stopped.")


class RestoredView(View):
    """What became of a restore."""

    name: str
    at: datetime
    told: list[str] = Field(description="What was put back, and where lies what was here, in sentences.")
    trouble: str | None = Field(description="Why nothing was put back; null where it was.")


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
    can_restore: bool = Field(description="Whether Lectern can go back to one by itself, by starting again.")
    restored: RestoredView | None = Field(description="What became of the last restore that was asked for here.")
    backups: list[BackupView]


class BackupIn(View):
    """What is to be put into a backup."""

    audio: bool = Field(default=False, description="The audio too, which makes it as large as that is.")


class AddedBackup(View):
    """A backup that was sent."""

    name: str


@dataclass
class _Archive(Operation):
    """The body is read as it comes, which the framework cannot document by itself."""

    def __post_init__(self) -> None:
        content = OpenAPIMediaType(schema=Schema(type=OpenAPIType.STRING, format=OpenAPIFormat.BINARY))
        self.request_body = RequestBody(required=True, content={"application/octet-stream": content})


Name = Annotated[str, PathParameter(description="Name of the backup, as it is listed.")]


class Keeping(Protocol):
    """What the house does with backups."""

    async def view(self) -> BackupsView: ...

    async def make(self, audio: bool) -> None:
        """Begin one. Raises Conflict while one is being made."""

    async def take_in(self, file: Path) -> str:
        """Put a file among the backups; gives its name. Raises StoreError where it is none, Conflict."""

    async def restore(self, name: str) -> None:
        """Check a backup and start again with what is in it. Raises NotFound, StoreError, Conflict."""


@get("/backups", summary="Backups", tags=["house"], responses=documented())
async def list_backups(house: House) -> BackupsView:
    """Those that are there, and whether one is being made."""
    return await house.keeping.view()


@post("/backups", status_code=202, summary="Make a backup now", tags=["house"], responses=documented(409, 413))
async def make_backup(house: House, data: JSONBody[BackupIn]) -> BackupsView:
    """Begun at once; `backups.changed` tells when it is there, or why it is not."""
    await house.keeping.make(data.audio)
    return await house.keeping.view()


@post(
    "/backups/file",
    status_code=201,
    summary="Add a backup",
    tags=["house"],
    operation_class=_Archive,
    request_max_body_size=None,  # as large as the disk has room for
    responses=documented(403, 409, 413, 422, 507),
)
async def add_backup(request: Call, house: House) -> AddedBackup:
    """The body is the file. It is read whole, and kept among the backups if it is one; nothing is put back by this."""
    try:
        free = shutil.disk_usage(house.settings.data).free
        with incoming(house.settings) as (path, file):
            await receive(request, file, max(0, free - KEPT_FREE_BYTES), "backup")
            name = await house.keeping.take_in(path)
    except OSError as error:
        raise write_error(house.settings.data, error) from error
    return AddedBackup(name=name)


@post(
    "/backups/{name:str}/restore",
    status_code=202,
    summary="Go back to a backup",
    tags=["house"],
    responses=documented(403, 404, 409, 422, 507),
)
async def restore_backup(house: House, name: Name) -> BackupsView:
    """It is read whole first. Then Lectern starts again, and puts it back before anything else.

    What is here now is put aside in the data folder and never deleted; `restored` tells afterwards where.
    """
    if BACKUP.fullmatch(name) is None:
        raise NotFound("There is no such backup.")
    await house.keeping.restore(name)
    return await house.keeping.view()
