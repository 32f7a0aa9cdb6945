"""A daemon on a store that is there already."""

import os
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from server.config import Settings
from server.render.records import BookRecord
from server.render.store import Store
from tests.browser.conftest import ROOT, Daemon
from tests.fakes.synthetic import TEXTS, chapter, put, render

PARTS = ("one", "two", "three", "four")


def store_in(folder: Path) -> Store:
    """The store that a daemon in `folder` will serve."""
    return Store(Settings(data=folder / "data", library=folder / "library").store)


@contextmanager
def serving(folder: Path) -> Iterator[Daemon]:
    """A daemon in `folder`, until the block is left."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    (folder / "config.toml").touch()  # never that of whoever runs the tests
    environ = {
        "LECTERN_CONFIG": str(folder / "config.toml"),
        "LECTERN_DATA": str(folder / "data"),
        "LECTERN_LIBRARY": str(folder / "library"),
    }
    process = subprocess.Popen(
        [sys.executable, "-m", "tests.browser.daemon"],
        cwd=ROOT,
        env=os.environ | environ | {"LECTERN_PORT": str(port)},
        stdout=subprocess.PIPE,
        text=True,
    )
    try:
        assert process.stdout is not None and process.stdout.readline().strip() == "ready"
        yield Daemon(f"http://127.0.0.1:{port}", folder)
    finally:
        process.terminate()
        process.wait(60)


def put_walk(store: Store, folder: Path, lines: int = 2) -> BookRecord:
    """A rendered book of four chapters, each a heading and `lines` sentences of four seconds, in loud words."""
    folder.mkdir(parents=True, exist_ok=True)
    texts = [[f"Part {name}", *(f"Line {n} of {name}: {TEXTS[2 + n % 2 * 4]}" for n in range(lines))] for name in PARTS]
    record = put(store, folder, [chapter(number, part) for number, part in enumerate(texts, 1)])
    for row in record.chapters:
        render(store, record, row.number)
    return record


Walk = tuple[Daemon, Store, BookRecord]


@contextmanager
def walking(folder: Path) -> Iterator[Walk]:
    """A daemon in `folder` with the book of `put_walk`, and the store and the record of that."""
    store = store_in(folder)
    record = put_walk(store, folder)
    with serving(folder) as daemon:
        yield daemon, store, record
