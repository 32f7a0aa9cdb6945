"""Who may ask, as far as HTTP itself can tell; and the headers that keep a browser from being led astray.

This machine is reached by its loopback names and the configured address only: a page on another site that makes its
own name point here (DNS rebinding) carries that name in Host, a page that posts here carries its own Origin.
"""

import ipaddress
from collections.abc import Awaitable, Callable
from typing import Any, Final

from litestar.enums import ScopeType
from litestar.types import ASGIApp, Message, Receive, Scope, Send

from server.api.problems import MEDIA_TYPE, encode, problem
from server.config import Settings

LOOPBACK: Final = ("localhost", "127.0.0.1", "[::1]")
SAFE_METHODS: Final = frozenset({"GET", "HEAD", "OPTIONS"})

# For answers that are no page: nothing in them may run, load or be framed.
API_POLICY: Final = "default-src 'none'; frame-ancestors 'none'"
PAGE_POLICY: Final = "; ".join(
    (
        "default-src 'self'",
        "img-src 'self' data: blob:",
        "media-src 'self' blob:",
        "object-src 'none'",
        "base-uri 'none'",
        "form-action 'self'",
        "frame-ancestors 'none'",
    )
)
SECURITY_HEADERS: Final = {
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "x-frame-options": "DENY",
    "content-security-policy": API_POLICY,
}


class Gate:
    """ASGI layer before everything else: Host allow-list, Origin check on writes, security headers on every answer."""

    def __init__(self, app: ASGIApp, settings: Settings) -> None:
        self._app = app
        self._port = settings.port
        bracketed = f"[{settings.host}]" if ":" in settings.host else settings.host.lower()
        self._names = frozenset({*LOOPBACK, bracketed})
        self._anywhere = settings.host in ("0.0.0.0", "::")  # noqa: S104 - compared with, not bound to

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != ScopeType.HTTP:
            await self._app(scope, receive, send)
            return
        headers = {name.decode("latin-1").lower(): value.decode("latin-1") for name, value in scope["headers"]}
        guarded = _with_security_headers(send)
        if (refusal := self._refusal(scope["method"], headers)) is not None:
            await _refuse(guarded, *refusal)
            return
        await self._app(scope, receive, guarded)

    def _refusal(self, method: str, headers: dict[str, str]) -> tuple[int, str, str] | None:
        host = headers.get("host", "")
        if not self.knows(host):
            return 421, "host-refused", "This server does not go by that name; LECTERN_HOST sets its address."
        if method not in SAFE_METHODS and not _same_origin(host, headers):
            return 403, "origin-refused", "Another web site asked for this change; only Lectern's own pages may."
        return None

    def knows(self, host: str) -> bool:
        """Whether a Host header names this server, with its port or without any."""
        name, port = _split(host.lower())
        if port not in ("", str(self._port)):
            return False
        # Bound to every address, any literal address may be its own. Rebinding needs a name, so that stays safe.
        return name in self._names or (self._anywhere and _is_address(name))


def _split(host: str) -> tuple[str, str]:
    """Host header → name, port (empty if none)."""
    name, colon, port = host.rpartition(":")
    return (name, port) if colon and not host.endswith("]") else (host, "")


def _is_address(name: str) -> bool:
    try:
        ipaddress.ip_address(name.removeprefix("[").removesuffix("]"))
    except ValueError:
        return False
    return True


def _same_origin(host: str, headers: dict[str, str]) -> bool:
    """Programs send no Origin and no Sec-Fetch-Site; browsers send at least one of them with every write."""
    if (origin := headers.get("origin")) is not None:
        return origin.lower() in (f"http://{host.lower()}", f"https://{host.lower()}")
    return headers.get("sec-fetch-site", "same-origin") in ("same-origin", "none")


def _with_security_headers(send: Send) -> Callable[[Any], Awaitable[None]]:
    async def guarded(message: Message) -> None:
        if message["type"] == "http.response.start":
            given = list(message.get("headers", []))
            present = {name.lower() for name, _ in given}
            given += [
                (name.encode(), value.encode())
                for name, value in SECURITY_HEADERS.items()
                if name.encode() not in present
            ]
            message = {**message, "headers": given}
        await send(message)

    return guarded


async def _refuse(send: Callable[[Any], Awaitable[None]], status: int, code: str, detail: str) -> None:
    body = encode(problem(status, code, detail))
    headers = [
        (b"content-type", MEDIA_TYPE.encode()),
        (b"content-length", str(len(body)).encode()),
        (b"cache-control", b"no-store"),
    ]
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": body, "more_body": False})
