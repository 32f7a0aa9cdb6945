"""The command as whoever reads a sentence can type it: `lectern` is on few paths, `.venv/bin/lectern` is there."""

import re
import shlex
import shutil
import sys
from pathlib import Path
from typing import Final

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
