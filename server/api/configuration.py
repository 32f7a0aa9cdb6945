"""The settings of this Lectern: each with what it means, where it comes from, and changed in the configuration file."""

from typing import Annotated, Final, Literal, Protocol

from litestar import delete, get, post, put
from litestar.params import JSONBody, PathParameter
from pydantic import Field

from server.api.common import House
from server.api.problems import documented
from server.api.view import View

Kind = Literal["words", "folder", "number", "whole", "yes-no", "choice", "time", "voice"]
Value = bool | int | float | Annotated[str, Field(max_length=1_000)]

NamePath = Annotated[str, PathParameter(description="Name of the setting, as in the configuration file.")]

# In the order in which a person looks for them: group → setting → what it is called, and its unit.
GROUPS: Final[dict[str, dict[str, tuple[str, str]]]] = {
    "Books and voice": {
        "library": ("Library folder", ""),
        "voice": ("Voice for new books", ""),
        "bitrate": ("Quality of the audio", ""),
        "sample": ("Sample book", ""),
    },
    "Backups": {
        "backup_at": ("Nightly backup at", ""),
        "backup_keep": ("Nightly backups kept", "backups"),
        "backup_audio": ("Audio in nightly backups", ""),
        "backup_folder": ("Folder for backups", ""),
    },
    "Who can reach it": {
        "tailscale": ("Through Tailscale", ""),
        "lan": ("From the home network", ""),
        "host": ("Address", ""),
        "port": ("Port", ""),
        "serve_port": ("Port for tailscale serve", ""),
        "tailscale_socket": ("Tailscale's socket", ""),
    },
    "This computer": {
        "data": ("Data folder", ""),
        "threads": ("CPU threads", "threads"),
        "memory_mb": ("Most memory", "MB"),
        "model_source": ("Source of the voice", ""),
    },
    "Watching the library": {
        "settle_s": ("Rest before a file is read", "seconds"),
        "rescan_s": ("Between full comparisons", "seconds"),
        "poll": ("Look at it regularly", ""),
        "poll_s": ("Between looks", "seconds"),
    },
    "Log": {
        "log_level": ("How much is logged", ""),
        "log_format": ("Form of its lines", ""),
        "log_mb": ("Size of a log file", "MB"),
    },
}


class SettingView(View):
    """One setting."""

    name: str
    title: str = Field(description="What a person calls it.")
    group: str
    meaning: str
    kind: Kind
    unit: str
    choices: list[str | int] | None = Field(description="What there is to choose from, where that is all there is.")
    low: int | None = Field(description="The least that it may be.")
    high: int | None = Field(description="The most that it may be.")
    usual: Value = Field(description="As Lectern comes.")
    value: Value = Field(description="What holds now.")
    written: Value = Field(description="What holds after the next start.")
    source: Literal["usual", "file", "variable"] = Field(description="Where `written` comes from.")
    variable: str = Field(description="The variable of the environment that wins over the file.")
    at_once: bool = Field(description="Whether a change holds at once; else after the next start.")
    waits: bool = Field(description="Whether it was changed, and waits for the next start.")


class SettingsView(View):
    """All settings, and the file they stand in."""

    file: str = Field(description="The configuration file; it is made with the first change.")
    there: bool = Field(description="Whether it is there yet.")
    warnings: list[str] = Field(description="What is written somewhere and changes nothing.")
    waits: bool = Field(description="Whether something waits for the next start.")
    can_restart: bool = Field(description="Whether `POST /restart` starts Lectern again.")
    settings: list[SettingView]


class SettingIn(View):
    """What a setting is to be."""

    value: Value


class Configuration(Protocol):
    """What the house does with its settings."""

    async def view(self) -> SettingsView:
        """All of them. Raises Conflict where the file cannot be understood, in a sentence for the owner."""

    async def change(self, name: str, value: Value | None) -> None:
        """Write a setting into the file, None: as Lectern comes. Raises NotFound, BadRequest, Conflict, StoreError."""

    async def restart(self) -> None:
        """End, and begin again with what is written. Raises Conflict where nobody would begin it again."""


@get("/settings", summary="All settings", tags=["house"], responses=documented(409))
async def get_settings(house: House) -> SettingsView:
    """What holds now, and what stands in the configuration file for the next start."""
    return await house.configuration.view()


@put("/settings/{name:str}", summary="Change a setting", tags=["house"], responses=documented(404, 409, 413, 507))
async def put_setting(house: House, name: NamePath, data: JSONBody[SettingIn]) -> SettingsView:
    """Written to the configuration file, in which all else stays as somebody wrote it, comments too."""
    await house.configuration.change(name, data.value)
    return await house.configuration.view()


@delete(
    "/settings/{name:str}",
    status_code=200,
    summary="A setting as Lectern comes",
    tags=["house"],
    responses=documented(404, 409, 507),
)
async def delete_setting(house: House, name: NamePath) -> SettingsView:
    """Its line in the file becomes a comment."""
    await house.configuration.change(name, None)
    return await house.configuration.view()


@post("/restart", status_code=202, summary="Start again", tags=["house"], responses=documented(409))
async def restart(house: House) -> None:
    """With the settings that are written. It is away for a few seconds; what was rendered stays."""
    await house.configuration.restart()
