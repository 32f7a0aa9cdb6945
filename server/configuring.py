"""The settings, as the HTTP layer asks for them: what is written in the file, what holds, and a change of it."""

import asyncio
import re
from collections.abc import Callable, Sequence
from dataclasses import Field, fields, replace
from pathlib import Path
from typing import Any, Final

from server.api.configuration import GROUPS, Kind, SettingsView, SettingView, Value
from server.api.listener import open_socket
from server.config import Between, OneOf, Reading, Settings, from_toml, read_settings
from server.configedit import edited, example
from server.errors import BadRequest, Conflict, NotFound, SettingsError
from server.events import Hub
from server.render.blends import Blends
from server.render.files import write_atomically, write_error

AT_ONCE: Final = frozenset({"voice", "bitrate", "backup_at", "backup_keep", "backup_audio", "backup_folder"})
_VARIABLE: Final = re.compile(r"LECTERN_([A-Z_]+)")  # in an explanation: a person reads what it is called
_KINDS: Final[dict[Any, Kind]] = {Path: "folder", bool: "yes-no", int: "whole", float: "number", str: "words"}
_OWN_KINDS: Final[dict[str, Kind]] = {"voice": "voice", "backup_at": "time", "backup_folder": "folder"}


class Configuring:
    """Implements `server.api.configuration.Configuration`.

    All of `heeding` are told settings of which some hold at once. `again` ends the server so that it begins again; None
    where nobody would begin it.
    """

    def __init__(
        self,
        settings: Settings,
        blends: Blends,
        hub: Hub,
        heeding: Sequence[Callable[[Settings], None]],
        *,
        read: Callable[[], Reading] = read_settings,
    ) -> None:
        self._settings, self._blends, self._hub, self._heeding, self._read = settings, blends, hub, heeding, read
        self._changing = asyncio.Lock()
        self.again: Callable[[], None] | None = None

    async def view(self) -> SettingsView:
        return await asyncio.to_thread(self._view)

    async def change(self, name: str, value: Value | None) -> None:
        async with self._changing:
            made = await asyncio.to_thread(self._change, name, value)
        if name in AT_ONCE:
            self._settings = replace(self._settings, **{name: made})
            for hold in self._heeding:
                hold(self._settings)
        self._hub.publish("settings.changed", name=name)

    async def restart(self) -> None:
        if self.again is None:
            raise Conflict("This Lectern cannot start itself again: stop it, and start it as you did before.")
        await asyncio.to_thread(self._require_startable)
        self.again()

    def _require_startable(self) -> None:
        """Raise Conflict where what is written would keep Lectern from starting, and nobody would be there to tell."""
        written = self._reading().settings
        moved = written.port != self._settings.port
        try:
            written.library.mkdir(parents=True, exist_ok=True)
            written.data.mkdir(parents=True, exist_ok=True)
            if moved or written.host != self._settings.host:
                open_socket(written.host, written.port if moved else 0).close()
        except OSError as error:
            raise Conflict(f"A folder that you chose cannot be made ({error.strerror}): choose another.") from error
        except SettingsError as error:
            raise Conflict(str(error)) from error

    def _reading(self) -> Reading:
        try:
            return self._read()
        except SettingsError as error:
            raise Conflict(f"The configuration file has to be mended by hand first: {_unplaced(str(error))}") from error

    def _view(self) -> SettingsView:
        reading = self._reading()
        told = [self._told(item, title, reading) for item, title in _in_order()]
        return SettingsView(
            file=str(reading.file),
            there=reading.found,
            warnings=list(reading.warnings),
            waits=any(one.waits for one in told),
            can_restart=self.again is not None,
            settings=told,
        )

    def _told(self, item: "Field[Any]", titled: tuple[str, str, str], reading: Reading) -> SettingView:
        group, title, unit = titled
        titles = {item.name: told[1] for item, told in _in_order()}
        origin, variable = reading.origins.get(item.name), f"LECTERN_{item.name.upper()}"
        check = item.metadata["check"]
        now, written = getattr(self._settings, item.name), getattr(reading.settings, item.name)
        kind = "choice" if isinstance(check, OneOf) else _OWN_KINDS.get(item.name, _KINDS[item.type])
        return SettingView(
            name=item.name,
            title=title,
            group=group,
            meaning=_VARIABLE.sub(lambda found: f"“{titles[found[1].lower()]}”", item.metadata["explained"]),
            kind=kind,
            unit=unit,
            choices=list(check.choices) if isinstance(check, OneOf) else None,
            low=check.low if isinstance(check, Between) else None,
            high=check.high if isinstance(check, Between) else None,
            usual=_plain(getattr(Settings(), item.name)),
            value=_plain(now),
            written=_plain(written),
            source="usual" if origin is None else "variable" if origin == variable else "file",
            variable=variable,
            at_once=item.name in AT_ONCE,
            waits=now != written,
        )

    def _change(self, name: str, value: Value | None) -> Any:
        """Write it; gives what holds then."""
        titles = {item.name: title[1] for item, title in _in_order()}
        if name not in titles:
            raise NotFound("There is no such setting.")
        reading = self._reading()
        if reading.origins.get(name) == f"LECTERN_{name.upper()}":
            raise Conflict(
                f"{titles[name]} is set by the variable LECTERN_{name.upper()}, which wins over the file: change it "
                "where that is set."
            )
        made = getattr(Settings(), name) if value is None else self._checked(name, titles[name], value)
        _write(reading.file, name, None if value is None else made)
        return made

    def _checked(self, name: str, title: str, value: Value) -> Any:
        if isinstance(value, str) and not value.isprintable():
            raise BadRequest(f"“{title}” takes one line of letters, digits and signs.")
        try:
            made = from_toml(name, value, f"“{title}”")
        except (SettingsError, NotFound) as error:
            raise BadRequest(str(error)) from error
        if name == "voice":
            self._blends.find(made)
        if name == "library" and made.exists() and not made.is_dir():
            raise BadRequest(f"“{title}” has to be a folder, and that is a file.")
        return made


def _in_order() -> list[tuple["Field[Any]", tuple[str, str, str]]]:
    """Every setting with its group, title and unit."""
    known = {item.name: item for item in fields(Settings)}
    return [(known[name], (group, *told)) for group, rows in GROUPS.items() for name, told in rows.items()]


def _plain(value: Any) -> Value:
    return str(value) if isinstance(value, Path) else value


def _unplaced(sentence: str) -> str:
    """The sentence without the file's path, which need not leave this computer."""
    return " ".join(word for word in sentence.split(" ") if not word.startswith(("/", "~/")))


def _write(file: Path, name: str, value: object | None) -> None:
    """Change the file, or make it. A file elsewhere that a link leads to is changed there. Raises StoreError."""
    file = file.resolve()
    try:
        raw = file.read_bytes() if file.exists() else example().encode()
        text = raw.decode("utf-8-sig")
        windows = "\r\n" in text
        made = edited(text.replace("\r\n", "\n"), name, value)
        made = made.replace("\n", "\r\n") if windows else made
        file.parent.mkdir(parents=True, exist_ok=True)
        mode = file.stat().st_mode & 0o777 if file.exists() else 0o600
        write_atomically(file, (b"\xef\xbb\xbf" if raw.startswith(b"\xef\xbb\xbf") else b"") + made.encode())
        file.chmod(mode)
    except OSError as error:
        raise write_error(file, error) from error
