"""When rendering rests: quiet hours, also in the nights when the clocks change, and the file with the rules."""

from datetime import UTC, datetime, timedelta
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest
from pydantic import ValidationError

from server.errors import Conflict
from server.library.policy import minutes
from server.render.conditions import LEAST, LITTLE, Conditions, permit
from server.render.houserules import HouseFile, HouseRules
from server.render.power import Power

BERLIN = ZoneInfo("Europe/Berlin")
PLUGGED = Power(battery=False, low=False)


def rules(*quiet: str, **fields: object) -> HouseRules:
    hours = [dict(zip(("start", "end"), one.split("–"), strict=True)) for one in quiet]
    return HouseRules.model_validate({"quiet": hours, **fields})


def at(text: str, tz: ZoneInfo = BERLIN, fold: int = 0) -> datetime:
    return datetime.fromisoformat(text).replace(tzinfo=tz, fold=fold).astimezone(UTC)


def until(told: HouseRules, text: str, fold: int = 0) -> str | None:
    end = told.quiet_until(at(text, fold=fold), BERLIN)
    return None if end is None else end.astimezone(BERLIN).strftime("%d %H:%M")


def test_quiet_hours_over_midnight_are_half_open() -> None:
    night = rules("22:00–07:00")
    asked = ["2026-06-01 21:59", "2026-06-01 22:00", "2026-06-02 00:00", "2026-06-02 06:59", "2026-06-02 07:00"]
    assert [until(night, one) for one in asked] == [None, "02 07:00", "02 07:00", "02 07:00", None]


def test_quiet_hours_that_follow_one_another_are_one() -> None:
    told = rules("22:00–02:00", "01:30–06:00", "12:00–13:00")
    assert until(told, "2026-06-01 23:00") == "02 06:00"
    assert until(told, "2026-06-02 12:30") == "02 13:00"
    assert until(told, "2026-06-02 06:00") is None
    assert told.quiet_from(at("2026-06-02 06:00"), BERLIN) == at("2026-06-02 12:00")
    assert until(rules("00:00–12:00", "12:00–00:00"), "2026-06-02 06:00") is not None  # and this comes to an end


def test_the_night_in_which_the_clocks_are_put_forward() -> None:
    night = rules("22:00–07:00")
    assert until(night, "2026-03-29 01:59") == "29 07:00"
    end = night.quiet_until(at("2026-03-28 22:00"), BERLIN)
    assert end is not None and end - at("2026-03-28 22:00") == timedelta(hours=8)
    # 02:30 is skipped that night: it counts as an hour later
    assert until(rules("22:00–02:30"), "2026-03-29 01:00") == "29 03:30"
    assert until(rules("02:30–04:00"), "2026-03-29 03:15") is None
    assert until(rules("02:30–04:00"), "2026-03-29 03:45") == "29 04:00"


def test_the_night_in_which_the_clocks_are_put_back() -> None:
    night = rules("22:00–07:00")
    end = night.quiet_until(at("2026-10-24 22:00"), BERLIN)
    assert end is not None and end - at("2026-10-24 22:00") == timedelta(hours=10)
    short = rules("22:00–02:30")  # it ends the first time the clocks show that, and does not begin again
    assert until(short, "2026-10-25 02:29") == "25 02:30"
    assert until(short, "2026-10-25 02:15", fold=1) is None


@pytest.mark.parametrize("bad", ["7:00–8:00", "07:00–24:00", "07:60–08:00", "07:00–07:00"])
def test_times_that_are_none_are_refused(bad: str) -> None:
    with pytest.raises(ValidationError):
        rules(bad)


def test_the_strictest_reason_is_told() -> None:
    now = at("2026-06-01 23:00")
    every = rules("22:00–07:00", battery="off", low_power="listening")
    assert permit(every, PLUGGED, now, BERLIN).reason == "Quiet hours until 07:00."
    assert permit(every, PLUGGED, now, BERLIN).most == LITTLE
    drained = permit(every, Power(battery=True, low=True), now, BERLIN)
    assert (drained.reason, drained.most, drained.until) == ("The computer runs on its battery.", LEAST, None)
    saving = permit(every, Power(battery=False, low=True), at("2026-06-01 12:00"), BERLIN)
    assert (saving.reason, saving.most) == ("The computer is saving power.", LITTLE)
    always = permit(rules("00:00–12:00", "12:00–00:00"), PLUGGED, now, BERLIN)
    assert (always.reason, always.most, always.until) == ("Quiet hours all day long.", LITTLE, None)
    paused = permit(rules("00:00–12:00", "12:00–00:00", paused=True), PLUGGED, now, BERLIN)
    assert (paused.reason, paused.most, paused.until) == ("Rendering is paused.", LITTLE, None)
    free = permit(rules(battery="on", low_power="on", share=50), Power(battery=True, low=True), now)
    assert (free.most, free.reason, free.share) == (None, None, 0.5)
    assert permit(HouseRules(), Power(), now) == permit(HouseRules(), PLUGGED, now)  # what cannot be told holds nothing


def test_rules_are_kept_whole_and_read_when_they_change(tmp_path: Path) -> None:
    file = HouseFile(tmp_path)
    assert (file.rules, file.warning, file.tag) == (HouseRules(), None, "none")
    file.write(rules("22:00–07:00", ahead_minutes=30, render="ahead"), "none")
    assert HouseFile(tmp_path).rules == file.rules
    assert file.rules.reach.ahead == minutes(30) and file.rules.reach.policy == "ahead"
    tag = file.tag
    with pytest.raises(Conflict):
        file.write(HouseRules(), "another")
    file.write(HouseRules(share=25), tag)
    assert file.rules.share == 25 and file.tag != tag
    (tmp_path / "household.json").unlink()
    assert file.rules == HouseRules()


@pytest.mark.parametrize("damage", [b"", b"{", b'{"format":1,"share":0}', b"[]", b"\xff\xfe"])
def test_a_damaged_file_counts_as_none_and_is_told(tmp_path: Path, damage: bytes) -> None:
    (tmp_path / "household.json").write_bytes(damage)
    file = HouseFile(tmp_path)
    assert file.rules == HouseRules()
    assert file.warning is not None and "household.json" in file.warning
    file.write(HouseRules(share=30), file.tag)
    assert file.rules.share == 30
    assert HouseFile(tmp_path).warning is None


def test_a_rule_of_a_newer_version_costs_none_of_those_known_here(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    (tmp_path / "household.json").write_text('{"format":1,"quiet":[{"start":"22:00","end":"06:00"}],"later":1}\n')
    house = HouseFile(tmp_path)
    assert (len(house.rules.quiet), house.warning) == (1, None)
    assert "later" in caplog.text  # a person may have meant another word


def test_conditions_follow_the_file_the_clock_and_the_plug(tmp_path: Path) -> None:
    file, power, now = HouseFile(tmp_path), [PLUGGED], [at("2026-06-01 12:00")]
    conditions = Conditions(file, lambda: power[0], lambda: now[0])
    assert conditions.look().most is None
    power[0] = Power(battery=True)
    assert conditions.look().most == LITTLE
    file.write(rules(battery="on"), None)
    assert conditions.look().most is None
