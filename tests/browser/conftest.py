"""A daemon with a rendered book, and Chromium at a phone's or a desk's size."""

import fcntl
import json
import os
import shutil
import socket
import subprocess
import sys
import time
import urllib.request
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

import pytest
from playwright.sync_api import Browser, Page, expect, sync_playwright

from server.library.sample import sample_epub

ROOT = Path(__file__).resolve().parents[2]
START_S = 60
RENDER_S = 400
# Without the first two a browser under test asks its maker's servers about itself; the sound goes nowhere.
ARGUMENTS = ["--disable-background-networking", "--disable-component-update", "--no-sandbox", "--mute-audio"]
expect.set_options(timeout=60_000)  # a busy machine takes its time; what is expected does not depend on it
SIZES = {"phone": {"width": 390, "height": 844}, "desk": {"width": 1440, "height": 900}}


@dataclass
class Daemon:
    """A running server; `get` reads its API."""

    url: str
    folder: Path

    def get(self, path: str) -> Any:
        with urllib.request.urlopen(f"{self.url}/api/v1{path}", timeout=30) as answer:
            return json.load(answer)

    def add(self, epub: Path) -> str:
        """Upload a book; gives its id."""
        request = urllib.request.Request(
            f"{self.url}/api/v1/books?name={epub.name.replace(' ', '%20')}",
            data=epub.read_bytes(),
            headers={"content-type": "application/epub+zip"},
        )
        with urllib.request.urlopen(request, timeout=60) as answer:
            return str(json.load(answer)["id"])

    def delete(self, book: str) -> None:
        """Take a book away with all that belongs to it."""
        request = urllib.request.Request(f"{self.url}/api/v1/books/{book}?what=everything", method="DELETE")
        with urllib.request.urlopen(request, timeout=60):
            pass

    def wait_until_rendered(self, book: str) -> None:
        end = time.monotonic() + RENDER_S
        while (counts := self.get(f"/books/{book}")["sentences"])["rendered"] < counts["total"]:
            assert time.monotonic() < end, f"still {counts}"
            time.sleep(0.5)


@pytest.fixture(scope="session")
def epub(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return sample_epub(tmp_path_factory.mktemp("epub"))


class Start(Protocol):
    """Starts a daemon whose every pass takes so many seconds, with a copy of a store when one is given."""

    def __call__(self, pass_s: float, stock: Path | None = None) -> Daemon: ...


@pytest.fixture(scope="session")
def start(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Start]:
    """Its daemons end with the session."""
    running: list[subprocess.Popen[str]] = []

    def run(pass_s: float, stock: Path | None = None) -> Daemon:
        folder = tmp_path_factory.mktemp("house")
        if stock is not None:
            shutil.copytree(stock, folder / "data" / "store")
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            port = free.getsockname()[1]
        (folder / "config.toml").touch()  # never that of whoever runs the tests
        environ = os.environ | {
            "LECTERN_CONFIG": str(folder / "config.toml"),
            "LECTERN_DATA": str(folder / "data"),
            "LECTERN_LIBRARY": str(folder / "library"),
            "LECTERN_PORT": str(port),
            "LECTERN_TEST_PASS_S": str(pass_s),
        }
        process = subprocess.Popen(
            [sys.executable, "-m", "tests.browser.daemon"], cwd=ROOT, env=environ, stdout=subprocess.PIPE, text=True
        )
        running.append(process)
        assert process.stdout is not None
        assert process.stdout.readline().strip() == "ready"
        return Daemon(f"http://127.0.0.1:{port}", folder)

    yield run
    for process in running:
        process.terminate()
    for process in running:
        process.wait(START_S)


@pytest.fixture(scope="session")
def rendered(start: Start, epub: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A store with all of the sample book, to start daemons with: rendered once for all the processes of a run."""
    base = tmp_path_factory.getbasetemp()
    shared = base.parent if "PYTEST_XDIST_WORKER" in os.environ else base
    store = shared / "rendered"
    with (shared / "rendered.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not store.exists():
            daemon = start(0)
            daemon.wait_until_rendered(daemon.add(epub))
            shutil.copytree(daemon.folder / "data" / "store", shared / "rendering")
            (shared / "rendering").rename(store)
    return store


@pytest.fixture(scope="session")
def daemon(start: Start, rendered: Path) -> Daemon:
    return start(0, rendered)


@pytest.fixture(scope="session")
def book(daemon: Daemon, epub: Path) -> str:
    """The sample book, all of it rendered."""
    made = daemon.add(epub)
    daemon.wait_until_rendered(made)
    return made


@pytest.fixture(scope="module")
def chromium() -> Iterator[Browser]:
    # Not for the session: while Playwright is open its event loop counts as running, and no other test may have one.
    path = shutil.which("chromium") or shutil.which("google-chrome")
    if path is None:
        pytest.skip("Chromium is not here: the pages are not tested in a browser")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=ARGUMENTS)
        yield browser
        browser.close()


@pytest.fixture(params=list(SIZES) if "LECTERN_TEST_EVERY_SIZE" in os.environ else [""])
def size(request: pytest.FixtureRequest) -> str:
    """A phone's or a desk's, always the same for a test: each runs at one of them, half of them at each.

    With LECTERN_TEST_EVERY_SIZE each runs at both. All screens at both are looked at by `test_accessible`.
    """
    return str(request.param) or list(SIZES)[zlib.crc32(request.function.__name__.encode()) % len(SIZES)]


@pytest.fixture
def page(chromium: Browser, daemon: Daemon) -> Iterator[Page]:
    """A page of its own, at a desk; it must log no error and ask nothing of any other server."""
    yield from open_page(chromium, "desk")


def open_page(chromium: Browser, size: str) -> Iterator[Page]:
    context = chromium.new_context(viewport=SIZES[size], has_touch=size == "phone", service_workers="block")  # type: ignore[arg-type]
    context.set_default_timeout(90_000)
    page = context.new_page()
    trouble: list[str] = []
    page.on("pageerror", lambda error: trouble.append(str(error)))
    # A refused request is logged as an error by the browser itself; the pages show those to the reader.
    page.on("console", lambda said: trouble.append(said.text) if _is_trouble(said.type, said.text) else None)
    page.on("request", lambda asked: trouble.append(asked.url) if "//127.0.0.1" not in asked.url else None)
    yield page
    context.close()
    assert [line for line in trouble if not line.startswith("blob:")] == []


def _is_trouble(kind: str, text: str) -> bool:
    return kind == "error" and "Failed to load resource" not in text
