"""The queue over simulated shelves: rendered pass by pass to the end, while people open books, listen and jump."""

import random
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta

import pytest

from server.library.catalog import Shelved
from server.library.policy import WHOLE, Policy, Reach, minutes
from server.render.queue import Focus, Listener, Target, newcomers, order, pick
from server.tables import BookRow, ChapterRow, PlaceRow

DAY = datetime(2026, 1, 1, tzinfo=UTC)
SENTENCE = minutes(1)  # of audio
POLICIES: tuple[Policy, ...] = ("all", "ahead", "sample", "paused")
REACH = Reach(start=minutes(4), long=minutes(12), ahead=minutes(8), sample=minutes(3))


@dataclass
class Book:
    """A book as its chapters' sentences: whether each is rendered."""

    row: BookRow
    chapters: list[list[bool]]
    place: tuple[int, int] | None = None  # chapter from 1, sentence from 0
    history: list[tuple[int, int]] = field(default_factory=list)

    def lead(self, at: tuple[int, int] | None) -> int:
        number, sentence = at or (1, 0)
        ready = 0
        for index, chapter in enumerate(self.chapters[number - 1 :], number):
            for there in chapter[sentence if index == number else 0 :]:
                if not there:
                    return ready
                ready += SENTENCE
        return WHOLE

    def shelved(self) -> Shelved:
        self.row.lead = self.lead(self.place)
        first = self.chapters[0]
        self.row.opening = WHOLE if all(first) else first.index(False) * SENTENCE
        rows = [
            ChapterRow(
                book=self.row.id,
                number=number,
                title="",
                sentences=len(chapter),
                rendered=sum(chapter),
                characters=900 * len(chapter),
                rendered_characters=900 * sum(chapter),
                audio_samples=SENTENCE * sum(chapter),
            )
            for number, chapter in enumerate(self.chapters, 1)
        ]
        place = None
        if self.place is not None:
            place = PlaceRow(book=self.row.id, chapter=self.place[0], sentence=str(self.place[1]))
        return Shelved(self.row, tuple(rows), place)


@dataclass
class House:
    """Renders what the queue says, a sentence a pass, as the planner does."""

    books: dict[str, Book]
    listeners: dict[str, tuple[int, int]] = field(default_factory=dict)
    reach: Reach = REACH
    greeted: bool = False

    def heard(self) -> list[Listener]:
        return [
            Listener(Focus(book, at[0], str(at[1])), self.books[book].lead(at)) for book, at in self.listeners.items()
        ]

    def targets(self) -> list[Target]:
        return list(order([book.shelved() for book in self.books.values()], self.heard(), self.reach))

    def step(self) -> tuple[str, int, int] | None:
        """Render one sentence; which, or None where nothing is left to do."""
        begin = None
        if not self.greeted:
            begin = next(newcomers([book.shelved() for book in self.books.values()], self.reach), None)
        self.greeted = begin is not None
        target = begin or pick(self.targets(), lambda target: False in self.rest(target))
        if target is None:
            return None
        chapter = self.books[target.book].chapters[target.chapter - 1]
        found = len(chapter) - len(self.rest(target)) + self.rest(target).index(False)
        chapter[found] = True
        self.books[target.book].history.append((target.chapter, found))
        return target.book, target.chapter, found

    def rest(self, target: Target) -> list[bool]:
        """A chapter from a target's start on."""
        return self.books[target.book].chapters[target.chapter - 1][int(target.start or 0) :]

    def open(self, name: str, place: tuple[int, int], at: datetime) -> None:
        book = self.books[name]
        book.place, book.row.opened, book.row.paused = place, at, False


def furnish(dice: random.Random) -> House:
    books = {}
    for number in range(dice.randint(2, 4)):
        name = f"b{number}"
        row = BookRow(id=name, title=name, voice="v", rendition="r", added=DAY + timedelta(days=number))
        row.render = dice.choice(["", "", *POLICIES])
        row.paused = dice.random() < 0.1
        chapters = [[dice.random() < 0.2 for _ in range(dice.randint(1, 12))] for _ in range(dice.randint(1, 3))]
        books[name] = Book(row, chapters if dice.random() < 0.6 else [[False] * len(one) for one in chapters])
    return House(books)


def wanted(house: House, book: Book) -> bool:
    """Is anything missing that the policy of a book asks for?"""
    match house.reach.of(book.row):
        case "all":
            return not all(all(chapter) for chapter in book.chapters)
        case "ahead":
            return book.lead(book.place) < house.reach.ahead
        case "sample":
            first = book.chapters[0]
            sampled = all(first) or first.index(False) * SENTENCE >= house.reach.sample
            return not sampled or (book.row.opened is not None and book.lead(book.place) < house.reach.start)
        case "paused":
            return False


@pytest.mark.parametrize("seed", range(40))
def test_all_that_is_asked_for_is_rendered_and_nothing_else(seed: int) -> None:
    dice = random.Random(seed)
    house = furnish(dice)
    for name, book in house.books.items():
        if dice.random() < 0.5:
            chapter = dice.randint(1, len(book.chapters))
            house.open(name, (chapter, dice.randrange(len(book.chapters[chapter - 1]))), DAY + timedelta(hours=seed))
    most = sum(len(chapter) for book in house.books.values() for chapter in book.chapters) + 1
    for _ in range(most):
        asked = {name for name, book in house.books.items() if wanted(house, book)}
        done = house.step()
        if done is None:
            assert not asked  # nobody starves
            return
        assert done[0] in asked  # nothing is rendered that nobody asked for: nothing of a paused book
    raise AssertionError("it does not end")


