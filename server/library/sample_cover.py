"""The sample book's cover, drawn by code: a moon, its path on the water as a sound wave, and lettering of strokes."""

import math
import struct
import zlib
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

WIDTH = 600
HEIGHT = 900
_HORIZON = 520
_CREAM = np.array([246, 231, 200], np.float64)
_SKY_TOP = np.array([12, 20, 46], np.float64)
_SKY_LOW = np.array([52, 74, 122], np.float64)
_SEA_TOP = np.array([30, 46, 88], np.float64)
_SEA_LOW = np.array([9, 14, 32], np.float64)

Image = NDArray[np.float64]
Point = tuple[float, float]


def cover_png() -> bytes:
    """PNG of 600 × 900 pixels, the same bytes at every call."""
    image = _background()
    _moon(image)
    _waves(image)
    _lettering(image, "THE NIGHT", top=92, height=58, weight=5.0)
    _lettering(image, "FERRY", top=182, height=92, weight=7.5)
    _lettering(image, "A SAMPLE BOOK", top=838, height=17, weight=1.7)
    return _png(np.clip(image, 0, 255).round().astype(np.uint8))


def _background() -> Image:
    y = np.arange(HEIGHT)[:, None, None] / 1.0
    sky = _SKY_TOP + (_SKY_LOW - _SKY_TOP) * np.clip(y / _HORIZON, 0, 1) ** 1.6
    sea = _SEA_TOP + (_SEA_LOW - _SEA_TOP) * np.clip((y - _HORIZON) / (HEIGHT - _HORIZON), 0, 1) ** 0.7
    return np.repeat(np.where(y < _HORIZON, sky, sea), WIDTH, axis=1)


def _blend(image: Image, cover: NDArray[np.float64], colour: Image) -> None:
    """Lay `colour` over the image; `cover` is (height, width) of 0–1."""
    image += (colour - image) * cover[:, :, None]


def _moon(image: Image) -> None:
    y, x = np.mgrid[0:HEIGHT, 0:WIDTH]
    distance = np.hypot(x - WIDTH / 2, y - 408)
    above = np.clip(_HORIZON - y, 0, 1)
    _blend(image, 0.55 * np.exp(-np.clip(distance - 72, 0, None) / 70) * above, _CREAM)
    _blend(image, np.clip(72.5 - distance, 0, 1) * above, _CREAM)


def _waves(image: Image) -> None:
    """The moon's path: bars of light across the water, as long as the samples of a spoken phrase are loud."""
    rows = range(_HORIZON + 14, 812, 13)
    for index, row in enumerate(rows):
        phrase = abs(math.sin(index * 0.61)) * abs(math.sin(index * 0.173 + 0.9)) + 0.12
        half = 18 + 205 * phrase * (0.55 + 0.45 * index / len(rows))
        thickness = 1.6 + 1.7 * index / len(rows)
        _stroke(image, (WIDTH / 2 - half, row), (WIDTH / 2 + half, row), thickness, 0.9 - 0.5 * index / len(rows))


def _stroke(image: Image, start: Point, end: Point, radius: float, strength: float = 1.0) -> None:
    """A line with round ends, smooth at its edges."""
    margin = radius + 2
    left, right = max(0, int(min(start[0], end[0]) - margin)), min(WIDTH, int(max(start[0], end[0]) + margin) + 1)
    top, low = max(0, int(min(start[1], end[1]) - margin)), min(HEIGHT, int(max(start[1], end[1]) + margin) + 1)
    y, x = np.mgrid[top:low, left:right]
    along_x, along_y = end[0] - start[0], end[1] - start[1]
    length = along_x**2 + along_y**2
    share = np.clip(((x - start[0]) * along_x + (y - start[1]) * along_y) / length, 0, 1) if length else 0.0
    distance = np.hypot(x - start[0] - share * along_x, y - start[1] - share * along_y)
    _blend(image[top:low, left:right], strength * np.clip(radius + 0.5 - distance, 0, 1), _CREAM)


def _arc(x: float, y: float, rx: float, ry: float, begin: int, end: int) -> list[Point]:
    """Points of an elliptic arc, angles in degrees, clockwise from the right."""
    steps = 40
    angles = [math.radians(begin + (end - begin) * step / steps) for step in range(steps + 1)]
    return [(x + rx * math.cos(angle), y + ry * math.sin(angle)) for angle in angles]


