"""The shelf asked of the database, against the same asked of its rows one by one."""

import itertools
import random
import sqlite3
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from sqlmodel import select

from server.db import Database
from server.library.catalog import Catalog, Shelved
from server.library.shelf import Shelf, Sort, folded, totals_of
from server.render.queue import Focus, newcomers, order
from server.tables import BookRow, ChapterRow, PlaceRow

DAY = datetime(2026, 1, 1, tzinfo=UTC)


@pytest.fixture
def catalog(tmp_path: Path) -> Catalog:
    return Catalog(Database(tmp_path / "lectern.db"))


def put(catalog: Catalog, name: str, *, title: str = "", author: str = "", series: str = "", day: int = 0) -> None:
    row = BookRow(
        id=name,
        title=title or name,
        voice="v",
        rendition="r",
        added=DAY + timedelta(days=day),
        title_key=folded(title or name),
        author_key=folded(author),
        series_key=folded(series),
        folded=folded(f"{title or name} {author} {series}"),
    )
    catalog.put(row, [ChapterRow(book=name, number=1, title="One", sentences=3, characters=30)])


def test_books_come_in_order_page_by_page_and_are_found_by_words(catalog: Catalog) -> None:
    put(catalog, "a", title="Émile", author="Rousseau, Jean-Jacques", day=1)
    put(catalog, "b", title="Hobbit, The", author="Tolkien, J. R. R.", series="Arda 0001.00", day=3)
    put(catalog, "c", title="emma", author="Austen, Jane", day=2)
    put(catalog, "d", title="100 % Wolf", author="Austen, Jane", series="Arda 0010.00", day=0)
    shelf = Shelf(catalog.database)

    def ids(sort: Sort = "added", query: str = "", limit: int | None = None, offset: int = 0) -> tuple[str, int]:
        found, total = shelf.page(sort, query, limit, offset)
        return "".join(item.book.id for item in found), total

    assert ids() == ("bcad", 4)
    assert ids("title") == ("dacb", 4)
    assert ids("author") == ("cdab", 4)
    assert ids("series") == ("bdac", 4)
    assert ids(limit=2) == ("bc", 4)
    assert ids(limit=2, offset=2) == ("ad", 4)
    assert ids(limit=2, offset=4) == ("", 4)
    assert ids(query="emile") == ("a", 1)
    assert ids(query="JANE  auSt") == ("cd", 2)
    assert ids(query="jane", limit=1, offset=1) == ("d", 2)
    assert ids(query="100 %") == ("d", 1)
    assert ids(query="%") == ("d", 1)
    assert ids(query="_") == ("", 0)
    assert ids(query="tolkien arda") == ("b", 1)
    catalog.set_place(PlaceRow(book="d", chapter=1, sentence="s", updated=DAY))
    assert ids("opened") == ("dbca", 4)


@pytest.mark.parametrize("seed", range(20))
def test_what_the_database_sums_and_orders_is_what_the_rows_say(tmp_path: Path, seed: int) -> None:
    dice = random.Random(seed)
    catalog = Catalog(Database(tmp_path / "lectern.db"))
    for number in range(12):
        put(catalog, f"b{number}", day=number)
        for chapter in range(1, 5):
            rendered, failed = dice.choice([(0, 0), (4, 0), (3, 1), (2, 1)])
            catalog.count(
                ChapterRow(
                    book=f"b{number}",
                    number=chapter,
                    title="",
                    enabled=dice.random() < 0.7,
                    sentences=4,
                    characters=100,
                    rendered=rendered,
                    rendered_characters=25 * rendered,
                    failed=failed,
                    audio_samples=1000 * rendered,
                    audio_bytes=10 * rendered,
                )
            )
        if dice.random() < 0.4:
            place = PlaceRow(
                book=f"b{number}", chapter=dice.randint(1, 4), sentence="s", updated=DAY + timedelta(hours=number)
            )
            catalog.set_place(place)
        if dice.random() < 0.2:
            catalog.pause(f"b{number}")
    shelf = Shelf(catalog.database)
    books = [catalog.book(book) for book in catalog.ids()]
    found, total = shelf.page()
    assert total == 12
    assert {item.book.id: (item.totals, item.place) for item in found} == {
        item.book.id: (totals_of(item.chapters), item.place) for item in books
    }
    samples = sum(chapter.audio_samples for item in books for chapter in item.chapters)
    assert shelf.sums() == (12, samples)
    focus = dice.choice([None, Focus("b3", 2, None), Focus("b5", 1, "s")])
    avoided = dice.sample([item.book.id for item in books], 2)
    rest = [item for item in books if item.book.id not in avoided]
    line = shelf.line(focus.book if focus else None, avoided, 100)
    assert list(order(line, focus)) == list(order(rest, focus))
    first = shelf.line(focus.book if focus else None, avoided, 1)
    assert next(order(first, focus), None) == next(order(rest, focus), None)
    assert _first(shelf.newcomer(avoided)) == next(newcomers(rest), None)
    paused = {item.book.id for item in books if item.book.paused}
    waits = [c for item in books for c in item.chapters if item.book.id not in paused and c.enabled]
    assert shelf.waiting() == sum(c.sentences > c.rendered + c.failed for c in waits)


def _first(shelf: list[Shelved]) -> object:
    return next(itertools.chain(newcomers(shelf)), None)


def test_a_database_of_the_version_before_gets_the_columns_that_came_since(tmp_path: Path) -> None:
    path = tmp_path / "lectern.db"
    with sqlite3.connect(path) as old:
        old.execute(
            "CREATE TABLE book (id VARCHAR PRIMARY KEY, title VARCHAR NOT NULL, authors VARCHAR NOT NULL, "
            "voice VARCHAR NOT NULL, rendition VARCHAR NOT NULL, missing BOOLEAN NOT NULL, sample BOOLEAN NOT NULL, "
            "paused BOOLEAN NOT NULL, added DATETIME NOT NULL, opened DATETIME)"
        )
        old.execute("INSERT INTO book VALUES ('a', 'T', '', 'v', 'r', 0, 1, 0, '2026-01-01 00:00:00', NULL)")
        old.execute("PRAGMA user_version = 1")
    database = Database(path)
    with database.session() as session:
        row = session.exec(select(BookRow)).one()
        assert (row.title, row.sample, row.shown, row.stamp, row.title_key) == ("T", True, "", "", "")
    database.close()
    Database(path).close()  # and once more, with nothing to add
