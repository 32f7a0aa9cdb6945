"""The hub source against a server on this machine that answers as the hub does for large files."""

import re
import socket
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import numpy as np
import pytest
from huggingface_hub import constants

from server.config import Settings
from server.errors import SetupError
from server.setup import Progress, run_setup
from server.setup.convert import Port
from server.setup.hub import HubSource
from server.setup.manifest import WEIGHTS, check_models
from server.setup.sources import Material
from tests.unit.setup.conftest import TinyModel, Told


class FakeHub(ThreadingHTTPServer):
    """`/OWNER/NAME/resolve/REVISION/FILE` tells about a file and points to `/cdn/FILE` for its bytes.

    `cut` breaks the connection once, after so many bytes of a body; `asked` lists the bodies asked for and from where.
    """

    daemon_threads = True

    def __init__(self, tiny: TinyModel) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.tiny = tiny
        self.files = dict(tiny.hub_files)
        self.etags = {"tiny.pth": tiny.pinned.weights_sha256} | {
            f"voices/{name}.pt": sha256 for name, sha256 in tiny.pinned.voices_sha256.items()
        }
        self.cut = 0
        self.asked: list[tuple[str, int]] = []

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.server_port}"


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: FakeHub

    def log_message(self, format: str, *args: object) -> None:
        pass

    def do_HEAD(self) -> None:
        pinned = self.server.tiny.pinned
        name = self.path.removeprefix(f"/{pinned.repo}/resolve/{pinned.revision}/")
        if name not in self.server.files:
            self.send_response(404)
            self.send_header("X-Error-Code", "EntryNotFound")
            self.send_header("Content-Length", "0")
            self.end_headers()
            return
        self.send_response(302)
        # Another name for the same machine: the bytes come from another host than the hub's, as in life.
        self.send_header("Location", f"http://localhost:{self.server.server_port}/cdn/{name}")
        self.send_header("X-Repo-Commit", pinned.revision)
        self.send_header("X-Linked-Etag", f'"{self.server.etags[name]}"')
        self.send_header("X-Linked-Size", str(len(self.server.files[name])))
        self.send_header("Content-Length", "0")
        self.end_headers()

    def do_GET(self) -> None:
        name = self.path.removeprefix("/cdn/")
        data = self.server.files[name]
        given = re.match(r"bytes=(\d+)-$", self.headers.get("Range", ""))
        start = int(given[1]) if given else 0
        self.server.asked.append((name, start))
        self.send_response(206 if given else 200)
        self.send_header("Content-Length", str(len(data) - start))
        if given:
            self.send_header("Content-Range", f"bytes {start}-{len(data) - 1}/{len(data)}")
        self.end_headers()
        cut, self.server.cut = self.server.cut, 0
        self.wfile.write(data[start : start + cut] if cut else data[start:])
        if cut:
            self.close_connection = True


@pytest.fixture
def hub(tiny: TinyModel) -> Iterator[FakeHub]:
    with FakeHub(tiny) as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        yield server
        server.shutdown()
        thread.join()


def _source(hub: FakeHub) -> HubSource:
    return HubSource(hub.address, pinned=hub.tiny.pinned)


def test_gives_the_published_numbers(hub: FakeHub, tmp_path: Path, told: Told) -> None:
    given = _source(hub).fetch(tmp_path, told)
    assert given.revision == "someone/Tiny@0123456789abcdef0123456789abcdef01234567"
    assert set(given.weights) == set(hub.tiny.state)
    for name, array in hub.tiny.state.items():
        np.testing.assert_array_equal(given.weights[name], array)
    for name, table in hub.tiny.voices.items():
        np.testing.assert_array_equal(given.voices[name], table)
    size = len(hub.files["tiny.pth"])
    assert Progress("Fetching tiny.pth", size, size) in told


