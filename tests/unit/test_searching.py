"""The index follows the store, whatever comes, goes, or is damaged."""

import asyncio
import contextlib
import sqlite3
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest

from server.errors import StoreError
from server.events import Hub
from server.library.search import Search
from server.render.store import Store
from server.searching import Indexer
from tests.fakes.books import make_book
from tests.fakes.synth import ENGINE


class House:
    def __init__(self, data: Path) -> None:
        self.data = data
        self.store = Store(data / "store")
        self.search = Search(data / "search.db")
        self.hub = Hub()
        self.indexer = Indexer(self.store, self.search, self.hub)

    def put(self, title: str, *sentences: str) -> str:
        book = make_book([list(sentences)], title=title)
        self.store.put_book(
            book,
            source=Path(__file__),
            voice="af_heart",
            engine=ENGINE,
            bitrate=48_000,
            added=datetime(2026, 1, 2, tzinfo=UTC),
        )
        return book.id

    def finds(self, query: str) -> int:
        return self.search.find(query).total


@pytest.fixture
def house(tmp_path: Path) -> House:
    return House(tmp_path)


def test_what_is_in_the_store_is_found_and_what_went_is_not(house: House) -> None:
    lamp = house.put("Lamps", "The lamp went out.", "It was dark.")
    house.put("Rain", "It rained on the lamp.")
    house.indexer.reconcile()
    assert house.finds("lamp") == 2
    (hit,) = house.search.find("rained").hits
    assert house.store.chapter(hit.book, hit.chapter).sentences[0].id == hit.sentence
    house.store.delete_book(lamp)
    house.indexer.reconcile()
    assert house.finds("lamp") == 1


def test_a_damaged_book_keeps_no_other_out(house: House) -> None:
    bad = house.put("A damaged one", "The lamp went out.")
    house.put("Rain", "It rained.")
    house.store.chapter_path(bad, 1).write_bytes(b"no json")
    house.indexer.reconcile()
    assert house.finds("lamp") == 0 and house.finds("rained") == 1
    assert bad not in house.search.books()


def test_another_edition_takes_the_place_of_the_one_before(house: House) -> None:
    book = house.put("Lamps", "The lamp went out.")
    house.put("Rain", "It rained.")
    house.indexer.reconcile()
    record = house.store.book(book)
    renewed = replace(make_book([["The lantern went out."]], title="Lamps"), id=book)
    house.store.put_book(
        renewed, source=Path(__file__), voice="af_heart", engine=ENGINE, bitrate=48_000, added=record.added
    )
    house.indexer.reconcile(set())
    assert house.finds("lamp") == 1  # nobody told of it
    house.indexer.reconcile({book})
    assert (house.finds("lamp"), house.finds("lantern"), house.finds("rained")) == (0, 1, 1)


async def test_it_follows_what_is_told(house: House) -> None:
    running = asyncio.create_task(house.indexer.run())
    try:
        await asyncio.sleep(0.1)
        book = house.put("Lamps", "The lamp went out.")
        async with asyncio.timeout(20):
            while not house.finds("lamp"):
                house.hub.publish("book.added", id=book)
                await asyncio.sleep(0.05)
            house.store.delete_book(book)
            while house.finds("lamp"):
                house.hub.publish("book.removed", id=book)
                await asyncio.sleep(0.05)
    finally:
        running.cancel()
        await asyncio.gather(running, return_exceptions=True)


async def test_an_index_that_is_damaged_while_it_is_used_is_filled_anew_by_itself(house: House) -> None:
    house.put("Lamps", *(f"The lamp of night {at} went out." for at in range(300)))
    house.indexer.reconcile()
    running = asyncio.create_task(house.indexer.run())
    try:
        await asyncio.sleep(0.1)
        with contextlib.closing(sqlite3.connect(house.data / "search.db")) as other:
            other.execute("DROP TABLE passage_data")
            other.commit()
        with pytest.raises(StoreError):
            house.finds("lamp")
        async with asyncio.timeout(20):
            while house.finds("lamp") != 300:
                await asyncio.sleep(0.05)
    finally:
        running.cancel()
        await asyncio.gather(running, return_exceptions=True)
