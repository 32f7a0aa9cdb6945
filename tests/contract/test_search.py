"""Search over HTTP."""

import pytest
from litestar import Litestar
from litestar.testing import TestClient

from server.library.search import Passage
from tests.contract.conftest import BOOK
from tests.contract.household import PaperHousehold

Client = TestClient[Litestar]


@pytest.fixture(autouse=True)
def indexed(house: PaperHousehold) -> None:
    house.search.put(BOOK, [Passage(1, "a-1", "The lamp 💡 went out."), Passage(2, "b-1", "No lamp, no light.")])
    house.search.put("f" * 16, [Passage(1, "c-1", "A lamp of another book.")])


def test_hits_have_their_place_their_title_and_their_marks(client: Client) -> None:
    told = client.get("/api/v1/search", params={"q": "lamp out"}).json()
    assert told["total"] == 1
    (hit,) = told["hits"]
    assert (hit["book"], hit["title"], hit["chapter"], hit["sentence"]) == (BOOK, "The Lamp", 1, "a-1")
    assert hit["chapter_title"] == "Chapter 1" and told["more"] is False
    assert [hit["text"][m["char_start"] : m["char_end"]] for m in hit["marks"]] == ["lamp", "out"]


def test_pages_are_turned_and_one_book_searched(client: Client) -> None:
    def ids(**params: object) -> list[str]:
        told = client.get("/api/v1/search", params={"q": "lamp", **params}).json()
        return [hit["sentence"] for hit in told["hits"]]

    assert sorted(ids()) == ["a-1", "b-1", "c-1"]
    assert sorted([*ids(limit=2), *ids(limit=2, offset=2)]) == ["a-1", "b-1", "c-1"]
    assert ids(book=BOOK) == ["a-1", "b-1"]


def test_a_book_that_has_just_gone_is_named_by_its_id(client: Client) -> None:
    (hit,) = client.get("/api/v1/search", params={"q": "another"}).json()["hits"]
    assert hit["title"] == hit["book"] == "f" * 16


@pytest.mark.parametrize("q", ["", '"', "lamp* OR (", "\x00", "'; DROP TABLE passage; --"])
def test_nothing_that_is_typed_is_an_error(client: Client, q: str) -> None:
    assert client.get("/api/v1/search", params={"q": q}).status_code == 200


@pytest.mark.parametrize(
    "params", [{}, {"q": "x", "limit": 0}, {"q": "x", "limit": 1000}, {"q": "x", "book": "../etc"}]
)
def test_what_cannot_be_asked_is_told(client: Client, params: dict[str, object]) -> None:
    assert client.get("/api/v1/search", params=params).status_code == 400
