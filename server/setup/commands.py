"""Running pip and npm, and finding in what they write the one line that says why they failed."""

import subprocess
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Final

Runner = Callable[[Sequence[str], Path], None]

NO_PIP: Final = "No module named pip"

_COMMAND_S = 900
_COMPLAINT_CHARS = 160
# Most telling first: the cause of a failed connection, then what the tool makes of it.
_TELLING = (NO_PIP, "reason:", "connection broken by", "npm error code", "npm ERR! code", "ERROR:")


class CommandError(Exception):
    """A command could not be started or ended badly; the message is the most telling line it wrote."""


def run_command(command: Sequence[str], folder: Path) -> None:
    """Run `command` in `folder`; raises CommandError."""
    try:
        done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=_COMMAND_S, check=False)
    except (OSError, subprocess.TimeoutExpired) as error:
        raise CommandError(str(error)) from error
    if done.returncode != 0:
        raise CommandError(_complaint(done.stderr or done.stdout) or f"exit status {done.returncode}")


def _complaint(told: str) -> str:
    """The line of pip's or npm's long complaints that says what went wrong, cut to a length one can read."""
    lines = [line.strip() for line in told.splitlines() if line.strip()]
    for mark in _TELLING:
        for line in lines:
            if mark in line:
                return line[line.index(mark) :][:_COMPLAINT_CHARS]
    return lines[-1][:_COMPLAINT_CHARS] if lines else ""
