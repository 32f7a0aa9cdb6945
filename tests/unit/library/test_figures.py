"""Pictures keep their place among the blocks, and only those that can be shown are kept."""

import contextlib
import io
import time
import zipfile
from pathlib import Path

import pytest
from PIL import Image

from server.errors import NotFound
from server.library import drawings, wire
from server.library.figures import read_figure
from server.library.pictures import measure
from server.library.reader import read_book
from tests.epubs import build_epub

PAGE = """
<h1><img src="title.png" alt="The Gate"/></h1>
<p>It rained all day, <img src="../OEBPS/img/in line.png" alt=""/> and nobody came to the gate.</p>
<figure><img src="img/gate.jpg" alt="A gate of iron in a wall"/><figcaption>The gate.</figcaption></figure>
<p><img src="img/gone.png" alt="Gone"/><img src="img/dot.gif" alt=""/><img src="data:image/png;base64,AAAA" alt=""/></p>
<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink">
<image xlink:href="img/plan.png"/></svg>
<p>It stopped.</p>
<p><img src="http://elsewhere.example/x.png" alt=""/><img src="img/text.png" alt=""/></p>
"""


def _picture(width: int, height: int, kind: str = "PNG", **options: object) -> bytes:
    made = io.BytesIO()
    Image.new("RGB", (width, height), "grey").save(made, kind, **options)
    return made.getvalue()


@pytest.fixture
def path(tmp_path: Path) -> Path:
    turned = Image.Exif()
    turned[0x0112] = 6
    files = {
        "OEBPS/img/in line.png": _picture(30, 20),
        "OEBPS/img/gate.jpg": _picture(60, 40, "JPEG", exif=turned),
        "OEBPS/img/dot.gif": _picture(1, 1, "GIF"),
        "OEBPS/img/plan.png": _picture(50, 50),
        "OEBPS/img/text.png": b"no picture",
    }
    return build_epub(tmp_path / "gate.epub", {"c1.xhtml": PAGE}, files=files)


def test_pictures_keep_their_place_and_their_size(path: Path) -> None:
    book = read_book(path)
    blocks = {sentence.block: sentence.text for sentence in book.chapters[0].sentences}
    shown = [
        (figure.path.rpartition("/")[2], blocks.get(figure.before), figure.width, figure.height)
        for figure in book.chapters[0].figures
    ]
    assert shown == [
        ("in line.png", "A gate of iron in a wall", 30, 20),
        ("gate.jpg", "A gate of iron in a wall", 40, 60),
        ("plan.png", "It stopped.", 50, 50),
    ]
    assert wire.load(wire.dump(book)) == book
    assert all("picture" not in chapter.skipped for chapter in book.chapters)


def test_a_picture_is_read_from_the_file_and_nothing_else(path: Path) -> None:
    name = read_book(path).chapters[0].figures[0].path
    data, kind = read_figure(path, name)
    assert (measure(data), kind) == ((30, 20), "image/png")
    for other in ("OEBPS/c1.xhtml", "OEBPS/img/text.png", "../gate.epub", "/etc/passwd", ""):
        with pytest.raises(NotFound):
            read_figure(path, other)


@pytest.mark.parametrize("method", [zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED, zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA])
def test_a_picture_that_is_damaged_however_it_is_packed_is_none(tmp_path: Path, method: int) -> None:
    path = tmp_path / "gate.epub"
    with zipfile.ZipFile(path, "w", method) as book:
        book.writestr("gate.png", _picture(300, 300))
    whole = path.read_bytes()
    for at in range(30, len(whole) - 100, 7):
        path.write_bytes(whole[:at] + bytes(byte ^ 0xA5 for byte in whole[at : at + 20]) + whole[at + 20 :])
        with contextlib.suppress(NotFound):
            assert read_figure(path, "gate.png")[1] == "image/png"


NS = 'xmlns="http://www.w3.org/2000/svg"'


@pytest.mark.parametrize(
    ("drawing", "size"),
    [
        (f'<svg {NS} width="200" height="100px"/>', (200, 100)),
        (f"<svg {NS} width='1in' height='72pt' viewBox='0 0 5 5'><path/></svg>", (96, 96)),
        (f'<svg {NS} viewBox="0 0 640 480"/>', (640, 480)),
        (f'<svg {NS} width="100%" height="100%" viewBox="-10,-10 60.4 30"/>', (60, 30)),
        (f'<svg {NS} width="320" viewBox="0 0 640 480"/>', (320, 240)),
        (f"<svg {NS}><rect/></svg>", (300, 150)),
        (
            f'\ufeff<?xml version="1.0"?>\n<!-- a > map -->\n<!DOCTYPE svg PUBLIC "a" "b">\n<svg:svg {NS} width="9"/>',
            (9, 4),
        ),
        (f'<svg {NS} width="0" height="5"/>', None),
        (f'<svg {NS} width="1e9" height="5"/>', None),
        (f'<!DOCTYPE svg [<!ENTITY a "b">]><svg {NS} width="9" height="9"/>', None),
        (f'<svg {NS} viewBox="0 0 9 9"><image width="9" xlink:href="plan.png"/></svg>', None),
        (f'<svg {NS} viewBox="0 0 9 9"><image href="data:image/png;base64,AA"/></svg>', (9, 9)),
        ("<html><svg/></html>", None),
        ("<!-- never ends <svg/>", None),
        ("", None),
    ],
)
def test_the_size_of_a_drawing_is_told_by_its_root(drawing: str, size: tuple[int, int] | None) -> None:
    assert drawings.size_of(drawing.encode()) == measure(drawing.encode()) == size


def test_a_drawing_is_a_picture_of_its_chapter(tmp_path: Path) -> None:
    files = {"OEBPS/map.svg": f'<svg {NS} width="200" height="100"/>', "OEBPS/page.svg": "<html><svg/></html>"}
    page = '<p>It rained.</p><p><img src="map.svg" alt="A map"/><img src="page.svg" alt=""/></p><p>It stopped.</p>'
    path = build_epub(tmp_path / "map.epub", {"c1.xhtml": page}, files=files)
    (figure,) = read_book(path).chapters[0].figures
    assert (figure.path, figure.width, figure.height) == ("OEBPS/map.svg", 200, 100)
    assert read_figure(path, figure.path)[1] == "image/svg+xml"


@pytest.mark.parametrize(
    "beginning",
    [
        b'<svg width="' + b"1" * 200_000 + b'x" height="3">',
        b'<svg viewBox="' + b"1" * 50_000 + b' x">',
        b"<!DOCTYPE" + b"x" * 200_000,
        b"<svg" + b" " * (24 << 20) + b">",
        b'<svg width="40" height="30">' + b"<image " * 36_000,
    ],
    ids=["digits", "box", "doctype", "spaces", "images"],
)
def test_a_drawing_that_was_made_to_take_long_does_not(beginning: bytes) -> None:
    begun = time.process_time()
    drawings.size_of(beginning)
    drawings.is_drawing(beginning)
    assert time.process_time() - begun < 1
