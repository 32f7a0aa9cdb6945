"""When what waits will be rendered, by the speed that was measured, the machine's share and quiet hours. Pure."""

from bisect import bisect_left
from dataclasses import dataclass, field
from datetime import datetime, timedelta, tzinfo

from server.library.policy import RATE_HZ, Reach
from server.render.conditions import Permit
from server.render.houserules import HouseRules

FARTHEST_D = 370  # nobody plans further


@dataclass
class Outlook:
    """What can be told at the moment `now`. `speed` is seconds of audio per second of work, None while unknown."""

    speed: float | None
    permit: Permit = field(default_factory=Permit)  # as it was looked at last
    rules: HouseRules = field(default_factory=HouseRules)
    now: datetime | None = None
    tz: tzinfo | None = None
    _opens: list[datetime] = field(default_factory=list, init=False)
    _worked_s: list[float] = field(default_factory=list, init=False)  # until each of `_opens`

    @property
    def reach(self) -> Reach:
        """How far ahead books are rendered, by the household's rules."""
        return self.rules.reach

    def wall_s(self, samples: float) -> float | None:
        """Seconds from now until so much audio is made. None where it cannot be told: no speed yet, or on battery."""
        if samples <= 0:
            return 0.0
        if not self.speed or (self.permit.most is not None and self.permit.until is None):
            return None
        busy_s = samples / RATE_HZ / self.speed / (self.rules.share / 100)
        if not self.rules.quiet or self.now is None:
            return busy_s
        if not self._opens:
            self._look_ahead(self.now)
        at = bisect_left(self._worked_s, busy_s) - 1
        if at < 0 or at == len(self._opens) - 1:
            return None  # quiet all day long, or years of work
        return (self._opens[at] - self.now).total_seconds() + busy_s - self._worked_s[at]

    def _look_ahead(self, now: datetime) -> None:
        """Note when it is quiet no more, and how much work the time before that allows."""
        end, at, worked_s = now + timedelta(days=FARTHEST_D), now, 0.0
        while at < end:
            opens = self.rules.quiet_until(at, self.tz) or at
            shuts = self.rules.quiet_from(opens, self.tz) or end
            if opens >= end or self.rules.quiet_until(opens, self.tz) is not None:  # quiet all day long
                break
            self._opens.append(opens)
            self._worked_s.append(worked_s)
            worked_s += (shuts - opens).total_seconds()
            at = shuts
        self._opens.append(end)
        self._worked_s.append(worked_s)
