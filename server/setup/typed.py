"""The command as whoever reads a sentence can type it: `lectern` is on few paths, `.venv/bin/lectern` is there."""

import logging
import re
import shlex
import shutil
import sys
from pathlib import Path
from typing import Final

log = logging.getLogger(__name__)

SAYS: Final = "lectern: "  # begins what a command complains of
_COMMAND: Final = re.compile(r"`lectern(?=[ `])")


def lectern(here: Path | None) -> str:
    """What to type for `lectern` in a terminal that is in the folder `here`; None where nobody knows where that is."""
    own = Path(sys.executable).absolute().with_name("lectern")
    if not own.is_file():
        return "lectern"
    if here is not None:
        found = shutil.which("lectern")
        if found is not None and Path(found).samefile(own):
            return "lectern"
        if own.is_relative_to(here):
            return shlex.quote(str(own.relative_to(here)))
    return shlex.quote(str(own))


def typed(text: str, here: Path | None) -> str:
    """A sentence with every `lectern …` in it as it can be typed, or pasted."""
    if _COMMAND.search(text) is None:
        return text
    command = lectern(here)
    return _COMMAND.sub(lambda _: f"`{command}", text)


def complaint(errors: bytes) -> str | None:
    """What a command of ours complained of last, by what it wrote to stderr; None where it said nothing to a person.

    One that broke down left the words of a program there, which are for the log.
    """
    lines = [line.strip() for line in errors.decode(errors="replace").splitlines() if line.strip()]
    said = max((at for at, line in enumerate(lines) if line.startswith(SAYS)), default=len(lines))
    if said == len(lines) or any(line.startswith("Traceback") for line in lines[said:]):
        log.error("a command ended without a sentence: %s", " | ".join(lines[-12:])[-2000:])
        return None
    return " ".join(lines[said:]).removeprefix(SAYS)
