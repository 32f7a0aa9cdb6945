"""When and how much is rendered: the household's rules, household.json in the store. A person may write it too."""

import hashlib
import json
import logging
import threading
from datetime import UTC, date, datetime, time, timedelta, tzinfo
from pathlib import Path
from typing import Annotated, Final, Literal, Self

from pydantic import Field, StringConstraints, ValidationError, model_validator

from server.errors import Conflict
from server.library.policy import Policy, Reach, minutes
from server.render.files import WriteLock, stamp_of, write_atomically
from server.render.index import FORMAT, Count, Record

log = logging.getLogger(__name__)

HOUSEHOLD: Final = "household.json"
MISSING: Final = "none"  # the tag while there is no file

# on: as ever; listening: only while somebody listens; off: nothing but the next minute for somebody who listens.
Restraint = Literal["on", "listening", "off"]
WallTime = Annotated[str, StringConstraints(pattern=r"^([01]\d|2[0-3]):[0-5]\d$")]
DAY: Final = timedelta(days=1)


class QuietHours(Record):
    """From one time of day to another, of the next day where that is earlier. Half-open."""

    start: WallTime
    end: WallTime

    @model_validator(mode="after")
    def _some_time(self) -> Self:
        if self.start == self.end:
            raise ValueError("quiet hours must end at another time than they begin")
        return self

    def on(self, day: date, tz: tzinfo | None) -> tuple[datetime, datetime]:
        """When those that begin on `day` begin and end."""
        after = DAY if self.end < self.start else timedelta()
        return _moment(day, self.start, tz), _moment(day + after, self.end, tz)


class HouseRules(Record):
    """household.json: missing where nobody changed anything."""

    format: Literal[1] = FORMAT
    paused: bool = False
    quiet: tuple[QuietHours, ...] = ()
    battery: Restraint = "listening"
    low_power: Restraint = "listening"
    share: Annotated[int, Field(ge=25, le=100)] = 100
    ahead_minutes: Annotated[int, Field(ge=10, le=6_000)] = 120
    render: Policy = "all"
    cap_bytes: Count | None = None

    @property
    def reach(self) -> Reach:
        return Reach(policy=self.render, ahead=minutes(self.ahead_minutes))

    def quiet_until(self, now: datetime, tz: tzinfo | None = None) -> datetime | None:
        """When the quiet hours end in which `now` lies, those that follow without a break included; None for none.

        `tz` is the household's, None this machine's.
        """
        until: datetime | None = None
        for _ in range(2 * len(self.quiet) + 1):  # all day long would have no end
            at = until or now.astimezone(UTC)
            ends = [end for start, end in self._around(at, tz) if start <= at < end]
            if not ends:
                return until
            until = max(ends)
        return until

    def quiet_from(self, now: datetime, tz: tzinfo | None = None) -> datetime | None:
        """When quiet hours begin next, after `now`; None where there are none."""
        return min((start for start, _ in self._around(now, tz) if start > now), default=None)

    def _around(self, now: datetime, tz: tzinfo | None) -> list[tuple[datetime, datetime]]:
        today = now.astimezone(tz).date()
        return [hours.on(today + n * DAY, tz) for n in (-1, 0, 1) for hours in self.quiet]


def _moment(day: date, wall: str, tz: tzinfo | None) -> datetime:
    """When the clocks show this time: the first time where they show it twice, and where the night they are put forward
    skips it as if they had not been (as calendars do, RFC 5545)."""
    naive = datetime.combine(day, time.fromisoformat(wall))
    # In UTC: two times with the same zone are compared by what the clocks show.
    return naive.astimezone(UTC) if tz is None else naive.replace(tzinfo=tz).astimezone(UTC)


class HouseFile:
    """Reads and writes the rules. What cannot be understood counts as none, with a warning: it stops nothing."""

    def __init__(self, root: Path) -> None:
        self._path = root / HOUSEHOLD
        self._writing = WriteLock(root / ".lock")
        self._reading = threading.Lock()
        self._known: tuple[object, HouseRules, str, str | None] = (None, HouseRules(), MISSING, None)

    @property
    def rules(self) -> HouseRules:
        """The rules that hold, read anew when the file has changed."""
        return self._read()[1]

    @property
    def warning(self) -> str | None:
        """A sentence for the user where the file cannot be understood."""
        return self._read()[3]

    @property
    def tag(self) -> str:
        """Which version of the file there is."""
        return self._read()[2]

    def write(self, rules: HouseRules, tag: str | None) -> None:
        """Keep `rules` if the file is still the version `tag`, None for any. Raises Conflict, StoreError."""
        with self._writing:
            if tag is not None and tag != self.tag:
                raise Conflict("The rules have been changed in the meantime; read them again.")
            write_atomically(self._path, rules.to_json().encode())

    def _read(self) -> tuple[object, HouseRules, str, str | None]:
        with self._reading:
            version = stamp_of(self._path)
            if version != self._known[0]:
                self._known = self._load(version)
            return self._known

    def _load(self, version: object) -> tuple[object, HouseRules, str, str | None]:
        try:
            data = self._path.read_bytes()
        except (FileNotFoundError, NotADirectoryError):
            return None, HouseRules(), MISSING, None
        except OSError as error:
            return version, HouseRules(), MISSING, self._warn(f"cannot be read ({error.strerror})")
        tag = hashlib.sha256(data).hexdigest()[:32]
        try:
            rules = HouseRules.read(data)
            if unknown := sorted(json.loads(data).keys() - HouseRules.model_fields.keys()):
                log.warning("%s says %s, which is not known here: it is passed over", self._path, ", ".join(unknown))
            return version, rules, tag, None
        except ValidationError as error:
            first = error.errors(include_url=False)[0]
            where = ".".join(str(part) for part in first["loc"])
            said = f"{where}: {first['msg']}" if where else str(first["msg"])
            return version, HouseRules(), tag, self._warn(f"cannot be understood ({said})")

    def _warn(self, what: str) -> str:
        warning = f"The rules for rendering in {self._path} {what}: the usual ones hold until they are saved again."
        log.warning("%s", warning)
        return warning
