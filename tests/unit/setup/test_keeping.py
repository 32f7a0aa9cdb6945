"""What the doctor says of the service, the log and the backups, each with its remedy."""

from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from server.config import Settings
from server.daemon import State
from server.errors import Conflict
from server.logs import FILE, START
from server.setup import keeping
from server.setup.check import Check


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    return Settings(data=tmp_path / "data")


def told_of(state: State | Exception, settings: Settings, monkeypatch: pytest.MonkeyPatch) -> Check:
    class Manager:
        def state(self, reading: object) -> State:
            if isinstance(state, Exception):
                raise state
            return state

    monkeypatch.setattr(keeping, "service", Manager)
    return keeping.started_at_login(settings)


@pytest.mark.parametrize(
    ("state", "ok", "detail", "remedy"),
    [
        (State(False, False, False, None), True, "Not set up; `lectern install`", None),
        (State(True, True, True, 7), True, "Set up, and running (process 7)", None),
        (State(True, False, True, 7), None, "are no more", "`lectern install` again"),
        (State(True, True, False, None), False, "the system does not know it", "Run `lectern install`"),
        (State(False, False, True, 7), False, "Its file is gone", "Run `lectern install`"),
        (State(True, True, True, None, "it last ended with 1"), False, "it last ended with 1", "`lectern logs`"),
        (Conflict("launchctl does not answer."), None, "cannot be told", "launchctl does not answer."),
    ],
)
def test_the_state_of_the_service_is_told_with_its_remedy(
    state: State | Exception,
    ok: bool | None,
    detail: str,
    remedy: str | None,
    settings: Settings,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    check = told_of(state, settings, monkeypatch)
    assert check.ok is ok
    assert detail in check.detail
    assert remedy is None or remedy in (check.remedy or "")


def test_what_kept_it_from_starting_is_pointed_to(settings: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    settings.logs.mkdir(parents=True)
    (settings.logs / START).write_text("lectern: The port is taken.\n")
    check = told_of(State(True, True, True, None), settings, monkeypatch)
    assert str(settings.logs / START) in (check.remedy or "")


def test_the_log_is_told(settings: Settings) -> None:
    assert "begins with the first start" in keeping.log_written(settings).detail
    settings.logs.mkdir(parents=True)
    (settings.logs / FILE).write_bytes(b"x" * 200_000)
    (settings.logs / f"{FILE}.1").write_bytes(b"x" * 1_000_000)
    check = keeping.log_written(settings)
    assert check.ok is True and "1.2 MB in all" in check.detail


def test_backups_are_told(settings: Settings) -> None:
    assert keeping.backed_up(settings).ok is True
    assert "makes one every night" in keeping.backed_up(settings).detail
    off = Settings(data=settings.data, backup_at="off")
    assert keeping.backed_up(off).ok is None
    settings.backups.mkdir(parents=True)
    now = datetime.now(UTC)
    for days, ok in ((9, None), (0, True)):
        name = f"lectern-nightly-{now - timedelta(days=days):%Y%m%dT%H%M%S}Z.tar.gz"
        (settings.backups / name).write_bytes(b"x" * 2_000_000)
        check = keeping.backed_up(settings)
        assert check.ok is ok and "2.0 MB" in check.detail
        assert ok or "lectern backup" in (check.remedy or "")
