"""Books put in order by hand: kept beside their audio, heeded by the planner, brought back from the store."""

import contextlib
from pathlib import Path

import pytest

from server.db import Database
from server.errors import Conflict, NotFound, StoreError
from server.library.catalog import Catalog
from server.render.counting import recount
from server.render.eta import Outlook
from server.render.queue import Focus, Listener
from server.rendering import arrange
from server.views import queue_view
from tests.fakes.books import make_book
from tests.unit.render.test_planner import LONG, Bench
from tests.unit.render.test_queue import shelved


@pytest.fixture
def bench(tmp_path: Path) -> Bench:
    return Bench(tmp_path)


def three(bench: Bench, sentences: int = 2) -> list[str]:
    return [
        bench.put(make_book([[f"{LONG} {name} {n}." for n in range(sentences)]], title=name))
        for name in ("One", "Two", "Three")
    ]


def turns(bench: Bench, books: list[str]) -> list[int | None]:
    return [bench.store.choices(book).turn for book in books]


def test_an_order_is_kept_in_the_store_and_the_next_replaces_it(bench: Bench) -> None:
    one, two, three_ = books = three(bench)
    bench.store.change_choices(one, render="ahead")
    arrange(bench.store, bench.catalog, [three_, one])
    assert turns(bench, books) == [2, None, 1]
    assert bench.store.choices(one).render == "ahead"  # what else was chosen stays
    assert bench.catalog.turns() == {three_: 1, one: 2}
    arrange(bench.store, bench.catalog, [two, three_])
    assert (turns(bench, books), bench.catalog.turns()) == ([None, 1, 2], {two: 1, three_: 2})
    arrange(bench.store, bench.catalog, [])
    assert (turns(bench, books), bench.catalog.turns()) == ([None, None, None], {})


def test_an_order_with_a_book_that_is_gone_changes_nothing(bench: Bench) -> None:
    one, two, _ = books = three(bench)
    arrange(bench.store, bench.catalog, [two])
    with pytest.raises(Conflict, match="There is no book 00000000000000ff here any more"):
        arrange(bench.store, bench.catalog, [one, "00000000000000ff"])
    assert (turns(bench, books), bench.catalog.turns()) == ([None, 1, None], {two: 1})


def test_a_book_with_damaged_choices_keeps_nobody_from_ordering_the_others(bench: Bench) -> None:
    one, two, _ = three(bench)
    arrange(bench.store, bench.catalog, [one, two])
    (bench.store.book_folder(one) / "choices.json").write_text("{")
    arrange(bench.store, bench.catalog, [two])
    assert bench.catalog.turns() == {two: 1}
    with pytest.raises(StoreError):
        arrange(bench.store, bench.catalog, [one])


def test_an_order_that_is_cut_short_holds_as_far_as_it_went(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    one, two, three_ = books = three(bench)
    arrange(bench.store, bench.catalog, [one])
    (bench.store.book_folder(two) / "choices.json").write_text("{")
    with pytest.raises(StoreError):
        arrange(bench.store, bench.catalog, [three_, two, one])
    (bench.store.book_folder(two) / "choices.json").unlink()
    assert bench.catalog.turns() == {book: turn for book, turn in zip(books, turns(bench, books), strict=True) if turn}
    assert bench.catalog.turns()[three_] == 1


def test_a_book_that_is_deleted_meanwhile_stays_deleted(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    one, two, _ = three(bench)
    arrange(bench.store, bench.catalog, [two])
    known = bench.catalog.turns

    def meanwhile() -> dict[str, int]:
        told = known()
        for book in (one, two):
            bench.store.delete_book(book)
        return told

    monkeypatch.setattr(bench.catalog, "turns", meanwhile)
    with pytest.raises(Conflict, match=f"There is no book '{one}'. Look at the queue again"):
        arrange(bench.store, bench.catalog, [one])
    monkeypatch.setattr(bench.catalog, "turns", lambda: {two: 1})
    arrange(bench.store, bench.catalog, [])
    for book in (one, two):
        with pytest.raises(NotFound):
            bench.store.change_choices(book, render="sample")
        assert not bench.store.book_folder(book).exists()


def test_a_database_made_anew_has_the_order_and_one_that_was_left_behind_learns_it(bench: Bench) -> None:
    one, two, three_ = three(bench)
    arrange(bench.store, bench.catalog, [three_, one])
    with contextlib.closing(Database(bench.settings.data / "other.db")) as database:
        rebuilt = Catalog(database)
        recount(bench.store, rebuilt)
        assert rebuilt.turns() == {three_: 1, one: 2}
    bench.store.change_choices(two, turn=1)  # as by a crash before the rows were written, or by another program
    bench.store.change_choices(three_, turn=None)
    recount(bench.store, bench.catalog)
    assert bench.catalog.turns() == {two: 1, one: 2}


def test_a_book_that_is_taken_in_again_keeps_its_turn(bench: Bench) -> None:
    one, two, _ = three(bench)
    arrange(bench.store, bench.catalog, [two, one])
    bench.put(make_book([[f"{LONG} Two {n}." for n in range(2)]], title="Two"))
    assert bench.catalog.turns() == {two: 1, one: 2}


async def test_the_planner_heeds_it_with_the_next_pass(bench: Bench) -> None:
    one, two, three_ = three(bench, sentences=6)
    done: list[str] = []
    async with bench.running():
        # Each has begun: what is left comes in order, and nothing is anybody's first sentence.
        await bench.until(lambda: all(bench.rendered(book) for book in (one, two, three_)))
        arrange(bench.store, bench.catalog, [three_, two])
        bench.planner.wake()
        passed = len(bench.seen)
        await bench.until(lambda: bench.planner.state == "idle")
        done += [event.data["book"] for event in bench.seen[passed:] if event.kind == "render.progress"]
    assert all(bench.store.chapter(book, 1).complete for book in (one, two, three_))
    later = done[1:]  # the pass in flight may be of any
    assert later == sorted(later, key=[three_, two, one].index)


def test_the_queue_tells_of_each_book_once_and_when_it_is_done() -> None:
    shelf = [shelved("heard", opened=5), shelved("first", turn=1, waiting=(2, 3)), shelved("usual", off=(1,))]
    for item in shelf:
        for chapter in item.chapters:
            chapter.characters = 1_500
    listeners = [Listener(Focus("heard", 3, "now"))]
    told = queue_view(shelf, listeners, Outlook(1.0), limit=2, total=0, samples=0, by_hand=1)
    books = [(one.book, one.turn, one.listened, one.chapter, one.chapters) for one in told.books]
    assert books == [("heard", None, True, 3, 3), ("first", 1, False, 2, 2), ("usual", None, False, 2, 2)]
    # Who listens has the chapter they are in, then comes the order, then the rest of what they listen to.
    assert [round(one.eta_s or 0) for one in told.books] == [500, 300, 700]
    assert [one.remaining_sentences for one in told.books] == [12, 8, 8]
    assert (len(told.items), told.total, told.by_hand, told.eta_s) == (2, 7, 1, 700.0)
