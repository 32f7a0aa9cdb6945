"""Event streams and the listener, over real sockets."""

import asyncio
import contextlib
import os
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import AsyncIterator, Iterator
from dataclasses import replace
from pathlib import Path

import httpx
import pytest

from server.api import listener
from server.api.listener import Listener, open_socket, open_sockets
from server.api.live import lines
from server.api.routes import create_app
from server.config import Settings
from server.errors import SettingsError
from server.events import Hub
from tests.contract.conftest import BOOK
from tests.contract.household import PaperHousehold


def free_port() -> int:
    with socket.socket() as sock:
        sock.bind(("127.0.0.1", 0))
        port: int = sock.getsockname()[1]
        return port


@pytest.fixture
async def server(house: PaperHousehold) -> AsyncIterator[tuple[PaperHousehold, Listener]]:
    """A household served on a free port, in this process."""
    house.settings = replace(house.settings, port=free_port())
    serving = Listener(create_app(house), house.hub, open_sockets(house.settings))
    task = asyncio.create_task(serving.run(signals=False))
    while not serving.started:
        assert not task.done()
        await asyncio.sleep(0.01)
    yield house, serving
    serving.stop()
    await asyncio.wait_for(task, 5)


class Stream:
    """Reads one event stream line by line."""

    def __init__(self, response: httpx.Response) -> None:
        self.response = response
        self._lines = response.aiter_lines()

    async def block(self) -> dict[str, str]:
        """The fields of the next block; a comment has the empty name."""
        fields: dict[str, str] = {}
        async with asyncio.timeout(5):
            async for line in self._lines:
                if not line:
                    return fields
                name, _, value = line.partition(":")
                fields[name] = value.strip()
        return fields


@contextlib.asynccontextmanager
async def events(house: PaperHousehold) -> AsyncIterator[Stream]:
    async with httpx.AsyncClient() as client, client.stream("GET", f"{house.settings.url}/api/v1/events") as response:
        stream = Stream(response)
        assert (await stream.block()).keys() == {"retry"}
        yield stream


async def test_events_arrive_as_they_happen(server: tuple[PaperHousehold, Listener]) -> None:
    house, _ = server
    async with events(house) as stream:
        assert stream.response.headers["content-type"] == "text/event-stream; charset=utf-8"
        assert stream.response.headers["cache-control"] == "no-store"
        assert "content-encoding" not in stream.response.headers
        house.hub.publish("book.added", id=BOOK, title="Zwei\nZeilen – “so”")
        assert await stream.block() == {
            "id": "1",
            "event": "book.added",
            "data": f'{{"id":"{BOOK}","title":"Zwei\\nZeilen – “so”"}}',
        }


async def test_place_set_by_one_is_seen_by_the_other(server: tuple[PaperHousehold, Listener]) -> None:
    house, _ = server
    sid = house.store.chapter(BOOK, 1).sentences[0].id
    async with events(house) as stream, httpx.AsyncClient(base_url=house.settings.url) as client:
        reply = await client.put(f"/api/v1/books/{BOOK}/position", json={"chapter": 1, "sentence": sid})
        assert reply.status_code == 200
        block = await stream.block()
        assert block["event"] == "position"
        assert f'"sentence":"{sid}"' in block["data"]


async def test_leaving_ends_the_subscription(server: tuple[PaperHousehold, Listener]) -> None:
    house, _ = server
    for _ in range(3):
        async with events(house):
            assert len(house.hub._queues) == 1
        async with asyncio.timeout(5):
            while house.hub._queues:
                await asyncio.sleep(0.01)


async def test_quiet_stream_is_kept_alive_and_loses_nothing() -> None:
    hub = Hub()
    stream = lines(hub, keep_alive_s=0.01)
    assert (await anext(stream)).startswith(b"retry: ")
    assert (await anext(stream)).startswith(b":")
    assert (await anext(stream)).startswith(b":")
    hub.publish("x", n=1)
    hub.publish("x", n=2)
    got = []
    while len(got) < 2:
        line = await anext(stream)
        if not line.startswith(b":"):
            got.append(line)
    assert got == [b'id: 1\nevent: x\ndata: {"n":1}\n\n', b'id: 2\nevent: x\ndata: {"n":2}\n\n']
    hub.close()
    with pytest.raises(StopAsyncIteration):
        while True:
            assert (await anext(stream)).startswith(b":")


async def test_stop_ends_open_streams_at_once(house: PaperHousehold) -> None:
    house.settings = replace(house.settings, port=free_port())
    serving = Listener(create_app(house), house.hub, open_sockets(house.settings))
    task = asyncio.create_task(serving.run(signals=False))
    while not serving.started:
        await asyncio.sleep(0.01)
    async with events(house) as one, events(house) as two:
        begun = time.monotonic()
        serving.stop()
        assert await one.block() == await two.block() == {}
        await asyncio.wait_for(task, 2)
        assert time.monotonic() - begun < 2
    assert house.hub._queues == set()


async def test_answers_on_every_socket_and_hides_what_it_is(server: tuple[PaperHousehold, Listener]) -> None:
    house, _ = server
    port = house.settings.port
    hosts = ["127.0.0.1"]
    with contextlib.suppress(OSError), socket.create_connection(("::1", port), 1):
        hosts.append("[::1]")
    async with httpx.AsyncClient() as client:
        for host in [*hosts, "localhost"]:
            reply = await client.get(f"http://{host}:{port}/api/v1/status")
            assert reply.status_code == 200
            assert "server" not in reply.headers
        forged = {"host": "evil.example", "x-forwarded-host": f"127.0.0.1:{port}"}
        assert (await client.get(f"http://127.0.0.1:{port}/api/v1/status", headers=forged)).status_code == 421


