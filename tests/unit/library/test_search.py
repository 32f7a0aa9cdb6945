"""Full text: what is found, where, in which order, and that no query is anything but a search."""

import contextlib
import functools
import sqlite3
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from server.errors import StoreError
from server.library import search
from server.library.query import match_expression
from server.library.search import Passage, Search

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
    told = index.find(query, **options)  # type: ignore[arg-type]
    assert told.total >= len(told.hits)
    return sorted((hit.book[0], hit.sentence) for hit in told.hits)


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
    first, rest = index.find("lamp", limit=2), index.find("lamp", limit=2, offset=2)
    assert first.total == 3 and len(first.hits) == 2 and len(rest.hits) == 1
    assert len({hit.sentence for hit in [*first.hits, *rest.hits]}) == 3


def test_marks_lie_on_what_was_found(index: Search) -> None:
    (hit,) = index.find("lamp cold").hits
    assert [hit.text[start:end] for start, end in hit.marks] == ["lamp", "lamp", "cold"]
    (hit,) = index.find('"the café"').hits
    assert [hit.text[start:end] for start, end in hit.marks] == ["the café"]


def test_a_book_is_replaced_and_taken_out(index: Search) -> None:
    index.put(EMMA, [Passage(1, "z-1", "A candle burned.")])
    assert found(index, "lamp") == [] and found(index, "candle") == [("e", "z-1")]
    index.remove(EMMA)
    assert found(index, "candle") == [] and set(index.books()) == {DORIAN}
    index.remove(EMMA)


@pytest.mark.parametrize(
    ("text", "query", "marked"),
    [
        ("彼は古いランプを見た。", "ランプ", ["ランプ"]),
        ("彼は古いランプを見た。", "ンプ", ["ンプ"]),
        ("他看见了一盏旧灯。", "旧灯", ["旧灯"]),
        ("他看见了一盏旧灯。", "灯旧", None),
        ("他在2024年买了灯", "年", ["年"]),
        ("He said 灯 and lamp.", "灯 lamp", ["灯", "lamp"]),
        ("A lamp, that is all", "a", ["A"]),  # one letter is a word: it would begin too much
        ("that is all", "a", None),
    ],
)
def test_scripts_without_spaces_are_searched_by_character(
    tmp_path: Path, text: str, query: str, marked: list[str] | None
) -> None:
    made = Search(tmp_path / "search.db")
    made.put(EMMA, [Passage(1, "a-1", text)])
    hits = made.find(query).hits
    assert [hit.text for hit in hits] == ([] if marked is None else [text])
    assert [text[start:end] for hit in hits for start, end in hit.marks] == (marked or [])


def test_a_book_among_others_is_found_alone_and_goes_alone(tmp_path: Path) -> None:
    made = Search(tmp_path / "search.db")
    names = [f"{number:016x}" for number in range(5)]
    for name in [*names, names[1], names[4]]:  # two of them anew: their place is another one then
        made.put(name, [Passage(1, f"{name}-{at}", f"A lamp of {name}.") for at in range(3)])
    made.put("f" * 16, [])  # a book without a sentence
    made.remove(names[2])
    for name in names:
        told = made.find("lamp", book=name)
        assert {hit.book for hit in told.hits} == ({name} if name != names[2] else set())
        assert told.total == (3 if name != names[2] else 0)
    assert made.find("lamp").total == 12 and made.find("lamp", book="f" * 16).total == 0


def test_in_one_book_passages_come_in_reading_order(tmp_path: Path) -> None:
    made = Search(tmp_path / "search.db")
    made.put(EMMA, [Passage(1, "a-1", "A lamp stood among very many other things."), Passage(2, "b-1", "Lamp, lamp.")])
    assert [hit.sentence for hit in made.find("lamp").hits] == ["b-1", "a-1"]
    assert [hit.sentence for hit in made.find("lamp", book=EMMA).hits] == ["a-1", "b-1"]


def test_more_than_anybody_reads_comes_in_reading_order_and_uncounted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(search, "COUNTED", 10)
    made = Search(tmp_path / "search.db")
    made.put(EMMA, [Passage(1, f"{at}-1", "lamp " * (1 + at % 7)) for at in range(11)])
    told = made.find("lamp", limit=3, offset=2)
    assert (told.total, told.more, [hit.sentence for hit in told.hits]) == (10, True, ["2-1", "3-1", "4-1"])
    made.put(EMMA, [Passage(1, f"{at}-1", "lamp " * (1 + at % 7)) for at in range(10)])
    assert (made.find("lamp").total, made.find("lamp").more) == (10, False)


