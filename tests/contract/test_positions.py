"""Places over HTTP: reports, devices that disagree, jumps that are undone; and what is known of listening by them."""

import json
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from litestar import Litestar
from litestar.testing import TestClient

from server.placing import Placing
from server.render.index import SAMPLE_RATE
from tests.contract.conftest import BOOK
from tests.contract.household import PaperHousehold

Client = TestClient[Litestar]

POSITION = f"/api/v1/books/{BOOK}/position"


class Clock:
    now = datetime(2026, 8, 1, 12, 0, tzinfo=UTC)

    def __call__(self) -> datetime:
        return self.now

    def wait(self, seconds: float) -> None:
        self.now += timedelta(seconds=seconds)


@pytest.fixture
def clock(house: PaperHousehold) -> Clock:
    """The household's clock; its steps are taken to be far apart from four sentences on."""
    clock = Clock()
    house.places = Placing(house.store, house.hub, lambda *_: None, lambda *_: None, clock)
    return clock


@pytest.fixture(autouse=True)
def short_steps(monkeypatch: pytest.MonkeyPatch) -> None:
    """The book has eight sentences: more than one of them counts as a jump here."""
    monkeypatch.setattr("server.render.reconcile.NEAR_SENTENCES", 1)
    monkeypatch.setattr("server.render.reconcile.SENTENCES_A_SECOND", 0.0)


def put(client: Client, house: PaperHousehold, chapter: int, at: int, **more: Any) -> Any:
    body = {"chapter": chapter, "sentence": house.store.chapter(BOOK, chapter).sentences[at].id, **more}
    reply = client.put(POSITION, json=body)
    assert reply.status_code == 200, reply.text
    return reply.json()


def where(house: PaperHousehold, place: dict[str, Any]) -> tuple[int, int]:
    return place["chapter"], house.store.chapter(BOOK, place["chapter"]).position(place["sentence"])


def test_a_client_of_before_goes_on_as_ever(client: Client, house: PaperHousehold) -> None:
    assert client.get(POSITION).status_code == 404
    told = put(client, house, 2, 1, word=1, device="old")
    assert (told["applied"], told["unapplied"], told["own"], told["device"]) == (True, None, None, "old")
    assert client.get(POSITION).json() == told | {"applied": True}
    assert client.get(f"/api/v1/books/{BOOK}").json()["position"]["sentence"] == told["sentence"]


def test_a_report_of_the_beginning_that_nobody_asked_for_is_refused(client: Client, house: PaperHousehold) -> None:
    put(client, house, 2, 2)
    body = {"chapter": 1, "sentence": house.store.chapter(BOOK, 1).sentences[0].id}
    reply = client.put(POSITION, json=body)
    assert (reply.status_code, reply.json()["code"]) == (409, "conflict")
    assert where(house, client.get(POSITION).json()) == (2, 2)
    assert client.put(POSITION, json=body | {"reason": "jump"}).json()["applied"] is True


def test_a_report_that_comes_twice_counts_once(client: Client, house: PaperHousehold) -> None:
    put(client, house, 1, 1, device="phone", counter=5, reason="played")
    put(client, house, 1, 2, device="phone", counter=6, reason="played")
    told = put(client, house, 1, 1, device="phone", counter=5, reason="played")
    assert (told["applied"], told["unapplied"]) == (False, "stale")
    assert where(house, told) == (1, 2)


def test_jump_or_stay(client: Client, house: PaperHousehold, clock: Clock) -> None:
    put(client, house, 1, 1, device="tablet", counter=1, reason="played")
    clock.wait(10)
    put(client, house, 2, 3, device="phone", counter=1, reason="jump")
    both = client.get(POSITION, params={"device": "tablet"}).json()
    assert where(house, both) == (2, 3) and both["device"] == "phone"
    assert where(house, both["own"]) == (1, 1)
    assert client.get(POSITION, params={"device": "phone"}).json()["own"] is None
    clock.wait(10)
    told = put(client, house, 1, 2, device="tablet", counter=2, reason="played")
    assert (told["unapplied"], where(house, told), where(house, told["own"])) == ("elsewhere", (2, 3), (1, 2))
    clock.wait(10)
    assert put(client, house, 1, 2, device="tablet", counter=3, reason="stay")["applied"] is True
    assert where(house, client.get(POSITION).json()) == (1, 2)


def test_what_was_queued_offline_comes_too_late(client: Client, house: PaperHousehold, clock: Clock) -> None:
    put(client, house, 1, 1, device="phone", counter=1, reason="played")
    clock.wait(600)
    put(client, house, 2, 3, device="tablet", counter=1, reason="jump")
    clock.wait(60)
    told = put(client, house, 1, 3, device="phone", counter=2, reason="jump", age_s=300)
    assert (told["unapplied"], told["device"]) == ("older", "tablet")
    assert put(client, house, 1, 3, device="phone", counter=3, reason="jump", age_s=30)["applied"] is True


