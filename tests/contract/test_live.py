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
from collections import deque
from collections.abc import AsyncIterator, Iterator
from dataclasses import replace
from pathlib import Path

import httpx
import pytest

from server.api import listener
from server.api.listener import Listener, open_socket, open_sockets
from server.api.live import lines
from server.api.routes import create_app
from server.api.silent import MOST_SILENT, SILENT_S, Once, Silences
from server.config import Settings
from server.errors import SettingsError
from server.events import BACKLOG, Hub
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
async def events(house: PaperHousehold, after: str | None = None) -> AsyncIterator[Stream]:
    url, headers = f"{house.settings.url}/api/v1/events", {} if after is None else {"last-event-id": after}
    async with httpx.AsyncClient() as client, client.stream("GET", url, headers=headers) as response:
        stream = Stream(response)
        assert (await stream.block()).keys() == ({"retry", "id"} if after is None else {"retry"})
        yield stream


async def test_events_arrive_as_they_happen(server: tuple[PaperHousehold, Listener]) -> None:
    house, _ = server
    async with events(house) as stream:
        assert stream.response.headers["content-type"] == "text/event-stream; charset=utf-8"
        assert stream.response.headers["cache-control"] == "no-store"
        assert "content-encoding" not in stream.response.headers
        house.hub.publish("book.added", id=BOOK, title="Zwei\nZeilen – “so”")
        assert await stream.block() == {
            "id": f"{house.hub.run}-1",
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
    got: list[bytes] = []
    while len(got) < 2:
        line = await anext(stream)
        if not line.startswith(b":"):
            got.append(line)
    assert got == [f'id: {hub.run}-{n}\nevent: x\ndata: {{"n":{n}}}\n\n'.encode() for n in (1, 2)]
    hub.close()
    with pytest.raises(StopAsyncIteration):
        while True:
            assert (await anext(stream)).startswith(b":")


async def test_who_comes_back_gets_what_was_missed(server: tuple[PaperHousehold, Listener]) -> None:
    house, _ = server
    async with events(house) as stream:
        house.hub.publish("book.added", id="a")
        seen = (await stream.block())["id"]
    for name in ("b", "c"):
        house.hub.publish("book.added", id=name)
    async with events(house, seen) as stream:
        assert [(await stream.block())["data"] for _ in range(2)] == ['{"id":"b"}', '{"id":"c"}']
        house.hub.publish("book.added", id="d")
        last = await stream.block()
        assert last == {"id": f"{house.hub.run}-4", "event": "book.added", "data": '{"id":"d"}'}
    async with events(house, last["id"]) as stream:
        house.hub.publish("book.added", id="e")
        assert (await stream.block())["data"] == '{"id":"e"}'


async def test_a_connection_lost_before_the_first_event_misses_none() -> None:
    hub = Hub()
    hub.publish("x", n=1)
    first = (await anext(lines(hub))).decode()
    hub.publish("x", n=2)
    again = lines(hub, after=first.split("id: ")[1].strip())
    await anext(again)
    assert b'{"n":2}' in await anext(again)
    hub.close()


@pytest.mark.parametrize(
    "after", ["0badcafe-1", "1", "", "x", "-", "{run}-x", "{run}-99", "{run}-", "é" * 5, "{run}-0"]
)
async def test_what_cannot_be_told_is_a_gap(after: str, monkeypatch: pytest.MonkeyPatch) -> None:
    hub = Hub()
    hub._kept = deque(maxlen=3)
    for n in range(5):
        hub.publish("x", n=n)
    stream = lines(hub, after=after.format(run=hub.run))
    await anext(stream)
    assert await anext(stream) == f"id: {hub.run}-5\nevent: gap\ndata: {{}}\n\n".encode()
    hub.publish("x", n=6)
    assert b'{"n":6}' in await anext(stream)
    hub.close()


async def test_who_falls_behind_is_told() -> None:
    hub = Hub()
    stream = lines(hub)
    await anext(stream)
    for n in range(BACKLOG + 10):
        hub.publish("x", n=n)
    assert b"event: gap" in await anext(stream)
    assert b'{"n":10}' in await anext(stream)
    assert b'{"n":11}' in await anext(stream)
    hub.close()


async def test_places_are_told_to_their_own_person() -> None:
    hub = Hub()
    anna = lines(hub, person="anna")
    await anext(anna)
    hub.publish("position", person="owner", book="a")
    hub.publish("position", person="anna", book="b")
    hub.publish("bookmarks", book="c")
    assert b'"book":"b"' in await anext(anna)
    assert b'"book":"c"' in await anext(anna)
    hub.close()


async def test_a_change_of_people_ends_only_the_streams_of_those_whom_it_concerns() -> None:
    hub, allowed = Hub(), True

    async def same() -> bool:
        return allowed

    stream = lines(hub, person="anna", owner=False, same=same)
    first = (await anext(stream)).decode()
    hub.publish("people.changed")
    hub.publish("book.added", id="1")
    assert b"book.added" in await anext(stream)  # somebody else was renamed
    back = lines(hub, after=first.split("id: ")[1].split()[0], person="anna", owner=False, same=same)
    await anext(back)
    assert b"book.added" in await anext(back)  # what was missed has that change in it, and is told all the same
    allowed = False
    hub.publish("people.changed")
    assert [line async for line in stream] == []
    hub.close()


async def test_whoever_was_put_out_hears_no_more_even_with_too_much_to_hear() -> None:
    hub = Hub()

    async def nobody() -> bool:
        return False

    stream = lines(hub, person="anna", owner=False, same=nobody)
    await anext(stream)
    for number in range(600):
        hub.publish("book.changed", id=str(number))  # the change of people has fallen out of the queue
    assert sum([1 async for _ in stream]) <= 1
    quiet = lines(hub, 0.01, person="anna", owner=False, same=nobody)
    await anext(quiet)
    assert [line async for line in quiet] == []  # nor where nothing happens
    hub.close()


def test_connections_that_say_nothing_are_closed_and_others_are_not() -> None:
    class Connection:
        def __init__(self, peer: str, cycle: object = None, rests: object = None) -> None:
            self.client, self.cycle, self.timeout_keep_alive_task = (peer, 1), cycle, rests
            self.transport, self.closed = self, False

        def close(self) -> None:
            self.closed = True

    here, asks, rests = Connection("127.0.0.1"), Connection("10.0.0.2", cycle=1), Connection("10.0.0.2", rests=1)
    many = [Connection("10.0.0.3") for _ in range(MOST_SILENT + 1)]
    few = [Connection("10.0.0.4") for _ in range(MOST_SILENT)]
    several = [Connection("127.0.0.1") for _ in range(MOST_SILENT + 1)]
    connections = {here, asks, rests, *many, *few, *several}
    looking = Silences(connections)
    looking.look(0.0)
    assert all(one.closed for one in many) and not any(one.closed for one in (here, asks, rests, *few, *several))
    connections -= set(many)
    looking.look(SILENT_S - 1)
    assert not any(one.closed for one in connections)
    here.cycle = 1  # it asks
    looking.look(SILENT_S)
    assert not any(one.closed for one in (here, asks, rests)) and all(one.closed for one in (*few, *several))


async def test_a_silent_connection_is_closed_and_a_listener_s_is_not(
    server: tuple[PaperHousehold, Listener], monkeypatch: pytest.MonkeyPatch
) -> None:
    house, listening = server
    looking = Silences(listening._server.server_state.connections)
    reader, writer = await asyncio.open_connection("127.0.0.1", house.settings.port)
    begun, half = await asyncio.open_connection("127.0.0.1", house.settings.port)
    half.write(b"GET /api/v1/status HTTP/1.1\r\nX: ")
    async with events(house) as stream:
        looking.look(0.0)
        looking.look(SILENT_S)
        assert await reader.read() == await begun.read() == b""
        house.hub.publish("book.added", id="1")
        assert "book.added" in str(await stream.block())
    writer.close()
    half.close()


def test_too_many_connections_are_told_once(caplog: pytest.LogCaptureFixture) -> None:
    loop, said = asyncio.new_event_loop(), Once()
    for _ in range(1_000):
        said(loop, {"message": "socket.accept() out of system resource"})
    assert len(caplog.records) == 1 and "more connections" in caplog.text
    loop.close()


async def test_stop_ends_open_streams_at_once(house: PaperHousehold) -> None:
    house.settings = replace(house.settings, port=free_port())
    serving = Listener(create_app(house), house.hub, open_sockets(house.settings))
    task = asyncio.create_task(serving.run(signals=False))
    while not serving.started:
        await asyncio.sleep(0.01)
    async with events(house) as one, events(house) as two:
        serving.stop()
        assert await one.block() == await two.block() == {}
        await asyncio.wait_for(task, 60)
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
        begun = time.process_time()  # of this process, in which the server runs
        reply = await client.get(url, headers={"range": "bytes=" + "0-1," * (length // 4)})
        assert reply.status_code in (200, 400, 431)
        assert time.process_time() - begun < 2


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
        process.send_signal(number)
        assert process.wait(60) == 0  # about a second; how long is promised by GRACE_S, below
    assert process.stdout is not None
    assert process.stdout.read() == "ended\n"


def test_a_request_in_flight_is_ended_without_a_word(daemon: tuple[subprocess.Popen[str], int]) -> None:
    """Whoever stops Lectern sees no traceback of what it had to break off."""
    process, port = daemon
    with pytest.raises(httpx.HTTPError), httpx.Client() as client:
        threading.Timer(0.5, process.send_signal, [signal.SIGINT]).start()
        client.get(f"http://127.0.0.1:{port}/api/v1/doctor", timeout=30).raise_for_status()
    assert process.wait(60) == 0
    assert process.stderr is not None
    assert process.stderr.read() == ""


def test_grace_is_within_the_promise() -> None:
    assert listener.GRACE_S < 2
