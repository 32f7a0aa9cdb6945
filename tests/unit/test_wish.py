"""A restore that somebody asks for from the page: done at the next start before all else, once, or told why not."""

import asyncio
import contextlib
import json
import os
import shutil
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from server import app, lock
from server.backup import STEPS, checking, wish
from server.backup.checking import check_aside
from server.backup.make import make_backup
from server.backup.wish import OUTCOME, WISH, ask, check, grant, outcome, take_in, withdraw
from server.config import Settings
from server.db import Database
from server.errors import Conflict, StoreError
from server.house import House
from server.library.catalog import Catalog
from server.render.counting import recount
from server.render.recipes import recipe
from server.render.store import Store
from tests.fakes.synth import ENGINE
from tests.fakes.synthetic import put, render


@pytest.fixture
def here(tmp_path: Path) -> Settings:
    """A house with a rendered book and a rule."""
    settings = Settings(data=tmp_path / "data", library=tmp_path / "library")
    settings.library.mkdir()
    store = Store(settings.store)
    record = put(store, tmp_path)
    render(store, record, 2)
    rules(settings, "gate = GAYT\n")
    contextlib.closing(House(settings, ENGINE)).__enter__().close()
    return settings


def rules(settings: Settings, text: str | None = None) -> str:
    path = settings.store / "lexicon" / "household.txt"
    if text is not None:
        path.parent.mkdir(exist_ok=True)
        path.write_text(text)
    return path.read_text()


def backed_up(settings: Settings, **options: Any) -> Path:
    settings.backups.mkdir(parents=True, exist_ok=True)
    return make_backup(settings, no_config(settings), settings.backups, audio=False, **options).path


def no_config(settings: Settings) -> Path:
    return settings.data.parent / "config.toml"


def state(settings: Settings) -> dict[str, bytes]:
    """All of the data folder but what tells of the restore itself."""
    files = (path for path in settings.data.rglob("*") if path.is_file())
    told = {path.relative_to(settings.data).as_posix(): path.read_bytes() for path in files}
    return {name: data for name, data in told.items() if name not in (WISH, OUTCOME)}


def test_what_was_asked_for_is_done_at_the_next_start_and_once(here: Settings) -> None:
    backup = backed_up(here)
    rules(here, "gate = GATE\n")
    (book,) = Store(here.store).books()
    ask(here, backup.name)
    assert rules(here) == "gate = GATE\n"  # nothing moves before the start
    with lock.hold(here):
        grant(here, no_config(here))
    assert (rules(here), Store(here.store).books()) == ("gate = GAYT\n", [book])
    assert all(entry.rendered for entry in Store(here.store).chapter(book, 2).sentences)  # its audio was kept
    (aside,) = here.data.glob("before-restore-*")
    assert (aside / "store" / "lexicon" / "household.txt").read_text() == "gate = GATE\n"
    told = outcome(here)
    assert told is not None and (told.name, told.trouble) == (backup.name, None)
    assert "1 book" in told.told[0] and any(str(aside) in line for line in told.told)
    assert not (here.data / WISH).exists()
    rules(here, "gate = GATES\n")
    grant(here, no_config(here))
    assert rules(here) == "gate = GATES\n"


def test_without_a_wish_or_with_one_taken_back_nothing_is_done(here: Settings) -> None:
    backup = backed_up(here)
    before = state(here)
    grant(here, no_config(here))
    ask(here, backup.name)
    withdraw(here)
    grant(here, no_config(here))
    assert state(here) == before
    assert outcome(here) is None


WAYS = ["late", "early", "gone", "elsewhere", "damaged", "cut", "no JSON", "half a wish", "no zone"]