def test_undo(client: Client, house: PaperHousehold) -> None:
    put(client, house, 1, 1)
    put(client, house, 2, 3, reason="jump")
    (jump,) = client.get(f"{POSITION}/jumps").json()["jumps"]
    assert where(house, jump["left"]) == (1, 1) and where(house, jump["arrived"]) == (2, 3)
    told = client.post(f"{POSITION}/jumps/{jump['entry']}/back", json={"device": "phone"}).json()
    assert (where(house, told), told["reason"]) == ((1, 1), "undo")
    assert len(client.get(f"{POSITION}/jumps").json()["jumps"]) == 2
    assert client.get(f"{POSITION}/jumps", params={"limit": 1, "offset": 1}).json()["jumps"] == [jump]
    for entry in (1, 77, 0, 10**12):
        assert client.post(f"{POSITION}/jumps/{entry}/back", json={}).status_code == 404


async def test_a_place_is_told_to_other_devices_with_its_person(client: Client, house: PaperHousehold) -> None:
    told: list[tuple[str, dict[str, Any]]] = []
    house.hub.publish = lambda kind, /, **data: told.append((kind, data))  # type: ignore[method-assign]
    put(client, house, 2, 1, device="phone", counter=1)
    put(client, house, 1, 1, device="phone", counter=1)  # stale: nothing is told
    (event,) = told
    assert event[0] == "position"
    assert event[1].items() >= {"person": "owner", "book": BOOK, "device": "phone", "chapter": 2}.items()
    json.dumps(event[1])


class TestListening:
    DAY = "2026-08-01"

    @pytest.fixture(autouse=True)
    def midday(self, clock: Clock) -> None:
        """Noon by the clock of the machine, wherever it stands."""
        clock.now = datetime(2026, 8, 1, 12).astimezone()

    def heard(self, client: Client) -> float:
        told = client.get("/api/v1/listening", params={"from": self.DAY, "to": self.DAY}).json()
        return float(told["heard_s"])

    def test_by_day_and_book(self, client: Client, house: PaperHousehold, clock: Clock) -> None:
        for counter, day in ((1, 0), (2, 0), (3, 86_400)):
            clock.wait(day + 30)
            at = {"device": "phone", "counter": counter, "reason": "played"}
            put(client, house, 1, counter, heard_s=20.5, **at)
        told = client.get("/api/v1/listening", params={"from": "2026-07-01", "to": "2026-08-02"}).json()
        books = [{"book": BOOK, "title": "The Lamp", "heard_s": 41.0}]
        assert told["days"][0] == {"day": self.DAY, "heard_s": 41.0, "books": books}
        assert told["heard_s"] == 61.5
        assert self.heard(client) == 41.0

    def test_without_being_told_the_audio_between_two_places_counts(
        self, client: Client, house: PaperHousehold, clock: Clock
    ) -> None:
        entries = house.store.chapter(BOOK, 1).sentences
        put(client, house, 1, 1, device="old")
        clock.wait(5)
        put(client, house, 1, 2, device="old")
        word = entries[2].words or ()
        assert self.heard(client) == pytest.approx((entries[1].length_samples) / SAMPLE_RATE)
        assert word

    def test_the_impossible_is_not_believed(self, client: Client, house: PaperHousehold, clock: Clock) -> None:
        at = {"device": "phone", "reason": "played"}
        put(client, house, 1, 1, counter=1, heard_s=80_000, **at)
        assert self.heard(client) == 60  # nobody knows how long it was listening before
        clock.wait(10)
        put(client, house, 1, 2, counter=2, heard_s=80_000, **at)
        assert self.heard(client) == 60 + 4 * (10 + 5)
        put(client, house, 1, 2, counter=2, heard_s=30, **at)
        assert self.heard(client) == 60 + 4 * (10 + 5)

    def test_a_jump_is_not_heard(self, client: Client, house: PaperHousehold, clock: Clock) -> None:
        put(client, house, 1, 1, device="phone")
        clock.wait(5)
        put(client, house, 2, 3, device="phone", reason="jump")
        assert self.heard(client) == 0

    def test_it_stays_when_the_daemon_ends_and_when_the_book_goes(
        self, client: Client, house: PaperHousehold, clock: Clock
    ) -> None:
        put(client, house, 1, 1, device="phone", counter=1, heard_s=12)
        house.places.close()
        assert (house.store.root / "listening" / "owner" / "2026-08.json").is_file()
        house.store.delete_book(BOOK)
        assert self.heard(client) == 12

    @pytest.mark.parametrize(
        "asked", [{"from": "yesterday"}, {"to": "0001-01-01"}, {"from": "2020-01-01", "to": "2026-01-01"}]
    )
    def test_days_that_cannot_be_asked_for(self, client: Client, asked: dict[str, str]) -> None:
        assert client.get("/api/v1/listening", params=asked).status_code == 400

    def test_no_day_backwards(self, client: Client) -> None:
        told = client.get("/api/v1/listening", params={"from": "2026-08-02", "to": "2026-08-01"}).json()
        assert told == {"days": [], "heard_s": 0}