def test_the_environment_moves_the_hub(
    hub: FakeHub, tmp_path: Path, told: Told, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HF_ENDPOINT", hub.address + "/")
    HubSource(pinned=hub.tiny.pinned).fetch(tmp_path, told)
    assert ("tiny.pth", 0) in hub.asked


def test_what_is_there_is_not_fetched_again(hub: FakeHub, tmp_path: Path, told: Told) -> None:
    _source(hub).fetch(tmp_path, told)
    hub.asked.clear()
    _source(hub).fetch(tmp_path, told)
    assert hub.asked == []


def test_a_broken_download_goes_on_where_it_broke(hub: FakeHub, tmp_path: Path, told: Told) -> None:
    half = hub.files["tiny.pth"][:300]
    (tmp_path / "hub").mkdir()
    (tmp_path / "hub" / "tiny.pth.part").write_bytes(half)
    given = _source(hub).fetch(tmp_path, told)
    assert hub.asked[0] == ("tiny.pth", 300)
    np.testing.assert_array_equal(given.weights["bert.a.weight"], hub.tiny.state["bert.a.weight"])
    assert told[0] == Progress("Fetching tiny.pth", 300, len(hub.files["tiny.pth"]))


def test_a_connection_that_breaks_is_taken_up_again(
    hub: FakeHub, tmp_path: Path, told: Told, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(constants, "DOWNLOAD_CHUNK_SIZE", 100)
    hub.cut = 200
    _source(hub).fetch(tmp_path, told)
    assert [start for name, start in hub.asked if name == "tiny.pth"] == [0, 200]


def test_a_stop_from_the_keyboard_leaves_what_the_next_run_needs(hub: FakeHub, tmp_path: Path, told: Told) -> None:
    def stop(progress: Progress) -> None:
        if progress.step == "Fetching the voices":
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        _source(hub).fetch(tmp_path, stop)
    hub.asked.clear()
    _source(hub).fetch(tmp_path, told)
    assert hub.asked == [("voices/af_one.pt", 0), ("voices/bm_two.pt", 0)]


def test_a_rest_longer_than_the_file_is_thrown_away(hub: FakeHub, tmp_path: Path, told: Told) -> None:
    (tmp_path / "hub").mkdir()
    (tmp_path / "hub" / "tiny.pth.part").write_bytes(b"x" * 1_000_000)
    _source(hub).fetch(tmp_path, told)
    assert hub.asked[0] == ("tiny.pth", 0)


def test_another_file_than_pinned_is_refused_before_it_is_fetched(hub: FakeHub, tmp_path: Path, told: Told) -> None:
    hub.etags["tiny.pth"] = "f" * 64
    with pytest.raises(SetupError, match=r"offers another tiny\.pth .*which was refused"):
        _source(hub).fetch(tmp_path, told)
    assert hub.asked == []


@pytest.mark.parametrize("name", ["tiny.pth", "voices/bm_two.pt"])
def test_bytes_that_belie_their_name_are_refused_and_thrown_away(
    name: str, hub: FakeHub, tmp_path: Path, told: Told
) -> None:
    right = hub.files[name]
    hub.files[name] = right[:-1] + bytes([right[-1] ^ 1])
    with pytest.raises(SetupError, match=r"is not what it should be .* and was thrown away"):
        _source(hub).fetch(tmp_path, told)
    assert not (tmp_path / "hub" / name).exists()
    hub.files[name] = right
    _source(hub).fetch(tmp_path, told)


def test_a_file_that_is_not_there_is_named(hub: FakeHub, tmp_path: Path, told: Told) -> None:
    del hub.files["voices/bm_two.pt"]
    with pytest.raises(SetupError, match=r"voices/bm_two\.pt could not be fetched from http://127"):
        _source(hub).fetch(tmp_path, told)


def test_a_hub_that_does_not_answer_says_so_at_once(tiny: TinyModel, tmp_path: Path, told: Told) -> None:
    with socket.socket() as nobody:
        nobody.bind(("127.0.0.1", 0))
        address = f"http://127.0.0.1:{nobody.getsockname()[1]}"
        with pytest.raises(SetupError, match=r"could not be fetched from .* check the network, or choose"):
            HubSource(address, pinned=tiny.pinned).fetch(tmp_path, told)


class _Spare:
    """A second source that always gives."""

    name = "packages"

    def __init__(self, tiny: TinyModel) -> None:
        self.tiny = tiny

    def fetch(self, work: Path, report: object) -> Material:
        return Material("spare 1", self.tiny.state, self.tiny.voices)


def test_an_unreachable_hub_falls_over_to_the_next_source(
    tiny: TinyModel, tiny_port: Port, settings: Settings, told: Told
) -> None:
    dead = HubSource("http://127.0.0.1:9", pinned=tiny.pinned)
    manifest = run_setup(settings, told, sources=[dead, _Spare(tiny)], port=tiny_port)
    assert manifest.source == "packages"
    assert any(step.endswith("Trying the next source") for step in told.steps)
    assert check_models(settings.models, deep=True) == manifest


def test_a_hub_with_a_wrong_file_falls_over_too_and_leaves_none_of_it(
    hub: FakeHub, tiny_port: Port, settings: Settings, told: Told
) -> None:
    hub.files["tiny.pth"] = b"x" * len(hub.files["tiny.pth"])
    manifest = run_setup(settings, told, sources=[_source(hub), _Spare(hub.tiny)], port=tiny_port)
    assert manifest.source == "packages"
    assert sorted(path.name for path in settings.models.iterdir()) == [
        ".lock", WEIGHTS, "manifest.json", "voices.safetensors",
    ]  # fmt: skip


def test_the_whole_way_from_hub_to_installed_files_and_a_second_run_without_it(
    hub: FakeHub, tiny_port: Port, settings: Settings, told: Told
) -> None:
    first = run_setup(settings, told, sources=[_source(hub)], port=tiny_port)
    hub.shutdown()
    hub.asked.clear()
    told.clear()
    assert run_setup(settings, told, sources=[_source(hub)], port=tiny_port) == first
    assert hub.asked == []
    assert told == []
    assert check_models(settings.models, deep=True) == first
