"""Settings: one table, read once from the environment, frozen."""

import contextlib
import math
import os
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any

from server.errors import NotFound, SettingsError


def _data_folder() -> Path:
    """The platform's folder for an application's data."""
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Application Support" / "Lectern"
    base = os.environ.get("XDG_DATA_HOME")
    return (Path(base) if base else Path.home() / ".local" / "share") / "lectern"


def _setting(default: Any, explained: str) -> Any:
    extra = {"explained": explained}
    if callable(default):
        return field(default_factory=default, metadata=extra)
    return field(default=default, metadata=extra)


@dataclass(frozen=True, slots=True)
class Settings:
    """All settings. Each is read from `LECTERN_<NAME>`; `explained` is what the documentation prints."""

    library: Path = _setting(lambda: Path.home() / "Audiobooks", "Folder that is watched for EPUBs.")
    data: Path = _setting(_data_folder, "Folder for the store (audio, text, places), the database and the model.")
    host: str = _setting("127.0.0.1", "Address to listen on. Only this machine can reach 127.0.0.1.")
    port: int = _setting(8484, "Port to listen on.")
    voice: str = _setting("af_heart", "Voice for new books; `lectern voices` lists them.")
    bitrate: int = _setting(48_000, "Bits per second of the AAC audio: 32000, 48000 or 64000.")
    model_source: str = _setting(
        "", "Where the model comes from: `hub`, `packages` or `dir:PATH`. Empty tries the hub, then the packages."
    )
    settle_s: float = _setting(3.0, "Seconds a file in the library folder must rest unchanged before it is read.")
    rescan_s: float = _setting(900.0, "Seconds between full comparisons of the library folder with the database.")
    poll: bool = _setting(
        False, "Look at the library folder every LECTERN_POLL_S seconds on any disk, not only on network disks."
    )
    poll_s: float = _setting(
        30.0, "Seconds between looks at a library folder on a network disk, which tells of no changes."
    )
    threads: int = _setting(0, "CPU threads for rendering where there is no GPU; 0 leaves one core for the rest.")
    sample: bool = _setting(True, "Add the short sample book when the library is empty at the first start.")
    log_level: str = _setting("info", "How much is logged: debug, info, warning or error.")

    @property
    def store(self) -> Path:
        return self.data / "store"

    @property
    def models(self) -> Path:
        return self.data / "models"

    @property
    def database(self) -> Path:
        return self.data / "lectern.db"

    @property
    def url(self) -> str:
        return f"http://{self.host}:{self.port}"


def path_of(text: str) -> Path:
    """The path that somebody means by `text`, with ~ for a home folder. Raises NotFound for an empty name."""
    if not text.strip():
        raise NotFound("A file needs a name; write its path.")
    path = Path(text)
    with contextlib.suppress(RuntimeError):  # there is no such person, so the ~ is a name's
        path = path.expanduser()
    return path if path.name.strip(".") else path.resolve()  # so that "." is called something


def load_settings(environ: Mapping[str, str] | None = None) -> Settings:
    """Read `LECTERN_*` from `environ` (default: the process environment).

    Raises SettingsError, naming the variable, its value and what would be right.
    """
    given = os.environ if environ is None else environ
    values: dict[str, Any] = {}
    for item in fields(Settings):
        key = f"LECTERN_{item.name.upper()}"
        if (raw := given.get(key, "").strip()) != "":
            values[item.name] = _parse(key, raw, item.type)
    settings = Settings(**values)
    _check(settings)
    return settings


def _parse(key: str, raw: str, kind: Any) -> Any:
    try:
        if kind is Path:
            return path_of(raw).absolute()
        if kind is bool:
            return {"1": True, "true": True, "yes": True, "0": False, "false": False, "no": False}[raw.lower()]
        return kind(raw)
    except (ValueError, KeyError):
        wanted = {int: "a whole number", float: "a number", bool: "yes or no"}.get(kind, "another value")
        raise SettingsError(f"{key} is {raw!r}, which is not {wanted}.") from None


def _check(settings: Settings) -> None:
    if not 1 <= settings.port <= 65_535:
        raise SettingsError(f"LECTERN_PORT is {settings.port}; a port lies between 1 and 65535.")
    if settings.bitrate not in (32_000, 48_000, 64_000):
        raise SettingsError(f"LECTERN_BITRATE is {settings.bitrate}; choose 32000, 48000 or 64000.")
    if settings.log_level.lower() not in ("debug", "info", "warning", "error"):
        raise SettingsError(f"LECTERN_LOG_LEVEL is {settings.log_level!r}; choose debug, info, warning or error.")
    source = settings.model_source
    if source not in ("", "hub", "packages") and not source.startswith("dir:"):
        raise SettingsError(f"LECTERN_MODEL_SOURCE is {source!r}; choose hub, packages or dir:PATH.")
    if settings.threads < 0:
        raise SettingsError(f"LECTERN_THREADS is {settings.threads}; choose 0 or the number of threads.")
    for name in ("settle_s", "rescan_s", "poll_s"):
        if not 0 < getattr(settings, name) < math.inf:  # nor is nan
            raise SettingsError(f"LECTERN_{name.upper()} must be a number of seconds, more than 0.")
