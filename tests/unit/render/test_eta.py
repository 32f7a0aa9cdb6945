"""When things will be rendered: speed, share and quiet hours counted."""

from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest

from server.library.policy import RATE_HZ
from server.render.conditions import Permit
from server.render.eta import Outlook
from server.render.houserules import HouseRules, QuietHours

BERLIN = ZoneInfo("Europe/Berlin")
HOUR = 3600 * RATE_HZ
NOON = datetime(2026, 6, 1, 12, tzinfo=BERLIN)
NIGHT = HouseRules(quiet=(QuietHours(start="22:00", end="06:00"),))


def hours(outlook: Outlook, audio_h: float) -> float | None:
    told = outlook.wall_s(audio_h * HOUR)
    return None if told is None else told / 3600


def test_speed_and_share_decide() -> None:
    assert hours(Outlook(2.0), 10) == 5
    assert hours(Outlook(2.0, rules=HouseRules(share=50)), 10) == 10
    assert hours(Outlook(2.0), 0) == 0
    assert hours(Outlook(None), 10) is None
    assert hours(Outlook(None), 0) == 0
    assert hours(Outlook(2.0, Permit(most=1, reason="On battery.")), 10) is None  # nobody knows for how long


def test_quiet_hours_are_waited_for() -> None:
    outlook = Outlook(1.0, rules=NIGHT, now=NOON, tz=BERLIN)
    assert [hours(outlook, audio_h) for audio_h in (1, 10, 11, 26, 27)] == [1, 10, 19, 34, 43]
    asleep = Outlook(1.0, Permit(most=1, until=NOON), NIGHT, datetime(2026, 6, 2, 1, tzinfo=BERLIN), BERLIN)
    assert hours(asleep, 1) == 6


def test_what_takes_for_ever_is_not_told() -> None:
    assert hours(Outlook(0.001, rules=NIGHT, now=NOON, tz=BERLIN), 100) is None
    always = HouseRules(quiet=(QuietHours(start="00:00", end="12:00"), QuietHours(start="12:00", end="00:00")))
    assert hours(Outlook(1.0, rules=always, now=NOON, tz=BERLIN), 1) is None


@pytest.mark.parametrize("audio_h", [0.5, 3, 9.9, 10.1, 40, 200, 3000])
def test_it_is_what_a_clock_would_say(audio_h: float) -> None:
    """Minute by minute, through a change of the clocks."""
    now = datetime(2026, 3, 27, 12, tzinfo=UTC)
    outlook = Outlook(1.0, rules=NIGHT, now=now, tz=BERLIN)
    at, left_min = now, audio_h * 60
    while left_min > 1e-6:
        if NIGHT.quiet_until(at, BERLIN) is None:
            left_min -= min(10, left_min)
        at += timedelta(minutes=10)
        if audio_h > 300:  # a day of sixteen hours at a time
            break
    if audio_h <= 300:
        assert outlook.wall_s(audio_h * HOUR) == pytest.approx((at - now).total_seconds(), abs=600)
    else:
        told = hours(outlook, audio_h)
        assert told is not None and told == pytest.approx(audio_h * 24 / 16, abs=24)
