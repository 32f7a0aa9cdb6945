"""A daemon with a rendered book, and Chromium at a phone's or a desk's size."""

import json
import os
import shutil
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect, sync_playwright

from server.library.sample import sample_epub

ROOT = Path(__file__).resolve().parents[2]
START_S = 60
RENDER_S = 180
# Without the first two a browser under test asks its maker's servers about itself; the sound goes nowhere.
ARGUMENTS = ["--disable-background-networking", "--disable-component-update", "--no-sandbox", "--mute-audio"]
expect.set_options(timeout=20_000)  # a busy machine takes its time; what is expected does not depend on it
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


@pytest.fixture(scope="session")
def start(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Callable[[float], Daemon]]:
    """Starts daemons whose every pass takes so many seconds; they end with the session."""
    running: list[subprocess.Popen[str]] = []

    def run(pass_s: float) -> Daemon:
        folder = tmp_path_factory.mktemp("house")
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            port = free.getsockname()[1]
        environ = os.environ | {
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
def daemon(start: Callable[[float], Daemon]) -> Daemon:
    return start(0)


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


@pytest.fixture(params=list(SIZES))
def size(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def page(chromium: Browser, daemon: Daemon) -> Iterator[Page]:
    """A page of its own, at a desk; it must log no error and ask nothing of any other server."""
    yield from open_page(chromium, "desk")


def open_page(chromium: Browser, size: str) -> Iterator[Page]:
    context = chromium.new_context(viewport=SIZES[size], has_touch=size == "phone")  # type: ignore[arg-type]
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
