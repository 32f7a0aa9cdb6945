"""Books put in order by hand, to be rendered first."""

import asyncio
from typing import Any

import pytest
from litestar import Litestar
from litestar.testing import AsyncTestClient, TestClient

from tests.contract.conftest import BASE, BOOK
from tests.contract.household import PaperHousehold, make_book

Client = TestClient[Litestar]
URL = "/api/v1/queue"
OTHER = "00000000000000aa"


@pytest.fixture
def two(house: PaperHousehold) -> PaperHousehold:
    """A house with a second book."""
    (source := house.settings.data / "other.epub").write_bytes(b"PK other")
    house.add(make_book(OTHER), source)
    return house


def test_an_order_is_put_kept_and_taken_back(client: Client, two: PaperHousehold) -> None:
    assert client.get(URL).json()["by_hand"] == 0
    told = client.put(URL, json={"books": [BOOK, OTHER]})
    assert told.status_code == 200 and told.json() == client.get(URL).json()
    assert [(book["book"], book["turn"]) for book in told.json()["books"]] == [(BOOK, 1), (OTHER, 2)]
    assert (told.json()["by_hand"], two.store.choices(OTHER).turn) == (2, 2)
    told = client.put(URL, json={"books": [OTHER]})
    assert [(book["book"], book["turn"]) for book in told.json()["books"]] == [(OTHER, 1), (BOOK, None)]
    assert client.put(URL, json={"books": []}).json()["by_hand"] == 0
    assert two.store.choices(OTHER).turn is None


def test_a_book_that_is_gone_is_a_conflict_and_nothing_changes(client: Client, two: PaperHousehold) -> None:
    client.put(URL, json={"books": [OTHER]})
    late = client.put(URL, json={"books": [BOOK, "f" * 16]})
    assert (late.status_code, late.json()["code"]) == (409, "conflict")
    assert "f" * 16 in late.json()["detail"]
    assert (two.store.choices(OTHER).turn, two.store.choices(BOOK).turn) == (1, None)


@pytest.mark.parametrize(
    ("body", "where"),
    [
        ({"books": [BOOK, BOOK]}, "books"),
        ({"books": [1]}, "books"),
        ({"books": ["a"] * 201}, "books"),
        ({"books": [], "first": BOOK}, "first"),
        ({}, "books"),
    ],
)
def test_an_order_that_is_none_is_refused_by_name(client: Client, body: dict[str, Any], where: str) -> None:
    answer = client.put(URL, json=body)
    assert (answer.status_code, answer.json()["code"]) == (400, "bad-request")
    assert answer.json()["errors"][0]["where"].startswith(where)


async def test_open_dashboards_are_told(app: Litestar, two: PaperHousehold) -> None:
    events = two.hub.subscribe()
    waiting = asyncio.ensure_future(anext(events))
    await asyncio.sleep(0)
    async with AsyncTestClient(app, base_url=BASE) as client:
        await client.put(URL, json={"books": [OTHER]})
    told = await asyncio.wait_for(waiting, 5)
    assert (told.kind, told.data) == ("queue.changed", {"books": [OTHER]})
