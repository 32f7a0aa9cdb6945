"""A unit of the user's own systemd."""

import getpass
import os
import re
from pathlib import Path
from typing import Final

from server.config import Reading
from server.daemon.service import (
    ROOT,
    TEMPLATES,
    Answer,
    State,
    ask,
    environment,
    fill,
    holds,
    python,
    remove_file,
    write_file,
)
from server.errors import Conflict

UNIT: Final = "lectern.service"
TEMPLATE: Final = TEMPLATES / UNIT


def unit(reading: Reading) -> bytes:
    """The unit's file, from the template and the settings that count now. Raises Conflict for a path of two lines."""
    given = environment(reading)
    if any(re.search(r"[\x00-\x1f\x7f]", text) for text in (python(), str(ROOT), *given.values())):
        raise Conflict("A setting, or the folder of Lectern, has a line break in its name: systemd takes none.")
    values = {
        "python": _quoted(python()).replace("$", "$$"),
        "folder": str(ROOT).replace("%", "%%"),
        "environment": "\n".join(f"Environment={_quoted(f'{name}={value}')}" for name, value in given.items()),
    }
    return re.sub(r"\n\n(?=Restart=)", "\n", fill(TEMPLATE.read_text(), values)).encode()


def _quoted(text: str) -> str:
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"').replace("%", "%%") + '"'


class UserUnit:
    """Implements `Service`."""

    @property
    def path(self) -> Path:
        base = os.environ.get("XDG_CONFIG_HOME", "")
        return (Path(base) if base.startswith("/") else Path.home() / ".config") / "systemd" / "user" / UNIT

    def install(self, reading: Reading) -> bool:
        data = unit(reading)
        running = self._property("ActiveState") == "active"
        if holds(self.path, data) and running:
            return False
        write_file(self.path, data)
        self._ask("daemon-reload")
        self._ask("enable", UNIT)
        self._ask("restart", UNIT)
        return True

    def uninstall(self) -> bool:
        there = self.path.exists()
        if there:
            self._ask("disable", "--now", UNIT)
            remove_file(self.path)
            self._ask("daemon-reload")
        return there

    def restart(self) -> None:
        if not self.path.exists():
            raise Conflict("Lectern is not installed as a service: `lectern install` does that.")
        self._ask("restart", UNIT)

    def state(self, reading: Reading) -> State:
        active = self._property("ActiveState")
        pid = self._property("MainPID")
        note = f"it last ended with {self._property('ExecMainStatus')}" if active in ("failed", "activating") else ""
        running = int(pid) if pid.isdigit() and pid != "0" else None
        return State(self.path.exists(), holds(self.path, unit(reading)), active not in ("", "inactive"), running, note)

    def lingers(self) -> bool:
        """Whether the user's services run while nobody is logged in."""
        return ask("loginctl", "show-user", getpass.getuser(), "--property=Linger", "--value").text.strip() != "no"

    def _property(self, name: str) -> str:
        return self._ask("show", UNIT, f"--property={name}", "--value")

    def _ask(self, *what: str) -> str:
        answer = ask("systemctl", "--user", *what)
        if answer.code != 0:
            raise _refused(what, answer)
        return answer.text


def _refused(what: tuple[str, ...], answer: Answer) -> Conflict:
    said = answer.text.splitlines()[-1] if answer.text else "nothing more"
    if "bus" in answer.text or "DBUS" in answer.text or "XDG_RUNTIME_DIR" in answer.text:
        return Conflict(
            "The user's systemd does not answer here. Log in as this user (not with su or sudo), or run "
            f"`sudo loginctl enable-linger {getpass.getuser()}`, and try again."
        )
    if "offline" in answer.text or "not been booted with systemd" in answer.text:
        return Conflict("This system has no systemd: start Lectern with `make serve`, or by a service of your own.")
    return Conflict(
        f"`systemctl --user {' '.join(what)}` failed with {answer.code} ({said}). "
        f"`journalctl --user -u {UNIT}` says more."
    )
