"""The library folder as people and programs use it: the real watcher, scanner, rows, reading process and store."""

import asyncio
import contextlib
import os
import shutil
import subprocess
import unicodedata
from collections.abc import AsyncIterator, Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from server.config import Settings
from server.errors import StoreError
from server.house import House
from server.library.watcher import Watcher
from tests.epubs import build_epub, page
from tests.fakes.synth import ENGINE

SETTLE_S = 0.4


def epub(path: Path, title: str, sentences: int = 1) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    text = "".join(f"<p>This is sentence {number} of {title}.</p>" for number in range(sentences))
    return build_epub(path, {"c1.xhtml": page(f"<h1>{title}</h1>{text}")}, title=title)


class Folder:
    """A house whose folder is watched, and all that was told."""

    def __init__(self, house: House) -> None:
        self.house = house
        self.root = house.settings.library
        self.told: list[tuple[str, dict[str, Any]]] = []

    async def states(self) -> dict[str, str]:
        return {book.title: book.state for book in await self.house.books()}

    async def refusals(self) -> dict[str, str]:
        return {refusal.name: refusal.kind for refusal in await self.house.refusals()}

    def rows(self) -> dict[str, str | None]:
        return {key: known.book for key, known in self.house.files.known().items()}

    def read(self) -> list[str]:
        """The names of the files that were given to the reading process."""
        return [data["name"] for kind, data in self.told if kind == "import.started"]

    async def until(self, true: Callable[[], Any]) -> None:
        """Wait until a condition holds, which may be a coroutine function."""
        async with asyncio.timeout(180):
            while True:
                answer = true()
                if await answer if asyncio.iscoroutine(answer) else answer:
                    return
                await asyncio.sleep(0.05)

    async def until_states(self, **states: str) -> None:
        async def so() -> bool:
            return await self.states() == states

        await self.until(so)

    async def quiet(self) -> None:
        """Wait until what may still come of an event has come."""
        await asyncio.sleep(SETTLE_S * 4 + 1)


@pytest.fixture
async def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Folder]:
    """A house and its folder; nothing is watched yet."""
    monkeypatch.setattr("server.library.watcher.POLL_S", 0.05)
    monkeypatch.setattr("server.library.watcher.LOOK_S", 0.3)
    settings = Settings(data=tmp_path / "data", library=tmp_path / "library")
    for made in (settings.data, settings.library):
        made.mkdir()
    house = House(settings, ENGINE)
    here = Folder(house)
    listening = asyncio.create_task(_listen(here))
    yield here
    listening.cancel()
    house.close()


async def _listen(folder: Folder) -> None:
    async for event in folder.house.hub.subscribe():
        folder.told.append((event.kind, event.data))


@contextlib.asynccontextmanager
async def watched(folder: Folder, poll_s: float | None = None) -> AsyncIterator[None]:
    scanner, scans = folder.house.scanner, list[int]()

    async def scan() -> None:
        await scanner.scan()
        scans.append(1)

    watcher = Watcher(
        folder.root,
        settle_s=SETTLE_S,
        rescan_s=900,
        look_at=scanner.look_at,
        scan=scan,
        differing=scanner.differing,
        poll_s=lambda: poll_s,
    )
    task = asyncio.create_task(watcher.run())
    try:
        await folder.until(lambda: scans)
        await asyncio.sleep(0.5)  # the system begins to watch a little later
        yield
    finally:
        task.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await task


async def pour(path: Path, data: bytes, pauses: list[float]) -> None:
    """Write `data` in as many pieces as there are pauses and one more."""
    size = len(data) // (len(pauses) + 1) + 1
    with path.open("wb") as stream:
        for number, pause in enumerate([*pauses, 0.0]):
            stream.write(data[number * size : (number + 1) * size])
            stream.flush()
            await asyncio.sleep(pause)


async def test_a_slow_copy_is_read_once_when_it_is_whole(folder: Folder, tmp_path: Path) -> None:
    data = epub(tmp_path / "x.epub", "First", 200).read_bytes()
    async with watched(folder):
        await pour(folder.root / "a.epub", data, [SETTLE_S / 2] * 6)
        await folder.until_states(First="ready")
        await folder.quiet()
    assert folder.read() == ["a.epub"]
    assert await folder.refusals() == {}


