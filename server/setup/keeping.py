"""What the doctor says of Lectern as a service, of its log and of its backups."""

import os
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Final

from server.backup.make import newest
from server.config import Settings, read_settings
from server.daemon import service
from server.daemon.service import ROOT
from server.errors import LecternError
from server.logs import FILE, START
from server.setup.check import Check

SERVICE: Final = "Start at login"
OLD: Final = timedelta(days=3)
_NOT_WHOLE: Final = "Run `lectern logs` to see why, then `lectern restart`."


def keeping(settings: Settings) -> list[Check]:
    """The checks, in the order in which they are shown."""
    return [started_at_login(settings), log_written(settings), backed_up(settings)]


def started_at_login(settings: Settings) -> Check:
    """Is Lectern a service, as this Lectern would install it, and does it run?"""
    try:
        state = service().state(read_settings())
    except LecternError as error:
        return Check(SERVICE, None, "That cannot be told here.", str(error))
    if not state.installed and not state.loaded:
        return Check(SERVICE, True, "Not set up; `lectern install` has Lectern started at every login.")
    if not state.installed or not state.loaded:
        what = "Its file is gone" if not state.installed else "Its file is there, and the system does not know it"
        return Check(SERVICE, False, f"{what}.", "Run `lectern install`.")
    if state.pid is None:
        detail = f"It is set up and does not run{f': {state.note}' if state.note else ''}."
        return Check(SERVICE, False, detail, f"{_NOT_WHOLE}{_start(settings)}")
    if not state.current:
        return Check(
            SERVICE, None, "It runs with settings, or from a folder, that are no more.", "Run `lectern install` again."
        )
    return Check(SERVICE, True, f"Set up, and running (process {state.pid}), from {ROOT}.")


def _start(settings: Settings) -> str:
    """Where the reason stands when even the log could not be begun."""
    path = settings.logs / START
    return f" What kept it from starting may stand in {path}." if path.exists() and path.stat().st_size else ""


def log_written(settings: Settings) -> Check:
    name, path = "Log", settings.logs / FILE
    place = path if path.exists() else _nearest(settings.logs)
    if not os.access(place, os.W_OK):
        return Check(name, False, f"{place} cannot be written.", "Give yourself the right to, or delete it.")
    if not path.exists():
        return Check(name, True, f"{path} begins with the first start of the server.")
    size_bytes = sum(file.stat().st_size for file in settings.logs.glob("*.log*"))
    return Check(name, True, f"{path}, {size_bytes / 1e6:.1f} MB in all. `lectern logs` shows it.")


def backed_up(settings: Settings) -> Check:
    name, last = "Backups", newest(settings)
    folder = settings.backups
    if not os.access(_nearest(folder), os.W_OK | os.X_OK):
        return Check(name, False, f"{folder} cannot be written.", "Choose another with LECTERN_BACKUP_FOLDER.")
    if last is None:
        off = settings.backup_at == "off"
        detail = "None yet, and none is made by night." if off else "None yet; the server makes one every night."
        return Check(name, None if off else True, detail, "Run `lectern backup`.")
    age = datetime.now(UTC) - last.made
    told = f"The last is of {last.made:%d %B %Y}, {last.bytes / 1e6:.1f} MB, in {folder}."
    if age > OLD:
        return Check(name, None, told, "Run `lectern backup`, and see in `lectern logs` why none was made by night.")
    return Check(name, True, told)


def _nearest(path: Path) -> Path:
    while not path.exists() and path != path.parent:
        path = path.parent
    return path