def test_who_looks_does_not_wait_for_a_book_that_is_put_in(index: Search) -> None:
    seen: list[int] = []

    def slow() -> Iterator[Passage]:
        yield Passage(1, "y-1", "One more lamp.")
        seen.append(index.find("lamp").total)  # in the middle of it, from anywhere
        yield Passage(1, "z-1", "And a lamp.")

    index.put("f" * 16, slow())
    assert seen == [3] and index.find("lamp").total == 5


def test_what_breaks_off_leaves_the_book_as_it_was(index: Search) -> None:
    def broken() -> object:
        yield Passage(1, "z-1", "A candle burned.")
        raise RuntimeError

    with pytest.raises(RuntimeError):
        index.put(EMMA, broken())  # type: ignore[arg-type]
    assert found(index, "lamp cold") == [("e", "c-1")] and set(index.books()) == {EMMA, DORIAN}


@pytest.mark.parametrize("query", ["", " ", "!!", '""', "“”", "*", "-", "^", "( )", "\x00", "NEAR/", "' OR 1=1 --"])
def test_a_query_is_never_a_command(index: Search, query: str) -> None:
    told = index.find(query)
    assert (told.hits, told.total) == ([], 0) or "1" in query


@pytest.mark.parametrize(
    "query", ["text:lamp", "lamp NOT cold", "lamp AND", "(lamp", "lamp^2", "book : e", 'lamp" OR "rain']
)
def test_operators_are_words_like_others(index: Search, query: str) -> None:
    index.find(query)
    assert found(index, "lamp NOT cold") == []


@given(st.text(max_size=300))
@settings(max_examples=300, deadline=None)
def test_any_text_is_a_safe_query(query: str) -> None:
    assert isinstance(_shared().find(query).total, int)
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


def test_damage_that_is_found_later_costs_one_search_and_not_the_index(tmp_path: Path) -> None:
    path = tmp_path / "search.db"
    made = Search(path)
    made.put(EMMA, (Passage(1, f"{at}-1", f"word{at} lamp and {at * 7}") for at in range(4_000)))
    made.close()
    data = bytearray(path.read_bytes())
    for page in range(len(data) // 8192 * 4096, len(data), 4096):
        data[page : page + 4096] = b"\xff" * 4096
    path.write_bytes(data)
    made = Search(path)
    assert set(made.books()) == {EMMA}
    told: list[bool] = []
    made.on_damage = lambda: told.append(True)
    with pytest.raises(StoreError, match="cannot be used just now"):
        for at in range(0, 4_000, 100):
            made.find(f"word{at}")
    assert told == [True] and made.books() == {}
    made.put(EMMA, [Passage(1, "a-1", "The lamp went out.")])
    assert made.find("lamp").total == 1
    made.close()
    assert Search(path).find("lamp").total == 1


def test_a_full_disk_or_a_lock_is_no_damage(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(search, "_BUSY_S", 0.05)
    made = Search(tmp_path / "search.db")
    made.put(EMMA, [Passage(1, "a-1", "The lamp went out.")])
    with contextlib.closing(sqlite3.connect(tmp_path / "search.db", isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        with pytest.raises(StoreError, match="locked"):
            made.remove(EMMA)
    assert made.find("lamp").total == 1


@pytest.mark.parametrize(
    ("query", "marked"),
    [
        ("nai\u0308ve cafe\u0301", ["naïve", "café"]),  # as some systems write accents
        ("नमस्ते", ["नमस्ते"]), ("नमस्", ["नमस्"]), ("सतम", []),  # letters with their marks are one word
        ("e-mail", ["e-mail"]), ("mail-e", []), ("lamp🏮", ["lamp"]), ("🏮 lamp", ["lamp"]), ("lamp\ud83d", ["lamp"]),
        ("l_amp", []), ("c++", ["C"]), ("don’t", ["don't"]), ("don't", ["don't"]),
    ],
)  # fmt: skip
def test_a_word_is_what_the_text_has_whatever_stands_in_and_around_it(
    tmp_path: Path, query: str, marked: list[str]
) -> None:
    made = Search(tmp_path / "search.db")
    for at, text in enumerate(("A naïve café, an e-mail, a lamp; C++. I don't.", "नमस्ते दुनिया", "म स त न")):
        made.put(f"{at:016x}", [Passage(1, "a-1", text)])
    assert [hit.text[start:end] for hit in made.find(query).hits for start, end in hit.marks] == marked


def test_an_index_that_cannot_be_used_says_so(index: Search) -> None:
    index.close()
    with pytest.raises(StoreError, match="cannot be used just now"):
        index.find("lamp")