async def test_a_copy_that_stood_still_in_the_middle_heals_when_the_rest_comes(folder: Folder, tmp_path: Path) -> None:
    data = epub(tmp_path / "x.epub", "First", 200).read_bytes()
    async with watched(folder):
        stream = (folder.root / "a.epub").open("wb")
        stream.write(data[: len(data) // 2])
        stream.flush()

        async def refused() -> bool:
            return await folder.refusals() == {"a.epub": "damaged"}

        await folder.until(refused)
        assert await folder.states() == {}
        stream.write(data[len(data) // 2 :])
        stream.close()
        await folder.until_states(First="ready")

        async def healed() -> bool:
            return await folder.refusals() == {}

        await folder.until(healed)


async def test_a_file_renamed_over_a_book_takes_its_place(folder: Folder, tmp_path: Path) -> None:
    epub(folder.root / "a.epub", "First")
    new = epub(folder.root / ".a.epub.new", "Second")
    async with watched(folder):
        await folder.until_states(First="ready")
        new.replace(folder.root / "a.epub")
        await folder.until_states(First="missing", Second="ready")


async def test_a_book_that_moves_stays_the_same_and_is_not_read_again(folder: Folder) -> None:
    epub(folder.root / "a.epub", "First")
    async with watched(folder):
        await folder.until_states(First="ready")
        (book,) = folder.rows().values()
        folder.told.clear()
        (folder.root / "in" / "deep").mkdir(parents=True)
        (folder.root / "a.epub").rename(folder.root / "in" / "deep" / "b.epub")
        await folder.until(lambda: folder.rows() == {"in/deep/b.epub": book})
        (folder.root / "in").rename(folder.root / "out")
        await folder.until(lambda: folder.rows() == {"out/deep/b.epub": book})
        await folder.quiet()
    assert folder.rows() == {"out/deep/b.epub": book}
    assert await folder.states() == {"First": "ready"}
    assert [kind for kind, _ in folder.told if kind != "library.notice"] == []  # nothing was read, nothing missing


async def test_a_book_that_moves_while_nobody_watches_is_known(folder: Folder) -> None:
    epub(folder.root / "a.epub", "First")
    await folder.house.scanner.scan()
    (folder.root / "b").mkdir()
    shutil.copyfile(folder.root / "a.epub", folder.root / "b" / "c.epub")  # to another disk, as `mv` does it
    (folder.root / "a.epub").unlink()
    await asyncio.sleep(0)
    folder.told.clear()
    await folder.house.scanner.scan()
    await asyncio.sleep(0)
    ((path, book),) = folder.rows().items()
    assert path == "b/c.epub"
    assert folder.told == [("book.changed", {"id": book})]  # its page says where its file lies


async def test_a_folder_of_books_is_renamed(folder: Folder) -> None:
    titles = [f"Book {number}" for number in range(5)]
    for title in titles:
        epub(folder.root / "one" / f"{title}.epub", title)
    async with watched(folder):
        await folder.until_states(**dict.fromkeys(titles, "ready"))
        folder.told.clear()
        (folder.root / "one").rename(folder.root / "two")
        await folder.until(lambda: set(folder.rows()) == {f"two/{title}.epub" for title in titles})
        await folder.quiet()
    assert [kind for kind, _ in folder.told if kind != "library.notice"] == []


async def test_a_book_that_is_moved_over_another_leaves_that_missing(folder: Folder) -> None:
    epub(folder.root / "a.epub", "First")
    epub(folder.root / "b.epub", "Second")
    async with watched(folder):
        await folder.until_states(First="ready", Second="ready")
        (folder.root / "a.epub").replace(folder.root / "b.epub")
        await folder.until_states(First="ready", Second="missing")
    assert list(folder.rows()) == ["b.epub"]


async def test_a_deleted_book_comes_back_with_all_it_had(folder: Folder, tmp_path: Path) -> None:
    path = epub(folder.root / "a.epub", "First")
    kept = Path(shutil.copy(path, tmp_path / "kept"))
    async with watched(folder):
        await folder.until_states(First="ready")
        (book,) = folder.house.store.books()
        before = folder.house.store.book(book)
        path.unlink()
        await folder.until_states(First="missing")
        shutil.copy(kept, folder.root / "again.epub")
        await folder.until_states(First="ready")
    assert folder.house.store.book(book) == before
    assert folder.read() == ["a.epub"]


async def test_a_hundred_files_at_once_all_come_in_and_are_read_once_each(folder: Folder, tmp_path: Path) -> None:
    count = 100  # two hundred take no other way, and two minutes
    for number in range(count):
        epub(tmp_path / "new" / f"{number:03}.epub", f"Book {number}")
    async with watched(folder):
        shutil.copytree(tmp_path / "new", folder.root / "new")

        async def all_in() -> bool:
            return len(await folder.states()) == count

        async with asyncio.timeout(400):
            while not await all_in():
                await asyncio.sleep(0.5)
    assert sorted(folder.read()) == [f"{number:03}.epub" for number in range(count)]
    waiting = [data["waiting"] for kind, data in folder.told if kind == "import.started"]
    assert max(waiting) > count / 2 and waiting[-1] == 0  # how many are left is told with each
    assert folder.house.scanner.waiting == 0


async def test_a_disk_that_goes_away_and_comes_back_changes_nothing(folder: Folder, tmp_path: Path) -> None:
    epub(folder.root / "a.epub", "First")
    epub(folder.root / "in" / "b.epub", "Second")
    async with watched(folder):
        await folder.until_states(First="ready", Second="ready")
        rows = folder.rows()
        folder.root.rename(tmp_path / "elsewhere")
        await folder.quiet()
        await folder.house.scanner.scan()
        assert "cannot be looked into" in str(folder.house.scanner.notice)
        folder.root.mkdir()  # the bare folder in which the disk should begin
        await folder.quiet()
        await folder.house.scanner.scan()
        assert await folder.states() == {"First": "ready", "Second": "ready"}
        assert "is its disk connected" in str((await folder.house.status()).notice)
        with pytest.raises(StoreError, match="is its disk connected"):
            await folder.house.import_file("c.epub", epub(tmp_path / "c" / "c.epub", "Third"))
        folder.root.rmdir()
        (tmp_path / "elsewhere").rename(folder.root)
        epub(folder.root / "d.epub", "Fourth")
        await folder.until_states(First="ready", Second="ready", Fourth="ready")
    assert folder.house.scanner.notice is None
    assert {key: book for key, book in folder.rows().items() if key != "d.epub"} == rows
    assert not any(kind == "book.changed" for kind, _ in folder.told)


@contextlib.contextmanager
def disk(place: Path) -> Iterator[None]:
    """A disk of its own, mounted at `place`; skips where that is not allowed."""
    if subprocess.run(["mount", "-t", "tmpfs", "none", place], capture_output=True, check=False).returncode:
        pytest.skip("no disk can be mounted here")
    try:
        yield
    finally:
        subprocess.run(["umount", "-l", place], capture_output=True, check=False)


@pytest.mark.parametrize("inner", ["", "nas"])
async def test_a_disk_that_is_unmounted_for_real_changes_nothing(folder: Folder, inner: str) -> None:
    """The whole folder is the disk, or a folder in it is."""
    place = folder.root / inner
    place.mkdir(exist_ok=True)
    states = {"First": "ready"}
    if inner:
        epub(folder.root / "own.epub", "Own")
        states["Own"] = "ready"
    with disk(place):
        epub(place / "deep" / "a.epub", "First")
        async with watched(folder):
            await folder.until_states(**states)
            subprocess.run(["umount", "-l", place], check=True)
            assert list(place.iterdir()) == []
            await folder.quiet()
            await folder.house.scanner.scan()
            assert await folder.states() == states
            assert f"{place} is empty, and 1 book of it is not there" in str(folder.house.scanner.notice)
            if inner:
                (folder.root / "own.epub").unlink()  # what is on no lost disk is gone as ever
                await folder.until_states(First="ready", Own="missing")
                place.rmdir()
                await folder.house.scanner.scan()
                assert await folder.states() == {"First": "missing", "Own": "missing"}


async def test_a_folder_that_is_emptied_by_hand_leaves_its_books_missing(folder: Folder) -> None:
    path = epub(folder.root / "a.epub", "First")
    await folder.house.scanner.scan()
    path.unlink()
    await folder.house.scanner.scan()  # the folder is the same: this was meant
    assert await folder.states() == {"First": "missing"}
    assert folder.house.scanner.notice is None


async def test_a_new_folder_with_other_books_in_it_is_believed(folder: Folder, tmp_path: Path) -> None:
    epub(folder.root / "a.epub", "First")
    await folder.house.scanner.scan()
    folder.root.rename(tmp_path / "old")
    epub(folder.root / "b.epub", "Second")
    await folder.house.scanner.scan()
    assert await folder.states() == {"First": "missing", "Second": "ready"}


async def test_a_download_is_read_when_it_gets_its_name(folder: Folder, tmp_path: Path) -> None:
    data = epub(tmp_path / "x.epub", "First").read_bytes()
    async with watched(folder):
        for name in ("a.epub.crdownload", "b.epub.part", "c.download"):
            (folder.root / name).write_bytes(data[:100])
        await folder.quiet()
        assert folder.rows() == {}
        (folder.root / "a.epub.crdownload").write_bytes(data)
        (folder.root / "a.epub.crdownload").rename(folder.root / "a.epub")
        await folder.until_states(First="ready")
    assert folder.read() == ["a.epub"]


async def test_what_file_managers_leave_behind_is_passed_over(folder: Folder, tmp_path: Path) -> None:
    data = epub(tmp_path / "x.epub", "First").read_bytes()
    async with watched(folder):
        for name in (".DS_Store", "._x.epub", "~$x.epub", "Thumbs.db", "Icon\r", ".Trashes/x.epub", "notes.txt"):
            (folder.root / name).parent.mkdir(exist_ok=True)
            (folder.root / name).write_bytes(data)
        await folder.quiet()
        await folder.house.scanner.scan()
    assert folder.rows() == {} and await folder.refusals() == {}


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("emma.epub", "Emma.epub"),
        (unicodedata.normalize("NFC", "Émile Zolà.epub"), unicodedata.normalize("NFD", "Émile Zolà.epub")),
    ],
)
async def test_a_name_in_another_case_or_form_is_the_same_book(folder: Folder, before: str, after: str) -> None:
    epub(folder.root / before, "First")
    async with watched(folder):
        await folder.until_states(First="ready")
        (folder.root / before).rename(folder.root / after)
        await folder.until(lambda: list(folder.rows()) == [after])
        await folder.quiet()
    assert folder.read() == [before]
    assert await folder.states() == {"First": "ready"}


async def test_links_are_followed_once(folder: Folder, tmp_path: Path) -> None:
    epub(tmp_path / "disk" / "one.epub", "One")
    epub(tmp_path / "disk" / "deep" / "two.epub", "Two")
    epub(folder.root / "real" / "three.epub", "Three")
    (folder.root / "a-link.epub").symlink_to(tmp_path / "disk" / "one.epub")
    (folder.root / "b-disk").symlink_to(tmp_path / "disk")
    (folder.root / "a-real").symlink_to(folder.root / "real")
    (folder.root / "real" / "loop").symlink_to(folder.root)
    (tmp_path / "disk" / "around").symlink_to(tmp_path / "disk")
    (folder.root / "self.epub").symlink_to(folder.root / "self.epub")
    (folder.root / "nothing").symlink_to(tmp_path / "not there")
    async with watched(folder):
        await folder.until_states(One="ready", Two="ready", Three="ready")
        assert set(folder.rows()) == {
            "a-link.epub",
            "b-disk/one.epub",
            "b-disk/deep/two.epub",
            "real/three.epub",
        }
        assert folder.house.scanner.notice is None
        (folder.root / "b-disk").unlink()
        (folder.root / "b-disk").symlink_to(tmp_path / "unplugged")
        await folder.house.scanner.scan()
        assert await folder.states() == {"One": "ready", "Two": "ready", "Three": "ready"}
        assert "b-disk" in str(folder.house.scanner.notice)


async def test_a_name_that_is_no_text_is_told_and_stops_nothing(folder: Folder, tmp_path: Path) -> None:
    odd, odder = (folder.root / os.fsdecode(name) for name in (b"caf\xe9.epub", b"\xe9.epub"))
    try:
        epub(tmp_path / "made.epub", "Odd").rename(odd)
    except OSError:
        pytest.skip("this disk has no such names")
    epub(folder.root / "a.epub", "First")
    async with watched(folder):
        await folder.until_states(First="ready")
        assert "not in UTF-8" in str(folder.house.scanner.notice)
        epub(folder.root / "b.epub", "Second")
        odd.rename(odder)
        await folder.until_states(First="ready", Second="ready")
        odder.rename(folder.root / "c.epub")
        await folder.until_states(First="ready", Second="ready", Odd="ready")


async def test_a_pipe_by_the_name_of_a_book_holds_nothing_up(folder: Folder) -> None:
    os.mkfifo(folder.root / "a.epub")
    async with watched(folder):

        async def refused() -> bool:
            return await folder.refusals() == {"a.epub": "not-epub"}

        await folder.until(refused)
        epub(folder.root / "b.epub", "Second")
        await folder.until_states(Second="ready")


async def test_a_file_that_may_not_be_read_is_read_when_it_may(folder: Folder) -> None:
    path = epub(folder.root / "a.epub", "First")
    path.chmod(0)
    if os.access(path, os.R_OK):
        pytest.skip("run by an administrator, who may read everything")
    async with watched(folder):

        async def refused() -> bool:
            return await folder.refusals() == {"a.epub": "unreadable"}

        await folder.until(refused)
        path.chmod(0o644)
        await folder.until_states(First="ready")
    assert await folder.refusals() == {}


async def test_a_folder_that_may_not_be_entered_keeps_its_own_books_only(
    folder: Folder, monkeypatch: pytest.MonkeyPatch
) -> None:
    epub(folder.root / "shut" / "a.epub", "First")
    epub(folder.root / "open" / "b.epub", "Second")
    await folder.house.scanner.scan()
    scandir = os.scandir

    def closed(path: str) -> object:
        if str(path).endswith("shut"):
            raise PermissionError(13, "Permission denied", path)
        return scandir(path)

    monkeypatch.setattr("os.scandir", closed)
    (folder.root / "open" / "b.epub").unlink()
    await folder.house.scanner.scan()
    assert await folder.states() == {"First": "ready", "Second": "missing"}
    assert "shut cannot be looked into (Permission denied)" in str(folder.house.scanner.notice)


async def test_a_book_that_lies_here_twice_is_told_and_may_go_once(folder: Folder, tmp_path: Path) -> None:
    path = epub(folder.root / "a.epub", "First")
    async with watched(folder):
        await folder.until_states(First="ready")
        (book,) = folder.house.store.books()
        shutil.copyfile(path, folder.root / "copy.epub")
        await folder.until(lambda: len(folder.rows()) == 2)
        await folder.until(lambda: any(kind == "import.duplicate" for kind, _ in folder.told))
        told = next(data for kind, data in folder.told if kind == "import.duplicate")
        assert told == {"id": book, "name": "copy.epub", "there": ["a.epub"]}
        assert (await folder.house.book(book)).files == ["a.epub", "copy.epub"]
        (shown,) = (await folder.house.page("added", "", 9, 0, "twice")).books
        assert (shown.id, shown.file, shown.copies) == (book, "a.epub", ["a.epub", "copy.epub"])
        before = len(folder.told)
        path.unlink()
        await folder.until(lambda: list(folder.rows()) == ["copy.epub"])
        await folder.quiet()
        assert ("book.changed", {"id": book}) in folder.told[before:]  # it lies there once now
        assert (await folder.house.page("added", "", 9, 0, "twice")).total == 0
        assert await folder.states() == {"First": "ready"}
        (folder.root / "copy.epub").unlink()
        await folder.until_states(First="missing")
        (lost,) = (await folder.house.page("added", "", 9, 0, "missing")).books
        assert (lost.file, lost.copies) == ("a.epub", [])
    assert folder.read() == ["a.epub"]


async def test_a_file_in_icloud_is_told_until_it_comes(folder: Folder, monkeypatch: pytest.MonkeyPatch) -> None:
    epub(folder.root / "a.epub", "First")
    away = epub(folder.root / "b.epub", "Second")
    inodes = {away.stat().st_ino}
    monkeypatch.setattr("server.library.settle.flags_of", lambda stat: 0x4000_0000 if stat.st_ino in inodes else 0)
    (folder.root / ".c.epub.icloud").write_bytes(b"bplist00")
    (folder.root / ".photo.jpg.icloud").write_bytes(b"bplist00")
    async with watched(folder):

        async def told() -> bool:
            return await folder.refusals() == {"b.epub": "in-cloud", "c.epub": "in-cloud"}

        await folder.until(told)
        assert await folder.states() == {"First": "ready"}
        (folder.root / ".d.epub.icloud").write_bytes(b"bplist00")  # while it is watched
        await folder.until(lambda: "d.epub" in folder.rows())
        inodes.clear()
        os.utime(away)  # it was downloaded
        (folder.root / ".c.epub.icloud").unlink()
        epub(folder.root / "c.epub", "Third")
        (folder.root / ".d.epub.icloud").unlink()
        await folder.until_states(First="ready", Second="ready", Third="ready")
        await folder.until(lambda: "d.epub" not in folder.rows())
    assert await folder.refusals() == {}


async def test_a_book_whose_file_goes_back_to_icloud_stays(folder: Folder, monkeypatch: pytest.MonkeyPatch) -> None:
    path = epub(folder.root / "a.epub", "First")
    other = epub(folder.root / "b.epub", "Second")
    await folder.house.scanner.scan()
    inode = path.stat().st_ino
    monkeypatch.setattr("server.library.settle.flags_of", lambda stat: 0x4000_0000 if stat.st_ino == inode else 0)
    other.rename(folder.root / ".b.epub.icloud")
    await folder.house.scanner.scan()
    await folder.house.scanner.look_at(path, other)
    assert await folder.states() == {"First": "ready", "Second": "ready"}
    assert await folder.refusals() == {}


async def test_a_disk_without_events_is_looked_at_again_and_again(
    folder: Folder, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def silent(*_: object, **__: object) -> AsyncIterator[set[Any]]:
        while True:
            await asyncio.sleep(0.3)
            yield set()

    monkeypatch.setattr("server.library.watcher.awatch", silent)
    data = epub(tmp_path / "x.epub", "First", 200).read_bytes()
    async with watched(folder, poll_s=0.1):
        await pour(folder.root / "a.epub", data, [SETTLE_S / 2] * 6)
        await folder.until_states(First="ready")
        (folder.root / "in").mkdir()
        (folder.root / "a.epub").rename(folder.root / "in" / "b.epub")
        await folder.until(lambda: list(folder.rows()) == ["in/b.epub"])
        (folder.root / "in" / "b.epub").unlink()
        await folder.until_states(First="missing")
    assert folder.read() == ["a.epub"]


async def test_a_machine_that_slept_compares_its_folder(folder: Folder, monkeypatch: pytest.MonkeyPatch) -> None:
    async def deaf(*_: object, **__: object) -> AsyncIterator[set[Any]]:
        while True:
            await asyncio.sleep(0.3)
            yield set()

    monkeypatch.setattr("server.library.watcher.awatch", deaf)
    slept_s = 0.0
    monkeypatch.setattr("server.library.watcher._ahead_s", lambda: 1_000_000.0 + slept_s)
    async with watched(folder):
        epub(folder.root / "a.epub", "First")
        await folder.quiet()
        assert await folder.states() == {}
        slept_s = 3_600.0
        await folder.until_states(First="ready")
