"""The shelf asked of the database, against the same asked of its rows one by one."""

import random
import sqlite3
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from sqlmodel import select

from server.db import Database
from server.library.catalog import Catalog, Shelved
from server.library.files import FileTable
from server.library.lineup import Lineup
from server.library.policy import WHOLE, Policy, Reach, minutes
from server.library.shelf import Shelf, Show, Sort, folded, totals_of
from server.render.queue import Focus, Listener, newcomers, order
from server.tables import BookRow, ChapterRow, PlaceRow, ReadingRow

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
    catalog.set_reading(ReadingRow(person="owner", book="d", chapter=1, sentence="s", updated=DAY))
    catalog.set_reading(ReadingRow(person="f" * 12, book="a", chapter=1, sentence="s", updated=DAY))
    assert ids("opened") == ("dbca", 4)
    assert [item.book.id for item in shelf.page("opened", limit=2, person="f" * 12)[0]] == ["a", "b"]


def test_books_without_a_file_and_with_several_are_found(catalog: Catalog, tmp_path: Path) -> None:
    files, shelf = FileTable(tmp_path, catalog.database), Shelf(catalog.database)
    for name in ("a", "b", "c"):
        put(catalog, name)
        files.record_book(tmp_path / f"{name}.epub", name, name)
    files.record_book(tmp_path / "more" / "b.epub", "b2", "b")

    def ids(show: Show) -> list[tuple[str, tuple[str, ...]]]:
        found, total = shelf.page("title", show=show)
        assert total == len(found)
        return [(item.book.id, item.copies) for item in found]

    twice = ("b", ("b.epub", "more/b.epub"))
    assert ids("all") == [("a", ()), twice, ("c", ())]
    assert (ids("twice"), ids("missing")) == ([twice], [])
    assert files.forget(["more/b.epub", "c.epub", "unknown.epub"]) == ["b", "c"]
    assert (ids("twice"), ids("missing")) == ([], [("c", ())])


@pytest.mark.parametrize("seed", range(20))
def test_what_the_database_sums_is_what_the_rows_say(tmp_path: Path, seed: int) -> None:
    catalog = Catalog(Database(tmp_path / "lectern.db"))
    furnish(catalog, random.Random(seed))
    shelf = Shelf(catalog.database)
    books = [catalog.book(book) for book in catalog.ids()]
    found, total = shelf.page()
    assert total == 12
    assert {item.book.id: item.totals for item in found} == {item.book.id: totals_of(item.chapters) for item in books}
    samples = sum(chapter.audio_samples for item in books for chapter in item.chapters)
    size = sum(chapter.audio_bytes for item in books for chapter in item.chapters)
    assert shelf.sums() == (12, samples, size)


@pytest.mark.parametrize("seed", range(6))
def test_how_far_everybody_is_and_what_is_shown_for_it(tmp_path: Path, seed: int) -> None:
    dice = random.Random(seed)
    catalog = Catalog(Database(tmp_path / "lectern.db"))
    furnish(catalog, dice)
    shelf = Shelf(catalog.database)
    books = {book: catalog.book(book) for book in catalog.ids()}
    for person in ("owner", "f" * 12):
        places = {}
        for book in dice.sample(sorted(books), 7):
            row = ReadingRow(person=person, book=book, chapter=dice.randint(1, 4), sentence="s", updated=DAY)
            row.ordinal = dice.choice([0, 100, 395, 399])
            catalog.set_reading(row)
            places[book] = row.model_copy()
        shares = {book: share_before(books[book], place) for book, place in places.items()}
        found = {item.book.id: item.progress for item in shelf.page(person=person)[0]}
        assert {book: one.share for book, one in found.items() if one} == pytest.approx(shares)
        one = dice.choice(sorted(books))
        assert shelf.progress(one, person) == found[one]
        ended = {book for book, share in shares.items() if share >= 0.99}
        wanted: dict[Show, set[str]] = {
            "all": set(books),
            "new": set(books) - set(places),
            "finished": ended,
            "begun": set(places) - ended,
            "rendered": {
                book
                for book, item in books.items()
                if all(c.sentences <= c.rendered + c.failed - c.again for c in item.spoken)
            },
        }
        for show, ids in wanted.items():
            page, total = shelf.page(show=show, person=person)
            assert ({item.book.id for item in page}, total) == (ids, len(ids)), show
            assert shelf.page("opened", limit=1, show=show, person=person)[1] == len(ids)


def share_before(item: Shelved, place: ReadingRow) -> float:
    """Sentence by sentence; all of a chapter are as long."""
    before = after = 0.0
    for chapter in item.spoken:
        for ordinal in range(chapter.sentences):
            each = chapter.characters / chapter.sentences
            at = (chapter.number, ordinal)
            before += each if at < (place.chapter, place.ordinal) else 0
            after += each if at > (place.chapter, place.ordinal) else 0
    return before / (before + after) if after else 1.0