@pytest.mark.parametrize("how", WAYS)
def test_what_cannot_be_granted_changes_nothing_and_is_let_go(here: Settings, how: str) -> None:
    backup = backed_up(here)
    ask(here, backup.name)
    path = here.data / WISH
    told = json.loads(path.read_bytes())
    hours = {"late": -1, "early": 1}.get(how, 0)
    told["at"] = (datetime.now(UTC) + timedelta(hours=hours)).isoformat()
    if how == "no zone":
        told["at"] = "2020-01-01T00:00:00"
    if how == "elsewhere":
        told["name"] = f"../{backup.parent.name}/{backup.name}"
    if how == "half a wish":
        del told["at"]
    path.write_text("{" if how == "no JSON" else json.dumps(told))
    if how == "gone":
        backup.unlink()
    if how in ("damaged", "cut"):
        data = bytearray(backup.read_bytes())
        data[len(data) // 2] ^= 0x55
        backup.write_bytes(data if how == "damaged" else data[: len(data) // 2])
    before = state(here)
    grant(here, no_config(here))
    assert state(here) == before
    assert not path.exists()
    if how not in ("no JSON", "half a wish"):
        told_then = outcome(here)
        assert told_then is not None and told_then.trouble and not told_then.told


def test_one_that_is_broken_off_half_done_is_finished_by_the_next_start(
    here: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    backup = backed_up(here)
    rules(here, "gate = GATE\n")
    ask(here, backup.name)
    rename, moved = Path.rename, 0

    def failing(self: Path, target: Any) -> Path:
        nonlocal moved
        moved += 1
        if moved == 2:
            raise OSError(5, "Input/output error", str(self))
        return rename(self, target)

    monkeypatch.setattr(Path, "rename", failing)
    with pytest.raises(StoreError):
        grant(here, no_config(here))
    assert (here.data / STEPS).exists()
    monkeypatch.undo()
    with lock.hold(here):
        grant(here, no_config(here))
    assert rules(here) == "gate = GAYT\n"
    assert not (here.data / STEPS).exists()


def test_a_server_does_it_before_it_opens_anything(here: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    backup = backed_up(here)
    rules(here, "gate = GATE\n")
    ask(here, backup.name)
    seen: list[tuple[str, list[str]]] = []

    async def serve(settings: Settings, house: House, *_: object) -> None:
        seen.append((rules(settings), house.catalog.ids()))

    monkeypatch.setenv("LECTERN_CONFIG", str(no_config(here)))
    for name, value in {"prepare": lambda _: ENGINE, "open_sockets": lambda _: [], "_serve": serve}.items():
        monkeypatch.setattr(app, name, value)
    for name in ("create_app", "Listener"):
        monkeypatch.setattr(app, name, lambda *_: None)
    no_config(here).touch()
    assert app.run_server(here, lambda _: None) is False
    assert seen == [("gate = GAYT\n", Store(here.store).books())]


def test_a_backup_that_lectern_could_not_start_with_is_refused(here: Settings) -> None:
    Store(here.store).blends.put("Evening", recipe("af_heart*0.6+af_bella*0.4"))
    with_blend = backed_up(here, now=datetime(2026, 1, 1, tzinfo=UTC))
    (here.store / "voices.json").unlink()
    without = backed_up(here, now=datetime(2026, 1, 2, tzinfo=UTC))
    evening = Settings(data=here.data, library=here.library, voice="Evening")
    assert check(evening, with_blend).audio is False
    with pytest.raises(Conflict, match="“Evening”, the usual voice, is a blend"):
        check(evening, without)
    assert check(here, without).audio is False
    assert not list(here.data.glob("tmp*"))


def test_what_the_disk_has_no_room_for_is_refused_before_anything_is_asked(
    here: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    backup = backed_up(here)
    monkeypatch.setattr(wish, "KEPT_FREE_BYTES", 1 << 62)
    with pytest.raises(StoreError, match="no room"):
        check(here, backup)


def test_a_file_that_is_sent_is_kept_among_the_backups_if_it_is_one(here: Settings, tmp_path: Path) -> None:
    backup = backed_up(here)
    sent = shutil.move(backup, tmp_path / "sent")
    about = check(here, Path(sent))
    name = take_in(here, Path(sent), about)
    assert name == backup.name and backup.read_bytes() == Path(sent).read_bytes()
    assert os.stat(backup).st_mode & 0o777 == 0o600  # noqa: PTH116
    assert take_in(here, Path(sent), about) == name  # it is there already
    rules(here, "other = rules\n")
    backup.unlink()
    made = datetime.strptime(name.split("-")[2][:15], "%Y%m%dT%H%M%S").replace(tzinfo=UTC)
    backed_up(here, now=made)
    with pytest.raises(Conflict, match="same second"):
        take_in(here, Path(sent), about)
    for data in (b"", b"x" * 2000, Path(sent).read_bytes()[:-100]):
        (bad := tmp_path / "bad").write_bytes(data)
        with pytest.raises(StoreError):
            check(here, bad)
    assert [path.name for path in here.backups.iterdir()] == [name]


async def test_a_backup_is_read_by_a_process_of_its_own_that_tells_the_same(here: Settings, tmp_path: Path) -> None:
    backup = backed_up(here)
    assert await check_aside(here, backup) == check(here, backup)
    backup.write_bytes(backup.read_bytes()[:-100])
    with pytest.raises(StoreError) as by_itself:
        check(here, backup)
    with pytest.raises(StoreError) as aside:
        await check_aside(here, backup)
    assert str(aside.value) == str(by_itself.value)
    evening = Settings(data=here.data, library=here.library, voice="Evening")
    with pytest.raises(Conflict, match="“Evening”, the usual voice, is a blend"):
        await check_aside(evening, backed_up(here, now=datetime(2026, 1, 1, tzinfo=UTC)))


async def test_a_server_that_stops_does_not_wait_for_a_backup_to_be_read(here: Settings, tmp_path: Path) -> None:
    endless = tmp_path / "endless.tar"
    os.mkfifo(endless)
    reading = asyncio.create_task(check_aside(here, endless))
    with pytest.raises(TimeoutError):
        await asyncio.wait_for(asyncio.shield(reading), 1)
    reading.cancel()
    with pytest.raises(asyncio.CancelledError):
        await asyncio.wait_for(reading, 2)
    with pytest.raises(StoreError, match="not read to its end"):
        await check_aside(here, endless, seconds=0.2)


async def test_what_reads_a_backup_may_die(here: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(checking, "MODULE", "server.backup.nothing")
    with pytest.raises(StoreError, match="not read to its end"):
        await check_aside(here, backed_up(here))


def test_what_a_backup_lacked_already_is_no_reason_to_say_that_nothing_came_back(here: Settings) -> None:
    store = Store(here.store)
    (book,) = store.books()
    with contextlib.closing(Database(here.database)) as database:
        recount(store, Catalog(database))
    store.chapter_path(book, 1).unlink()
    backup = backed_up(here)
    ask(here, backup.name)
    with lock.hold(here):
        grant(here, no_config(here))
    told = outcome(here)
    assert told is not None and told.trouble is None and "1 book" in told.told[0]
