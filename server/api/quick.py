"""The audio of a sentence by the shortest way, because players ask for nothing as often.

What `audio.get_sentence` answers, byte for byte and header for header, without the framework in between and without a
thread: where the chapter is at hand in memory, and everything is as it should be. Whatever is not (an odd query, a
range out of bounds, a file that is gone, a chapter that must be read first) goes on to the handler, which says so.
"""

import os
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from litestar.enums import ScopeType
from litestar.types import ASGIApp, Receive, Scope, Send

from server.api.audio import MP4, cache_of
from server.api.media import SMALL_BYTES
from server.api.ranges import Entity, PreconditionFailed, Reply, Unsatisfiable, answer
from server.errors import LecternError
from server.render.files import Stamp, stamp_of
from server.render.index import SentenceEntry
from server.render.store import Store

_SENTENCE: Final = re.compile(
    r"/api/v1/books/(?P<book>[0-9a-f]{16})/chapters/(?P<number>[1-9][0-9]{0,4})"
    r"/sentences/(?P<sentence>[0-9A-Za-z][0-9A-Za-z_-]{0,63})\.m4a"
)
_QUERY: Final = re.compile(rb"(?:v=(?P<version>[0-9a-f]{1,64}))?")
_KEPT: Final = 16  # chapters that are known


@dataclass(frozen=True, slots=True)
class _Known:
    """A chapter as it was when these files were the files they are here."""

    paths: tuple[str, ...]
    stamps: tuple[Stamp | None, ...]
    folder: str
    sentences: dict[str, SentenceEntry]


class Quick:
    """ASGI layer around the application, within the gate: everybody whom that lets in may hear."""

    def __init__(self, app: ASGIApp, store: Store) -> None:
        self._app = app
        self._store = store
        self._chapters: dict[tuple[str, int], _Known] = {}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == ScopeType.HTTP and (found := self._find(scope)) is not None:
            reply, headers, body = found
            await send({"type": "http.response.start", "status": reply.status, "headers": headers})
            await send({"type": "http.response.body", "body": body, "more_body": False})
            return
        await self._app(scope, receive, send)

    def _find(self, scope: Any) -> tuple[Reply, list[tuple[bytes, bytes]], bytes] | None:
        if (path := _SENTENCE.fullmatch(scope["path"])) is None or scope["method"] not in ("GET", "HEAD"):
            return None
        if (query := _QUERY.fullmatch(scope["query_string"])) is None:
            return None
        known = self._chapter(path["book"], int(path["number"]))
        if known is None or (entry := known.sentences.get(path["sentence"])) is None or entry.file is None:
            return None
        return self._read(scope, f"{known.folder}/{entry.file}", entry, (query["version"] or b"").decode())

    def _chapter(self, book: str, number: int) -> _Known | None:
        known = self._chapters.get((book, number))
        if known is not None and tuple(map(stamp_of, known.paths)) == known.stamps:
            return known
        try:
            known = self._look(book, number)
        except LecternError:
            return None
        if known is not None:
            while len(self._chapters) >= _KEPT:
                del self._chapters[next(iter(self._chapters))]
            self._chapters[book, number] = known
        return known

    def _look(self, book: str, number: int) -> _Known | None:
        """What the store has in memory of a chapter. Raises LecternError."""
        store = self._store
        if (index := store.at_hand(book, number)) is None:
            return None
        paths = tuple(map(str, (store.book_folder(book) / "book.json", *store.chapter_files(book, number))))
        stamps = tuple(map(stamp_of, paths))
        if store.at_hand(book, number) is not index:
            return None  # it changes just now
        folder = str(store.rendition_folder(book, index.rendition))
        return _Known(paths, stamps, folder, {entry.id: entry for entry in index.sentences})

    def _read(
        self, scope: Any, path: str, entry: SentenceEntry, version: str
    ) -> tuple[Reply, list[tuple[bytes, bytes]], bytes] | None:
        try:
            file = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
        except OSError:
            return None
        try:
            size_bytes = os.fstat(file).st_size
            if size_bytes != entry.bytes or size_bytes > SMALL_BYTES:
                return None
            reply = answer(scope["method"], headers_of(scope), Entity(size_bytes, f'"{entry.sha256}"'))
            silent = scope["method"] == "HEAD" or reply.status == 304 or reply.end <= reply.start
            body = b"" if silent else os.pread(file, reply.end - reply.start, reply.start)
            if not silent and len(body) != reply.end - reply.start:
                return None
        except (OSError, Unsatisfiable, PreconditionFailed):
            return None
        finally:
            os.close(file)
        headers = [(name.encode(), value.encode("latin-1")) for name, value in reply.headers.items()]
        headers.append((b"cache-control", cache_of(entry, version).encode()))
        if reply.status != 304:
            headers.append((b"content-type", MP4.encode()))
        return reply, headers, body


def headers_of(scope: Any) -> Mapping[str, str]:
    """The headers that decide about a range, by their names in small letters."""
    return {
        name.decode("latin-1"): value.decode("latin-1")
        for name, value in scope["headers"]
        if name[:3] == b"if-" or name == b"range"
    }
