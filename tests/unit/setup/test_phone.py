"""What a phone needs, as the doctor sees it; and the address as a code."""

import argparse
import asyncio
import io
import json
import threading
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from server.access.token import LanToken
from server.cli import phone as command
from server.cli.console import Console
from server.config import Settings
from server.errors import LecternError
from server.setup import phone
from server.setup.check import Check
from server.setup.phone import ADDRESS, CERTIFICATE, NAMES, SERVED, TAILSCALE, Sight, look, phone_checks
from server.tailnet.serve import Front
from server.tailnet.shapes import State
from tests.fakes.tailscaled import ADDRESSES, NAME, FakeTailscaled

UP = State("Running", ADDRESSES, NAME, True, (NAME,), 1001, "owner@example.com")
FRONT = Front(NAME, 443, "/", 8485, True, False)
SERVE = "tailscale serve --bg http://127.0.0.1:8485"


@pytest.fixture(autouse=True)
def answering(monkeypatch: pytest.MonkeyPatch) -> None:
    """A Lectern runs, and its address answers."""
    monkeypatch.setattr(phone, "ask_running", lambda _settings: {})
    monkeypatch.setattr(phone, "answers", lambda _url: None)


def checks(state: State | None, *fronts: Front, why: str = "", **settings: Any) -> dict[str, Check]:
    return {check.name: check for check in phone_checks(Settings(**settings), Sight(state, why, fronts))}


def test_all_is_well() -> None:
    found = checks(UP, FRONT)
    assert list(found) == [TAILSCALE, NAMES, CERTIFICATE, SERVED, ADDRESS]
    assert [check.ok for check in found.values()] == [True] * 5
    assert found[ADDRESS].detail == f"https://{NAME}/"
    assert "owner@example.com" in found[TAILSCALE].detail


@pytest.mark.parametrize(
    ("state", "fronts", "name", "ok", "remedy"),
    [
        (None, [], TAILSCALE, None, "tailscale.com/download"),
        (State("NeedsLogin"), [], TAILSCALE, False, "Sign in"),
        (State("NeedsMachineAuth"), [], TAILSCALE, False, "Approve"),
        (State("Stopped"), [], TAILSCALE, False, "Turn Tailscale on"),
        (State("Starting"), [], TAILSCALE, False, "look again"),
        (replace(UP, tagged=True, user_id=0), [FRONT], TAILSCALE, None, "on the list, as owner"),
        (replace(UP, magic_dns=False), [], NAMES, None, "MagicDNS"),
        (replace(UP, cert_domains=()), [], CERTIFICATE, None, "HTTPS certificates on"),
        (UP, [], SERVED, None, SERVE),
        (UP, [replace(FRONT, port=8484)], SERVED, False, f"--https=443 off`, then `{SERVE}"),
        (UP, [replace(FRONT, port=8484, path="/x", secure=False)], SERVED, False, "serve --http=443 --set-path=/x off"),
        (UP, [replace(FRONT, path="/lectern")], SERVED, False, "--https=443 --set-path=/lectern off"),
        (UP, [replace(FRONT, funnel=True)], SERVED, False, "tailscale funnel --https=443 off"),
        (UP, [replace(FRONT, secure=False, front_port=80)], SERVED, None, SERVE),
        (UP, [replace(FRONT, port=3000)], SERVED, None, SERVE),  # somebody else's
        (None, [], ADDRESS, None, "Install Tailscale"),
    ],
)
def test_what_is_missing_has_its_remedy(
    state: State | None, fronts: list[Front], name: str, ok: bool | None, remedy: str
) -> None:
    check = checks(state, *fronts, why="Tailscale is not running here")[name]
    assert check.ok is ok
    assert remedy in (check.remedy or "")


def test_a_silent_tailscale_is_trouble_and_one_that_is_not_wanted_is_none() -> None:
    assert checks(None, why="Tailscale does not answer")[TAILSCALE].ok is False
    assert checks(None, tailscale=False)[TAILSCALE].ok is None


