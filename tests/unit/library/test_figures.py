"""Pictures keep their place among the blocks, and only those that can be shown are kept."""

import contextlib
import io
import zipfile
from pathlib import Path

import pytest
from PIL import Image

from server.errors import NotFound
from server.library import wire
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
