"""A sentence as phrases between marks, each read on its own, and put together again as the model wants it (pure)."""

import re
from collections.abc import Callable
from typing import Final

from server.render.pronounce.groups import stopped
from server.render.pronounce.vocabulary import KNOWN, PUNCTUATION

# A stop, comma or colon between digits belongs to the number.
_MARK: Final = re.compile(r"([;!?—…()“”]|(?<!\d)[.,:]|[.,:](?!\d))")
_OPENING: Final = "“("
_CLOSING: Final = "”)"
_STOPS: Final = "?!.…—;:,"  # the first of those that meet is kept
# A reader has no marks of its own: a stop in mid-word would be a pause.
_SOUNDS: Final = KNOWN - PUNCTUATION
_EMPTY = re.compile(r"“ ?”|\( ?\)")
_SPACES = re.compile(r" {2,}")


def speak(text: str, say: Callable[[str], str]) -> str:
    """Phonemes of `text`, whose marks are the model's: `say` reads what stands between two of them, "" for nothing.

    A mark has a space behind it, so that a long sentence can be cut there; marks that meet become one. "" where
    nothing is said.
    """
    out: list[str] = []
    pending = ""
    for number, part in enumerate(_MARK.split(text)):
        if number % 2:
            pending += part
            continue
        said = _SPACES.sub(" ", "".join(char for char in say(part) if char in _SOUNDS)).strip() if part.strip() else ""
        if said:
            out += [_between(pending, first=not out), said]
            pending = ""
    if not out:
        return ""
    phonemes = "".join(out) + _between(pending, first=False, last=True).rstrip()
    return stopped(_EMPTY.sub("", phonemes).strip())


def _between(marks: str, *, first: bool, last: bool = False) -> str:
    """The marks between two phrases: what closes, one stop, what opens, with their spaces."""
    closing = "" if first else "".join(char for char in marks if char in _CLOSING)
    opening = "" if last else "".join(char for char in marks if char in _OPENING)
    stops = [char for char in _STOPS if char in marks]
    stop = stops[0] if stops and not first else ""
    if stop == "—":
        return f"{closing} — {opening}" if not last else closing + "—"
    # “Go!” and (he said): the mark stands where it was written, inside or outside.
    inside = closing and stop and marks.index(stop) < marks.index(closing[0])
    tail = f"{stop}{closing}" if inside else f"{closing}{stop}"
    return tail + ("" if first else " ") + opening
