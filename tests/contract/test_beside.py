"""Pictures and silent text of a chapter over HTTP."""

import io
import zipfile
from pathlib import Path
from typing import Any

import pytest
from litestar import Litestar
from litestar.testing import TestClient
from PIL import Image

from server.api import beside
from server.errors import DiskFull
from server.library.model import Book
from server.library.reader import read_book
from server.library.sandbox import read_book_aside
from server.render.coverage import PictureRecord
from tests.contract.conftest import BOOK
from tests.contract.household import PaperHousehold
from tests.epubs import build_epub

Client = TestClient[Litestar]
DRAWING = b'<svg xmlns="http://www.w3.org/2000/svg" width="40" height="30"><script>alert(1)</script></svg>'
URL = f"/api/v1/books/{BOOK}/chapters/1"


@pytest.fixture
def drawn(house: PaperHousehold) -> bytes:
    """A picture in chapter 1, in a file in the library folder."""
    picture = io.BytesIO()
    Image.new("RGB", (40, 30), "teal").save(picture, "PNG")
    house.settings.library.mkdir()
    with zipfile.ZipFile(house.settings.library / "lamp.epub", "w") as book:
        book.writestr("img/lamp.png", picture.getvalue())
        book.writestr("img/page.png", b"<script>alert(1)</script>")
        book.writestr("img/map.svg", DRAWING)
    house.files = ["lamp.epub"]
    ledger = house.store.coverage(BOOK)
    assert ledger is not None
    first, *others = ledger.chapters
    names = ("img/lamp.png", "img/page.png", "img/gone.png", "img/map.svg")
    pictures = tuple(PictureRecord(file=name, alt="A lamp", before=1, width=40, height=30) for name in names)
    chapters = (first.model_copy(update={"pictures": pictures}), *others)
    house.store.save_coverage(ledger.model_copy(update={"chapters": chapters}))
    return picture.getvalue()


def test_a_chapter_tells_what_stands_beside_its_sentences(client: Client, drawn: bytes) -> None:
    told = client.get(f"{URL}/beside").json()
    assert [silence["rule"] for silence in told["silences"]] == ["noteref"]
    lamp = told["pictures"][0]
    assert lamp == {"url": f"{URL}/pictures/0", "alt": "A lamp", "width": 40, "height": 30, "before": 1}
    answer = client.get(lamp["url"])
    assert (answer.content, answer.headers["content-type"]) == (drawn, "image/png")
    assert client.get(lamp["url"], headers={"if-none-match": answer.headers["etag"]}).status_code == 304


def test_what_is_no_picture_is_not_sent(client: Client, drawn: bytes) -> None:
    for at in (1, 2, 4, 2**40):
        assert client.get(f"{URL}/pictures/{at}").status_code == 404, at


def test_a_drawing_is_sent_under_a_policy_that_lets_nothing_run(client: Client, drawn: bytes) -> None:
    answer = client.get(f"{URL}/pictures/3")
    assert (answer.content, answer.headers["content-type"]) == (DRAWING, "image/svg+xml")
    policy = answer.headers["content-security-policy"].split("; ")
    assert {"default-src 'none'", "sandbox"} <= set(policy) and not [one for one in policy if "script" in one]
    assert "content-security-policy" in client.get(f"{URL}/pictures/0").headers


def test_without_its_file_a_book_has_no_pictures_and_says_why(
    client: Client, house: PaperHousehold, drawn: bytes
) -> None:
    (house.settings.library / "lamp.epub").write_bytes(b"PK damaged")
    damaged = client.get(f"{URL}/pictures/0")
    house.files = []
    gone = client.get(f"{URL}/pictures/0")
    assert (damaged.status_code, gone.status_code) == (404, 404)
    assert "lamp.epub cannot be opened" in damaged.json()["detail"]
    assert "not in the library folder" in gone.json()["detail"]


def test_a_book_of_an_older_version_has_nothing_beside(client: Client, house: PaperHousehold) -> None:
    (house.store.book_folder(BOOK) / "coverage.json").unlink()
    assert client.get(f"{URL}/beside").json() == {"silences": [], "pictures": []}


PAGE = '<p>It rained.</p><p><img src="map.svg" alt="A map"/></p><p>It stopped.</p>'


