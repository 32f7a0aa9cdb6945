"""The pictures of a book: which can be shown, how large they are, and their bytes when somebody reads.

They stay in the book's own file. Nothing here decodes one but the reading process, and that only what tells their size.
"""

import zipfile
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Final

from server.errors import BookRefused, NotFound
from server.library.container import Container, FileUnreadableError
from server.library.drawings import is_drawing
from server.library.model import Chapter, Figure

SVG: Final = "image/svg+xml"
MAX_BYTES: Final = 24 << 20  # of a picture that is sent to a page
_MOST: Final = 4_000  # of a book
_HEAD_BYTES: Final = 256 << 10  # tell the size of a picture, with what cameras write before it
_LEAST_SIDE: Final = 12  # pixels; smaller ones are spacers

Measure = Callable[[bytes], tuple[int, int] | None]


def with_figures(container: Container, chapters: Sequence[Chapter], measure: Measure) -> list[Chapter]:
    """The chapters with those of their pictures that are there and that a browser shows, measured in pixels."""
    sizes: dict[str, tuple[int, int] | None] = {}
    left = _MOST

    def known(figure: Figure) -> Figure | None:
        nonlocal left
        name = container.find(figure.path) if figure.path else None
        if name is None or left == 0:
            return None
        if name not in sizes:
            sizes[name] = _size(container, name, measure)
        size = sizes[name]
        if size is None or min(size) < _LEAST_SIDE:
            return None
        left -= 1
        return replace(figure, path=name, width=size[0], height=size[1])

    shown = []
    for chapter in chapters:
        figures = (known(figure) for figure in chapter.figures)
        shown.append(replace(chapter, figures=tuple(figure for figure in figures if figure is not None)))
    return shown


def _size(container: Container, name: str, measure: Measure) -> tuple[int, int] | None:
    try:
        data = container.beginning(name, _HEAD_BYTES)
    except (FileUnreadableError, OSError):
        return None
    return measure(data) if media_type(data) else None


def media_type(data: bytes) -> str | None:
    """What a picture is, by its first bytes; None for what is none that every browser shows."""
    if data.startswith(b"\xff\xd8\xff"):
        return "image/jpeg"
    if data.startswith(b"\x89PNG\r\n\x1a\n"):
        return "image/png"
    if data.startswith((b"GIF87a", b"GIF89a")):
        return "image/gif"
    if data[:4] == b"RIFF" and data[8:12] == b"WEBP":
        return "image/webp"
    return SVG if is_drawing(data) else None


def read_figure(book: Path, name: str) -> tuple[bytes, str]:
    """A picture out of the file of its book, and its media type. Raises NotFound."""
    try:
        with Container(book) as container:
            data = container.beginning(name, MAX_BYTES + 1) if container.find(name) == name else b""
    except (BookRefused, FileUnreadableError, zipfile.BadZipFile, NotImplementedError, OSError) as error:
        raise NotFound(f"{book.name} cannot be opened just now, so its pictures cannot be shown.") from error
    kind = media_type(data)
    if kind is None or len(data) > MAX_BYTES:
        raise NotFound(f"{book.name} has no such picture any more.")
    return data, kind