@pytest.mark.parametrize("seed", range(30))
def test_who_jumps_is_served_with_the_next_pass(seed: int) -> None:
    dice = random.Random(seed)
    house = furnish(dice)
    for moment in range(30):
        if dice.random() < 0.15:
            name = dice.choice(list(house.books))
            chapter = dice.randint(1, len(house.books[name].chapters))
            place = (chapter, dice.randrange(len(house.books[name].chapters[chapter - 1])))
            house.listeners = {name: place}
            missing = house.books[name].lead(place) < house.reach.listener(house.books[name].row)
            house.greeted = True  # as for somebody who waits: no newcomer comes before
            before = house.books[name].lead(place)
            done = house.step()
            if missing:  # whatever the policy of the book, paused ones too
                assert done is not None and done[0] == name
                assert house.books[name].lead(place) > before, "not what is heard next"
            house.open(name, place, DAY + timedelta(days=30, minutes=moment))
        else:
            house.step()


@pytest.mark.parametrize("seed", range(30))
def test_every_book_begun_has_its_minutes_before_any_has_its_hours(seed: int) -> None:
    dice = random.Random(seed)
    house = furnish(dice)
    for number, (name, book) in enumerate(house.books.items()):
        book.row.render = "all"
        if number % 2 == 0:
            house.open(name, (1, 0), DAY + timedelta(hours=number))
    begun = [name for number, name in enumerate(house.books) if number % 2 == 0]
    while True:
        leads = {name: house.books[name].lead(house.books[name].place) for name in begun}
        house.greeted = True
        if (done := house.step()) is None:
            break
        short = [name for name in begun if leads[name] < house.reach.start]
        middling = [name for name in begun if leads[name] < house.reach.long]
        if first := short or middling:  # the one opened last in front
            assert done[0] == max(first, key=lambda name: house.books[name].row.opened or DAY)


@pytest.mark.parametrize("seed", range(30))
def test_books_in_order_by_hand_are_done_one_after_the_other_while_who_listens_is_supplied(seed: int) -> None:
    dice = random.Random(seed)
    house = furnish(dice)
    turns = dice.sample(list(house.books), 2)
    for turn, name in enumerate(turns, 1):
        house.books[name].row.turn = turn
    heard = dice.choice(list(house.books))
    house.open(heard, (1, 0), DAY)
    house.listeners = {heard: (1, 0)}
    while True:
        asked = [name for name in turns if wanted(house, house.books[name])]
        waits = house.books[heard].lead((1, 0)) < house.reach.start
        house.greeted = True  # newcomers take turns with all this
        if (done := house.step()) is None:
            assert not asked
            break
        if waits or asked:
            assert done[0] == (heard if waits else asked[0])


def all_begun(*lengths: list[int]) -> House:
    names = "abc"[: len(lengths)]
    rows = [BookRow(id=name, title=name, voice="v", rendition="r", added=DAY, opened=DAY) for name in names]
    books = {
        row.id: Book(row, [[False] * one for one in length], (1, 0)) for row, length in zip(rows, lengths, strict=True)
    }
    return House(books)


def steps(house: House, count: int) -> list[tuple[str, int, int]]:
    """What is rendered next, no newcomer among it."""
    house.greeted = True
    found = []
    for _ in range(count):
        if (step := house.step()) is not None:
            found.append(step)
        house.greeted = True
    return found


def test_two_who_listen_are_both_kept_supplied() -> None:
    house = all_begun([40], [40], [40])
    house.listeners = {"a": (1, 0), "b": (1, 20)}
    steps(house, 16)
    assert [house.books[name].lead(house.listeners[name]) // SENTENCE for name in ("a", "b")] == [8, 8]
    assert house.books["c"].history == []


def test_a_listener_has_hours_ahead_before_others_have_their_minutes_and_then_they_have_them() -> None:
    house = all_begun([20], [20])
    house.listeners = {"a": (1, 0)}
    assert [step[0] for step in steps(house, 24)] == ["a"] * 12 + ["b"] * 12


def test_the_order_of_policies_in_one_book() -> None:
    house = all_begun([6, 6, 6])
    book = house.books["a"]
    book.place, book.row.render = (2, 3), "sample"
    told = [step[1:] for step in steps(house, 18)]
    assert told == [(1, 0), (1, 1), (1, 2), (2, 3), (2, 4), (2, 5), (3, 0)]
    book.row.render = "ahead"
    assert [step[1:] for step in steps(house, 18)] == [(3, 1), (3, 2), (3, 3), (3, 4)]
    book.row.render = "all"
    assert [step[1:] for step in steps(house, 18)] == [(3, 5), (1, 3), (1, 4), (1, 5), (2, 0), (2, 1), (2, 2)]
    book.row.render = "paused"
    assert steps(house, 18) == []
