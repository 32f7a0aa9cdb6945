"""A picture that somebody chose as a cover, looked at in a process of its own: it is data from anywhere.

`python -m server.library.covering FILE MEMORY SECONDS` is that process. It writes one line of JSON.
"""

import base64
import json
import logging
import sys
from pathlib import Path
from typing import Final

from server.errors import PictureRefused
from server.library.child import limit
from server.library.sandbox import run_aside

log = logging.getLogger(__name__)

KINDS: Final = ("image/jpeg", "image/png", "image/webp")
_BEGINNINGS: Final = ((b"\xff\xd8\xff", 0), (b"\x89PNG\r\n\x1a\n", 0), (b"WEBP", 8))
_MEMORY_BYTES: Final = 2_000_000_000
_SECONDS: Final = 30.0
WRONG_KIND: Final = "That is no JPEG, PNG or WebP picture: choose a picture of one of these kinds."
UNFIT: Final = (
    "That picture cannot be a cover: it is damaged, has a side shorter than 32 pixels, or has more than 64 million "
    "pixels. Choose another one."
)


async def cover_aside(path: Path, *, seconds: float = _SECONDS) -> tuple[bytes, str, bytes]:
    """(picture, media type, thumbnail) of the picture at `path`, no larger than a book's own. Raises PictureRefused."""
    if not is_kind(path):
        raise PictureRefused(WRONG_KIND)
    try:
        asked = (str(path), str(_MEMORY_BYTES), str(int(seconds) + 1))
        done = await run_aside("server.library.covering", asked, seconds)
        told = json.loads(done.stdout)
    except (TimeoutError, ValueError) as error:  # too long, too large, or it ended without a word
        log.warning("a picture was not read: %s", type(error).__name__)
        raise PictureRefused(UNFIT) from error
    if told is None:
        raise PictureRefused(UNFIT)
    return base64.b64decode(told["data"]), str(told["type"]), base64.b64decode(told["thumbnail"])


def is_kind(path: Path) -> bool:
    """Whether a file begins as a picture of a kind that is taken, whatever it is called."""
    with path.open("rb") as stream:
        beginning = stream.read(16)
    return any(beginning.startswith(mark, at) for mark, at in _BEGINNINGS)


def _look(path: Path) -> dict[str, str] | None:
    from server.library.pictures import picture_of  # after the limits: what decodes counts too

    picture = picture_of(path.read_bytes())
    if picture is None or picture.thumbnail is None or picture.media_type not in KINDS:
        return None
    data, thumbnail = (base64.b64encode(part).decode() for part in (picture.data, picture.thumbnail))
    return {"data": data, "type": picture.media_type, "thumbnail": thumbnail}


if __name__ == "__main__":
    limit(int(sys.argv[2]), int(sys.argv[3]))
    sys.stdout.write(json.dumps(_look(Path(sys.argv[1]))))
