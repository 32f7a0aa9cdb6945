"""The gate: nobody reaches the application whose name for us, whose person or whose page is not as it must be.

Who somebody is, and by which names a door goes, is decided in `server/access/`; here that is asked of a request. A page
on another site that posts here carries its own Origin.
"""

import html
from collections.abc import Awaitable, Callable
from typing import Any, Final, cast

from litestar.enums import ScopeType
from litestar.types import ASGIApp, Message, Receive, Scope, Send

from server.access.keeper import Keeper
from server.access.model import Arrival, Identity, Refusal, Via
from server.api.identity import SCOPE
from server.api.problems import MEDIA_TYPE, encode, problem

ENTER_PAGE: Final = "/enter"
ENTER: Final = "/api/v1/enter"
COOKIE: Final = "lectern"
# Set by proxies, never by a browser. Whoever puts one in front of the owner's port makes everybody the owner.
PROXY_HEADERS: Final = (
    "x-forwarded-for",
    "forwarded",
    "x-real-ip",
    "tailscale-user-login",
    "tailscale-funnel-request",
)
STRANGE_HOST: Final = (
    "This server does not go by that name here. Use the address that Lectern shows on its dashboard, or set "
    "LECTERN_HOST to its address."
)
PAGE: Final = """<!doctype html>
<html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark"><title>Lectern</title>
<h1>Lectern</h1><p>{detail}</p></html>
"""
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
    """ASGI layer before everything else: Host allow-list, who asks, Origin check on writes, security headers.

    Whom it lets in stands in the scope under `identity.SCOPE`.
    """

    def __init__(self, app: ASGIApp, keeper: Keeper) -> None:
        self._app = app
        self._keeper = keeper

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != ScopeType.HTTP:
            await self._app(scope, receive, send)
            return
        guarded = _with_security_headers(send)
        arrival, headers = read_arrival(scope)
        via = self._keeper.door(arrival)
        if (refusal := self._refusal(scope["method"], headers, via)) is None:
            came = await self._keeper.admit(arrival, via)
            if isinstance(came, Identity):
                cast(dict[str, Any], scope)[SCOPE] = came
            elif not (came.status == 401 and is_public(scope["path"])):
                refusal = came
        if refusal is not None:
            await refuse(guarded, refusal, page=_is_page(scope, headers))
            return
        await self._app(scope, receive, guarded)

    def _refusal(self, method: str, headers: dict[str, str], via: Via) -> Refusal | None:
        host = headers.get("host", "")
        if not self._keeper.knows(host, via):
            return Refusal(421, "host-refused", STRANGE_HOST)
        if method not in SAFE_METHODS and not _same_origin(host, headers):
            return Refusal(
                403, "origin-refused", "Another web site asked for this change; only Lectern's own pages may."
            )
        return None


def read_arrival(scope: Scope) -> tuple[Arrival, dict[str, str]]:
    """What access depends on in a request, and its headers by their names in small letters."""
    headers: dict[str, str] = {}
    forwarded: list[str] = []
    for raw, value in scope["headers"]:
        name, said = raw.decode("latin-1").lower(), value.decode("latin-1")
        headers[name] = said
        if name == "x-forwarded-for":
            forwarded.append(said)
    kind, _, token = headers.get("authorization", "").partition(" ")
    arrival = Arrival(
        local=_end(scope.get("server")),
        peer=_end(scope.get("client")),
        forwarded=tuple(forwarded),
        proxied=any(name in headers for name in PROXY_HEADERS),
        funnel="tailscale-funnel-request" in headers,
        bearer=token.strip() if kind.lower() == "bearer" else "",
        cookie=_cookie(headers.get("cookie", "")),
    )
    return arrival, headers


def _end(pair: Any) -> tuple[str, int]:
    return (str(pair[0]), int(pair[1] or 0)) if pair else ("", 0)


def _cookie(said: str) -> str:
    for part in said.split(";"):
        name, _, value = part.strip().partition("=")
        if name == COOKIE:
            return value
    return ""


def is_public(path: str) -> bool:
    """What a device of the home network may have before it has shown the token: the page that asks for it."""
    return path in (ENTER_PAGE, ENTER, "/sw.js") or path.startswith("/web/")


def _is_page(scope: Scope, headers: dict[str, str]) -> bool:
    """Whether a person looks at the answer: then it is a page, and no problem document."""
    return "text/html" in headers.get("accept", "") and not scope["path"].startswith("/api/")


def _same_origin(host: str, headers: dict[str, str]) -> bool:
    """Programs send no Origin and no Sec-Fetch-Site; browsers send at least one of them with every write."""
    if (origin := headers.get("origin")) is not None:
        return origin.lower() in (f"http://{host.lower()}", f"https://{host.lower()}")
    return headers.get("sec-fetch-site", "same-origin") in ("same-origin", "none")


_GIVEN: Final = tuple((name.encode(), value.encode()) for name, value in SECURITY_HEADERS.items())


def _with_security_headers(send: Send) -> Callable[[Any], Awaitable[None]]:
    def guarded(message: Message) -> Awaitable[None]:
        if message["type"] == "http.response.start":
            there = message.get("headers", [])
            present = {name.lower() for name, _ in there}
            headers = [*there, *(one for one in _GIVEN if one[0] not in present)]
            message = {**message, "headers": headers}
        return send(message)

    return guarded


async def refuse(send: Callable[[Any], Awaitable[None]], refusal: Refusal, *, page: bool) -> None:
    """Answer with a problem document, or with a page that says the same."""
    headers = [(b"cache-control", b"no-store")]
    status = refusal.status
    if page and status == 401:
        status, body = 303, b""
        headers.append((b"location", ENTER_PAGE.encode()))
    elif page:
        body = PAGE.format(detail=html.escape(refusal.detail)).encode()
        headers += [(b"content-type", b"text/html; charset=utf-8")]
    else:
        body = encode(problem(status, refusal.code, refusal.detail))
        headers.append((b"content-type", MEDIA_TYPE.encode()))
    if status == 401:
        headers.append((b"www-authenticate", b'Bearer realm="Lectern"'))
    if refusal.retry_s is not None:
        headers.append((b"retry-after", str(refusal.retry_s).encode()))
    headers.append((b"content-length", str(len(body)).encode()))
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": body, "more_body": False})
