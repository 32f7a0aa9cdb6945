"""Settings: one table, read once from the environment and the configuration file, frozen."""

import contextlib
import math
import os
import re
import sys
from collections.abc import Callable, Mapping
from dataclasses import Field, dataclass, field, fields
from pathlib import Path
from typing import Any

from server.configfile import PLACE, config_file, read_config, unknown_keys, unknown_variables
from server.errors import NotFound, SettingsError

Check = Callable[[Any], str | None]  # what would be right, where the value is not


def _data_folder() -> Path:
    """The platform's folder for an application's data."""
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Application Support" / "Lectern"
    base = os.environ.get("XDG_DATA_HOME")
    return (Path(base) if base else Path.home() / ".local" / "share") / "lectern"


@dataclass(frozen=True, slots=True)
class OneOf:
    """A value out of a few."""

    choices: tuple[Any, ...]
    any_case: bool = False

    def __call__(self, value: Any) -> str | None:
        good = (value.lower() if self.any_case else value) in self.choices
        return None if good else f"choose {', '.join(map(str, self.choices[:-1]))} or {self.choices[-1]}"


@dataclass(frozen=True, slots=True)
class Between:
    """A number between two others, both of them allowed."""

    low: int
    high: int
    what: str

    def __call__(self, value: int) -> str | None:
        return None if self.low <= value <= self.high else f"{self.what} lies between {self.low} and {self.high}"


def _seconds(value: float) -> str | None:
    return None if 0 < value < math.inf else "it must be a number of seconds, more than 0"  # nor is nan


def _memory(value: int) -> str | None:
    return None if value == 0 or value >= 500 else "choose 0, or 500 and more"


def _source(value: str) -> str | None:
    return None if value in ("", "hub", "packages") or value.startswith("dir:") else "choose hub, packages or dir:PATH"


def _time_or_off(value: str) -> str | None:
    good = value == "off" or re.fullmatch(r"([01]?\d|2[0-3]):[0-5]\d", value, re.ASCII)
    return None if good else "write a time of day, such as 03:00, or off"


def _whole_path(value: str) -> str | None:
    # what starts at login stands in another folder than whoever wrote the setting
    return None if not value or value[0] in "/~" else "write the whole path, from / or ~ on"


def _setting(default: Any, explained: str, check: Check | None = None) -> Any:
    extra = {"explained": explained, "check": check}
    if callable(default):
        return field(default_factory=default, metadata=extra)
    return field(default=default, metadata=extra)


@dataclass(frozen=True, slots=True)
class Settings:
    """All settings. Each is read from `LECTERN_<NAME>`, else from `<name>` in the configuration file.

    `explained` is what the documentation prints; `check` says what would be right where a value cannot be used.
    """

    library: Path = _setting(lambda: Path.home() / "Audiobooks", "Folder that is watched for EPUBs.")
    data: Path = _setting(_data_folder, "Folder for the store (audio, text, places), the database and the model.")
    host: str = _setting("127.0.0.1", "Address to listen on. Only this machine can reach 127.0.0.1.")
    port: int = _setting(8484, "Port to listen on.", Between(1, 65_535, "a port"))
    tailscale: bool = _setting(True, "Let your own devices, and people on the list, in through Tailscale.")
    serve_port: int = _setting(
        0,
        "Port of this machine for `tailscale serve` to pass requests on to. 0: the one after LECTERN_PORT.",
        Between(0, 65_535, "a port"),
    )
    tailscale_socket: str = _setting(
        "", "Path of tailscaled's socket. Empty looks where Tailscale usually has it.", _whole_path
    )
    lan: str = _setting(
        "off",
        "Let devices of the home network in, with a token, as `listener` or as `owner`; `off` does not.",
        OneOf(("off", "listener", "owner")),
    )
    voice: str = _setting("af_heart", "Voice for new books, or a mix of them; `lectern voices` lists them.")
    bitrate: int = _setting(
        48_000, "Bits per second of the AAC audio: 32000, 48000 or 64000.", OneOf((32_000, 48_000, 64_000))
    )
    model_source: str = _setting(
        "",
        "Where the model comes from: `hub`, `packages` or `dir:PATH`. Empty tries the hub, then the packages.",
        _source,
    )
    settle_s: float = _setting(
        3.0, "Seconds a file in the library folder must rest unchanged before it is read.", _seconds
    )
    rescan_s: float = _setting(
        900.0, "Seconds between full comparisons of the library folder with the database.", _seconds
    )
    poll: bool = _setting(
        False, "Look at the library folder every LECTERN_POLL_S seconds on any disk, not only on network disks."
    )
    poll_s: float = _setting(
        30.0, "Seconds between looks at a library folder on a network disk, which tells of no changes.", _seconds
    )
    threads: int = _setting(
        0,
        "CPU threads for rendering where there is no GPU; 0 leaves one core for the rest.",
        lambda value: None if value >= 0 else "choose 0 or the number of threads",
    )
    memory_mb: int = _setting(
        3000,
        "Megabytes of memory above which the render process is ended between passes and begun anew; 0: never.",
        _memory,
    )
    sample: bool = _setting(True, "Add the short sample book when the library is empty at the first start.")
    log_level: str = _setting(
        "info",
        "How much is logged: debug, info, warning or error.",
        OneOf(("debug", "info", "warning", "error"), any_case=True),
    )
    log_format: str = _setting(
        "text", "How log lines are written: `text` for people, `json` one object a line.", OneOf(("text", "json"))
    )
    log_mb: int = _setting(
        5,
        "Megabytes that a log file grows to; then a new one is begun, and four older ones stay.",
        Between(1, 1000, "it"),
    )
    backup_at: str = _setting(
        "03:00", "Time of day at which the server makes its nightly backup, or `off`.", _time_or_off
    )
    backup_keep: int = _setting(7, "How many nightly backups are kept.", Between(1, 1000, "it"))
    backup_audio: bool = _setting(
        False, "Put the audio into the nightly backups too, which makes them as large as it is."
    )
    backup_folder: str = _setting(
        "", "Folder for backups, best on another disk. Empty: `backups` in the data folder.", _whole_path
    )

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
    def logs(self) -> Path:
        return self.data / "logs"

    @property
    def backups(self) -> Path:
        return path_of(self.backup_folder).absolute() if self.backup_folder else self.data / "backups"

    @property
    def served_port(self) -> int:
        """The port that `tailscale serve` passes on to. Never `port`: who comes there is known, here is the owner."""
        if self.serve_port not in (0, self.port):
            return self.serve_port
        return self.port + 1 if self.port < 65_535 else self.port - 1

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


