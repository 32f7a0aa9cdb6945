"""What is not read, and what the voice guessed, over HTTP."""

from litestar import Litestar
from litestar.testing import TestClient

from server.api.ledger import PLACES
from tests.contract.conftest import BOOK
from tests.contract.household import PaperHousehold

Client = TestClient[Litestar]
COVERAGE = f"/api/v1/books/{BOOK}/coverage"
GUESSES = f"/api/v1/books/{BOOK}/guesses"


def test_coverage_tells_of_every_silence_and_adds_up(client: Client, house: PaperHousehold) -> None:
    told = client.get(COVERAGE).json()
    texts = [s.text for n in (1, 2) for s in house.store.chapter(BOOK, n).sentences]
    assert (
        told["spoken"]
        == sum(len("".join(text.split())) for text in texts)
        == sum(chapter["spoken"] for chapter in told["chapters"])
    )
    assert told["silent"] == {"noteref": 4} and told["refused"] == []
    first = told["chapters"][0]
    assert (first["number"], first["rule"], first["silent"]) == (1, None, {"noteref": 2})
    assert first["silences"] == [{"rule": "noteref", "characters": 2, "text": "12", "doc": "c.xhtml", "before": 1}]


def test_a_book_of_an_older_version_has_no_ledger_and_says_so(client: Client, house: PaperHousehold) -> None:
    (house.store.book_folder(BOOK) / "coverage.json").unlink()
    answer = client.get(COVERAGE)
    assert answer.status_code == 404
    assert "Add its file again" in answer.json()["detail"]


def test_guessed_words_are_listed_by_how_often(client: Client, house: PaperHousehold) -> None:
    assert client.get(GUESSES).json() == {"words": []}
    index = house.store.chapter(BOOK, 1)
    entries = [
        entry.model_copy(update={"guessed": ("Zorn", "Abax") if at else ("Zorn",)})
        for at, entry in enumerate(index.sentences[:2])
    ]
    house.store.add_audio(BOOK, index.rendition, 1, entries)
    words = client.get(GUESSES).json()["words"]
    first, second = (place for place in words[0]["places"])
    assert [(one["chapter"], one["sentence"], one["text"]) for one in (first, second)] == [
        (1, entry.id, entry.text) for entry in entries
    ]
    assert client.get(first["audio"]).headers["etag"] == f'"{entries[0].sha256}"'
    assert words == [
        {"word": "Zorn", "count": 2, "places": [first, second]},
        {"word": "Abax", "count": 1, "places": [second]},
    ]
    assert PLACES >= 2


def test_of_a_book_that_is_not_there_nothing_is_told(client: Client) -> None:
    for path in (COVERAGE, GUESSES):
        assert client.get(path.replace(BOOK, "f" * 16)).status_code == 404
