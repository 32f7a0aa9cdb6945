"""Covers: found by every way of naming them, only pictures that browsers show, small ones for the shelf, no bombs."""

import io
import struct
import zlib
from pathlib import Path
from typing import Any

import pytest
from PIL import Image

from server.library.pictures import THUMBNAIL_WIDTH, picture_of
from server.library.reader import read_book
from server.library.sandbox import read_book_safely
from server.library.wire import dump, load
from tests.epubs import build_epub, page

STORY = {"one.xhtml": "<p>She lit the lamp.</p>"}
NAMED = '<item id="{id}" href="{href}" media-type="{type}"{more}/>'


def picture(size: tuple[int, int] = (300, 450), kind: str = "PNG", mode: str = "RGB", colour: str = "teal") -> bytes:
    target = io.BytesIO()
    Image.new(mode, size, colour).save(target, kind)
    return target.getvalue()


def bomb(width: int, height: int) -> bytes:
    """A PNG that says it is `width` × `height`, and whose bytes are few."""

    def chunk(kind: bytes, body: bytes) -> bytes:
        return struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))

    head = struct.pack(">IIBBBBB", width, height, 1, 0, 0, 0, 0)
    rows = zlib.compress(bytes(10_000_000))
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", rows) + chunk(b"IEND", b"")


def item(href: str = "i.png", *, ident: str = "i", kind: str = "image/png", more: str = "") -> str:
    return NAMED.format(id=ident, href=href, type=kind, more=more)


WAYS: dict[str, dict[str, Any]] = {
    "property": {"manifest": item(more=' properties="cover-image"')},
    "meta by id": {"manifest": item(), "metadata": '<meta name="cover" content="i"/>'},
    "meta by path": {"manifest": item(), "metadata": '<meta name="cover" content="i.png"/>'},
    "meta to a page": {
        "manifest": item() + item("cv.xhtml", ident="c", kind="application/xhtml+xml"),
        "metadata": '<meta name="cover" content="c"/>',
    },
    "guide to a page": {"manifest": item(), "guide": '<reference type="cover" href="cv.xhtml"/>'},
    "guide to a picture": {"manifest": item(), "guide": '<reference type="other.ms-coverimage" href="i.png"/>'},
    "id": {"manifest": item(ident="cover-img")},
    "declared as something else": {"manifest": item(kind="image/jpeg", more=' properties="cover-image"')},
}


@pytest.mark.parametrize("way", list(WAYS))
def test_a_cover_is_found_by_every_way_of_naming_it(tmp_path: Path, way: str) -> None:
    data = picture()
    files: dict[str, str | bytes] = {"OEBPS/i.png": data, "OEBPS/cv.xhtml": page('<img src="i.png" alt=""/>')}
    book = load(dump(read_book(build_epub(tmp_path / "b.epub", STORY, files=files, **WAYS[way]))))
    assert (book.cover, book.cover_type) == (data, "image/png")
    assert book.thumbnail is not None and book.thumbnail.startswith(b"\xff\xd8\xff")


def test_a_picture_alone_on_the_first_page_is_the_cover_and_a_picture_in_the_text_is_not(tmp_path: Path) -> None:
    alone = {"p.xhtml": '<p><img src="i.png" alt=""/></p>', **STORY}
    among = {"p.xhtml": f'<p><img src="i.png" alt=""/></p><p>{"She lit the lamp. " * 30}</p>'}
    files: dict[str, str | bytes] = {"OEBPS/i.png": picture()}
    assert read_book(build_epub(tmp_path / "a.epub", alone, files=files, manifest=item())).cover is not None
    assert read_book(build_epub(tmp_path / "b.epub", among, files=files, manifest=item())).cover is None
    banner: dict[str, str | bytes] = {"OEBPS/i.png": picture((900, 200))}
    assert read_book(build_epub(tmp_path / "c.epub", alone, files=banner, manifest=item())).cover is None


