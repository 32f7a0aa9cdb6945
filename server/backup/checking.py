"""A backup read whole in a process of its own: one of a large house has a million files, and takes minutes.

Their names would take the memory of the server, and the server could not stop meanwhile.
`python -m server.backup.checking FILE DATA VOICE` is that process. It writes one line of JSON.
"""

import json
import logging
import sys
from datetime import datetime
from pathlib import Path
from typing import Final

from server.backup.archive import About
from server.backup.wish import check
from server.config import Settings
from server.errors import Conflict, LecternError, StoreError
from server.library.sandbox import run_aside

log = logging.getLogger(__name__)

MODULE: Final = "server.backup.checking"
_SECONDS: Final = 6 * 3600.0  # what is larger is put back with Lectern stopped


async def check_aside(settings: Settings, archive: Path, *, seconds: float = _SECONDS) -> About:
    """`server.backup.wish.check`, which raises the same. Who is cancelled meanwhile leaves no process behind."""
    try:
        done = await run_aside(MODULE, (str(archive), str(settings.data), settings.voice), seconds)
        told = json.loads(done.stdout)
    except (TimeoutError, ValueError, OSError) as error:  # too long, or it ended without a word
        log.error("a backup was not read to its end: %s", type(error).__name__)
        raise StoreError(f"{archive} was not read to its end: try it again, or put it back by hand.") from error
    if told["trouble"] is not None:
        raise (Conflict if told["conflict"] else StoreError)(told["trouble"])
    return About(datetime.fromisoformat(told["made"]), told["audio"], told["lectern"], told["format"])


def _answer(archive: Path, data: Path, voice: str) -> dict[str, object]:
    try:
        about = check(Settings(data=data, voice=voice), archive)
    except LecternError as error:
        return {"trouble": str(error), "conflict": isinstance(error, Conflict)}
    return {"trouble": None, **json.loads(about.to_json())}


if __name__ == "__main__":
    sys.stdout.write(json.dumps(_answer(Path(sys.argv[1]), Path(sys.argv[2]), sys.argv[3])))
