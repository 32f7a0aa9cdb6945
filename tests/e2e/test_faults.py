"""What may befall a render: each time the dashboard says it in a sentence, nothing is lost, and it goes on by itself.

The daemon, its render process, the disk and the kill are real; tones stand in for the voice, but for the weights.
"""

import json
import os
import shutil
import signal
import subprocess
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx
import pytest

from server.render.store import Store
from server.render.verify import Tally, verify
from tests.e2e.house import House
from tests.epubs import build_epub
from tests.parity.store_reader import check

pytestmark = pytest.mark.timeout(600)

SENTENCES = 16
PATIENCE_S = "3"


@pytest.fixture
def house(tmp_path: Path) -> Iterator[House]:
    """A house whose passes take half a second."""
    made = House(
        tmp_path,
        tmp_path / "no-models",
        module="tests.browser.daemon",
        LECTERN_TEST_PASS_S="0.5",
        LECTERN_TEST_PATIENCE_S=PATIENCE_S,
        LECTERN_TEST_HOARD=str(tmp_path / "hoard"),
    )
    yield made
    if made._process is not None:
        made.stop()


def begun(house: House, tmp_path: Path) -> str:
    """A house in the middle of a book; gives the book."""
    house.start()
    body = "".join(f"<p>The clock on the landing struck {n} times, and then it stopped.</p>" for n in range(SENTENCES))
    epub = build_epub(tmp_path / "clock.epub", {"one.xhtml": f"<h1>The Clock</h1>{body}"}, title="The Clock")
    book: str = httpx.post(
        f"{house.url}/api/v1/books?name=clock.epub",
        content=epub.read_bytes(),
        headers={"content-type": "application/epub+zip"},
        trust_env=False,
        timeout=60,
    ).json()["id"]
    house.until(lambda: house.rendered(book) >= 2, "something is rendered")
    return book


def worker(house: House) -> dict[str, Any]:
    """What the dashboard shows of the render process."""
    shown: dict[str, Any] = house.get("/status").json()["worker"]
    return shown


def told(house: House, *words: str) -> str:
    """Wait until the dashboard says that nothing is rendered, with these words; gives its sentence."""

    def found() -> str | None:
        shown = worker(house)
        detail = shown["detail"] or ""
        return detail if shown["state"] in ("down", "no-model") and all(word in detail for word in words) else None

    return str(house.until(found, f"it is told {words}"))


def whole(house: House, book: str) -> None:
    """Wait until the book is rendered to its end; nothing was given up and nothing lies about."""
    total = house.get(f"/books/{book}").json()["sentences"]["total"]
    house.until(lambda: house.rendered(book) == total, "the book is rendered to its end")
    house.until(lambda: worker(house)["state"] == "idle", "it rests")
    assert worker(house)["detail"] is None
    house.stop()
    store = Store(house.data / "store")
    assert all(entry.failed is None for entry in store.chapter(book, 1).sentences)
    assert list(verify(store, Tally())) == [] and store.sweep() == []
    assert check(store.root) == []


def test_a_kill(house: House, tmp_path: Path) -> None:
    book = begun(house, tmp_path)
    os.kill(house.worker_pids()[0], signal.SIGKILL)
    told(house, "was killed")
    whole(house, book)


def test_a_process_that_hangs(house: House, tmp_path: Path) -> None:
    book = begun(house, tmp_path)
    [pid] = house.worker_pids()
    os.kill(pid, signal.SIGSTOP)
    assert house.get(f"/books/{book}/chapters/1").status_code == 200
    told(house, f"said nothing for {PATIENCE_S} seconds", "ended")
    house.until(lambda: pid not in house.worker_pids(), "the process that hung is gone")
    whole(house, book)


def test_too_little_memory(house: House, tmp_path: Path) -> None:
    book = begun(house, tmp_path)
    (tmp_path / "hoard").touch()
    told(house, "not enough memory")
    before = house.rendered(book)
    house.until(lambda: worker(house)["state"] != "rendering", "it stands still")
    (tmp_path / "hoard").unlink()
    whole(house, book)
    assert before < SENTENCES + 1


@contextmanager
def small_disk(place: Path) -> Iterator[None]:
    """A disk of 24 MB, mounted at `place`; skips where that is not allowed."""
    mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=24m", "none", place], capture_output=True)
    if mounted.returncode:
        pytest.skip("no disk can be mounted here")
    try:
        yield
    finally:
        subprocess.run(["umount", "-R", "-l", place], capture_output=True)


def fill(house: House) -> Callable[[], None]:
    """Leave no byte of the disk; gives what makes room again."""
    filler = house.data / "filler"
    with filler.open("wb", buffering=0) as stream:
        try:
            while True:
                stream.write(bytes(1 << 12))
        except OSError:
            return filler.unlink


def lock(house: House) -> Callable[[], None]:
    """Let nothing be written to the folder of the books; gives what allows it again."""
    books = house.data / "store" / "books"
    for how in (("--bind", books), ("-o", "remount,bind,ro")):
        subprocess.run(["mount", *how, books], check=True, capture_output=True)
    return lambda: _umount(books)


def _umount(place: Path) -> None:
    subprocess.run(["umount", "-l", place], check=True, capture_output=True)


@pytest.mark.parametrize(("cause", "words"), [(fill, ("disk is full",)), (lock, ("could not be written",))])
def test_a_disk_that_takes_nothing(
    house: House, tmp_path: Path, cause: Callable[[House], Callable[[], None]], words: tuple[str, ...]
) -> None:
    with small_disk(house.data):
        book = begun(house, tmp_path)
        mend = cause(house)
        told(house, *words)
        assert house.get(f"/books/{book}/chapters/1").status_code == 200
        mend()
        whole(house, book)


@pytest.mark.speech
@pytest.mark.parametrize("damage", ["truncated", "flipped"])
def test_damaged_weights(models: Path, tmp_path: Path, damage: str) -> None:
    mine = tmp_path / "models"
    mine.mkdir()
    for path in models.iterdir():
        (mine / path.name).symlink_to(path)
    house = House(tmp_path, mine)
    house.start()
    try:
        weights = mine / "kokoro.safetensors"
        bad = tmp_path / "bad.safetensors"
        shutil.copyfile(models / weights.name, bad)
        spoil(bad, damage)
        os.replace(bad, weights)  # noqa: PTH105
        shutil.copy(build_epub(tmp_path / "b.epub", {"a.xhtml": "<p>The kettle sang. Nobody came.</p>"}), house.library)
        told(house, "lectern setup")
        weights.unlink()
        weights.symlink_to(models / weights.name)
        [book] = house.until(house.books, "the book is on the shelf")
        house.until(lambda: house.rendered(book["id"]) == 2, "it is rendered")
    finally:
        house.stop()
    assert check(house.data / "store") == []


def spoil(path: Path, damage: str) -> None:
    """Cut the end off, or turn the highest bit of an exponent in every thousandth weight."""
    if damage == "truncated":
        os.truncate(path, path.stat().st_size // 2)
        return
    with path.open("r+b") as stream:
        header = int.from_bytes(stream.read(8), "little")
        assert json.loads(stream.read(header))
        begin = 8 + header
        data = bytearray(stream.read())
        for at in range(3, len(data) - 4, 4_000):
            data[at] ^= 0x40
        stream.seek(begin)
        stream.write(data)