@pytest.mark.parametrize(
    "useless",
    [
        b"",
        b"<svg xmlns='http://www.w3.org/2000/svg'/>",
        b"\x89PNG\r\n\x1a\n" + b"x" * 20,
        b"<html>not a picture</html>",
        picture((1, 1)),
        bomb(50_000, 50_000),
        bomb(19_000, 19_000),
    ],
    ids=["empty", "svg", "damaged", "page", "dot", "bomb", "lesser bomb"],
)
def test_what_cannot_be_shown_makes_way_for_what_can(tmp_path: Path, useless: bytes) -> None:
    manifest = item("bad.png", ident="bad", more=' properties="cover-image"') + item(ident="cover")
    files: dict[str, str | bytes] = {"OEBPS/bad.png": useless, "OEBPS/i.png": picture()}
    book = read_book(build_epub(tmp_path / "b.epub", STORY, files=files, manifest=manifest))
    assert book.cover == picture() and len(book.chapters) == 1


def test_a_bomb_hurts_nobody(tmp_path: Path) -> None:
    files: dict[str, str | bytes] = {"OEBPS/i.png": bomb(50_000, 50_000)}
    path = build_epub(tmp_path / "b.epub", STORY, files=files, manifest=item(more=' properties="cover-image"'))
    book = read_book_safely(path, memory_bytes=600_000_000, seconds=60)
    assert (book.cover, book.thumbnail) == (None, None)


def size_of(data: bytes | None) -> tuple[int, int]:
    assert data is not None
    with Image.open(io.BytesIO(data)) as image:
        assert image.format == "JPEG"
        image.load()
        return image.size


@pytest.mark.parametrize("kind", ["PNG", "JPEG", "GIF", "WEBP"])
def test_a_thumbnail_is_a_small_jpeg(kind: str) -> None:
    data = picture((1_200, 1_800), kind)
    found = picture_of(data)
    assert found is not None and found.data == data
    assert size_of(found.thumbnail) == (THUMBNAIL_WIDTH, 720)


def test_a_small_cover_is_not_blown_up() -> None:
    found = picture_of(picture((120, 180)))
    assert found is not None and size_of(found.thumbnail) == (120, 180)


def test_a_huge_cover_is_kept_smaller_and_an_odd_kind_as_jpeg() -> None:
    huge = picture_of(picture((4_000, 6_000)))
    assert huge is not None and huge.media_type == "image/jpeg" and size_of(huge.data) == (1_600, 2_400)
    odd = picture_of(picture(kind="BMP"))
    assert odd is not None and odd.media_type == "image/jpeg" and size_of(odd.data) == (300, 450)


@pytest.mark.parametrize(
    ("kind", "mode"), [("JPEG", "CMYK"), ("JPEG", "L"), ("PNG", "LA"), ("PNG", "P"), ("PNG", "I;16")]
)
def test_every_kind_of_colour_has_a_thumbnail(kind: str, mode: str) -> None:
    target = io.BytesIO()
    Image.new(mode, (300, 450)).save(target, kind)
    found = picture_of(target.getvalue())
    assert found is not None and size_of(found.thumbnail) == (300, 450)


def test_what_is_clear_is_white_and_what_lies_on_its_side_is_turned() -> None:
    target = io.BytesIO()
    Image.new("RGBA", (300, 450), (0, 0, 0, 0)).save(target, "PNG")
    found = picture_of(target.getvalue())
    assert found is not None and found.thumbnail is not None
    with Image.open(io.BytesIO(found.thumbnail)) as image:
        assert image.getpixel((10, 10)) == (255, 255, 255)
    turned, exif = io.BytesIO(), Image.Exif()
    exif[0x0112] = 6
    Image.new("RGB", (450, 300), "teal").save(turned, "JPEG", exif=exif)
    found = picture_of(turned.getvalue())
    assert found is not None and size_of(found.thumbnail) == (300, 450)


def test_a_cover_cut_short_is_shown_and_has_no_thumbnail() -> None:
    noise = io.BytesIO()
    Image.effect_noise((600, 900), 80).save(noise, "JPEG")
    found = picture_of(noise.getvalue()[: len(noise.getvalue()) // 2])
    assert found is not None and found.thumbnail is None


def test_a_grey_picture_of_16_bits_is_not_made_white() -> None:
    target = io.BytesIO()
    Image.new("I;16", (300, 450), 30_000).save(target, "PNG")
    made = picture_of(target.getvalue())
    assert made is not None and made.thumbnail is not None
    shown = Image.open(io.BytesIO(made.thumbnail)).getpixel((100, 100))
    assert isinstance(shown, tuple) and 110 < shown[0] < 125