@pytest.fixture
def older(house: PaperHousehold) -> str:
    """A book as an older version took it in, which knew of no pictures, with its file in the library folder."""
    house.settings.library.mkdir()
    path = build_epub(
        house.settings.library / "map.epub", {"c1.xhtml": PAGE}, files={"OEBPS/map.svg": DRAWING.decode()}
    )
    book = read_book(path)
    house.add(book, path)
    house.files = ["map.epub"]
    _forget_pictures(house, book.id)
    return book.id


def _forget_pictures(house: PaperHousehold, book: str, **changed: int) -> None:
    ledger = house.store.coverage(book)
    assert ledger is not None
    chapters = tuple(one.model_copy(update={"pictures": None, **changed}) for one in ledger.chapters)
    house.store.save_coverage(ledger.model_copy(update={"chapters": chapters}))


def _pictures(client: Client, book: str) -> list[tuple[str, int]]:
    told = client.get(f"/api/v1/books/{book}/chapters/1/beside").json()
    return [(picture["alt"], picture["before"]) for picture in told["pictures"]]


def test_a_book_of_an_older_version_gets_its_pictures_from_its_file_once(
    client: Client, house: PaperHousehold, older: str
) -> None:
    assert _pictures(client, older) == [("A map", 1)]
    assert client.get(f"/api/v1/books/{older}/chapters/1/pictures/0").content == DRAWING
    (house.settings.library / "map.epub").unlink()
    assert _pictures(client, older) == [("A map", 1)]


def test_a_book_without_a_ledger_gets_one(client: Client, house: PaperHousehold, older: str) -> None:
    (house.store.book_folder(older) / "coverage.json").unlink()
    assert _pictures(client, older) == [("A map", 1)]
    assert house.store.coverage(older) is not None


def test_where_the_text_is_read_otherwise_by_now_pictures_have_no_place(
    client: Client, house: PaperHousehold, older: str
) -> None:
    _forget_pictures(house, older, characters=3)
    assert _pictures(client, older) == []
    ledger = house.store.coverage(older)
    assert ledger is not None and {one.pictures for one in ledger.chapters} == {()}


def test_a_file_that_cannot_be_read_is_tried_again(client: Client, house: PaperHousehold, older: str) -> None:
    path = house.settings.library / "map.epub"
    whole = path.read_bytes()
    path.write_bytes(b"PK damaged")
    assert _pictures(client, older) == []
    path.write_bytes(whole)
    assert _pictures(client, older) == [("A map", 1)]


@pytest.mark.parametrize("why", ["damaged", "another text"])
def test_a_file_that_tells_nothing_is_read_once(
    client: Client, house: PaperHousehold, older: str, why: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = house.settings.library / "map.epub"
    if why == "damaged":
        path.write_bytes(b"PK damaged")
    else:
        (house.store.book_folder(older) / "coverage.json").unlink()
        build_epub(path, {"c1.xhtml": "<p>Other words.</p><p>And more.</p><p>And more.</p>"})
    tried: list[Path] = []

    async def reading(path: Path, **asked: Any) -> Book:
        tried.append(path)
        return await read_book_aside(path, **asked)

    monkeypatch.setattr(beside, "read_book_aside", reading)
    for _ in range(3):
        assert _pictures(client, older) == []
    assert tried == [path]
    path.touch()  # another file
    assert _pictures(client, older) == [] and len(tried) == 2


def test_a_book_that_is_deleted_while_its_file_is_read_stays_deleted(
    client: Client, house: PaperHousehold, older: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    (house.store.book_folder(older) / "coverage.json").unlink()

    async def meanwhile(path: Path, **asked: Any) -> Book:
        read = await read_book_aside(path, **asked)
        house.store.delete_book(older)
        return read

    monkeypatch.setattr(beside, "read_book_aside", meanwhile)
    assert client.get(f"/api/v1/books/{older}/chapters/1/beside").status_code == 404
    assert not house.store.book_folder(older).exists()


def test_a_full_disk_keeps_nobody_from_reading(
    client: Client, house: PaperHousehold, older: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object) -> None:
        raise DiskFull("The disk is full.")

    monkeypatch.setattr(house.store, "complete_coverage", full)
    assert _pictures(client, older) == []
