"""What is rendered next: from the listener's place forward, then the rest. Pure; the planner acts on it.

Who listens comes first, the shortest lead in front. Then every book that was begun gets a head start past its place:
minutes in each, then hours in each, the one opened last in front; then the rest of them, then the books nobody opened.
Books that the household put in order by hand go before all that, each as far as it is to be rendered at all; only who
listens has ten minutes before them. A book's policy says where that ends.
"""

import itertools
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from server.library.catalog import Shelved
from server.library.policy import Reach, in_turn, rank, stage
from server.tables import ChapterRow

SAMPLES_A_CHARACTER = 1_600  # 15 characters a second, until the book itself has told


@dataclass(frozen=True, slots=True)
class Focus:
    """Where somebody listens now; `sentence` None is the chapter's beginning."""

    book: str
    chapter: int
    sentence: str | None


@dataclass(frozen=True, slots=True)
class Listener:
    """Somebody who listens now: `lead` samples are ready from there on; `fresh` waits for the first sound."""

    focus: Focus
    lead: int = 0
    fresh: bool = False


@dataclass(frozen=True, slots=True)
class Target:
    """A chapter with sentences to render, from `start` on; None takes the first that waits.

    `again`: only those that are rendered once more. `urgent`: for somebody who listens and has little ahead.
    """

    book: str
    chapter: int
    start: str | None
    again: bool = False
    urgent: bool = False


def waiting(chapter: ChapterRow) -> int:
    """Sentences of a chapter that have no audio and are not given up, or are rendered again."""
    return chapter.sentences - chapter.rendered - chapter.failed + chapter.again


def place_of(shelved: Shelved) -> Focus | None:
    """The kept place in a book."""
    place = shelved.place
    return Focus(place.book, place.chapter, place.sentence) if place is not None else None


def serve(
    shelf: Sequence[Shelved], listeners: Sequence[Listener], reach: Reach, most: int | None = None
) -> Iterator[Target]:
    """What those who listen need next, until each has enough ahead: `most` samples, or what the book's policy says."""
    books = {shelved.book.id: shelved for shelved in shelf}
    for one in sorted(listeners, key=lambda one: (not one.fresh, one.lead)):
        shelved = books.get(one.focus.book)
        if shelved is None:
            continue
        wanted = reach.listener(shelved.book)
        if one.lead < (wanted if most is None else min(most, wanted)):
            for chapter in _after(shelved, one.focus):
                yield _target(chapter, one.focus, urgent=one.lead < reach.start)


def order(shelf: Sequence[Shelved], listeners: Sequence[Listener] = (), reach: Reach | None = None) -> Iterator[Target]:
    """Every chapter that is to be rendered, in order; of a book that is cut short by its policy about what is left."""
    reach = reach or Reach()
    told = set[tuple[str, int]]()

    def new(targets: Iterable[Target]) -> Iterator[Target]:
        return (target for target in targets if (target.book, target.chapter) not in told)

    def listened(most: int | None) -> Iterator[Target]:
        for target in new(serve(shelf, listeners, reach, most)):
            told.add((target.book, target.chapter))
            yield target

    rounds = [(found, shelved) for shelved in shelf if (found := _stage(shelved, reach)) is not None]
    rounds.sort(key=lambda pair: (in_turn(pair[1].book), pair[0], rank(pair[1].book)))
    by_hand = [shelved for _, shelved in rounds if shelved.book.turn is not None]
    if by_hand:
        yield from listened(reach.start)
        yield from new(itertools.chain.from_iterable(in_book(shelved, reach) for shelved in by_hand))
    yield from listened(None)
    for _, shelved in rounds[len(by_hand) :]:
        yield from new(in_book(shelved, reach))


def pick(targets: Iterable[Target], has: Callable[[Target], bool]) -> Target | None:
    """The first target that `has` something to do from its start on.

    What lies before the place in its chapter comes after all that follows it in the book.
    """
    behind: Target | None = None
    for target in targets:
        if behind is not None and behind.book != target.book:
            break
        if target.start is None or has(target):
            return target
        behind = behind or replace(target, start=None)
    return behind


def newcomers(shelf: Sequence[Shelved], reach: Reach | None = None) -> Iterator[Target]:
    """Where each book begins that has not a single sentence yet: as put in order by hand, then as they were added."""
    reach = reach or Reach()
    for shelved in sorted(shelf, key=lambda item: (in_turn(item.book), item.book.added, item.book.id)):
        begun = any(chapter.rendered or chapter.failed for chapter in shelved.chapters)
        if not begun and reach.of(shelved.book) != "paused":
            yield from itertools.islice(in_book(shelved, reach), 1)


def in_book(shelved: Shelved, reach: Reach) -> Iterator[Target]:
    """A book's chapters in the order in which they are rendered while nobody listens to it."""
    place, book = place_of(shelved), shelved.book
    policy = reach.of(book)
    if policy == "paused":
        return
    if policy == "all":
        for chapter in _after(shelved, place):
            yield _target(chapter, place)
        for chapter in _before(shelved, place):
            yield _target(chapter, None)
        return
    if policy == "sample":
        first = shelved.first
        if first is not None and waiting(first) and (book.opening or 0) < reach.sample:
            yield _target(first, None)
        if book.opened is not None:
            yield from _within(shelved, place, reach.start)
    else:
        yield from _within(shelved, place, reach.ahead)
    for chapter in shelved.chapters:
        if chapter.again and chapter.enabled:
            yield Target(book.id, chapter.number, None, again=True)


def _stage(shelved: Shelved, reach: Reach) -> int | None:
    place = place_of(shelved)
    waits = any(True for _ in itertools.chain(_after(shelved, place), _before(shelved, place)))
    return stage(shelved.book, reach, waits=waits, again=any(c.again and c.enabled for c in shelved.chapters))


def _target(chapter: ChapterRow, at: Focus | None, *, urgent: bool = False) -> Target:
    start = at.sentence if at is not None and at.chapter == chapter.number else None
    return Target(chapter.book, chapter.number, start, urgent=urgent)


def _after(shelved: Shelved, at: Focus | None) -> Iterator[ChapterRow]:
    """Chapters that wait from `at` on. One that is off counts only where somebody went there."""
    for chapter in shelved.chapters:
        here = at is not None and at.chapter == chapter.number
        if waiting(chapter) > 0 and (chapter.enabled or here) and (at is None or chapter.number >= at.chapter):
            yield chapter


def _before(shelved: Shelved, at: Focus | None) -> Iterator[ChapterRow]:
    for chapter in shelved.chapters:
        if waiting(chapter) > 0 and chapter.enabled and at is not None and chapter.number < at.chapter:
            yield chapter


def _within(shelved: Shelved, at: Focus | None, reach_samples: int) -> Iterator[Target]:
    """Chapters from `at` on as far as so much audio goes, what is ready counted and the rest reckoned by its length."""
    ready = shelved.book.lead or 0
    for chapter in _after(shelved, at):
        if ready >= reach_samples:
            return
        yield _target(chapter, at)
        if at is None or chapter.number != at.chapter:  # what waits there may lie before the place
            ready += (chapter.characters - chapter.rendered_characters) * SAMPLES_A_CHARACTER
