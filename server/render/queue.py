"""What is rendered next: from the listener's place forward, then the rest. Pure; the planner acts on it."""

import itertools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from server.library.catalog import Shelved
from server.tables import ChapterRow


@dataclass(frozen=True, slots=True)
class Focus:
    """Where somebody listens now; `sentence` None is the chapter's beginning."""

    book: str
    chapter: int
    sentence: str | None


@dataclass(frozen=True, slots=True)
class Target:
    """A chapter with sentences to render, from `start` on; None takes the first that waits."""

    book: str
    chapter: int
    start: str | None


def waiting(chapter: ChapterRow) -> int:
    """Sentences of a chapter that have no audio and are not given up, or are rendered again."""
    return chapter.sentences - chapter.rendered - chapter.failed + chapter.again


def order(shelf: Sequence[Shelved], focus: Focus | None) -> Iterator[Target]:
    """Every chapter that waits, in the order in which it is rendered.

    The book somebody listens to comes first, then books by when they were last opened, then the rest as they came;
    a paused book only while somebody listens to it.
    In a book: from the place to the end, then what was passed over before it.
    """
    for shelved in sorted(shelf, key=lambda item: _rank(item, focus)):
        listened = focus if focus is not None and focus.book == shelved.book.id else None
        if listened is not None or not shelved.book.paused:
            yield from _in_book(shelved, listened)


def newcomers(shelf: Sequence[Shelved]) -> Iterator[Target]:
    """Where each book begins that has not a single sentence yet, the one added first in front."""
    for shelved in sorted(shelf, key=lambda item: item.book.added):
        if not shelved.book.paused and not any(chapter.rendered or chapter.failed for chapter in shelved.chapters):
            yield from itertools.islice(_in_book(shelved, None), 1)


def _rank(shelved: Shelved, focus: Focus | None) -> tuple[bool, bool, float, float]:
    book = shelved.book
    opened = book.opened.timestamp() if book.opened is not None else 0.0
    return (focus is None or focus.book != book.id, book.opened is None, -opened, book.added.timestamp())


def _in_book(shelved: Shelved, focus: Focus | None) -> Iterator[Target]:
    place = shelved.place
    at = focus or (Focus(place.book, place.chapter, place.sentence) if place is not None else None)
    # A chapter that is off is rendered only when somebody asks for it by going there.
    chapters = [c for c in shelved.chapters if waiting(c) > 0 and (c.enabled or (at and at.chapter == c.number))]
    later = [c for c in chapters if at is None or c.number >= at.chapter]
    earlier = [c for c in chapters if at is not None and c.number < at.chapter]
    for chapter in later + earlier:
        start = at.sentence if at is not None and at.chapter == chapter.number else None
        yield Target(shelved.book.id, chapter.number, start)
