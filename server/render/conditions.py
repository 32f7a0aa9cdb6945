"""What may be rendered just now: the household's rules, the time of day and how the machine is fed, put together."""

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime, tzinfo
from typing import Final

from server.library.policy import Reach, minutes
from server.render.houserules import DAY, HouseFile, HouseRules, Restraint
from server.render.power import Power, PowerMeter

LITTLE: Final = minutes(10)  # ahead of somebody who listens while nothing else is rendered
LEAST: Final = minutes(1)  # … and where it is to be as little as can be

_ON_BATTERY = "The computer runs on its battery."
_PAUSED = "Rendering is paused."
_SAVING = "The computer is saving power."


@dataclass(frozen=True, slots=True)
class Permit:
    """What may be rendered. `most` samples ahead of those who listen and nothing else, None: everything.

    `reason` is the sentence why, `until` when that ends, where it is known. `share` of the time is worked, 0 to 1.
    """

    reach: Reach = field(default_factory=Reach)
    share: float = 1.0
    most: int | None = None
    reason: str | None = None
    until: datetime | None = None


def permit(rules: HouseRules, power: Power, now: datetime, tz: tzinfo | None = None) -> Permit:
    """What the rules say at this moment (pure). Of several reasons to hold back the strictest is told."""
    held: list[tuple[int, str, datetime | None]] = [(LITTLE, _PAUSED, None)] if rules.paused else []
    for is_so, restraint, why in ((power.battery, rules.battery, _ON_BATTERY), (power.low, rules.low_power, _SAVING)):
        if is_so and restraint != "on":
            held.append((_most(restraint), why, None))
    if (until := rules.quiet_until(now, tz)) is not None:
        if until - now > DAY:  # quiet all day long, every day
            held.append((LITTLE, "Quiet hours all day long.", None))
        else:
            held.append((LITTLE, f"Quiet hours until {until.astimezone(tz):%H:%M}.", until))
    share = rules.share / 100
    if not held:
        return Permit(rules.reach, share)
    most, why, until = min(held, key=lambda one: one[0])
    return Permit(rules.reach, share, most, why, until)


def _most(restraint: Restraint) -> int:
    return LITTLE if restraint == "listening" else LEAST


class Conditions:
    """Looks at rules, clock and power. Blocks a little: call it in a thread."""

    def __init__(
        self,
        file: HouseFile,
        power: Callable[[], Power] | None = None,
        now: Callable[[], datetime] = lambda: datetime.now(UTC),
    ) -> None:
        self.file = file
        self.power = power or PowerMeter()
        self.now = now

    def look(self) -> Permit:
        """What may be rendered just now."""
        return permit(self.file.rules, self.power(), self.now())
