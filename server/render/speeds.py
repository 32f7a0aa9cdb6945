"""How fast was rendered, hour by hour, in a small file of the data folder: nothing else would bring it back."""

import logging
import threading
import time
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Annotated, Final, Literal

from pydantic import AwareDatetime, Field, ValidationError

from server.errors import LecternError
from server.render.files import write_atomically
from server.render.index import Count, Record

log = logging.getLogger(__name__)

SPEEDS: Final = "speed.json"
KEPT_D: Final = 30
KEPT: Final = timedelta(days=KEPT_D)
SAVE_S: Final = 60.0  # a crash costs so much of it
HOUR: Final = timedelta(hours=1)


class Hour(Record):
    """What was made in the hour that begins `at`: so many samples of audio in so many seconds of work."""

    at: AwareDatetime
    samples: Count
    work_s: Annotated[float, Field(ge=0, allow_inf_nan=False)]


class SpeedRecord(Record):
    """speed.json: hours in which something was rendered, the earliest first."""

    format: Literal[1] = 1
    hours: tuple[Hour, ...] = ()


class Speeds:
    """Counts passes into hours. A file that cannot be read is begun anew: these are figures to look at, no more."""

    def __init__(self, path: Path, now: Callable[[], datetime] = lambda: datetime.now(UTC)) -> None:
        self._path = path
        self._now = now
        self._lock = threading.Lock()
        self._hours: dict[datetime, Hour] | None = None  # None: not read yet
        self._saved_s = time.monotonic()
        self._unsaved = False

    def count(self, samples: int, work_s: float) -> None:
        """Count a pass that has just ended. Blocks, raises nothing."""
        at = self._now().astimezone(UTC).replace(minute=0, second=0, microsecond=0)
        with self._lock:
            hours = self._read()
            before = hours.get(at) or Hour(at=at, samples=0, work_s=0)
            hours[at] = Hour(at=at, samples=before.samples + samples, work_s=round(before.work_s + work_s, 3))
            self._unsaved = True
            if time.monotonic() - self._saved_s >= SAVE_S:
                self._save()

    def hours(self) -> list[Hour]:
        """Of the last days, the earliest first. Blocks, raises nothing."""
        with self._lock:
            hours, now = self._read(), self._now()
            return [hours[at] for at in sorted(hours) if timedelta(0) <= now - at < KEPT + HOUR]

    def close(self) -> None:
        """Write what was not written yet."""
        with self._lock:
            if self._unsaved:
                self._save()

    def _read(self) -> dict[datetime, Hour]:
        if self._hours is None:
            self._hours = {}
            try:
                kept = SpeedRecord.read(self._path.read_bytes())
                self._hours = {hour.at.astimezone(UTC): hour for hour in kept.hours}
            except FileNotFoundError:
                pass
            except (OSError, ValidationError, OverflowError) as error:
                log.warning("how fast was rendered is counted anew, %s cannot be read: %s", self._path, error)
        return self._hours

    def _save(self) -> None:
        self._saved_s = time.monotonic()
        # What a clock that was wrong put into the future is kept as long: it may be now that is wrong.
        hours, now = self._read(), self._now()
        self._hours = {at: hours[at] for at in sorted(hours) if -KEPT < now - at < KEPT + HOUR}
        try:
            write_atomically(self._path, SpeedRecord(hours=tuple(self._hours.values())).to_json().encode())
            self._unsaved = False
        except LecternError as error:  # a full disk: it is tried again with a later pass
            log.warning("how fast was rendered is not kept: %s", error)