# Capitals as strokes in a box one high, with their widths.
_LETTERS: dict[str, tuple[float, list[list[Point]]]] = {
    " ": (0.36, []),
    "A": (0.72, [[(0, 1), (0.36, 0), (0.72, 1)], [(0.14, 0.64), (0.58, 0.64)]]),
    "B": (
        0.56,
        [
            [(0, 0), (0, 1)],
            [(0, 0), *_arc(0.26, 0.235, 0.24, 0.235, -90, 90), (0, 0.47)],
            [(0, 0.47), *_arc(0.28, 0.735, 0.28, 0.265, -90, 90), (0, 1)],
        ],
    ),
    "E": (0.5, [[(0.5, 0), (0, 0), (0, 1), (0.5, 1)], [(0, 0.48), (0.42, 0.48)]]),
    "F": (0.5, [[(0.5, 0), (0, 0), (0, 1)], [(0, 0.48), (0.42, 0.48)]]),
    "G": (0.78, [[*reversed(_arc(0.42, 0.5, 0.42, 0.5, 40, 318))], [(0.78, 0.8), (0.78, 0.54), (0.5, 0.54)]]),
    "H": (0.68, [[(0, 0), (0, 1)], [(0.68, 0), (0.68, 1)], [(0, 0.48), (0.68, 0.48)]]),
    "I": (0.0, [[(0, 0), (0, 1)]]),
    "K": (0.58, [[(0, 0), (0, 1)], [(0.56, 0), (0, 0.6)], [(0.2, 0.4), (0.58, 1)]]),
    "L": (0.48, [[(0, 0), (0, 1), (0.48, 1)]]),
    "M": (0.82, [[(0, 1), (0.06, 0), (0.41, 0.78), (0.76, 0), (0.82, 1)]]),
    "N": (0.7, [[(0, 1), (0, 0), (0.7, 1), (0.7, 0)]]),
    "O": (0.88, [_arc(0.44, 0.5, 0.44, 0.5, 0, 360)]),
    "P": (0.54, [[(0, 1), (0, 0), *_arc(0.27, 0.27, 0.27, 0.27, -90, 90), (0, 0.54)]]),
    "R": (0.58, [[(0, 1), (0, 0), *_arc(0.27, 0.26, 0.27, 0.26, -90, 90), (0, 0.52)], [(0.26, 0.52), (0.58, 1)]]),
    "S": (0.52, [[*reversed(_arc(0.26, 0.25, 0.24, 0.25, 90, 325))], [*_arc(0.26, 0.75, 0.26, 0.25, -90, 150)]]),
    "T": (0.66, [[(0, 0), (0.66, 0)], [(0.33, 0), (0.33, 1)]]),
    "Y": (0.66, [[(0, 0), (0.33, 0.5), (0.66, 0)], [(0.33, 0.5), (0.33, 1)]]),
}
_SPACING = 0.3


def _lettering(image: Image, text: str, *, top: float, height: float, weight: float) -> None:
    """One line of capitals in the middle of the cover; `height` and `weight` in pixels."""
    width = (sum(_LETTERS[letter][0] for letter in text) + _SPACING * (len(text) - 1)) * height
    left = (WIDTH - width) / 2
    for letter in text:
        advance, strokes = _LETTERS[letter]
        for points in strokes:
            placed = [(left + x * height, top + y * height) for x, y in points]
            for start, end in pairwise(placed):
                _stroke(image, start, end, weight / 2)
        left += (advance + _SPACING) * height


def _png(pixels: NDArray[np.uint8]) -> bytes:
    """A truecolour PNG of (height, width, 3) bytes."""
    height, width, _ = pixels.shape
    # Filter 2 (difference to the row above) suits gradients that run down the page.
    above = np.vstack([np.zeros((1, width, 3), np.uint8), pixels[:-1]])
    rows = (pixels - above).reshape(height, width * 3)
    data = np.hstack([np.full((height, 1), 2, np.uint8), rows]).tobytes()
    header = struct.pack(">2I5B", width, height, 8, 2, 0, 0, 0)
    chunks = ((b"IHDR", header), (b"IDAT", zlib.compress(data, 9)), (b"IEND", b""))
    return b"\x89PNG\r\n\x1a\n" + b"".join(
        struct.pack(">I", len(body)) + name + body + struct.pack(">I", zlib.crc32(name + body)) for name, body in chunks
    )
