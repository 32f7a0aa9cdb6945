"""HEAD and entity tags for every answer in JSON, so that what has not changed is not sent again.

Media answer HEAD, ranges and preconditions themselves (`media.py`).
"""

import copy
import hashlib
from collections.abc import Iterable
from typing import Any, Final

from litestar.enums import HttpMethod, ScopeType
from litestar.handlers import HTTPRouteHandler
from litestar.openapi.datastructures import ResponseSpec
from litestar.types import ASGIApp, ControllerRouterHandler, Message, Receive, Scope, Send

from server.api.media import REVALIDATE
from server.api.ranges import Entity, not_modified

MOST_TAGS: Final = 4_000  # characters of If-None-Match that are looked at
_NOT_MODIFIED: Final = ResponseSpec(None, description="It has not changed.")
# What a 304 carries of the headers of the answer that it stands for (RFC 9110, 15.4.5).
_KEPT: Final = frozenset({b"cache-control", b"content-location", b"date", b"etag", b"expires", b"vary"})


def complete(handlers: Iterable[ControllerRouterHandler]) -> list[ControllerRouterHandler]:
    """The handlers, those of GET alone with HEAD and entity tags."""
    return [_complete(handler) for handler in handlers]


def _complete(handler: ControllerRouterHandler) -> ControllerRouterHandler:
    if not isinstance(handler, HTTPRouteHandler) or set(handler.http_methods) != {"GET"}:
        return handler
    made = copy.copy(handler)
    made.http_methods = type(handler.http_methods)({*handler.http_methods, "HEAD"})
    if not str(handler.media_type or "").startswith(
        "text/event-stream"
    ):  # a stream has no end that could be waited for
        made.middleware = [*(handler.middleware or ()), Tagged]
        made.responses = {**(handler.responses or {}), 304: _NOT_MODIFIED}
    return made


class Tagged:
    """Around a handler: answers HEAD as GET without its body, and If-None-Match by the tag of what would be sent."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != ScopeType.HTTP:
            await self._app(scope, receive, send)
            return
        answer = _Answer(scope["method"], dict(scope["headers"]), send)
        scope["method"] = HttpMethod.GET
        await self._app(scope, receive, answer.send)


class _Answer:
    """Holds an answer back until it is whole, and sends what there is to send of it."""

    def __init__(self, method: str, asked: dict[bytes, bytes], send: Send) -> None:
        self._head = method == "HEAD"
        self._asked = asked
        self._send = send
        self._start: Any = None
        self._body: list[bytes] = []

    async def send(self, message: Message) -> None:
        if message["type"] == "http.response.start":
            self._start = message
            return
        if message["type"] != "http.response.body":
            await self._send(message)
            return
        self._body.append(message.get("body", b""))
        if not message.get("more_body", False):
            await self._finish(b"".join(self._body))

    async def _finish(self, body: bytes) -> None:
        start, headers = self._start, {name.lower(): value for name, value in self._start["headers"]}
        if start["status"] == 200 and headers.get(b"cache-control", b"").find(b"no-store") < 0:
            tag = headers.setdefault(b"etag", f'"{hashlib.sha256(body).hexdigest()[:32]}"'.encode())
            headers.setdefault(b"cache-control", REVALIDATE.encode())
            given = {"if-none-match": self._asked.get(b"if-none-match", b"").decode("latin-1")[:MOST_TAGS]}
            if given["if-none-match"] and not_modified(given, Entity(len(body), tag.decode("latin-1"))):
                headers = {name: value for name, value in headers.items() if name in _KEPT}
                start, body = {**start, "status": 304}, b""
            start = {**start, "headers": list(headers.items())}
        await self._send(start)
        await self._send({"type": "http.response.body", "body": b"" if self._head else body, "more_body": False})
