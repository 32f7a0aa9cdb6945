"""How much of a book is rendered, and which book comes first (pure). `shelf.py` asks the database the same."""

from dataclasses import dataclass
from datetime import datetime
from typing import Final, Literal

from server.tables import BookRow

# all: to its end, and what was passed over; ahead: so far past the listener's place; sample: the beginning of its
# first chapter; paused: nothing. Whoever listens is served whatever the policy.
Policy = Literal["all", "ahead", "sample", "paused"]

WHOLE: Final = 1 << 60  # a lead that nothing ends: every sentence has its audio, or was given up
RATE_HZ: Final = 24_000


def minutes(count: int) -> int:
    """Samples of so many minutes of audio."""
    return count * 60 * RATE_HZ


@dataclass(frozen=True, slots=True)
class Reach:
    """How far ahead books are rendered, in samples of audio; `policy` holds where a book has none of its own."""

    policy: Policy = "all"
    start: int = minutes(10)  # first every book that was begun gets this much past its place,
    long: int = minutes(120)  # then this much, then the rest of any
    ahead: int = minutes(120)  # what the policy of that name means
    sample: int = minutes(20)  # the longest sample: a first chapter may take hours

    def of(self, book: BookRow) -> Policy:
        """The policy that holds for a book. One whose audio was deleted is paused until somebody listens again."""
        if book.paused:
            return "paused"
        return _NAMED.get(book.render, self.policy)

    def listener(self, book: BookRow) -> int:
        """How much is made ready past the place of somebody who listens to the book, before all else."""
        match self.of(book):
            case "all":
                return self.long
            case "ahead":
                return min(self.ahead, self.long)
            case _:
                return min(self.start, self.ahead)


_NAMED: Final[dict[str, Policy]] = {name: name for name in ("all", "ahead", "sample", "paused")}


def begun(book: BookRow) -> bool:
    """Was it opened, or is it to be tasted?"""
    return book.opened is not None or book.render == "sample"


def stage(book: BookRow, reach: Reach, *, waits: bool, again: bool) -> int | None:
    """In which round the book is served, from 0; None: there is nothing to do.

    `waits` is whether any chapter that counts has work, `again` whether a sentence is to be rendered anew.
    """
    if not waits:
        return None
    policy, lead, opening = reach.of(book), book.lead or 0, book.opening or 0
    if policy == "paused":
        return None
    sampled = policy == "sample" and opening < reach.sample
    if policy == "sample" and not sampled and not (book.opened is not None and lead < reach.start):
        return 2 if again else None
    if policy == "ahead" and lead >= reach.ahead:
        return 2 if again else None
    if begun(book) and (sampled or lead < reach.start):
        return 0
    return 1 if begun(book) and lead < reach.long else 2


def rank(book: BookRow) -> tuple[bool, float, float, str]:
    """Among books of one round: opened last first, then as they came."""
    return (book.opened is None, -_seconds(book.opened), _seconds(book.added), book.id)


def in_turn(book: BookRow) -> tuple[bool, int]:
    """Those that the household put in order by hand come first, in that order."""
    return (book.turn is None, book.turn or 0)


def _seconds(at: datetime | None) -> float:
    return at.timestamp() if at is not None else 0.0
