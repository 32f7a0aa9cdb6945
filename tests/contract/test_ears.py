"""What sounds wrong: said of a sentence, listed, and done with."""

import json
from pathlib import Path

import pytest
from litestar import Litestar
from litestar.testing import TestClient

from server.api.ears import REASONS, reason
from server.render.ears import kept
from tests.contract.conftest import BOOK
from tests.contract.household import PaperHousehold

Client = TestClient[Litestar]
ROOT = Path(__file__).resolve().parents[2]


def address(sentence: str, number: int = 1) -> str:
    return f"/api/v1/books/{BOOK}/chapters/{number}/sentences/{sentence}/ears"


@pytest.fixture
def ids(house: PaperHousehold) -> list[str]:
    return [entry.id for entry in house.store.chapter(BOOK, 1).sentences]


def test_what_a_listener_says_waits_in_the_list(client: Client, ids: list[str]) -> None:
    assert client.get("/api/v1/ears").json() == {"items": [], "total": 0}
    said = client.post(address(ids[1]), json={"state": "wrong", "note": " It hums. "})
    assert said.status_code == 200
    assert said.json() == {
        "book": BOOK, "chapter": 1, "sentence": ids[1], "state": "listener", "again": False, "earlier": False,
        "changed": True,
    }  # fmt: skip
    told = client.get(f"/api/v1/ears?book={BOOK}").json()
    assert told["total"] == 1
    item = told["items"][0]
    assert (item["text"], item["before"]["text"], item["after"]["text"]) == (
        "Sentence 1 of chapter 1.", "Sentence 0 of chapter 1.", "Sentence 2 of chapter 1.",
    )  # fmt: skip
    assert (item["title"], item["note"], item["state"]) == ("The Lamp", "It hums.", "listener")
    assert all(client.get(one["audio"]).status_code == 200 for one in (item, item["before"], item["after"]))
    assert client.get("/api/v1/ears?book=fedcba9876543210").json()["total"] == 0


def test_it_is_on_the_disk_and_says_so_to_everybody(client: Client, house: PaperHousehold, ids: list[str]) -> None:
    told: list[str] = []
    house.hub.publish = lambda kind, /, **_: told.append(kind)  # type: ignore[method-assign]
    client.post(address(ids[0]), json={"state": "wrong"})
    assert told == ["ears.changed"]
    index = client.get(f"/api/v1/books/{BOOK}/chapters/1").json()
    assert index["sentences"][0]["ears"] == "listener" and "complained" in index["sentences"][0]


def test_accepted_is_out_of_the_list_and_again_stays_until_it_is_heard(client: Client, ids: list[str]) -> None:
    for sentence in ids[:2]:
        client.post(address(sentence), json={"state": "wrong"})
    assert client.post(address(ids[0]), json={"state": "accepted"}).json()["state"] == "accepted"
    again = client.post(address(ids[1]), json={"state": "again"}).json()
    assert (again["state"], again["again"]) == ("listener", True)
    told = client.get("/api/v1/ears").json()
    assert [(item["sentence"], item["again"]) for item in told["items"]] == [(ids[1], True)]


def test_a_complaint_is_taken_back_and_another_one_s_note_is_not_lost(client: Client, ids: list[str]) -> None:
    client.post(address(ids[1]), json={"state": "wrong", "note": "It hums."})
    told = client.get("/api/v1/ears").json()
    assert not client.post(address(ids[1]), json={"state": "wrong"}).json()["changed"]  # a tap in the player
    assert client.get("/api/v1/ears").json() == told
    assert client.post(address(ids[1]), json={"state": "withdrawn"}).json()["state"] is None
    assert client.get("/api/v1/ears").json()["total"] == 0
    assert client.post(address(ids[1]), json={"state": "withdrawn"}).status_code == 409


def test_the_list_comes_in_pages_from_either_end(client: Client, ids: list[str]) -> None:
    for sentence in ids:
        client.post(address(sentence), json={"state": "wrong"})
    newest = [item["sentence"] for item in client.get("/api/v1/ears?limit=3").json()["items"]]
    rest = client.get("/api/v1/ears?limit=3&offset=3").json()
    oldest = [item["sentence"] for item in client.get("/api/v1/ears?order=oldest").json()["items"]]
    assert newest + [item["sentence"] for item in rest["items"]] == ids[::-1] and oldest == ids
    assert rest["total"] == 4


def test_the_earlier_sound_is_put_back(client: Client, house: PaperHousehold, ids: list[str]) -> None:
    assert client.post(address(ids[0]), json={"state": "earlier"}).status_code == 409
    before = house.store.chapter(BOOK, 1).sentences[0]
    house.store.change_sentence(
        BOOK, 1, ids[0], lambda entry: entry.model_copy(update={"earlier": kept(entry), "variant": 1, "ears": "redone"})
    )
    answer = client.post(address(ids[0]), json={"state": "earlier"}).json()
    assert (answer["state"], answer["earlier"]) == (None, True)
    assert house.store.chapter(BOOK, 1).sentences[0].variant is None and before.variant is None


def test_both_takes_can_be_heard_before_one_of_them_is_chosen(
    client: Client, house: PaperHousehold, ids: list[str]
) -> None:
    client.post(address(ids[0]), json={"state": "wrong"})
    item = client.get("/api/v1/ears").json()["items"][0]
    assert item["earlier_audio"] is None
    assert client.get(f"{item['audio']}&take=earlier").status_code == 404
    before = house.store.chapter(BOOK, 1).sentences[1]
    take = kept(before)
    house.store.change_sentence(BOOK, 1, ids[0], lambda entry: entry.model_copy(update={"earlier": take}))
    item = client.get("/api/v1/ears").json()["items"][0]
    now, earlier = (client.get(item[name]) for name in ("audio", "earlier_audio"))
    assert (now.status_code, earlier.status_code) == (200, 200)
    assert earlier.headers["etag"] == f'"{before.sha256}"' != now.headers["etag"]
    assert "immutable" in earlier.headers["cache-control"]


def test_what_cannot_be_is_refused(client: Client, house: PaperHousehold, ids: list[str]) -> None:
    silent = house.store.chapter(BOOK, 2).sentences[3].id
    assert client.post(address(silent, 2), json={"state": "wrong"}).status_code == 409
    assert client.post(address("0123456789ab-1"), json={"state": "wrong"}).status_code == 404
    assert client.post(address(ids[0], 9), json={"state": "wrong"}).status_code == 404
    for body in ({}, {"state": "good"}, {"state": "wrong", "note": "x" * 501}, {"state": "wrong", "more": 1}):
        assert client.post(address(ids[0]), json=body).status_code == 400
    assert client.get("/api/v1/ears?book=x").status_code == 400


def test_every_finding_has_words(ids: list[str]) -> None:
    found = set()
    for name in ("gate", "quality"):
        source = (ROOT / "server" / "render" / f"{name}.py").read_text()
        found |= {word for word in REASONS if f'"{word}"' in source}
    assert found == set(REASONS)
    odd = json.loads((ROOT / "benchmarks" / "results" / "quality.json").read_text())["odd"]
    assert all(set(row["found"]) <= set(REASONS) for row in odd)
    assert reason("gate", ("long word", "too soft")) == ("A word is drawn out and it is softer than the rest.")
    assert reason("redone", ()).startswith("It was rendered again.")
