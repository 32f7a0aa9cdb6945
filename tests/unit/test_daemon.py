"""Lectern as a service: what is asked of launchctl and systemctl, and what is said when they refuse."""

import json
import os
import plistlib
import shlex
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from server.cli import daemon, main
from server.config import read_settings
from server.daemon import launchd, systemd
from server.daemon.launchd import LABEL, LaunchAgent, agent
from server.daemon.service import ROOT
from server.daemon.systemd import UNIT, UserUnit
from server.errors import Conflict
from tests.fakes import launchctl
from tests.fakes.systemctl import fault_of

Told = Callable[[], dict[str, Any]]
SITE = f"gui/{os.getuid()}/{LABEL}"


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A home folder with a space and a percent sign in its name, and the fakes in front of everything."""
    home = tmp_path / "a home of 100%"
    home.mkdir()
    for name, value in {"HOME": str(home), "LECTERN_DATA": str(home / "data"), "PATH": str(tmp_path / "bin")}.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setenv("FAKE_LAUNCHD", str(tmp_path / "launchd.json"))
    monkeypatch.setenv("FAKE_SYSTEMD", str(tmp_path / "systemd.json"))
    for name in ("XDG_CONFIG_HOME", "LECTERN_CONFIG"):
        monkeypatch.delenv(name, raising=False)
    (tmp_path / "bin").mkdir()
    for name in ("launchctl", "systemctl"):
        fake = tmp_path / "bin" / name
        where = shlex.quote(str(ROOT / "tests" / "fakes" / f"{name}.py"))
        fake.write_text(f'#!/bin/sh\nexec {shlex.quote(sys.executable)} -S {where} "$@"\n')
        fake.chmod(0o755)
    plain = {"loaded": "", "going": 0, "pid": 500, "enabled": "", "calls": [], "faults": [], "known": False}
    unit = str(home / ".config" / "systemd" / "user" / UNIT)
    for name in ("launchd", "systemd"):
        (tmp_path / f"{name}.json").write_text(json.dumps(plain | {"active": False, "unit": unit}))
    return home


def told(home: Path, name: str = "launchd") -> dict[str, Any]:
    state: dict[str, Any] = json.loads((home.parent / f"{name}.json").read_text())
    return state


def change(home: Path, name: str = "launchd", **fields: object) -> None:
    (home.parent / f"{name}.json").write_text(json.dumps(told(home, name) | fields))


def verbs(home: Path) -> list[str]:
    return [call[0] for call in told(home)["calls"] if call[0] != "print"]


@pytest.fixture
def mac() -> LaunchAgent:
    return LaunchAgent(gone_s=3, pause_s=0)


def test_the_agent_is_what_the_facts_ask_for(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LECTERN_LIBRARY", "~/My <Books> & more")
    monkeypatch.setenv("LECTERN_SAMPLE", "no")
    list_ = plistlib.loads(agent(read_settings()))
    assert list_["Label"] == LABEL
    assert list_["ProgramArguments"] == [f"{sys.prefix}/bin/python", "-m", "server", "serve", "--service"]
    assert list_["WorkingDirectory"] == str(ROOT)
    assert (list_["RunAtLoad"], list_["KeepAlive"]) == (True, {"SuccessfulExit": False})
    assert (list_["ThrottleInterval"], list_["ExitTimeOut"], list_["ProcessType"]) == (15, 30, "Interactive")
    assert list_["SoftResourceLimits"] == list_["HardResourceLimits"] == {"NumberOfFiles": 4096}
    given = {name: value for name, value in list_["EnvironmentVariables"].items() if name != "PATH"}
    assert given == {
        "LECTERN_LIBRARY": f"{home}/My <Books> & more",
        "LECTERN_DATA": f"{home}/data",
        "LECTERN_SAMPLE": "no",
    }


def test_installing_may_be_repeated_brings_up_to_date_and_is_undone(
    home: Path, mac: LaunchAgent, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert mac.install(read_settings()) is True
    assert mac.path == home / "Library" / "LaunchAgents" / f"{LABEL}.plist"
    assert launchctl.fault_of(mac.path) is None
    assert verbs(home) == ["enable", "bootstrap"]
    state = mac.state(read_settings())
    assert (state.installed, state.current, state.loaded, state.pid, state.note) == (True, True, True, 501, "")
    assert mac.install(read_settings()) is False
    assert verbs(home) == ["enable", "bootstrap"]  # nothing was asked for again
    monkeypatch.setenv("LECTERN_PORT", "9000")
    assert mac.state(read_settings()).current is False
    assert mac.install(read_settings()) is True
    assert verbs(home) == ["enable", "bootstrap", "bootout", "enable", "bootstrap"]
    assert b"9000" in mac.path.read_bytes()
    (home / "data" / "store").mkdir()
    assert mac.uninstall() is True
    assert not mac.path.exists() and told(home)["loaded"] == ""
    assert (home / "data" / "store").is_dir()
    assert mac.uninstall() is False
    state = mac.state(read_settings())
    assert (state.installed, state.loaded, state.pid) == (False, False, None)


def test_a_job_without_its_file_and_a_file_without_its_job_are_mended(home: Path, mac: LaunchAgent) -> None:
    mac.install(read_settings())
    mac.path.unlink()
    assert mac.install(read_settings()) is True
    change(home, loaded="")
    assert mac.state(read_settings()).loaded is False
    mac.restart()
    assert told(home)["loaded"] == LABEL
    mac.path.unlink()
    assert mac.uninstall() is True  # a job is left from a file that somebody deleted


def test_restarting_starts_the_job_again(home: Path, mac: LaunchAgent) -> None:
    with pytest.raises(Conflict, match="not installed as a service: `lectern install`"):
        mac.restart()
    mac.install(read_settings())
    mac.restart()
    assert told(home)["calls"][-1] == ["kickstart", "-k", SITE]
    assert told(home)["pid"] == 502
    change(home, faults=[["kickstart", 113, "Could not find service"]], loaded="")
    change(home, faults=[["kickstart", 113, "Could not find service"]])
    mac.restart()
    assert told(home)["loaded"] == LABEL


@pytest.mark.parametrize(
    ("faults", "gone"),
    [
        ([["bootstrap", 5, "Bootstrap failed: 5: Input/output error"]] * 3, False),  # the old one is still going
        ([["bootstrap", 37, "Operation already in progress"]], False),
        ([["bootout", 36, "Boot-out failed: 36: Operation now in progress"]], True),
        ([["bootout", 3, "Boot-out failed: 3: No such process"]], True),
        ([["enable", 1, "not permitted"]], False),
    ],
    ids=["5", "37", "36", "3", "enable"],
)
def test_what_passes_is_waited_for(home: Path, mac: LaunchAgent, faults: list[list[Any]], gone: bool) -> None:
    mac.install(read_settings())
    mac.path.write_text("an older one")
    if gone:
        change(home, loaded="", going=4)
    change(home, faults=faults)
    assert mac.install(read_settings()) is True
    assert told(home)["loaded"] == LABEL and told(home)["faults"] in ([], faults)


@pytest.mark.parametrize(
    ("faults", "said"),
    [
        ([["bootstrap", 5, "Bootstrap failed: 5: Input/output error"]] * 99, "Login Items"),
        ([["bootstrap", 125, "Domain does not support specified action"]], "Log in at the screen"),
        ([["bootstrap", 112, "Could not find domain"]], "Log in at the screen"),
        ([["bootstrap", 119, "Service is disabled"]], r"failed with 119 \(Service is disabled\). Log out and in"),
    ],
    ids=["5", "125", "112", "119"],
)
def test_what_stays_refused_is_told_with_the_way_out(
    home: Path, mac: LaunchAgent, faults: list[list[Any]], said: str
) -> None:
    change(home, faults=faults)
    with pytest.raises(Conflict, match=said):
        mac.install(read_settings())


def test_a_job_that_does_not_go_is_told(home: Path) -> None:
    mac = LaunchAgent(gone_s=0, pause_s=0)
    mac.install(read_settings())
    mac.path.write_text("an older one")
    with pytest.raises(Conflict, match="does not let go"):
        mac.install(read_settings())
    assert mac.path.read_text() == "an older one"


def test_a_missing_tool_and_a_folder_that_takes_nothing_are_told(home: Path, mac: LaunchAgent) -> None:
    (home / "Library").write_text("in the way")
    with pytest.raises(Conflict, match="cannot be written"):
        mac.install(read_settings())
    (home.parent / "bin" / "launchctl").unlink()
    with pytest.raises(Conflict, match="launchctl is not on this system"):
        mac.install(read_settings())


# systemd


def test_the_unit_is_taken_and_survives_odd_names(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LECTERN_LIBRARY", '/books "of" 100% \\ $HOME')
    text = systemd.unit(read_settings()).decode()
    assert fault_of(text) is None
    assert r'Environment="LECTERN_LIBRARY=/books \"of\" 100%% \\ $HOME"' in text
    monkeypatch.setenv("LECTERN_LIBRARY", "/books\nExecStart=/bin/evil")
    with pytest.raises(Conflict, match="line break"):
        systemd.unit(read_settings())


def test_a_unit_is_installed_brought_up_to_date_and_taken_away(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    unit = UserUnit()
    with pytest.raises(Conflict, match="not installed as a service"):
        unit.restart()
    assert unit.install(read_settings()) is True
    assert unit.install(read_settings()) is False
    state = unit.state(read_settings())
    assert (state.installed, state.current, state.loaded, state.pid) == (True, True, True, 501)
    monkeypatch.setenv("LECTERN_PORT", "9000")
    assert unit.state(read_settings()).current is False
    assert unit.install(read_settings()) is True
    unit.restart()
    assert told(home, "systemd")["pid"] == 503
    assert unit.uninstall() is True and not unit.path.exists()
    assert unit.uninstall() is False
    assert told(home, "systemd")["enabled"] is False


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        ("Failed to connect to bus: No medium found", "enable-linger"),
        ("System has not been booted with systemd as init system", "no systemd"),
        ("Job for lectern.service failed", r"journalctl --user -u lectern.service"),
    ],
)
def test_what_systemd_refuses_is_told_with_the_way_out(home: Path, answer: str, said: str) -> None:
    change(home, "systemd", faults=[["enable", 1, answer]])
    with pytest.raises(Conflict, match=said):
        UserUnit().install(read_settings())


# The commands


@pytest.fixture
def answering(monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    """A server that answers or not, and a model that is there."""
    state: dict[str, Any] = {"running": None}
    monkeypatch.setattr(daemon, "ask_running", lambda settings: state["running"])
    monkeypatch.setattr(daemon, "install_model", lambda settings, console: None)
    monkeypatch.setattr(daemon, "ANSWERS_S", 0.5)
    monkeypatch.setattr(daemon, "service", lambda: LaunchAgent(gone_s=3, pause_s=0))
    return state


def test_the_commands_from_first_to_last(
    home: Path, answering: dict[str, Any], capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    lock = home / "data" / "lectern.lock"
    lock.parent.mkdir()
    change(home, lock=str(lock))
    assert main(["install"]) == 1  # it is started, and nobody answers
    assert "does not answer" in capsys.readouterr().err
    answering["running"] = {"version": "1"}
    monkeypatch.setattr(daemon, "holder", lambda settings: told(home)["pid"])
    assert main(["install"]) == 0
    assert "installed already" in capsys.readouterr().out
    assert main(["restart"]) == 0
    assert "runs again: http://127.0.0.1:8484" in capsys.readouterr().out
    monkeypatch.setenv("LECTERN_PORT", "9000")
    assert main(["install"]) == 0
    out = capsys.readouterr().out
    assert "starts when you log in" in out and "LECTERN_DATA, LECTERN_PORT" in out
    monkeypatch.setattr(daemon, "holder", lambda settings: 7)
    for command in ("install", "restart"):
        assert main([command]) == 1
        assert "started by hand (process 7)" in capsys.readouterr().err
    assert main(["uninstall"]) == 0
    assert f"stay in {home / 'data'}" in capsys.readouterr().out
    assert main(["uninstall"]) == 0
    assert "was not installed" in capsys.readouterr().out


def test_launchd_is_asked_on_a_mac_and_systemd_elsewhere(monkeypatch: pytest.MonkeyPatch) -> None:
    from server import daemon as package

    monkeypatch.setattr("sys.platform", "darwin")
    assert isinstance(package.service(), LaunchAgent)
    monkeypatch.setattr("sys.platform", "linux")
    assert isinstance(package.service(), UserUnit)
    assert launchd.TEMPLATE.is_file() and systemd.TEMPLATE.is_file()
