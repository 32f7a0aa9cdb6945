"""When and how much is rendered: the household's rules, and what is chosen for a book."""

import asyncio
from typing import Any

import pytest
from litestar import Litestar
from litestar.testing import AsyncTestClient, TestClient

from tests.contract.conftest import BOOK
from tests.contract.household import PaperHousehold

Client = TestClient[Litestar]
URL = "/api/v1/rendering"
BOOK_URL = f"/api/v1/books/{BOOK}"
FIELDS = ("paused", "quiet", "battery", "low_power", "share", "ahead_minutes", "render", "cap_bytes")
NIGHT = {"start": "22:00", "end": "07:00"}


def rules(client: Client, **changed: Any) -> dict[str, Any]:
    told = client.get(URL).json()
    return {name: told[name] for name in FIELDS} | changed


def test_the_usual_rules_are_there_before_anybody_changes_them(client: Client) -> None:
    answer = client.get(URL)
    assert answer.json() == {
        "paused": False,
        "quiet": [],
        "battery": "listening",
        "low_power": "listening",
        "share": 100,
        "ahead_minutes": 120,
        "render": "all",
        "cap_bytes": None,
        "warning": None,
        "power": {"battery": None, "low_power": False},
        "audio_bytes": 0,
    }
    assert answer.headers["etag"] == '"none"'


def test_rules_are_changed_and_kept_in_the_store(client: Client, house: PaperHousehold) -> None:
    tag = client.get(URL).headers["etag"]
    body = rules(client, paused=True, quiet=[NIGHT], share=50, cap_bytes=5_000_000_000, render="sample")
    answer = client.put(URL, json=body, headers={"If-Match": tag})
    assert answer.status_code == 200 and rules(client) == body
    assert answer.headers["etag"] == client.get(URL).headers["etag"] != tag
    kept = (house.store.root / "household.json").read_text()
    assert '"share":50' in kept and '"start":"22:00"' in kept
    assert client.put(URL, json=rules(client, cap_bytes=None), headers={"If-Match": "*"}).json()["cap_bytes"] is None


def test_of_two_who_change_them_the_second_is_told(client: Client) -> None:
    tag = client.get(URL).headers["etag"]
    assert client.put(URL, json=rules(client, share=50), headers={"If-Match": tag}).status_code == 200
    late = client.put(URL, json=rules(client, share=25), headers={"If-Match": tag})
    assert (late.status_code, late.json()["code"]) == (412, "precondition-failed")
    without = client.put(URL, json=rules(client, share=25))
    assert (without.status_code, without.json()["code"]) == (428, "precondition-required")
    assert client.get(URL).json()["share"] == 50


@pytest.mark.parametrize(
    ("changed", "where"),
    [
        ({"share": 10}, "share"),
        ({"share": 101}, "share"),
        ({"ahead_minutes": 5}, "ahead_minutes"),
        ({"battery": "maybe"}, "battery"),
        ({"render": "some"}, "render"),
        ({"cap_bytes": -1}, "cap_bytes"),
        ({"quiet": [{"start": "22:00"}]}, "quiet"),
        ({"quiet": [{"start": "25:00", "end": "07:00"}]}, "quiet"),
        ({"quiet": [{"start": "07:00", "end": "07:00"}]}, "quiet"),
        ({"quiet": [NIGHT] * 21}, "quiet"),
        ({"colour": "red"}, "colour"),
    ],
)
def test_rules_that_are_none_are_refused_by_name(client: Client, changed: dict[str, Any], where: str) -> None:
    answer = client.put(URL, json=rules(client, **changed), headers={"If-Match": "*"})
    assert answer.status_code == 400
    assert answer.json()["errors"][0]["where"].startswith(where)
    assert client.get(URL).headers["etag"] == '"none"'


def test_a_damaged_file_is_told_and_can_be_written_over(client: Client, house: PaperHousehold) -> None:
    (house.store.root / "household.json").write_text("{")
    told = client.get(URL)
    assert told.status_code == 200 and "household.json" in told.json()["warning"]
    answer = client.put(URL, json=rules(client, share=50), headers={"If-Match": told.headers["etag"]})
    assert (answer.json()["share"], answer.json()["warning"]) == (50, None)


def test_how_much_of_a_book_is_rendered_is_chosen(client: Client, house: PaperHousehold) -> None:
    assert [client.get(BOOK_URL).json()[name] for name in ("render", "render_chosen")] == ["all", False]
    for render in ("ahead", "sample", "paused", "all"):
        told = client.patch(BOOK_URL, json={"render": render}).json()
        assert (told["render"], told["render_chosen"]) == (render, True)
    assert house.store.choices(BOOK).render == "all"
    assert client.patch(BOOK_URL, json={"render": "house"}).json()["render_chosen"] is False
    assert house.store.choices(BOOK).render is None
    refused = client.patch(BOOK_URL, json={"render": "half"})
    assert (refused.status_code, refused.json()["errors"][0]["where"][:6]) == (400, "render")
    assert client.patch("/api/v1/books/00000000000000ff", json={"render": "all"}).status_code == 404


async def test_a_change_is_published(house: PaperHousehold, app: Litestar) -> None:
    events = house.hub.subscribe()
    waiting = asyncio.ensure_future(anext(events))
    await asyncio.sleep(0)
    async with AsyncTestClient(app, base_url="http://127.0.0.1:8484") as client:
        body = (await client.get(URL)).json()
        await client.put(URL, json={name: body[name] for name in FIELDS}, headers={"If-Match": "*"})
    assert (await asyncio.wait_for(waiting, 5)).kind == "rules.changed"
