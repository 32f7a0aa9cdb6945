"""What becomes of a report of a place: whether it is the place now, and what is written down of it. Pure.

Two rules stand above the rest: no place is moved but by somebody's action, and no report is thrown away silently.
"""

import itertools
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Annotated, Final, Literal

from pydantic import AwareDatetime, Field

from server.render.index import Count, Id, Record

# Why a client says that the place is another one. played: the voice got there. jump: the listener went there.
# stay: asked, because another device had moved on, the listener chose to stay here.
Told = Literal["played", "jump", "stay"]
# In the journal also: undo, they went back from a jump; moved, the client did not say why.
Reason = Literal["played", "jump", "stay", "undo", "moved"]
# Why a report is not the place now. stale: the same device has said more since; older: another device has, since it
# was made; elsewhere: another device had moved on, and nobody chose yet.
Unapplied = Literal["stale", "older", "elsewhere"]

NEAR_SENTENCES: Final = 30  # a step that long is listening, or a skip of some seconds, and nothing to go back from
SENTENCES_A_SECOND: Final = 1.0  # the fastest voice at the highest speed
OPENING_SENTENCES: Final = 3  # within the first few sentences the beginning is no other place


class PlaceEntry(Record):
    """A line of places/<person>.jsonl: where a device was, when, and why. `entry` numbers the lines of a journal.

    `aside`: it did not become the person's place, because another device had moved on.
    """

    entry: Annotated[int, Field(ge=1)]
    book: Id
    chapter: Annotated[int, Field(ge=1)]
    sentence: Id
    word: Count = 0
    time: AwareDatetime
    device: str | None = None
    counter: Count | None = None
    reason: Reason
    edition: Annotated[int, Field(ge=1)] | None = None
    aside: Literal[True] | None = None


@dataclass(frozen=True, slots=True)
class Report:
    """What a device says: where it is, in the edition that plays. `counter` grows with each report of the device.

    `time` is when it was there, `received` when it said so: what the journal has of a later time was said by a clock
    that has been put back since.
    """

    chapter: int
    sentence: str
    word: int
    time: datetime
    device: str | None = None
    counter: int | None = None
    reason: Told | Literal["undo"] | None = None
    received: datetime | None = None

    def before(self, entry: PlaceEntry) -> bool:
        """Whether it was made before `entry` was, as far as the clock can tell."""
        return self.time < entry.time and (self.received is None or entry.time <= self.received)


@dataclass(frozen=True, slots=True)
class Verdict:
    """`refused`: nothing is kept of it. Else it is written down for `reason`, and it is the place unless `unapplied`.

    A stale report is neither.
    """

    reason: Reason = "moved"
    unapplied: Unapplied | None = None
    refused: bool = False


Ordinal = Callable[[int, str], int | None]  # chapter, sentence → how many sentences read aloud stand before it


def present(entries: Sequence[PlaceEntry]) -> PlaceEntry | None:
    """The person's place: the last entry that became it."""
    return next((entry for entry in reversed(entries) if not entry.aside), None)


def latest_of(entries: Sequence[PlaceEntry], device: str | None) -> PlaceEntry | None:
    """Where a device was last; None for one that is not known or has no name."""
    return None if device is None else next((e for e in reversed(entries) if e.device == device), None)


def judge(entries: Sequence[PlaceEntry], report: Report, ordinal: Ordinal) -> Verdict:
    """What becomes of `report` after what the journal holds."""
    now, own = present(entries), latest_of(entries, report.device)
    if own is not None and _stale(own, report):
        return Verdict(unapplied="stale")
    if now is None:
        return Verdict(report.reason or "moved")
    explained = report.reason in ("jump", "stay", "undo")
    if not explained and _back_to_zero(now, report, ordinal):
        return Verdict(refused=True)
    reason: Reason = report.reason or "played"
    if reason == "played" and not near(own or now, report, ordinal):
        reason = "moved"  # so it can be gone back from
    if report.before(now) and now.device != report.device:
        return Verdict(reason, "older")
    # Only a client that counts knows what to do with the answer "elsewhere"; others are believed.
    conflicting = now.device != report.device and not explained and report.counter is not None
    if conflicting and not near(now, report, ordinal):
        return Verdict(reason, "elsewhere")
    return Verdict(reason)


def near(before: PlaceEntry, report: Report, ordinal: Ordinal) -> bool:
    """Whether listening, or skipping some seconds, leads from one to the other."""
    was, now = ordinal(before.chapter, before.sentence), ordinal(report.chapter, report.sentence)
    if was is None or now is None:
        return False
    elapsed_s = max(0.0, (report.time - before.time).total_seconds())
    reach = NEAR_SENTENCES + min(elapsed_s, 3_600) * SENTENCES_A_SECOND
    return -NEAR_SENTENCES <= now - was <= reach


def _stale(own: PlaceEntry, report: Report) -> bool:
    if own.counter is not None and report.counter is not None:
        return report.counter <= own.counter
    return report.before(own)


def _back_to_zero(now: PlaceEntry, report: Report, ordinal: Ordinal) -> bool:
    """Whether it is the very beginning of the book, and the place was further on."""
    if report.word or ordinal(report.chapter, report.sentence) != 0:
        return False
    was = ordinal(now.chapter, now.sentence)
    return was is not None and was >= OPENING_SENTENCES


def folded(entries: Sequence[PlaceEntry], keep: int) -> list[PlaceEntry]:
    """At most about `keep` entries that tell the same story: jumps and where they began, and the last of each device.

    Of what was merely played only the end of each stretch stays.
    """
    placed = [entry for entry in entries if not entry.aside]
    wanted = {entry.entry for entry in placed[-2:]}  # a crash may leave the last but one in place.json
    for before, after in itertools.pairwise(placed):
        if after.reason != "played":
            wanted |= {before.entry, after.entry}
        elif before.device != after.device:
            wanted.add(before.entry)
    last = {entry.device: entry.entry for entry in entries}
    recent = set(sorted(wanted)[-keep:]) | set(sorted(last.values())[-keep:])
    return [entry for entry in entries if entry.entry in recent]
