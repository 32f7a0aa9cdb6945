"""Pictures and silent text of a chapter over HTTP."""

import io
import zipfile

import pytest
from litestar import Litestar
from litestar.testing import TestClient
from PIL import Image

from server.render.coverage import PictureRecord
from tests.contract.conftest import BOOK
from tests.contract.household import PaperHousehold

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