@pytest.mark.parametrize("length", [10_000, 60_000])
async def test_long_range_header_is_answered_or_refused_promptly(
    server: tuple[PaperHousehold, Listener], length: int
) -> None:
    house, _ = server
    sid = house.store.chapter(BOOK, 1).sentences[0].id
    url = f"{house.settings.url}/api/v1/books/{BOOK}/chapters/1/sentences/{sid}.m4a"
    async with httpx.AsyncClient() as client:
        begun = time.monotonic()
        reply = await client.get(url, headers={"range": "bytes=" + "0-1," * (length // 4)})
        assert reply.status_code in (200, 400, 431)
        assert time.monotonic() - begun < 2


async def test_client_that_leaves_during_an_upload_leaves_nothing(server: tuple[PaperHousehold, Listener]) -> None:
    house, _ = server
    _, writer = await asyncio.open_connection("127.0.0.1", house.settings.port)
    head = f"POST /api/v1/books?name=a.epub HTTP/1.1\r\nHost: 127.0.0.1:{house.settings.port}\r\n"
    writer.write(f"{head}Content-Length: 5000000\r\n\r\nPK".encode())
    await writer.drain()
    folder = house.settings.data / "incoming"
    async with asyncio.timeout(5):
        while not (folder.is_dir() and list(folder.iterdir())):
            await asyncio.sleep(0.01)
        writer.close()
        await writer.wait_closed()
        while list(folder.iterdir()):
            await asyncio.sleep(0.01)
    assert house.imported == []


async def test_answers_do_not_wait_for_acknowledgements(server: tuple[PaperHousehold, Listener]) -> None:
    """On a kept connection Nagle's algorithm would cost 40 ms an answer."""
    house, _ = server
    times = []
    async with httpx.AsyncClient(base_url=house.settings.url) as client:
        for _ in range(12):
            begun = time.monotonic()
            assert (await client.get("/api/v1/queue")).status_code == 200
            times.append(time.monotonic() - begun)
    assert min(times) < 0.03


def test_port_in_use_names_the_port_and_the_way_out() -> None:
    taken = open_socket("127.0.0.1", free_port())
    with contextlib.closing(taken):
        port = taken.getsockname()[1]
        with pytest.raises(SettingsError) as caught:
            open_sockets(Settings(port=port))
    assert str(port) in str(caught.value)
    assert "LECTERN_PORT" in str(caught.value)


def test_address_of_another_machine_is_explained() -> None:
    with pytest.raises(SettingsError) as caught:
        open_socket("192.0.2.1", free_port())
    assert "192.0.2.1" in str(caught.value)
    assert "LECTERN_HOST" in str(caught.value)


def test_name_that_is_no_address_is_explained() -> None:
    with pytest.raises(SettingsError) as caught:
        open_socket("no-such-host.invalid", free_port())
    assert "LECTERN_HOST" in str(caught.value)


SCRIPT = """
import asyncio, sys
from pathlib import Path
from tests.contract.household import PaperHousehold
from server.api.listener import Listener, open_sockets
from server.api.routes import create_app
from server.config import Settings

settings = Settings(data=Path(sys.argv[1]), port=int(sys.argv[2]))
house = PaperHousehold(settings)
house.doctor = lambda: asyncio.sleep(60)
serving = Listener(create_app(house), house.hub, open_sockets(settings))
asyncio.run(serving.run(on_started=lambda: print("started", flush=True)))
print("ended", flush=True)
"""


@pytest.fixture
def daemon(tmp_path: Path) -> Iterator[tuple[subprocess.Popen[str], int]]:
    port = free_port()
    here = Path(__file__).parent
    environ = os.environ | {"PYTHONPATH": os.pathsep.join((str(here), str(here.parents[1])))}
    process = subprocess.Popen(
        [sys.executable, "-c", SCRIPT, str(tmp_path), str(port)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=environ,
    )
    assert process.stdout is not None
    assert process.stdout.readline() == "started\n"
    yield process, port
    process.kill()
    process.wait()


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_signal_ends_the_process_cleanly_with_a_stream_open(
    daemon: tuple[subprocess.Popen[str], int], number: signal.Signals
) -> None:
    process, port = daemon
    with httpx.stream("GET", f"http://127.0.0.1:{port}/api/v1/events") as response:
        assert next(response.iter_lines()).startswith("retry")
        begun = time.monotonic()
        process.send_signal(number)
        assert process.wait(5) == 0
        assert time.monotonic() - begun < 2
    assert process.stdout is not None
    assert process.stdout.read() == "ended\n"


def test_a_request_in_flight_is_ended_without_a_word(daemon: tuple[subprocess.Popen[str], int]) -> None:
    """Whoever stops Lectern sees no traceback of what it had to break off."""
    process, port = daemon
    with pytest.raises(httpx.HTTPError), httpx.Client() as client:
        threading.Timer(0.5, process.send_signal, [signal.SIGINT]).start()
        client.get(f"http://127.0.0.1:{port}/api/v1/doctor", timeout=30).raise_for_status()
    assert process.wait(10) == 0
    assert process.stderr is not None
    assert process.stderr.read() == ""


def test_grace_is_within_the_promise() -> None:
    assert listener.GRACE_S < 2
