"""What the daemon and the render process say to each other: one JSON object a line, in both directions."""

import json
from dataclasses import asdict, dataclass
from typing import Any, Literal, get_args

from server.errors import RenderError

# usual: as many sentences as sound best together; short: somebody waits for the first sound;
# alone: one sentence, because something near it failed.
Size = Literal["usual", "short", "alone"]

PREVIEWS = "previews"  # folder beside the store for the sound of previews

# What to compute on, tried in this order until the numbers are right: what MLX prefers; the same without TF32, its
# fast and coarse products, which a process can only choose as it starts (MLX_ENABLE_TF32=0); the CPU.
Compute = Literal["device", "no-tf32", "cpu"]
COMPUTES: tuple[Compute, ...] = ("device", "no-tf32", "cpu")


@dataclass(frozen=True, slots=True)
class PassRequest:
    """Render one pass of a chapter: the first sentences without audio from `start` on (None: from its beginning)."""

    id: int
    book: str
    chapter: int
    start: str | None
    size: Size


@dataclass(frozen=True, slots=True)
class PreviewRequest:
    """Say how a text would be read, and with `audio` say it, into a file of that name in the previews' folder.

    `book` is whose rules hold, None for the household's alone; `rules` are more of them, to be tried; `inline` obeys
    [word](/phonemes/) in the text. `form` is the ending of the file; with `source`, a .pcm file there, that is turned
    into such a file and nothing is said.
    """

    id: int
    text: str
    voice: str
    book: str | None
    rules: str
    inline: bool
    audio: str | None
    speed: float = 1.0
    form: str = ".m4a"
    source: str | None = None


@dataclass(frozen=True, slots=True)
class Quarantine:
    """Give up on a sentence of a rendition, with the reason a listener will read."""

    book: str
    rendition: str
    chapter: int
    sentence: str
    reason: str


@dataclass(frozen=True, slots=True)
class Stop:
    """End the pass in flight without keeping it."""


@dataclass(frozen=True, slots=True)
class Ready:
    """The engine is loaded and its numbers are right. `device` says what it computes on, in words.

    `warning` is a sentence for the user where that is not what it should be.
    """

    device: str
    warning: str | None = None


@dataclass(frozen=True, slots=True)
class Unfit:
    """The numbers are wrong: nothing was kept of what was computed, and the process ends."""

    message: str


@dataclass(frozen=True, slots=True)
class Failed:
    """The engine cannot be loaded, or not go on; the process ends. `code` is that of the error."""

    message: str
    code: str = "setup"


@dataclass(frozen=True, slots=True)
class PassBegun:
    """These sentences are in flight: if the process dies now, one of them did it."""

    id: int
    sentences: tuple[str, ...]
    text: str


@dataclass(frozen=True, slots=True)
class PassDone:
    """The pass is in the store. No sentences: nothing in the chapter waits from `start` on."""

    id: int
    sentences: tuple[str, ...]
    audio_samples: int
    work_s: float
    revision: int


@dataclass(frozen=True, slots=True)
class PassStopped:
    """The pass ended before it was whole, because it was told to."""

    id: int


@dataclass(frozen=True, slots=True)
class PassFailed:
    """The pass could not be rendered; the process is well. No sentences: it was not the fault of one."""

    id: int
    sentences: tuple[str, ...]
    message: str


@dataclass(frozen=True, slots=True)
class PreviewDone:
    """The text as it is read: one object a line, as `server.render.reading` makes them; problems of the rules."""

    id: int
    lines: tuple[dict[str, Any], ...]
    problems: tuple[str, ...]
    audio_samples: int


@dataclass(frozen=True, slots=True)
class PreviewFailed:
    """The text could not be read or said; `code` is that of the error."""

    id: int
    code: str
    message: str


Order = PassRequest | PreviewRequest | Quarantine | Stop
Answer = Ready | Unfit | Failed | PassBegun | PassDone | PassStopped | PassFailed | PreviewDone | PreviewFailed
Message = Order | Answer

_KINDS: dict[str, type[Any]] = {kind.__name__: kind for kind in get_args(Order) + get_args(Answer)}


def encode(message: Message) -> bytes:
    return (json.dumps({"kind": type(message).__name__, **asdict(message)}) + "\n").encode()


def decode(line: bytes) -> Message:
    """Raises RenderError for a line that is no message."""
    try:
        fields = json.loads(line)
        kind = _KINDS[fields.pop("kind")]
        for name in ("sentences", "lines", "problems"):
            if name in fields:
                fields[name] = tuple(fields[name])
        message: Message = kind(**fields)
        return message
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise RenderError(f"The render process said something that is no message: {line[:80]!r}") from error
