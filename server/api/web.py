"""The pages: files of the web folder, asked about anew each time so that an update shows at once."""

import hashlib
import mimetypes
from pathlib import Path
from typing import Any, Final

from litestar import Response, route
from litestar.params import FromPath
from litestar.types import ControllerRouterHandler

from server.api.access import PAGE_POLICY
from server.api.common import Call, off_loop
from server.api.media import REVALIDATE, in_memory
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


def pages(folder: Path = WEB) -> list[ControllerRouterHandler]:
    """Routes for the player, the dashboard and their files in `folder`."""

    async def serve(request: Call, name: str) -> Response[bytes]:
        body = await off_loop(read_web_file, folder, name)
        etag = f'"{hashlib.sha256(body).hexdigest()[:32]}"'
        media_type = TYPES.get(Path(name).suffix.lower()) or mimetypes.guess_type(name)[0] or "application/octet-stream"
        response = in_memory(request, body, etag, media_type, REVALIDATE)
        response.headers["content-security-policy"] = PAGE_POLICY
        return response

    options: dict[str, Any] = {"http_method": ["GET", "HEAD"], "include_in_schema": False}

    @route("/", **options)
    async def player(request: Call) -> Response[bytes]:
        return await serve(request, "index.html")

    @route("/dashboard", **options)
    async def dashboard(request: Call) -> Response[bytes]:
        return await serve(request, "dashboard.html")

    @route("/web/{path:path}", **options)
    async def asset(request: Call, path: FromPath[Path]) -> Response[bytes]:
        return await serve(request, path.as_posix().lstrip("/"))

    return [player, dashboard, asset]


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
