"""Full text: what is found, where, in which order, and that no query is anything but a search."""

import functools
import sqlite3
import tempfile
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from server.errors import StoreError
from server.library.search import Passage, Search, match_expression

EMMA, DORIAN = "e" * 16, "d" * 16


@pytest.fixture
def index(tmp_path: Path) -> Search:
    made = Search(tmp_path / "search.db")
    made.put(
        EMMA,
        [
            Passage(1, "a-1", "The lamp went out in the café."),
            Passage(1, "b-1", "“Don’t,” she said; the lamplight was gone."),
            Passage(2, "c-1", "Nobody lit the other lamp, and the lamp stayed cold."),
        ],
    )
    made.put(DORIAN, [Passage(3, "a-1", "Rain fell on the Straße; a cafe shut.")])
    return made


def found(index: Search, query: str, **options: object) -> list[tuple[str, str]]:
    hits, total = index.find(query, **options)  # type: ignore[arg-type]
    assert total >= len(hits)
    return sorted((hit.book[0], hit.sentence) for hit in hits)


def test_every_word_must_be_there_and_the_last_may_go_on(index: Search) -> None:
    assert found(index, "lamp ") == [("e", "a-1"), ("e", "c-1")]
    assert found(index, "lamp") == [("e", "a-1"), ("e", "b-1"), ("e", "c-1")]
    assert found(index, "lamp cold") == [("e", "c-1")]
    assert found(index, "lamp rain") == []


def test_words_in_quotes_stand_beside_each_other(index: Search) -> None:
    assert found(index, '"the lamp"') == [("e", "a-1"), ("e", "c-1")]
    assert found(index, "“other lamp”") == [("e", "c-1")]
    assert found(index, '"lamp other"') == []
    assert found(index, '"the lamp') == [("e", "a-1"), ("e", "c-1")]


def test_case_accents_and_the_kind_of_apostrophe_do_not_count(index: Search) -> None:
    assert found(index, "CAFE ") == found(index, "café ") == [("d", "a-1"), ("e", "a-1")]
    assert found(index, "don't") == found(index, "don’t ") == [("e", "b-1")]


def test_one_book_may_be_searched_and_pages_turned(index: Search) -> None:
    assert found(index, "cafe ", book=DORIAN) == [("d", "a-1")]
    first, total = index.find("lamp", limit=2)
    rest, _ = index.find("lamp", limit=2, offset=2)
    assert total == 3 and len(first) == 2 and len(rest) == 1
    assert len({hit.sentence for hit in [*first, *rest]}) == 3


def test_marks_lie_on_what_was_found(index: Search) -> None:
    (hit,), _ = index.find("lamp cold")
    assert [hit.text[start:end] for start, end in hit.marks] == ["lamp", "lamp", "cold"]
    (hit,), _ = index.find('"the café"')
    assert [hit.text[start:end] for start, end in hit.marks] == ["the café"]


def test_a_book_is_replaced_and_taken_out(index: Search) -> None:
    index.put(EMMA, [Passage(1, "z-1", "A candle burned.")])
    assert found(index, "lamp") == [] and found(index, "candle") == [("e", "z-1")]
    index.remove(EMMA)
    assert found(index, "candle") == [] and set(index.books()) == {DORIAN}
    index.remove(EMMA)


def test_what_breaks_off_leaves_the_book_as_it_was(index: Search) -> None:
    def broken() -> object:
        yield Passage(1, "z-1", "A candle burned.")
        raise RuntimeError

    with pytest.raises(RuntimeError):
        index.put(EMMA, broken())  # type: ignore[arg-type]
    assert found(index, "lamp cold") == [("e", "c-1")] and set(index.books()) == {EMMA, DORIAN}


@pytest.mark.parametrize("query", ["", " ", "!!", '""', "“”", "*", "-", "^", "( )", "\x00", "NEAR/", "' OR 1=1 --"])
def test_a_query_is_never_a_command(index: Search, query: str) -> None:
    hits, total = index.find(query)
    assert (hits, total) == ([], 0) or "1" in query


@pytest.mark.parametrize(
    "query", ["text:lamp", "lamp NOT cold", "lamp AND", "(lamp", "lamp^2", "book : e", 'lamp" OR "rain']
)
def test_operators_are_words_like_others(index: Search, query: str) -> None:
    index.find(query)
    assert found(index, "lamp NOT cold") == []


@given(st.text(max_size=300))
@settings(max_examples=300, deadline=None)
def test_any_text_is_a_safe_query(query: str) -> None:
    assert isinstance(_shared().find(query)[1], int)
    expression = match_expression(query)
    assert expression is None or expression.count('"') % 2 == 0


@functools.cache
def _shared() -> Search:
    made = Search(Path(tempfile.mkdtemp()) / "search.db")
    made.put(EMMA, [Passage(1, "a-1", "The lamp went out.")])
    return made


def test_a_damaged_or_newer_index_is_made_anew(tmp_path: Path) -> None:
    path = tmp_path / "search.db"
    path.write_bytes(b"this is no database, however long it may be" * 100)
    assert Search(path).books() == {}
    with sqlite3.connect(tmp_path / "newer.db") as connection:
        connection.execute("PRAGMA user_version = 99")
    assert Search(tmp_path / "newer.db").books() == {}


def test_an_index_that_cannot_be_used_says_so(index: Search) -> None:
    index.close()
    with pytest.raises(StoreError, match="cannot be used just now"):
        index.find("lamp")
