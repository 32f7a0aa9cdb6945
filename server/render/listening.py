"""How long each person listened, by day and book: plain files beside the books, one for each month.

What is heard is added up in memory and written at least once a minute of it, so that a report does not cost a file.
"""

import contextlib
import logging
import threading
from collections import Counter, defaultdict
from datetime import date, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final, Literal

from pydantic import Field, StringConstraints

from server.errors import NotFound, StoreError
from server.render.files import WriteLock, read_or_keep, read_record, write_atomically
from server.render.index import FORMAT, SAMPLE_RATE, Count, Id, Record
from server.render.layout import safe_name
from server.render.reconcile import PlaceEntry

if TYPE_CHECKING:
    from server.render.store import Store

log = logging.getLogger(__name__)

FOLDER: Final = "listening"
PENDING_SAMPLES: Final = 60 * SAMPLE_RATE  # so much may be lost when the daemon is killed
FASTEST: Final = 4.0  # nobody hears more seconds of audio a second than this
SLACK_S: Final = 5.0  # clocks of two reports may differ by that
FIRST_S: Final = 60.0  # what a device may have heard before its first report
UNTOLD_S: Final = 120.0  # between two reports that do not say what was heard: longer apart, nobody can know
MOST_A_DAY: Final = 24 * 3_600 * 3 * SAMPLE_RATE  # of one person, at three times the speed without sleep


class ListenedDay(Record):
    """What was heard of a book on a day, by the clock of the machine that Lectern runs on; `samples` of its audio."""

    day: Annotated[str, StringConstraints(pattern=r"^[0-9]{4}-[0-9]{2}-[0-9]{2}$")]
    book: Id
    title: str
    samples: Count


class ListeningRecord(Record):
    """listening/<person>/<YYYY-MM>.json, in order of days."""

    format: Literal[1] = FORMAT
    month: Annotated[str, Field(pattern=r"^[0-9]{4}-[0-9]{2}$")]
    days: tuple[ListenedDay, ...] = ()


class Listening:
    """The statistics of all persons of a store. Safe between threads."""

    def __init__(self, store: "Store", writing: WriteLock) -> None:
        self._store = store
        self._writing = writing
        self._lock = threading.RLock()
        self._pending: Counter[tuple[str, str, str]] = Counter()  # person, day, book → samples

    def heard(self, person: str, before: PlaceEntry | None, now: PlaceEntry, told_s: float | None) -> int:
        """Count what was heard up to `now` by the device that was at `before`; gives the samples that are believed.

        `told_s` is what the device says; without it the audio between the two places counts. Never raises for the
        store's sake: no place is refused because it cannot be counted.
        """
        try:
            samples = self._believed(before, now, told_s)
        except StoreError as error:
            log.warning("what was heard cannot be told: %s", error)
            return 0
        if samples > 0:
            day = local_day(now.time).isoformat()
            with self._lock:
                self._pending[person, day, now.book] += samples
                full = self._pending.total() >= PENDING_SAMPLES
            if full:
                try:
                    self.flush()
                except StoreError as error:
                    log.warning("what was heard is not written yet: %s", error)
        return samples

    def between(self, person: str, first: date, last: date) -> list[ListenedDay]:
        """What a person heard from day `first` to day `last`, both included, by day and then by title."""
        with contextlib.suppress(StoreError):  # it is in memory still, and perhaps somebody else's
            self.flush()
        months = range(first.year * 12 + first.month - 1, last.year * 12 + last.month)
        days = [day for k in months for day in self._read(person, f"{k // 12:04d}-{k % 12 + 1:02d}").days]
        return [day for day in days if first.isoformat() <= day.day <= last.isoformat()]

    def flush(self) -> None:
        """Write what is only in memory. Raises StoreError; what could not be written stays in memory then.

        A damaged file is kept under another name, and a new one begins.
        """
        with self._writing, self._lock:
            months: defaultdict[tuple[str, str], Counter[tuple[str, str]]] = defaultdict(Counter)
            for (person, day, book), samples in self._pending.items():
                months[person, day[:7]][day, book] += samples
            failed: StoreError | None = None
            for (person, month), heard in months.items():
                try:
                    self._write(person, month, heard)
                except StoreError as error:
                    failed = failed or error
                    continue
                for day, book in heard:
                    del self._pending[person, day, book]
            if failed is not None:
                raise failed

    def _write(self, person: str, month: str, heard: Counter[tuple[str, str]]) -> None:
        titles: dict[str, str] = {}
        sums: Counter[tuple[str, str]] = Counter()
        before = read_or_keep(self._path(person, month), ListeningRecord)
        for known in before.days if before is not None else ():
            sums[known.day, known.book] += known.samples
            titles[known.book] = known.title
        a_day: Counter[str] = Counter()
        for (day, _), samples in sums.items():
            a_day[day] += samples
        for (day, book), samples in heard.items():
            samples = max(0, min(samples, MOST_A_DAY - a_day[day]))
            a_day[day] += samples
            sums[day, book] += samples
            titles[book] = self._title(book) or titles.get(book, "")
        days = [
            ListenedDay(day=day, book=book, title=titles[book], samples=samples)
            for (day, book), samples in sorted(sums.items(), key=lambda item: (item[0][0], titles[item[0][1]], item[0]))
        ]
        write_atomically(self._path(person, month), ListeningRecord(month=month, days=tuple(days)).to_json().encode())

    def _read(self, person: str, month: str) -> ListeningRecord:
        path = self._path(person, month)
        return read_record(path, ListeningRecord, "") if path.exists() else ListeningRecord(month=month)

    def _title(self, book: str) -> str | None:
        try:
            return self._store.book(book).title
        except (NotFound, StoreError):
            return None

    def _path(self, person: str, month: str) -> Path:
        return self._store.root / FOLDER / safe_name(person, "person") / f"{month}.json"

    def _believed(self, before: PlaceEntry | None, now: PlaceEntry, told_s: float | None) -> int:
        if before is None:
            return 0 if told_s is None else round(min(told_s, FIRST_S) * SAMPLE_RATE)
        elapsed_s = (now.time - before.time).total_seconds()
        if elapsed_s <= 0:
            return 0
        most = round((elapsed_s + SLACK_S) * FASTEST * SAMPLE_RATE)
        if told_s is not None:
            return min(round(told_s * SAMPLE_RATE), most)
        if now.reason != "played" or elapsed_s > UNTOLD_S:
            return 0
        try:
            return min(self._apart(before, now), most)
        except NotFound:  # a chapter of an earlier edition
            return 0

    def _apart(self, before: PlaceEntry, now: PlaceEntry) -> int:
        """Samples between two places that follow on each other; 0 where the second is not after the first."""
        was, here = self._offset(before), self._offset(now)
        if before.chapter == now.chapter:
            return max(0, here - was)
        if before.chapter > now.chapter:
            return 0
        return max(0, self._store.chapter(now.book, before.chapter).samples_total - was) + here

    def _offset(self, entry: PlaceEntry) -> int:
        """Where a sentence starts on the time line of its chapter, with the word in it."""
        total = 0
        for sentence in self._store.chapter(entry.book, entry.chapter).sentences:
            if sentence.id == entry.sentence:
                words = sentence.words or ()
                return total + (words[entry.word].start if entry.word < len(words) else 0)
            total += sentence.length_samples if sentence.rendered else 0
        return total


def local_day(moment: datetime) -> date:
    """The day that a moment falls on here."""
    return moment.astimezone().date()
