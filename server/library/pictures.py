"""Covers as pictures: known by their bytes, measured before they are decoded, made small where they are too large.

Only the reading process calls this: a picture is data from anywhere, and what decodes it works under its limits.
"""

import io
import struct
import warnings
from dataclasses import dataclass
from typing import Final

from PIL import Image, ImageOps

from server.library.drawings import is_drawing, size_of

THUMBNAIL_WIDTH: Final = 480  # pixels: the shelf's covers on a screen of double density
_THUMBNAIL_HEIGHT: Final = 960
_MAX_PIXELS: Final = 64_000_000  # to be decoded: 256 MB at four bytes each
_MAX_SIDE: Final = 20_000
_LARGE_SIDE: Final = 2_800  # pixels; a larger cover is kept smaller than the book has it
_LARGE_BYTES: Final = 4 << 20
_LEAST_SIDE: Final = 32  # smaller ones are spacers and dots
_LEAST_GUESS: Final = 150  # of a picture that only stands where covers stand
_ORIENTATION: Final = 0x0112  # of EXIF, where from 5 on a picture is turned by a quarter
_ON_ITS_SIDE: Final = 5
_TYPES: Final = {"JPEG": "image/jpeg", "PNG": "image/png", "GIF": "image/gif", "WEBP": "image/webp"}
_READ: Final = (*_TYPES, "BMP")
# What Pillow raises for a picture that is damaged or made to harm.
_BAD: Final = (
    OSError, ValueError, SyntaxError, TypeError, KeyError, IndexError, EOFError, OverflowError, ZeroDivisionError,
    MemoryError, struct.error, Image.DecompressionBombError,
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Picture:
    """A picture that every browser shows; `thumbnail` is a small JPEG of it, None where it cannot be decoded whole."""

    data: bytes
    media_type: str
    thumbnail: bytes | None


def picture_of(data: bytes, *, guessed: bool = False) -> Picture | None:
    """The picture in `data`, None for what is none or may not be shown: damaged, tiny, too many pixels, SVG.

    One that is only `guessed` to be a cover must be large enough for one, and upright or nearly.
    """
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of its size: that is looked at here
            image = Image.open(io.BytesIO(data), formats=_READ)
    except _BAD:
        return None
    width, height = image.size
    if min(width, height) < _LEAST_SIDE or max(width, height) > _MAX_SIDE or width * height > _MAX_PIXELS:
        return None
    if guessed and (min(width, height) < _LEAST_GUESS or width > 1.5 * height):
        return None
    kind = _TYPES.get(image.format or "")
    thumbnail = _small(data, THUMBNAIL_WIDTH, _THUMBNAIL_HEIGHT, 80)
    if thumbnail and kind == "image/jpeg" and width <= THUMBNAIL_WIDTH and len(data) <= len(thumbnail):
        thumbnail = data
    if kind is None or max(width, height) > _LARGE_SIDE or len(data) > _LARGE_BYTES:
        smaller = _small(data, 1_600, 2_400, 88)
        if smaller is None:
            return None
        data, kind = smaller, "image/jpeg"
    return Picture(data, kind, thumbnail)


def measure(beginning: bytes) -> tuple[int, int] | None:
    """Width and height in pixels of the picture that begins so; None where that cannot be told, or is too many."""
    if is_drawing(beginning):
        return size_of(beginning)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            image = Image.open(io.BytesIO(beginning), formats=tuple(_TYPES))
            width, height = image.size
            if image.format == "JPEG" and image.getexif().get(_ORIENTATION, 1) >= _ON_ITS_SIDE:
                width, height = height, width
    except _BAD:
        return None
    return (width, height) if max(width, height) <= _MAX_SIDE and width * height <= _MAX_PIXELS else None


def _small(data: bytes, width: int, height: int, quality: int) -> bytes | None:
    """The picture as a JPEG of at most `width` × `height` pixels, upright and on white; None where it is damaged."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            with Image.open(io.BytesIO(data), formats=_READ) as image:
                image.draft("RGB", (width * 2, height * 2))  # a JPEG is decoded no larger than that needs
                upright = ImageOps.exif_transpose(image)
                upright.thumbnail((width, height), Image.Resampling.LANCZOS)
                target = io.BytesIO()
                _on_white(upright).save(target, "JPEG", quality=quality, optimize=True, progressive=True)
                return target.getvalue()
    except _BAD:
        return None


def _on_white(image: Image.Image) -> Image.Image:
    if image.mode.startswith("I"):  # 16 bits of grey; Pillow would make white of all but the darkest
        image = image.convert("I").point(lambda value: value / 256).convert("L")
    if image.mode in ("RGBA", "LA", "PA") or "transparency" in image.info:
        clear = image.convert("RGBA")
        page = Image.new("RGB", clear.size, "white")
        page.paste(clear, mask=clear.getchannel("A"))
        return page
    return image.convert("RGB")
