"""What launchd and systemd have in common: a file that is put in its place, and a tool that is asked."""

import contextlib
import os
import subprocess
import sys
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Final, Protocol

from server.config import Reading, Settings
from server.configfile import PLACE
from server.errors import Conflict

ROOT: Final = Path(__file__).resolve().parents[2]
TEMPLATES: Final = ROOT / "launchd"
TOOL_S: Final = 30.0  # a tool that takes longer hangs


@dataclass(frozen=True, slots=True)
class State:
    """How a service stands. `current`: its file is what this Lectern would write; `pid` None where it does not run."""

    installed: bool
    current: bool
    loaded: bool
    pid: int | None
    note: str = ""  # what the system says of its last end


@dataclass(frozen=True, slots=True)
class Answer:
    """What a tool said."""

    code: int
    text: str


class Service(Protocol):
    """Each method raises Conflict with the way out."""

    @property
    def path(self) -> Path:
        """The file that makes it a service."""

    def install(self, reading: Reading) -> bool:
        """Put the file in its place and have it started, now and at every login; gives whether anything changed."""

    def uninstall(self) -> bool:
        """Stop it and take the file away, and nothing else; gives whether there was one."""

    def restart(self) -> None:
        """Stop it, if it runs, and start it."""

    def state(self, reading: Reading) -> State: ...


def ask(*command: str) -> Answer:
    """Run a tool of the system. Raises Conflict where it is missing or does not answer."""
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=TOOL_S, stdin=subprocess.DEVNULL)
    except FileNotFoundError:
        raise Conflict(
            f"{command[0]} is not on this system: start Lectern with `make serve`, or by a service of your own."
        ) from None
    except subprocess.TimeoutExpired:
        raise Conflict(f"`{' '.join(command)}` does not answer. Start this machine anew and try again.") from None
    except OSError as error:
        raise Conflict(f"{command[0]} cannot be run ({error.strerror}).") from error
    told = (done.stdout, done.stderr) if done.returncode == 0 else (done.stderr, done.stdout)
    return Answer(done.returncode, told[0].strip() or told[1].strip())


def python() -> str:
    """The Python of the environment that Lectern lies in; not what it is a link to, which knows no packages."""
    own = Path(sys.prefix) / "bin" / "python"
    return str(own if own.exists() else Path(sys.executable).absolute())


def environment(reading: Reading) -> dict[str, str]:
    """The variables that count now and would not at login, with whole paths."""
    given = {f"LECTERN_{item.name.upper()}": getattr(reading.settings, item.name) for item in fields(Settings)}
    told = {name: value for name, value in given.items() if name in reading.origins.values()}
    if reading.found and os.environ.get(PLACE, "").strip():
        told[PLACE] = reading.file
    return {name: ("yes" if value else "no") if isinstance(value, bool) else str(value) for name, value in told.items()}


def write_file(path: Path, data: bytes) -> None:
    """Put a service's file at `path`, whole or not at all, as one that nobody else may change. Raises Conflict."""
    making = path.with_name(f".{path.name}.tmp")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        making.write_bytes(data)
        making.chmod(0o600 if b"LECTERN_" in data else 0o644)
        making.replace(path)
    except OSError as error:
        with contextlib.suppress(OSError):
            making.unlink(missing_ok=True)
        raise Conflict(
            f"{path} cannot be written ({error.strerror}): give yourself the right to write into {path.parent}."
        ) from error


def remove_file(path: Path) -> None:
    try:
        path.unlink(missing_ok=True)
    except OSError as error:
        raise Conflict(f"{path} cannot be taken away ({error.strerror}): delete it by hand.") from error


def holds(path: Path, data: bytes) -> bool:
    """Whether the file at `path` is just this."""
    try:
        return path.read_bytes() == data
    except OSError:
        return False


def wait_until(fits: Callable[[], bool], limit_s: float, every_s: float = 0.2) -> bool:
    """Look until it is so, or for `limit_s` seconds; gives whether it is."""
    end = time.monotonic() + limit_s
    while not fits():
        if time.monotonic() > end:
            return False
        time.sleep(every_s)
    return True


def fill(text: str, values: Mapping[str, str]) -> str:
    """`text` with each {name} that is among `values` replaced."""
    for name, value in values.items():
        text = text.replace(f"{{{name}}}", value)
    return text