@dataclass(frozen=True, slots=True)
class Reading:
    """The settings with how they came about, for `lectern settings` and the log."""

    settings: Settings
    file: Path  # where the configuration file is looked for
    found: bool  # whether it is there
    origins: Mapping[str, str]  # setting → the variable or the file that it was taken from; no entry: its default
    warnings: tuple[str, ...]  # sentences on what is written somewhere and changes nothing


def load_settings(environ: Mapping[str, str] | None = None) -> Settings:
    """The settings of `environ` (default: the process environment), else of the configuration file, else the defaults.

    Raises SettingsError, naming the variable or the file and the key, its value and what would be right.
    """
    return read_settings(environ).settings


def read_settings(environ: Mapping[str, str] | None = None) -> Reading:
    """As `load_settings`, with where each came from and what nobody understands."""
    given = os.environ if environ is None else environ
    file = config_file(given)
    written = read_config(file, wanted=bool(given.get(PLACE, "").strip()))
    values: dict[str, Any] = {}
    origins: dict[str, str] = {}
    for item in fields(Settings):
        key = f"LECTERN_{item.name.upper()}"
        if (raw := given.get(key, "").strip()) != "":
            origins[item.name] = key
            value = _right(item, key, _parse(key, raw, item.type))
        elif item.name in written:
            origins[item.name] = str(file)
            value = from_toml(item.name, written[item.name], f"{item.name} in {file}")
        else:
            continue
        values[item.name] = value
    names = [item.name for item in fields(Settings)]
    warnings = (*unknown_keys(file, written, names), *unknown_variables(given, names))
    settings = Settings(**values)
    if settings.serve_port == settings.port:
        warnings += (
            f"LECTERN_SERVE_PORT is {settings.port}, as LECTERN_PORT is, where everybody would be the owner: "
            f"{settings.served_port} is used for `tailscale serve`. Choose another, or leave it out.",
        )
    return Reading(settings, file, file.is_file(), origins, warnings)


def variables(settings: Settings) -> dict[str, str]:
    """The variables that give a process these settings, whatever else it finds: those that are not the defaults."""
    usual = Settings()
    values = {item.name: getattr(settings, item.name) for item in fields(Settings)}
    told = {name: value for name, value in values.items() if value != getattr(usual, name) or name == "data"}
    return {f"LECTERN_{name.upper()}": _as_text(value) for name, value in told.items()}


def _as_text(value: Any) -> str:
    return {True: "yes", False: "no"}[value] if isinstance(value, bool) else str(value)


_WANTED = {int: "a whole number", float: "a number", bool: "yes or no"}
_WRITTEN = {int: "a whole number, such as 8", float: "a number", bool: "true or false"}


def _parse(key: str, raw: str, kind: Any) -> Any:
    """The value that a variable's text means."""
    try:
        if kind is Path:
            return path_of(raw).absolute()
        if kind is bool:
            return {"1": True, "true": True, "yes": True, "0": False, "false": False, "no": False}[raw.lower()]
        return kind(raw)
    except (ValueError, KeyError):
        raise SettingsError(f"{key} is {raw!r}, which is not {_WANTED.get(kind, 'another value')}.") from None


def from_toml(name: str, value: Any, told: str) -> Any:
    """What TOML's value means for a setting: `port = "8484"` is words and no number. Raises SettingsError on `told`."""
    item = next(item for item in fields(Settings) if item.name == name)
    wanted: Any = str if item.type is Path else item.type
    if wanted is float and type(value) is int:
        value = float(value)
    if type(value) is not wanted:
        right = _WRITTEN.get(wanted, "words in quotes")
        raise SettingsError(f"{told} is {value!r}, which is not {right}.")
    if item.type is Path:
        if (whole := _whole_path(value.strip() or ".")) is not None:
            raise SettingsError(f"{told} is {value!r}; {whole}, or leave the line out.")
        return path_of(value).absolute()
    return _right(item, told, value.strip() if wanted is str else value)


def _right(item: "Field[Any]", told: str, value: Any) -> Any:
    check: Check | None = item.metadata["check"]
    if check is not None and (right := check(value)) is not None:
        raise SettingsError(f"{told} is {value!r}; {right}.")
    return value
