"""The watcher on a real folder, with short times."""

import asyncio
import contextlib
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from watchfiles import Change

from server.library.watcher import Watcher


@asynccontextmanager
async def watching(root: Path) -> AsyncIterator[list[str]]:
    """What the watcher asks for, in order: "scan", or the path of a file relative to the folder."""
    seen: list[str] = []

    async def look_at(*paths: Path) -> None:
        seen.extend(path.relative_to(root).as_posix() for path in paths)

    async def scan() -> None:
        seen.append("scan")

    watcher = Watcher(root, settle_s=0.2, rescan_s=900, look_at=look_at, scan=scan)
    task = asyncio.create_task(watcher.run())
    try:
        await until(lambda: "scan" in seen)
        await asyncio.sleep(0.5)  # the system begins to watch a little later
        yield seen
    finally:
        task.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await task


async def until(true: Callable[[], bool]) -> None:
    async with asyncio.timeout(20):
        while not true():
            await asyncio.sleep(0.05)


@pytest.fixture(autouse=True)
def short(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("server.library.watcher.POLL_S", 0.05)
    monkeypatch.setattr("server.library.watcher.LOOK_S", 0.3)


async def test_a_file_is_handed_on_once_it_rests(tmp_path: Path) -> None:
    async with watching(tmp_path) as seen:
        (tmp_path / "in").mkdir()
        (tmp_path / "in" / "a.epub").write_text("half")
        (tmp_path / "notes.txt").write_text("no book")
        await until(lambda: "in/a.epub" in seen)
    assert set(seen) == {"scan", "in/a.epub"}


async def test_books_that_came_before_their_folder_was_watched_are_found(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The system tells of the folder only: what was written before it watched there has no event of its own."""
    full = tmp_path / "full"
    (full / "deep" / "deeper").mkdir(parents=True)
    for name in ("a.epub", "deep/b.epub", "deep/deeper/c.epub", "deep/notes.txt", "deep/.hidden.epub"):
        (full / name).write_text("whole")
    root = tmp_path / "library"
    root.mkdir()

    async def told(*_: object, **__: object) -> AsyncIterator[set[tuple[Change, str]]]:
        full.rename(root / "full")
        yield {(Change.added, str(root / "full"))}
        await asyncio.sleep(60)

    monkeypatch.setattr("server.library.watcher.awatch", told)
    async with watching(root) as seen:
        await until(lambda: len(seen) == 4)
    assert seen == ["scan", "full/a.epub", "full/deep/b.epub", "full/deep/deeper/c.epub"]


async def test_a_folder_that_is_moved_in_brings_all_its_books(tmp_path: Path) -> None:
    root = tmp_path / "library"
    root.mkdir()
    (tmp_path / "full" / "deep").mkdir(parents=True)
    (tmp_path / "full" / "deep" / "b.epub").write_text("whole")
    async with watching(root) as seen:
        (tmp_path / "full").rename(root / "full")
        await until(lambda: "full/deep/b.epub" in seen)
        assert seen.count("scan") == 1
        (root / "full").rename(tmp_path / "out")  # no word of what was in it, so all is compared
        await until(lambda: seen.count("scan") == 2)


async def test_a_folder_that_came_back_is_compared_and_watched_again(tmp_path: Path) -> None:
    root = tmp_path / "library"
    root.mkdir()
    async with watching(root) as seen:
        root.rename(tmp_path / "elsewhere")
        await asyncio.sleep(1)
        root.mkdir()
        await until(lambda: seen == ["scan", "scan"])
        (root / "b.epub").write_text("new")
        await until(lambda: "b.epub" in seen)


async def test_changes_under_the_real_path_of_a_linked_folder_count(tmp_path: Path) -> None:
    (tmp_path / "disk").mkdir()
    root = tmp_path / "library"
    root.symlink_to(tmp_path / "disk")
    async with watching(root) as seen:
        (tmp_path / "disk" / "a.epub").write_text("new")
        await until(lambda: "a.epub" in seen)
    watcher = Watcher(root, settle_s=1, rescan_s=1, look_at=None, scan=None)  # type: ignore[arg-type]
    watcher._touch(tmp_path.resolve() / "disk" / "a.epub")
    assert watcher._settler
