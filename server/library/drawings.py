"""SVG files as pictures: which can be shown, and how large they are, by their beginning alone. Nothing is parsed.

A page shows one as an image, in which browsers run no script and fetch nothing else; so one whose picture lies in
another file has nothing to show.
"""

import re
from typing import Final

_LOOK_BYTES: Final = 4_096  # prolog and remarks before the root
_ROOT_BYTES: Final = 64 << 10  # these, and the root itself with all that drawing programs note there
_ROOT: Final = re.compile(rb"<(?:[\w.-]+:)?svg\b([^>]*)>")
_PROLOG: Final = re.compile(rb"\s*(?:<\?.*?\?>|<!--.*?-->|<!DOCTYPE[^>\[]*(?:\[[^\]]*\])?[^>]*>|\s)*", re.DOTALL)
_NUMBER: Final = r"([+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?)"
_LENGTH: Final = re.compile(rf"\s*{_NUMBER}\s*(px|pt|pc|in|cm|mm|q|em|rem|ex)?\s*", re.IGNORECASE)
_BOX: Final = re.compile(rf"\s*{_NUMBER}[\s,]+{_NUMBER}[\s,]+{_NUMBER}[\s,]+{_NUMBER}\s*")
_PX: Final = {
    "px": 1.0, "pt": 96 / 72, "pc": 16.0, "in": 96.0, "cm": 96 / 2.54, "mm": 96 / 25.4, "q": 96 / 101.6, "em": 16.0,
    "rem": 16.0, "ex": 8.0,
}  # fmt: skip
_ELSEWHERE: Final = re.compile(rb"<(?:[\w.-]+:)?image\b[^>]{0,500}?\bhref\s*=\s*[\"'](?!\s*(?:data:|#))")
_USUAL: Final = (300.0, 150.0)  # what a browser gives to one that says nothing
_MOST: Final = 20_000.0


def is_drawing(beginning: bytes) -> bool:
    """Whether a file that begins so is an SVG document in UTF-8."""
    return _root(beginning) is not None


def size_of(beginning: bytes) -> tuple[int, int] | None:
    """Width and height in pixels of the SVG that begins so; None for what is none, or has its picture elsewhere."""
    attributes = _root(beginning)
    if attributes is None or b"<!ENTITY" in beginning or _ELSEWHERE.search(beginning):
        return None
    width, height = (_length(_attribute(attributes, name)) for name in ("width", "height"))
    box = _box(_attribute(attributes, "viewBox"))
    if width is None or height is None:
        across, down = box or _USUAL
        if width is not None:
            height = width * down / across
        elif height is not None:
            width = height * across / down
        else:
            width, height = across, down
    if not (0 < width <= _MOST and 0 < height <= _MOST):
        return None
    return max(1, round(width)), max(1, round(height))


def _root(beginning: bytes) -> str | None:
    """The attributes of the root, None where that is no `svg`."""
    text = beginning[:_ROOT_BYTES].removeprefix(b"\xef\xbb\xbf")
    prolog = _PROLOG.match(text[:_LOOK_BYTES])
    found = _ROOT.match(text, prolog.end() if prolog else 0)
    return found[1].decode("utf-8", "replace") if found else None


def _attribute(attributes: str, name: str) -> str:
    # No number is longer, and to look for one in very many digits takes for ever.
    found = re.search(rf"(?:^|\s){name}\s{{0,50}}=\s{{0,50}}(?:\"([^\"]{{0,200}})\"|'([^']{{0,200}})')", attributes)
    return (found[1] or found[2] or "") if found else ""


def _length(said: str) -> float | None:
    """In pixels; None for a share of something else, and for none at all."""
    found = _LENGTH.fullmatch(said)
    return float(found[1]) * _PX[(found[2] or "px").lower()] if found else None


def _box(said: str) -> tuple[float, float] | None:
    found = _BOX.fullmatch(said)
    if found is None:
        return None
    across, down = float(found[3]), float(found[4])
    return (across, down) if across > 0 and down > 0 else None
