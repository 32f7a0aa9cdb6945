"""A small HTTP client over bare sockets, so that what is measured is the server and not the client."""

import asyncio
from dataclasses import dataclass
from types import TracebackType
from typing import Self


class Fault(Exception):
    """An answer that is not what it should be."""


@dataclass(frozen=True, slots=True)
class Asked:
    """A sentence: its paths with Lectern and with a server of plain files, what its file holds, how long it plays."""

    path: str
    file: str
    body: bytes
    length_s: float


class Connection:
    """One connection that is kept alive."""

    def __init__(self, port: int) -> None:
        self._port = port

    async def __aenter__(self) -> Self:
        self._reader, self._writer = await asyncio.open_connection("127.0.0.1", self._port)
        return self

    async def __aexit__(self, *_: type[BaseException] | BaseException | TracebackType | None) -> None:
        self._writer.close()

    async def head(self, path: str, more: str = "") -> tuple[int, dict[str, str]]:
        """Send a GET; give status and headers of the answer."""
        self._writer.write(f"GET {path} HTTP/1.1\r\nHost: 127.0.0.1:{self._port}\r\n{more}\r\n".encode())
        lines = (await self._reader.readuntil(b"\r\n\r\n")).decode("latin-1").split("\r\n")
        pairs = (line.partition(":") for line in lines[1:] if line)
        return int(lines[0].split()[1]), {name.lower(): value.strip() for name, _, value in pairs}

    async def fetch(self, one: Asked, start: int | None, end: int | None, *, nginx: bool = False) -> None:
        """Get a part of a sentence, or with no start all of it. Raises Fault unless it is right byte for byte."""
        last = "" if end is None else end - 1
        more = "" if start is None else f"Range: bytes={start}-{last}\r\n"
        status, headers = await self.head(one.file if nginx else one.path, more)
        body = await self._reader.readexactly(int(headers.get("content-length", "0")))
        wanted = one.body[start:end]
        if status != (200 if start is None else 206):
            raise Fault(f"{one.path} {more.strip()} was answered with {status}: {body[:200]!r}")
        if body != wanted:
            raise Fault(f"{one.path} {more.strip()}: other bytes came than there are")
        upto = (start or 0) + len(wanted) - 1
        if start is not None and headers.get("content-range") != f"bytes {start}-{upto}/{len(one.body)}":
            raise Fault(f"{one.path} {more.strip()}: content-range {headers.get('content-range')!r}")

    async def line(self) -> bytes:
        return await self._reader.readline()


class EventStream(Connection):
    """An open event stream, read as it comes: so many lines, so many events."""

    lines = events = 0

    async def __aenter__(self) -> Self:
        await super().__aenter__()
        status, _ = await self.head("/api/v1/events", "Accept: text/event-stream\r\n")
        if status != 200:
            raise Fault(f"the event stream was answered with {status}")
        self._task = asyncio.create_task(self._read())
        return self

    async def _read(self) -> None:
        while line := await self.line():
            self.lines += 1
            self.events += line.startswith(b"event:")

    async def __aexit__(self, *error: type[BaseException] | BaseException | TracebackType | None) -> None:
        self._task.cancel()
        await asyncio.gather(self._task, return_exceptions=True)
        await super().__aexit__(*error)