def test_the_address_is_tried(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(phone, "answers", lambda url: f"cannot be reached (as {url})")
    check = checks(UP, FRONT)[ADDRESS]
    assert check.ok is False
    assert "cannot be reached" in check.detail
    monkeypatch.setattr(phone, "ask_running", lambda _settings: None)
    check = checks(UP, FRONT)[ADDRESS]
    assert (check.ok, check.remedy) == (None, "Start it: `lectern serve`.")


def test_a_token_is_in_no_report() -> None:
    seen = Sight(None, "", (), "192.168.1.5", "secret")
    found = phone_checks(Settings(lan="listener", tailscale=False), seen)
    assert found[-1].ok is True
    assert "secret" not in str(found)


@pytest.fixture
def tailscaled(tmp_path: Path) -> Iterator[FakeTailscaled]:
    """In a thread of its own: the doctor has an event loop of its own too."""
    fake, ready = FakeTailscaled(), threading.Event()
    loop = asyncio.new_event_loop()

    def run() -> None:
        loop.run_until_complete(fake.start(tmp_path / "ts.sock"))
        ready.set()
        loop.run_forever()

    thread = threading.Thread(target=run, daemon=True)
    thread.start()
    assert ready.wait(10)
    yield fake
    loop.call_soon_threadsafe(loop.stop)
    thread.join(10)


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    return Settings(data=tmp_path / "data", tailscale_socket=str(tmp_path / "ts.sock"))


def test_tailscale_is_asked(tailscaled: FakeTailscaled, settings: Settings) -> None:
    tailscaled.serve = {"Web": {f"{NAME}:443": {"Handlers": {"/": {"Proxy": "http://127.0.0.1:8485"}}}}}
    assert look(settings) == Sight(UP, "", [FRONT])
    assert look(replace(settings, tailscale=False)) == Sight(None, "")


def test_the_phone_command_shows_address_and_code(tailscaled: FakeTailscaled, settings: Settings) -> None:
    code, shown = run(settings)
    assert code == 0
    assert f"On your phone: http://{NAME}:8484/" in shown
    assert shown.count("█") > 100
    assert SERVE in shown
    code, shown = run(settings, json=True)
    assert json.loads(shown)["url"] == f"http://{NAME}:8484/"


def test_without_tailscale_the_command_says_what_to_do(settings: Settings) -> None:
    code, shown = run(settings)
    assert code == 1
    assert "No phone can come in yet." in shown
    assert "tailscale.com/download" in shown
    assert run(settings, json=True)[0] == 1


def test_in_the_home_network_the_code_holds_the_token(settings: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(phone, "home_address", lambda _settings: "192.168.1.5")
    code, shown = run(replace(settings, tailscale=False, lan="listener"))
    assert code == 0
    assert f"http://192.168.1.5:8484/enter#{LanToken(settings.data).value}" in shown


def run(settings: Settings, **options: bool) -> tuple[int, str]:
    out = io.TextIOWrapper(io.BytesIO(), encoding="utf-8")
    arguments = argparse.Namespace(**{"serve": False, "json": False, **options})
    code = command.phone(settings, arguments, Console(out, out))
    out.flush()
    out.seek(0)
    return code, out.read()


def test_a_terminal_that_cannot_draw_it_gets_the_address() -> None:
    out = io.TextIOWrapper(io.BytesIO(), encoding="ascii")
    command.show_code(Console(out, out), "http://mac:8484/")
    out.seek(0)
    assert out.read() == "On your phone: http://mac:8484/\n"


@pytest.fixture
def program(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[str], Path]:
    def made(script: str) -> Path:
        path = tmp_path / "tailscale"
        path.write_text(f'#!/bin/sh\necho "$@" > {tmp_path / "said"}\n{script}\n')
        path.chmod(0o755)
        monkeypatch.setattr(command, "tailscale_program", lambda: str(path))
        return tmp_path / "said"

    return made


def test_tailscale_is_told_to_serve(
    program: Callable[[str], Path], settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    said = program("exit 0")
    assert "now" in command.serve(settings)
    assert said.read_text() == "serve --bg http://127.0.0.1:8485\n"
    program("echo 'serve config denied' >&2; exit 1")
    with pytest.raises(LecternError, match="serve config denied"):
        command.serve(settings)
    monkeypatch.setattr(command, "SERVE_S", 0.5)
    program("echo 'Serve is not enabled on your tailnet. To enable, visit: https://login.example/f'; exec sleep 30")
    with pytest.raises(LecternError, match=r"visit: https://login\.example/f"):
        command.serve(settings)
    monkeypatch.setattr(command, "tailscale_program", lambda: None)
    with pytest.raises(LecternError, match=r"tailscale\.com/download.*run `tailscale serve --bg"):
        command.serve(settings)
