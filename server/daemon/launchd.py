"""A LaunchAgent in the domain of the user who is logged in.

What `launchctl` answers is known from use, not from its manual: `bootout` returns before the job is gone, `bootstrap`
says 5 (input/output error) while the old one is still going and for a file it does not like, 37 while another request
is under way, and `print` says 113 for a job it does not know; other versions say 3 or 36 for the same.
"""

import os
import plistlib
import re
import time
from pathlib import Path
from typing import Any, Final

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
    wait_until,
    write_file,
)
from server.errors import Conflict

LABEL: Final = "local.lectern.server"
TEMPLATE: Final = TEMPLATES / f"{LABEL}.plist"
GONE_S: Final = 40.0  # more than ExitTimeOut, after which launchd kills
TRIES: Final = 10
PAUSE_S: Final = 0.5

_UNKNOWN: Final = (3, 113)  # no such process, could not find service
_UNDER_WAY: Final = (36, 37)  # operation now, or already, in progress
_NOT_YET: Final = (5, 37)
_NO_DOMAIN: Final = (112, 125)  # could not find domain, domain does not support the action


def agent(reading: Reading) -> bytes:
    """The property list of the agent, from the template and the settings that count now."""
    values = {"python": python(), "folder": str(ROOT), "logs": str(reading.settings.logs)}
    made: dict[str, Any] = _filled(plistlib.loads(TEMPLATE.read_bytes()), values)
    made["EnvironmentVariables"] |= environment(reading)
    return plistlib.dumps(made)


def _filled(value: Any, values: dict[str, str]) -> Any:
    if isinstance(value, str):
        return fill(value, values)
    if isinstance(value, list):
        return [_filled(one, values) for one in value]
    if isinstance(value, dict):
        return {key: _filled(one, values) for key, one in value.items()}
    return value


class LaunchAgent:
    """Implements `Service`."""

    def __init__(self, *, gone_s: float = GONE_S, pause_s: float = PAUSE_S) -> None:
        self._domain = f"gui/{os.getuid()}"
        self._target = f"{self._domain}/{LABEL}"
        self._gone_s, self._pause_s = gone_s, pause_s

    @property
    def path(self) -> Path:
        return Path.home() / "Library" / "LaunchAgents" / f"{LABEL}.plist"

    def install(self, reading: Reading) -> bool:
        data = agent(reading)
        if holds(self.path, data) and self._loaded():
            return False
        try:
            reading.settings.logs.mkdir(parents=True, exist_ok=True)  # launchd makes no folder for the file it opens
        except OSError as error:
            raise Conflict(
                f"{reading.settings.logs} cannot be made ({error.strerror}). Choose another folder with LECTERN_DATA."
            ) from error
        self._out()
        write_file(self.path, data)
        self._in()
        return True

    def uninstall(self) -> bool:
        there = self.path.exists()
        out = self._out()
        remove_file(self.path)
        return there or out

    def restart(self) -> None:
        if not self.path.exists():
            raise Conflict("Lectern is not installed as a service: `lectern install` does that.")
        if not self._loaded():
            self._in()
            return
        answer = ask("launchctl", "kickstart", "-k", self._target)
        if answer.code in _UNKNOWN:  # it went between the two questions
            self._in()
        elif answer.code not in (0, *_UNDER_WAY):
            raise self._refused("kickstart", answer)

    def state(self, reading: Reading) -> State:
        answer = ask("launchctl", "print", self._target)
        pid = re.search(r"^\s*pid = (\d+)", answer.text, re.M) if answer.code == 0 else None
        ended = re.search(r"^\s*last exit code = (\S+)", answer.text, re.M) if answer.code == 0 else None
        note = f"it last ended with {ended[1]}" if ended is not None and ended[1] not in ("0", "(never") else ""
        current = holds(self.path, agent(reading))
        return State(self.path.exists(), current, answer.code == 0, None if pid is None else int(pid[1]), note)

    def _loaded(self) -> bool:
        return ask("launchctl", "print", self._target).code == 0

    def _out(self) -> bool:
        """Have launchd forget the job, and wait until it has; gives whether it knew it."""
        if not self._loaded():
            return False
        answer = ask("launchctl", "bootout", self._target)
        if answer.code not in (0, *_UNKNOWN, *_UNDER_WAY):
            raise self._refused("bootout", answer)
        if not wait_until(lambda: not self._loaded(), self._gone_s, self._pause_s):
            raise Conflict(
                f"launchd does not let go of Lectern. Log out and in again, or try `launchctl bootout {self._target}`."
            )
        return True

    def _in(self) -> None:
        """Make the job known to launchd, which starts it."""
        ask("launchctl", "enable", self._target)  # somebody may have disabled it; a refusal shows in what follows
        answer = Answer(0, "")
        for attempt in range(TRIES):
            answer = ask("launchctl", "bootstrap", self._domain, str(self.path))
            if answer.code == 0 or (answer.code in _NOT_YET and self._loaded()):
                return
            if answer.code not in _NOT_YET:
                break
            if attempt + 1 < TRIES:
                time.sleep(self._pause_s)
        raise self._refused("bootstrap", answer)

    def _refused(self, what: str, answer: Answer) -> Conflict:
        if answer.code in _NO_DOMAIN:
            return Conflict(
                "Nobody is logged in at this Mac's screen, so that nothing can be started there. Log in at the screen "
                "(not only with ssh) and try again."
            )
        if answer.code == 5:
            return Conflict(
                f"launchd does not take {self.path} (error 5). Allow Lectern in System Settings, General, Login Items, "
                "or log out and in again; then try again."
            )
        said = answer.text.splitlines()[-1] if answer.text else "nothing more"
        return Conflict(f"`launchctl {what}` failed with {answer.code} ({said}). Log out and in again, then try again.")
