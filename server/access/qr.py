"""An address as a QR code, for the camera of a phone."""

import io

import segno


def qr_svg(text: str) -> bytes:
    """Black on white in any colour scheme, with the quiet zone that cameras need."""
    stream = io.BytesIO()
    _made(text).save(stream, kind="svg", xmldecl=False, border=4, light="#fff", omitsize=True, svgclass=None)
    return stream.getvalue()


def qr_lines(text: str) -> list[str]:
    """For a terminal with light letters on a dark ground: two modules a character, one above the other."""
    rows = [[bool(module) for module in row] for row in _made(text).matrix_iter(border=2)]
    if len(rows) % 2:
        rows.append([False] * len(rows[0]))
    # A light module is drawn, a dark one is left as the ground.
    shapes = {(False, False): "█", (False, True): "▀", (True, False): "▄", (True, True): " "}
    pairs = zip(rows[::2], rows[1::2], strict=True)
    return ["".join(shapes[above, below] for above, below in zip(*pair, strict=True)) for pair in pairs]


def _made(text: str) -> segno.QRCode:
    return segno.make_qr(text, error="m")
