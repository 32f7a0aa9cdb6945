"""A backup a night: when one is due, that it is made by a process of its own, and that no failure ends the server."""

import asyncio
import logging
import os
import signal
import sys
import threading
from collections.abc import Callable
from datetime import datetime, timedelta, timezone
from pathlib import Path

import pytest

from server.backup.make import Backup, backups
from server.backup.nightly import Nightly, is_due, last_due
from server.config import Settings, load_settings, variables

ZONE = timezone(timedelta(hours=2))


def local(day: int, hour: int, minute: int = 0) -> datetime:
    return datetime(2026, 7, day, hour, minute, tzinfo=ZONE)


def made_at(*moments: datetime) -> list[Backup]:
    return [Backup(Path("x"), moment, True, False, 1) for moment in moments]


def test_a_backup_is_due_when_none_was_made_since_the_last_time_for_one() -> None:
    assert last_due(local(2, 2, 59), "03:00") == local(1, 3)
    assert last_due(local(2, 3), "3:00") == local(2, 3)
    for now, made, due in [
        (local(2, 12), [], True),
        (local(2, 12), [local(2, 3, 1)], False),
        (local(2, 12), [local(2, 2, 59)], True),
        (local(2, 2, 59), [local(1, 3, 5)], False),
        (local(9, 12), [local(2, 3, 1)], True),  # the machine was off for a week
        (local(2, 12), [local(3, 3, 1)], True),  # the clock was wrong when that was made
        (local(2, 12), [local(2, 5), local(1, 3)], False),
    ]:
        assert is_due(now, "03:00", made_at(*made)) is due, (now, made)
        assert not is_due(now, "off", made_at(*made))


def test_a_process_of_its_own_gets_the_settings_of_this_one(tmp_path: Path) -> None:
    settings = Settings(data=tmp_path / "d", port=9000, backup_keep=2, backup_audio=True, poll_s=5.5)
    given = variables(settings)
    assert load_settings(given | {"LECTERN_CONFIG": "/dev/null"}) == settings
    assert given["LECTERN_DATA"] == str(tmp_path / "d") and "LECTERN_HOST" not in given


async def until(fits: Callable[[], bool]) -> None:
    async with asyncio.timeout(60):
        while not fits():
            await asyncio.sleep(0.05)


async def test_the_real_command_makes_it_once_and_prunes(tmp_path: Path) -> None:
    settings = Settings(data=tmp_path / "data", backup_keep=2)
    settings.backups.mkdir(parents=True)
    (settings.data / "people.json").write_text("{}")
    for day in (1, 2, 3):
        (settings.backups / f"lectern-nightly-2020010{day}T000000Z.tar.gz").write_text("old")
    task = asyncio.create_task(Nightly(settings, first_s=0, look_s=0.1).run())
    await until(lambda: len(list(settings.backups.glob("*.tar.gz"))) == 2 and not list(settings.backups.glob(".*")))
    newest = backups(settings.backups)[0]
    assert newest.made.year > 2020 and newest.nightly
    await asyncio.sleep(0.3)
    assert not task.done()
    assert backups(settings.backups)[0] == newest  # one is enough
    task.cancel()


async def test_a_failure_is_told_and_tried_again(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    settings = Settings(data=tmp_path)
    failing = (sys.executable, "-c", "import sys; sys.exit('lectern: The disk is full.')")
    with caplog.at_level(logging.INFO):
        task = asyncio.create_task(Nightly(settings, command=failing, first_s=0, look_s=9, retry_s=0.05).run())
        await until(lambda: caplog.text.count("The disk is full.") > 1)
        absent = Nightly(settings, command=("/no/such/program",), first_s=0)
        absent._command = ("/no/such/program",)
        assert await absent._make() is False
    assert not task.done()
    assert "cannot be begun" in caplog.text
    task.cancel()


async def test_it_ends_at_once_when_the_server_does(tmp_path: Path) -> None:
    mark = tmp_path / "mark"
    slow = (sys.executable, "-c", f"import time; open({str(mark)!r}, 'w'); time.sleep(120)")
    task = asyncio.create_task(Nightly(Settings(data=tmp_path), command=slow, first_s=0).run())
    await until(mark.exists)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await asyncio.wait_for(task, 60)  # what it began would take twice as long


async def test_one_that_hangs_is_ended_with_what_it_began_and_the_next_is_made(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    # The child keeps standard error open: without it ended too nobody would see the end of that.
    code = "import subprocess, sys; subprocess.Popen(['sleep', '120']).wait()"
    nightly = Nightly(Settings(data=tmp_path), command=(sys.executable, "-c", code), first_s=0, retry_s=0.05, limit_s=1)
    task = asyncio.create_task(nightly.run())
    await until(lambda: caplog.text.count("is ended: look whether the disk") > 1)
    assert not task.done()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await asyncio.wait_for(task, 60)


async def test_one_that_cannot_be_killed_does_not_hold_the_server_up(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    mark = tmp_path / "mark"
    slow = (sys.executable, "-c", f"import time; open({str(mark)!r}, 'w'); time.sleep(120)")
    killed: list[int] = []
    kill = os.killpg
    task = asyncio.create_task(Nightly(Settings(data=tmp_path), command=slow, first_s=0).run())
    await until(mark.exists)
    with monkeypatch.context() as patch:
        patch.setattr(os, "killpg", lambda group, _signal: killed.append(group))  # as one that waits on a dead disk
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await asyncio.wait_for(task, 60)
    kill(killed[0], signal.SIGKILL)


async def test_a_folder_that_does_not_answer_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    answers = threading.Event()
    monkeypatch.setattr("server.backup.nightly.backups", lambda _folder: [answers.wait(60)][:0])
    task = asyncio.create_task(Nightly(Settings(data=tmp_path), first_s=0, retry_s=0.05, limit_s=0.1).run())
    await until(lambda: caplog.text.count("does not answer") > 1)
    assert not task.done()
    task.cancel()
    answers.set()
