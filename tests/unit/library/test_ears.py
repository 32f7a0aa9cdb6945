"""The rows of what somebody should listen to are as the store says, and are made again from it."""

from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path

import pytest

from server.db import Database
from server.library.catalog import Catalog
from server.library.ears import EarsTable
from server.render.counting import count_chapter, put_rows, recount
from server.render.ears import accepted, sounds_wrong
from server.render.records import BookRecord
from server.render.store import Store
from tests.fakes import synthetic

AT = datetime(2026, 7, 1, 8, tzinfo=UTC)


@pytest.fixture
def table(tmp_path: Path) -> EarsTable:
    return EarsTable(Database(tmp_path / "lectern.db"))


def test_what_waits_keeps_its_time_and_takes_the_one_it_was_told(table: EarsTable) -> None:
    table.keep("a", {1: {"x-1": ("gate", None)}, 2: {"y-1": ("listener", AT)}})
    first = {row.sentence: row.at for row in table.page(None, oldest=True, limit=9, offset=0)}
    assert first["y-1"].replace(tzinfo=UTC) == AT
    table.keep("a", {1: {"x-1": ("redone", None), "z-1": ("gate", None)}})
    rows = {row.sentence: row for row in table.page("a", oldest=True, limit=9, offset=0)}
    assert rows["x-1"].at == first["x-1"] and rows["x-1"].state == "redone"
    table.keep("a", {1: {}})
    assert [row.sentence for row in table.page(None, oldest=True, limit=9, offset=0)] == ["y-1"]
    assert (table.count(), table.count("a"), table.count("b")) == (1, 1, 0)


def test_pages_are_in_the_order_of_time(table: EarsTable) -> None:
    table.keep("a", {1: {f"s-{n}": ("listener", AT + timedelta(minutes=n)) for n in range(5)}})
    newest = [row.sentence for row in table.page(None, oldest=False, limit=2, offset=0)]
    assert newest == ["s-4", "s-3"]
    assert [row.sentence for row in table.page(None, oldest=True, limit=2, offset=1)] == ["s-1", "s-2"]


class TestRows:
    @pytest.fixture
    def store(self, tmp_path: Path) -> Store:
        return Store(tmp_path / "store")

    @pytest.fixture
    def record(self, store: Store, tmp_path: Path) -> BookRecord:
        record = synthetic.put(store, tmp_path)
        synthetic.render(store, record, 2)
        return record

    def test_they_are_made_again_with_the_database(self, store: Store, record: BookRecord, tmp_path: Path) -> None:
        sentence = store.chapter(record.id, 2).sentences[1].id
        store.change_sentence(record.id, 2, sentence, partial(sounds_wrong, note="It hums.", at=AT))
        for name in ("one.db", "two.db"):
            catalog = Catalog(Database(tmp_path / name))
            recount(store, catalog)
            rows = catalog.ears.page(None, oldest=True, limit=9, offset=0)
            assert [(row.book, row.chapter, row.sentence, row.state) for row in rows] == [
                (record.id, 2, sentence, "listener")
            ]
            assert rows[0].at.replace(tzinfo=UTC) == AT

    def test_they_go_with_what_is_accepted_and_with_the_book(
        self, store: Store, record: BookRecord, tmp_path: Path
    ) -> None:
        catalog = Catalog(Database(tmp_path / "lectern.db"))
        put_rows(store, catalog, record)
        for at in (0, 1):
            sentence = store.chapter(record.id, 2).sentences[at].id
            store.change_sentence(record.id, 2, sentence, partial(sounds_wrong, note=None, at=AT))
        count_chapter(store, catalog, record.id, 2)
        assert catalog.ears.count() == 2
        store.change_sentence(record.id, 2, sentence, accepted)
        count_chapter(store, catalog, record.id, 2)
        assert catalog.ears.count() == 1
        catalog.remove(record.id)
        assert catalog.ears.count() == 0
