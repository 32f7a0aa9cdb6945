"""Responses for bytes that players fetch in parts: a file of the store, or a stream computed from it."""

import asyncio
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final, Self

from litestar import Request, Response
from litestar.types import Receive, Scope, Send

from server.api.ranges import Entity, Reply, answer

SMALL_BYTES: Final = 256 * 1024  # read at once: from the page cache that is faster than a trip to a thread
CHUNK_BYTES: Final = 256 * 1024

IMMUTABLE: Final = "private, max-age=31536000, immutable"
REVALIDATE: Final = "private, no-cache"  # may be kept, must be asked about

Reader = Callable[[int, int], bytes]
Call = Request[Any, Any, Any]


class OpenFile:
    """A file open for reading at any offset; it keeps what it opened when another takes the file's name."""

    _fd = -1  # until a file is open, and again when it is closed

    def __init__(self, path: Path) -> None:
        self._fd = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
        info = os.fstat(self._fd)
        self.size_bytes = info.st_size
        self.modified_s = info.st_mtime

    def read(self, start: int, end: int) -> bytes:
        return os.pread(self._fd, end - start, start)

    def close(self) -> None:
        if self._fd >= 0:
            os.close(self._fd)
            self._fd = -1

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __del__(self) -> None:
        self.close()


class Media(Response[bytes]):
    """Bytes with ranges, preconditions and HEAD; `read(start, end)` may block, so long answers read in a thread.

    Raises Unsatisfiable or PreconditionFailed when it is made, so that a problem can still be answered.
    """

    def __init__(self, request: Call, entity: Entity, read: Reader, media_type: str, cache: str) -> None:
        self.reply: Reply = answer(request.method, request.headers, entity)
        headers = {**self.reply.headers, "cache-control": cache}
        if self.reply.status != 304:
            headers["content-type"] = media_type
        super().__init__(b"", status_code=self.reply.status, media_type=media_type, headers=headers)
        self.read = read
        self.silent = request.method == "HEAD" or self.reply.status == 304

    def to_asgi_response(self, *_: Any, **__: Any) -> Any:
        return self._send

    async def _send(self, scope: Scope, receive: Receive, send: Send) -> None:
        headers = [(name.encode(), str(value).encode("latin-1")) for name, value in self.headers.items()]
        start, end = self.reply.start, self.reply.end
        body = b""
        if not self.silent and end - start <= SMALL_BYTES:
            body, start = self._piece(start, end), end
        await send({"type": "http.response.start", "status": self.reply.status, "headers": headers})
        while not self.silent and start < end:
            upto = min(end, start + CHUNK_BYTES)
            piece = await asyncio.to_thread(self._piece, start, upto)
            await send({"type": "http.response.body", "body": piece, "more_body": True})
            start = upto
        await send({"type": "http.response.body", "body": body, "more_body": False})

    def _piece(self, start: int, end: int) -> bytes:
        piece = self.read(start, end) if end > start else b""
        if len(piece) != end - start:
            raise OSError("a file shrank while it was sent")
        return piece


def in_memory(request: Call, body: bytes, etag: str, media_type: str, cache: str) -> Media:
    """A response for bytes at hand."""
    return Media(request, Entity(len(body), etag), lambda start, end: body[start:end], media_type, cache)