@pytest.mark.parametrize("seed", range(60))
def test_what_the_database_puts_in_line_is_what_the_rows_say(tmp_path: Path, seed: int) -> None:
    dice = random.Random(seed)
    catalog = Catalog(Database(tmp_path / "lectern.db"))
    furnish(catalog, dice)
    books = [catalog.book(book) for book in catalog.ids()]
    lineup, reach = Lineup(catalog.database), Reach(policy=dice.choice(POLICIES))
    avoided = dice.sample([item.book.id for item in books], 2)
    rest = [item for item in books if item.book.id not in avoided]
    listeners = [Listener(Focus(book, dice.randint(1, 4), None), dice.choice(LEADS)) for book in dice.choice(HEARD)]
    listened = [one.focus.book for one in listeners]
    listeners = [one for one in listeners if one.focus.book not in avoided]
    line = lineup.line(listened, avoided, 100, reach)
    assert list(order(line, listeners, reach)) == list(order(rest, listeners, reach))
    first = lineup.line(listened, avoided, 1, reach)
    assert next(order(first, listeners, reach), None) == next(order(rest, listeners, reach), None)
    assert _first(lineup.newcomer(avoided, reach), reach) == next(newcomers(rest, reach), None)


@pytest.mark.parametrize("seed", range(20))
def test_how_much_waits_in_all_follows_the_policies(tmp_path: Path, seed: int) -> None:
    dice = random.Random(seed)
    catalog = Catalog(Database(tmp_path / "lectern.db"))
    furnish(catalog, dice)
    reach = Reach(policy=dice.choice(POLICIES))
    books = [catalog.book(book) for book in catalog.ids()]
    every = [chapter for item in books for chapter in item.chapters]
    pace = sum(c.audio_samples for c in every) / sum(c.rendered_characters for c in every)
    chapters, samples = 0, 0.0
    for item in books:
        waits = [c for c in item.spoken if c.sentences > c.rendered + c.failed - c.again]
        left = sum(c.characters - c.rendered_characters for c in waits) * pace
        match reach.of(item.book):
            case "all":
                chapters += len(waits)
            case "ahead":
                left = max(0, min(left, reach.ahead - (item.book.lead or 0)))
                chapters += left > 0
            case "sample":
                left = max(0, min(left, reach.sample - (item.book.opening or 0)))
                chapters += left > 0
            case "paused":
                left = 0
        samples += left
    told = Lineup(catalog.database).waiting(reach)
    assert told[0] == chapters
    assert told[1] == pytest.approx(samples, abs=1)


POLICIES: tuple[Policy, ...] = ("all", "ahead", "sample", "paused")
LEADS = (0, minutes(5), minutes(15), minutes(90), minutes(150), WHOLE)
HEARD: tuple[tuple[str, ...], ...] = ((), ("b3",), ("b5",), ("b3", "b5"))


def furnish(catalog: Catalog, dice: random.Random) -> None:
    """Twelve books in all states that there are; of half of the shelves some are put in order by hand."""
    by_hand = dice.choice([0, 0.4])
    for number in range(12):
        put(catalog, f"b{number}", day=number)
        for chapter in range(1, 5):
            rendered, failed = dice.choice([(0, 0), (400, 0), (300, 100), (200, 100)])
            catalog.count(
                ChapterRow(
                    book=f"b{number}",
                    number=chapter,
                    title="",
                    enabled=dice.random() < 0.7,
                    sentences=400,
                    characters=10_000,
                    rendered=rendered,
                    rendered_characters=25 * rendered,
                    failed=failed,
                    again=dice.choice([0, 0, 0, 2]) if rendered else 0,
                    audio_samples=40_000 * rendered,
                    audio_bytes=10 * rendered,
                )
            )
        if dice.random() < 0.5:
            place = PlaceRow(
                book=f"b{number}", chapter=dice.randint(1, 4), sentence="s", updated=DAY + timedelta(hours=number)
            )
            catalog.set_place(place)
        shelved = catalog.book(f"b{number}")
        at = shelved.place.chapter if shelved.place is not None else 1
        here = [c for c in shelved.chapters if (c.enabled or c.number == at) and c.number >= at]
        catalog.keep_lead(f"b{number}", lead=some_lead(dice, here), opening=some_lead(dice, shelved.spoken[:1]))
        catalog.choose(f"b{number}", dice.choice(["", "", *POLICIES]))
        if dice.random() < 0.2:
            catalog.pause(f"b{number}")
    catalog.put_turns({f"b{number}": dice.randint(1, 4) for number in range(12) if dice.random() < by_hand})


def some_lead(dice: random.Random, chapters: Sequence[ChapterRow]) -> int:
    """Any that may be so."""
    if all(chapter.rendered + chapter.failed == chapter.sentences for chapter in chapters):
        return WHOLE
    return dice.choice(LEADS[:-1])


def _first(shelf: list[Shelved], reach: Reach) -> object:
    return next(newcomers(shelf, reach), None)


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
