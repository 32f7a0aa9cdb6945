"""What systems say of their power, in their own words."""

from collections.abc import Sequence
from pathlib import Path

import pytest

from server.render import power
from server.render.power import Power, PowerMeter, linux_power, mac_power, on_battery, saving

ON_BATTERY = """Now drawing from 'Battery Power'
 -InternalBattery-0 (id=21954659)\t85%; discharging; 5:02 remaining present: true
"""
ON_AC = """Now drawing from 'AC Power'
 -InternalBattery-0 (id=21954659)\t100%; charged; 0:00 remaining present: true
"""
DESKTOP = "Now drawing from 'AC Power'\n"
LAPTOP = """System-wide power settings:
Currently in use:
 standby              1
 Sleep On Power Button 1
 hibernatefile        /var/vm/sleepimage
 powernap             1
 networkoversleep     0
 disksleep            10
 sleep                1 (sleep prevented by coreaudiod)
 lowpowermode         {0}
 womp                 1
"""
PRO = " ttyskeepawake        1\n powermode            {0}\n tcpkeepalive         1\n"


def test_what_pmset_says_of_the_plug() -> None:
    assert [on_battery(told) for told in (ON_BATTERY, ON_AC, DESKTOP, "", "pmset: unknown")] == [
        True,
        False,
        False,
        None,
        None,
    ]


def test_what_pmset_says_of_saving_power() -> None:
    assert [saving(LAPTOP.format(mode)) for mode in (0, 1)] == [False, True]
    assert [saving(PRO.format(mode)) for mode in (0, 1, 2)] == [False, True, False]
    assert saving("Currently in use:\n sleep 1\n") is None


def test_macos_is_asked_both() -> None:
    def ask(command: Sequence[str]) -> str:
        return ON_BATTERY if command[-1] == "batt" else LAPTOP.format(1)

    assert mac_power(ask) == Power(battery=True, low=True)
    assert mac_power(lambda _command: "") == Power(None, None)


def supply(folder: Path, name: str, **words: str) -> None:
    (folder / name).mkdir(parents=True)
    for word, value in words.items():
        (folder / name / word).write_text(value + "\n")


@pytest.mark.parametrize(
    ("plugged", "status", "expected"),
    [("0", "Discharging", True), ("1", "Charging", False), ("1", "Not charging", False), ("1", "Discharging", False)],
)
def test_linux_tells_in_files(tmp_path: Path, plugged: str, status: str, expected: bool) -> None:
    supply(tmp_path, "AC", type="Mains", online=plugged)
    supply(tmp_path, "BAT0", type="Battery", status=status)
    supply(tmp_path, "hidpp_battery_0", type="Battery", status="Discharging", scope="Device")  # a mouse
    assert linux_power(tmp_path, tmp_path / "none") == Power(battery=expected, low=None)


def test_a_linux_server_has_no_battery(tmp_path: Path) -> None:
    assert linux_power(tmp_path / "none", tmp_path / "none") == Power(None, None)
    supply(tmp_path, "AC", type="Mains", online="1")
    (profile := tmp_path / "profile").write_text("low-power\n")
    assert linux_power(tmp_path, profile) == Power(None, low=True)
    profile.write_text("balanced\n")
    assert linux_power(tmp_path, profile) == Power(None, low=False)


def test_a_command_that_is_not_there_or_hangs_says_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(power, "ASK_S", 0.1)
    assert power.run(("no-such-command-here",)) == ""
    assert power.run(("sleep", "30")) == ""


def test_an_answer_is_kept_for_a_while() -> None:
    asked, now = [], [0.0]

    def look() -> Power:
        asked.append(now[0])
        return Power(battery=True)

    meter = PowerMeter(look, lambda: now[0])
    for moment in (0.0, 5.0, 19.0, 21.0, 30.0):
        now[0] = moment
        assert meter() == Power(battery=True)
    assert asked == [0.0, 21.0]
