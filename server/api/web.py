"""The pages: files of the web folder, asked about anew each time so that an update shows at once.

Text is sent compressed to whoever takes it, and modules without the comments that document them: so a phone on the road
gets the whole player in less than 150 KB.
"""

import gzip
import hashlib
import mimetypes
import re
from functools import lru_cache
from pathlib import Path
from typing import Any, Final

from litestar import Response, route
from litestar.params import FromPath
from litestar.types import ControllerRouterHandler

from server.api.access import PAGE_POLICY
from server.api.common import Call, off_loop
from server.api.media import REVALIDATE, in_memory
from server.api.shell import WORKER, worker
from server.errors import NotFound

WEB: Final = Path(__file__).resolve().parents[2] / "web"

# Spelt out: the platform's own table differs from machine to machine, and browsers refuse modules of another type.
TYPES: Final = {
    ".html": "text/html; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".css": "text/css; charset=utf-8",
    ".json": "application/json",
    ".webmanifest": "application/manifest+json",
    ".svg": "image/svg+xml",
    ".png": "image/png",
    ".ico": "image/x-icon",
    ".woff2": "font/woff2",
    ".txt": "text/plain; charset=utf-8",
}
COMPRESSED: Final = frozenset({".html", ".js", ".css", ".json", ".webmanifest", ".svg", ".txt"})
SMALL_BYTES: Final = 1_000  # less is not worth it: it fits into one packet as it is
MOST_CODINGS: Final = 200  # characters of Accept-Encoding that are looked at
_COMMENT: Final = re.compile(rb"^[ \t]*/\*\*(?:(?!\*/).)*\*/[ \t]*$", re.MULTILINE | re.DOTALL)
_GZIP: Final = re.compile(r"(?:^|,)\s*(?:x-)?gzip\s*(?:;\s*q\s*=\s*(?P<share>[0-9.]+)\s*)?(?:,|$)", re.IGNORECASE)


def pages(folder: Path = WEB) -> list[ControllerRouterHandler]:
    """Routes for the player, the dashboard, the page about the API, and their files in `folder`."""

    def part(name: str) -> bytes:
        body = read_web_file(folder, name)
        return undocumented(body) if name.endswith(".js") else body

    def read(name: str) -> bytes:
        return worker(part) if name == WORKER else part(name)

    async def serve(request: Call, name: str) -> Response[bytes]:
        body = await off_loop(read, name)
        kind = Path(name).suffix.lower()
        media_type = TYPES.get(kind) or mimetypes.guess_type(name)[0] or "application/octet-stream"
        packed = await off_loop(_packed, body) if kind in COMPRESSED and len(body) >= SMALL_BYTES else None
        taken = packed is not None and takes_gzip(request.headers.get("accept-encoding", ""))
        sent = packed if packed is not None and taken else body
        etag = f'"{hashlib.sha256(sent).hexdigest()[:32]}"'
        response = in_memory(request, sent, etag, media_type, REVALIDATE)
        response.headers["content-security-policy"] = PAGE_POLICY
        if packed is not None:
            response.headers["vary"] = "accept-encoding"
        if taken:
            response.headers["content-encoding"] = "gzip"
        return response

    options: dict[str, Any] = {"http_method": ["GET", "HEAD"], "include_in_schema": False}

    @route("/", **options)
    async def player(request: Call) -> Response[bytes]:
        return await serve(request, "index.html")

    @route("/dashboard", **options)
    async def dashboard(request: Call) -> Response[bytes]:
        return await serve(request, "dashboard.html")

    @route("/docs", **options)
    async def docs(request: Call) -> Response[bytes]:
        return await serve(request, "docs.html")

    @route("/enter", **options)
    async def enter_page(request: Call) -> Response[bytes]:
        return await serve(request, "enter.html")

    @route(f"/{WORKER}", **options)
    async def service_worker(request: Call) -> Response[bytes]:
        return await serve(request, WORKER)  # at the root, because a worker rules only what lies beside and below it

    @route("/web/{path:path}", **options)
    async def asset(request: Call, path: FromPath[Path]) -> Response[bytes]:
        return await serve(request, path.as_posix().lstrip("/"))

    return [player, dashboard, docs, enter_page, service_worker, asset]


def undocumented(module: bytes) -> bytes:
    """A module without its `/** */` comments that have lines to themselves; every line keeps its number.

    That holds as long as no template literal runs over lines, which tests/contract/test_shell.py sees to.
    """
    return _COMMENT.sub(lambda found: b"\n" * found.group().count(b"\n"), module)


def takes_gzip(header: str) -> bool:
    """Whether an Accept-Encoding header takes gzip by name, and not with a share of 0."""
    found = _GZIP.search(header[:MOST_CODINGS])
    return found is not None and (found["share"] is None or found["share"].strip("0.") != "")


@lru_cache(maxsize=256)
def _packed(body: bytes) -> bytes:
    """Without the time of day: the same file is the same bytes, and has the same entity tag, on every day."""
    return gzip.compress(body, 9, mtime=0)


def read_web_file(folder: Path, name: str) -> bytes:
    """The file `name` below `folder`. Raises NotFound for anything that is no plain, visible file in it."""
    parts = name.split("/")
    if any(not part or part.startswith(".") or "\x00" in part or "\\" in part for part in parts):
        raise NotFound("There is no such page.")
    path = folder.joinpath(*parts)
    try:
        if not path.resolve().is_relative_to(folder.resolve()) or not path.is_file():
            raise NotFound("There is no such page.")
        return path.read_bytes()
    except OSError as error:
        raise NotFound("There is no such page.") from error
