"""Places and statistics for the HTTP layer: what a report does to store, rows, planner and other devices."""

import asyncio
import logging
from collections.abc import Callable
from datetime import UTC, date, datetime, timedelta

from server.api.listening import DayView, HeardBook, ListeningView
from server.api.positions import BackIn, JumpList, JumpView
from server.api.spots import Position, PositionIn, Spot
from server.errors import LecternError
from server.events import Hub
from server.render.index import SAMPLE_RATE
from server.render.places import OWNER, Jump, Outcome
from server.render.reconcile import PlaceEntry, Report, Unapplied, near
from server.render.records import Place
from server.render.store import Store

log = logging.getLogger(__name__)


class Placing:
    """Implements `server.api.positions.Placing`.

    `keep` puts the owner's place into the rows, `read` everybody's; `follow` tells the planner where somebody listens;
    `resume` has a book rendered again whose audio was deleted.
    """

    def __init__(
        self,
        store: Store,
        hub: Hub,
        keep: Callable[[str, Place], None],
        follow: Callable[[str, int, str], None],
        clock: Callable[[], datetime] = lambda: datetime.now(UTC),
        resume: Callable[[str], None] = lambda _: None,
        read: Callable[[str, PlaceEntry], None] = lambda *_: None,
    ) -> None:
        self._store = store
        self._hub = hub
        self._keep = keep
        self._follow = follow
        self._clock = clock
        self._resume = resume
        self._read = read

    async def position(self, book: str, person: str, device: str | None = None) -> Position | None:
        return await asyncio.to_thread(self._position, book, person, device)

    async def report(self, book: str, place: PositionIn, person: str) -> Position:
        outcome = await asyncio.to_thread(self._report, book, place, person)
        return self._told(book, person, outcome)

    async def jumps(self, book: str, person: str) -> JumpList:
        found = await asyncio.to_thread(self._jumps, book, person)
        return JumpList(jumps=[_jump_view(jump) for jump in found])

    async def back(self, book: str, entry: int, asked: BackIn, person: str) -> Position:
        outcome = await asyncio.to_thread(self._back, book, entry, asked, person)
        return self._told(book, person, outcome)

    async def listened(self, first: date, last: date, person: str) -> ListeningView:
        return await asyncio.to_thread(self._listened, first, last, person)

    def close(self) -> None:
        """Write what is only in memory. Raises StoreError."""
        self._store.listening.flush()

    def _position(self, book: str, person: str, device: str | None) -> Position | None:
        self._store.book(book)
        if (now := self._store.places.now(book, person)) is None:
            return None
        own = None if device is None else self._store.places.of_device(book, person, device)
        apart = own is not None and now.device != device and not self._near(now, own)
        return _view(now, own=_spot(own) if apart and own is not None else None)

    def _near(self, now: PlaceEntry, own: PlaceEntry) -> bool:
        at = Report(own.chapter, own.sentence, own.word, now.time)
        return near(now, at, lambda chapter, sentence: self._store.places.ordinal(now.book, chapter, sentence))

    def _report(self, book: str, place: PositionIn, person: str) -> Outcome:
        received = self._clock()
        report = Report(
            chapter=place.chapter,
            sentence=place.sentence,
            word=place.word,
            time=received - timedelta(seconds=place.age_s),
            device=place.device or None,
            counter=place.counter,
            reason=place.reason,
            received=received,
        )
        outcome = self._store.places.report(book, person, report)
        if outcome.unapplied != "stale":
            self._store.listening.heard(person, outcome.before, outcome.own, place.heard_s)
        self._kept(book, person, outcome)
        return outcome

    def _back(self, book: str, entry: int, asked: BackIn, person: str) -> Outcome:
        now = self._clock()
        report = Report(1, "", 0, now, asked.device or None, asked.counter, received=now)
        outcome = self._store.places.back(book, person, entry, report)
        self._kept(book, person, outcome)
        return outcome

    def _kept(self, book: str, person: str, outcome: Outcome) -> None:
        if outcome.unapplied is not None:
            return
        if person == OWNER and (place := self._store.place(book)) is not None:
            self._keep(book, place)
        try:
            self._read(person, outcome.now)
        except LecternError as error:
            log.warning("a place is kept, but the shelf does not show it: %s", error)
        try:
            # Whoever it is: somebody listens again.
            if self._store.change_choices(book, paused=None).paused:
                self._resume(book)
        except LecternError as error:
            log.warning("a place is kept, but what was chosen for its book cannot be changed: %s", error)

    def _told(self, book: str, person: str, outcome: Outcome) -> Position:
        """The answer; others are told of it too."""
        if outcome.unapplied is not None:
            return _view(outcome.now, own=_spot(outcome.own), unapplied=outcome.unapplied)
        now = outcome.now
        view = _view(now)
        self._follow(book, now.chapter, now.sentence)
        told = view.model_dump(mode="json", include={"chapter", "sentence", "word", "device", "updated", "reason"})
        self._hub.publish("position", person=person, book=book, **told)
        return view

    def _jumps(self, book: str, person: str) -> list[Jump]:
        self._store.book(book)
        return self._store.places.jumps(book, person)

    def _listened(self, first: date, last: date, person: str) -> ListeningView:
        days: dict[str, list[HeardBook]] = {}
        for one in self._store.listening.between(person, first, last):
            heard = HeardBook(book=one.book, title=one.title, heard_s=one.samples / SAMPLE_RATE)
            days.setdefault(one.day, []).append(heard)
        views = [
            DayView(day=date.fromisoformat(day), heard_s=sum(b.heard_s for b in books), books=books)
            for day, books in days.items()
        ]
        return ListeningView(days=views, heard_s=sum(view.heard_s for view in views))


def _spot(entry: PlaceEntry) -> Spot:
    return Spot(**entry.model_dump(include={"chapter", "sentence", "word", "device"}), updated=entry.time)


def _view(entry: PlaceEntry, *, own: Spot | None = None, unapplied: Unapplied | None = None) -> Position:
    told = entry.model_dump(include={"chapter", "sentence", "word", "device", "reason"})
    return Position(**told, updated=entry.time, own=own, applied=unapplied is None, unapplied=unapplied)


def _jump_view(jump: Jump) -> JumpView:
    arrived = jump.arrived
    return JumpView(entry=arrived.entry, reason=arrived.reason, left=_spot(jump.left), arrived=_spot(arrived))
