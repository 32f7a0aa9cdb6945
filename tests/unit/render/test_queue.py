from collections.abc import Iterable
from datetime import UTC, datetime

from server.library.catalog import Shelved
from server.library.policy import minutes
from server.render.queue import Focus, Listener, Target, newcomers, order
from server.tables import BookRow, ChapterRow, PlaceRow

DAY = [datetime(2026, 1, day, tzinfo=UTC) for day in range(1, 9)]


def shelved(
    name: str,
    *,
    added: int = 1,
    opened: int | None = None,
    waiting: tuple[int, ...] = (1, 2, 3),
    off: tuple[int, ...] = (),
    place: tuple[int, str] | None = None,
    paused: bool = False,
    turn: int | None = None,
) -> Shelved:
    book = BookRow(id=name, title=name, voice="v", rendition="r", added=DAY[added], paused=paused, turn=turn)
    book.opened = None if opened is None else DAY[opened]
    chapters = tuple(
        ChapterRow(
            book=name, number=n, title=str(n), enabled=n not in off, sentences=4, rendered=0 if n in waiting else 4
        )
        for n in (1, 2, 3)
    )
    row = None if place is None else PlaceRow(book=name, chapter=place[0], sentence=place[1])
    return Shelved(book, chapters, row)


def test_books_without_a_listener_come_in_the_order_they_were_added() -> None:
    shelf = [shelved("new", added=2, waiting=(1,)), shelved("old", added=1, waiting=(2,))]
    assert list(order(shelf)) == [Target("old", 2, None), Target("new", 1, None)]


def test_the_book_opened_last_goes_before_the_others() -> None:
    shelf = [shelved("a", opened=3, waiting=(1,)), shelved("b", opened=5, waiting=(1,)), shelved("c", waiting=(1,))]
    assert [target.book for target in order(shelf)] == ["b", "a", "c"]


def test_rendering_goes_from_the_place_forward_then_back_to_what_was_passed_over() -> None:
    shelf = [shelved("a", place=(2, "here"))]
    assert list(order(shelf)) == [Target("a", 2, "here"), Target("a", 3, None), Target("a", 1, None)]


def test_a_jump_wins_over_the_kept_place_and_over_other_books() -> None:
    shelf = [shelved("a", place=(1, "there")), shelved("b", opened=7)]
    assert next(order(shelf, [Listener(Focus("a", 3, "now"))])) == Target("a", 3, "now", urgent=True)


def test_a_chapter_that_is_off_waits_until_somebody_goes_there() -> None:
    shelf = [shelved("a", off=(1,))]
    assert [target.chapter for target in order(shelf)] == [2, 3]
    assert [target.chapter for target in order(shelf, [Listener(Focus("a", 1, None))])] == [1, 2, 3]


def test_given_up_sentences_are_not_waited_for() -> None:
    item = shelved("a", waiting=(1,))
    item.chapters[0].failed = 4
    assert list(order([item])) == []


def test_a_paused_book_is_rendered_only_while_it_is_listened_to() -> None:
    shelf = [shelved("a", paused=True, waiting=(1,))]
    assert list(order(shelf)) == []
    assert list(order(shelf, [Listener(Focus("a", 1, None))])) == [Target("a", 1, None, urgent=True)]


def test_a_book_without_a_sentence_is_a_newcomer_at_its_beginning() -> None:
    shelf = [
        shelved("b", added=2, waiting=(1, 2, 3), off=(1,)),
        shelved("a", added=1, waiting=(1, 2, 3)),
        shelved("begun", waiting=(2, 3)),
        shelved("off", waiting=(1, 2, 3), paused=True),
    ]
    assert list(newcomers(shelf)) == [Target("a", 1, None), Target("b", 2, None)]


def books(targets: Iterable[Target]) -> list[str]:
    return list(dict.fromkeys(target.book for target in targets))


def test_books_put_in_order_by_hand_go_before_all_others_and_each_to_its_end() -> None:
    shelf = [
        shelved("new", added=3),
        shelved("begun", opened=5),
        shelved("second", added=2, turn=2),
        shelved("first", added=4, turn=1, place=(2, "here")),
        shelved("old", added=1),
    ]
    told = list(order(shelf))
    assert books(told) == ["first", "second", "begun", "old", "new"]
    assert told[:3] == [Target("first", 2, "here"), Target("first", 3, None), Target("first", 1, None)]
    assert list(order(list(reversed(shelf)))) == told  # whatever order the shelf is in


def test_of_two_with_the_same_turn_the_usual_order_decides() -> None:
    shelf = [shelved("b", turn=1, added=1), shelved("a", turn=1, added=2), shelved("c", turn=1, opened=3)]
    assert books(order(shelf)) == ["c", "b", "a"]


def test_who_listens_has_ten_minutes_before_the_order_and_hours_after_it() -> None:
    shelf = [shelved("heard", opened=5), shelved("first", turn=1), shelved("begun", opened=6)]
    short = [Listener(Focus("heard", 2, "now"), minutes(9))]
    assert books(order(shelf, short)) == ["heard", "first", "begun"]
    supplied = [Listener(Focus("heard", 2, "now"), minutes(11), fresh=True)]
    assert books(order(shelf, supplied)) == ["first", "heard", "begun"]
    assert next(order(shelf, [Listener(Focus("first", 3, "now"), 0)])) == Target("first", 3, "now", urgent=True)


def test_a_turn_makes_nothing_of_a_paused_or_a_finished_book() -> None:
    shelf = [shelved("paused", turn=1, paused=True), shelved("done", turn=2, waiting=()), shelved("usual")]
    assert books(order(shelf)) == ["usual"]
    assert books(newcomers(shelf)) == ["usual"]


def test_newcomers_begin_in_the_order_by_hand() -> None:
    shelf = [shelved("a", added=1), shelved("b", added=2, turn=2), shelved("c", added=3, turn=1)]
    assert books(newcomers(shelf)) == ["c", "b", "a"]
