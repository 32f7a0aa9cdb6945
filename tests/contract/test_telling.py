"""A book called otherwise by hand: what is asked, what is refused, and what address its cover has then."""

import io

import pytest
from litestar import Litestar
from litestar.testing import TestClient
from PIL import Image

from server.api import telling
from tests.contract.conftest import BOOK
from tests.contract.household import PNG, PaperHousehold

Client = TestClient[Litestar]
URL = f"/api/v1/books/{BOOK}"


def picture(colour: str = "navy", kind: str = "PNG") -> bytes:
    target = io.BytesIO()
    Image.new("RGB", (200, 300), colour).save(target, kind)
    return target.getvalue()


def test_a_book_is_called_otherwise_and_goes_back(client: Client, house: PaperHousehold) -> None:
    first = client.get(URL).json()
    told = client.patch(f"{URL}/about", json={"title": "  The\n Gate ", "authors": ["B. Writer", "", "B. Writer"]})
    assert told.status_code == 200
    assert (told.json()["title"], told.json()["authors"]) == ("The Gate", ["B. Writer"])
    assert told.json()["own"] == {
        "title": "The Lamp", "subtitle": None, "authors": ["A. Writer"], "series": None, "series_index": None,
        "cover": True,
    }  # fmt: skip
    series = client.patch(f"{URL}/about", json={"series": "Gates", "series_index": 1.5, "own": ["authors"]}).json()
    assert (series["series"], series["series_index"], series["authors"]) == ("Gates", 1.5, ["A. Writer"])
    assert series["by_hand"] == ["title", "series"]
    assert client.patch(f"{URL}/about", json={"series": "Gates"}).json()["series_index"] is None
    assert house.store.book(BOOK).id == BOOK
    assert client.patch(f"{URL}/about", json={"own": ["title", "series"]}).json() == first


@pytest.mark.parametrize(
    ("body", "where"),
    [
        ({"title": ""}, "title"),
        ({"title": " \u0000\n"}, "title"),
        ({"title": "\u200b\u202e\u2060 \ufe0f"}, "title"),
        ({"title": "x" * 501}, "title"),
        ({"authors": "A. Writer"}, "authors"),
        ({"authors": ["A. Writer"] * 51}, "authors"),
        ({"series": "Gates", "series_index": -1}, "series_index"),
        ({"series": "Gates", "series_index": 1e9}, "series_index"),
        ({"own": ["language"]}, "own.0"),
        ({"language": "de"}, "language"),
    ],
)
def test_what_cannot_be_written_is_refused_by_name(client: Client, body: object, where: str) -> None:
    reply = client.patch(f"{URL}/about", json=body)
    assert (reply.status_code, reply.json()["errors"][0]["where"]) == (400, where)
    assert client.get(URL).json()["by_hand"] == []


def test_a_chosen_cover_has_another_address_and_its_own_tag(client: Client, house: PaperHousehold) -> None:
    assert client.get(URL).json()["cover"] == f"{URL}/cover"
    tag = client.get(f"{URL}/cover").headers["etag"]
    addresses = set()
    for colour in ("red", "green"):
        told = client.put(f"{URL}/cover", content=picture(colour), headers={"content-type": "image/png"})
        assert (told.status_code, told.json()["by_hand"]) == (200, ["cover"])
        addresses |= {told.json()["cover"], told.json()["thumbnail"]}
        got = client.get(told.json()["cover"], headers={"if-none-match": tag})
        assert (got.status_code, got.content, got.headers["content-type"]) == (200, picture(colour), "image/png")
        tag = got.headers["etag"]
        small = client.get(told.json()["thumbnail"])
        assert (small.headers["content-type"], small.content[:2]) == ("image/jpeg", b"\xff\xd8")
    assert len(addresses) == 4
    back = client.delete(f"{URL}/cover").json()
    assert (back["cover"], back["by_hand"], back["own"]) == (f"{URL}/cover", [], None)
    assert client.get(back["cover"], headers={"if-none-match": tag}).content == PNG
    assert client.delete(f"{URL}/cover").status_code == 200  # it is its own already


def test_a_picture_that_cannot_be_used_is_refused_with_a_sentence(
    client: Client, house: PaperHousehold, monkeypatch: pytest.MonkeyPatch
) -> None:
    for body, kind, status, words in (
        (picture(), "image/gif", 415, "JPEG, PNG or WebP"),
        (picture(kind="GIF"), "application/octet-stream", 422, "JPEG, PNG or WebP"),
        (b"<svg/>", "image/png", 422, "JPEG, PNG or WebP"),
        (picture()[:60], "image/png", 422, "damaged"),
    ):
        reply = client.put(f"{URL}/cover", content=body, headers={"content-type": kind})
        assert (reply.status_code, words in reply.json()["detail"]) == (status, True), reply.text
    monkeypatch.setattr(telling, "MAX_PICTURE_BYTES", 1_000_000)
    large = client.put(f"{URL}/cover", content=bytes(1_000_001), headers={"content-type": "image/png"})
    assert (large.status_code, large.json()["code"]) == (413, "too-large")
    assert "larger than 1 MB" in large.json()["detail"]
    assert client.get(URL).json()["by_hand"] == []
    assert list((house.settings.data / "incoming").iterdir()) == []


@pytest.mark.parametrize("name", ["../../store.json", "/etc/hosts", "a/../../../store.json"])
def test_whatever_a_store_says_a_cover_is_a_file_of_its_book(client: Client, house: PaperHousehold, name: str) -> None:
    record = house.store.book(BOOK)
    house.store.save_book(record.model_copy(update={"cover": name, "thumbnail": name}))
    for size in ("full", "small"):
        assert client.get(f"{URL}/cover", params={"size": size}).status_code == 404
