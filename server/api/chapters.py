"""Chapter indexes: the text of a chapter with its timings, byte for byte as the store keeps it."""

import hashlib

from litestar import Response, route
from litestar.openapi.datastructures import ResponseSpec

from server.api.common import BookPath, Call, ChapterPath, House, off_loop, plausible
from server.api.household import Household
from server.api.media import REVALIDATE, in_memory
from server.api.problems import documented
from server.errors import NotFound, StoreError
from server.render.index import ChapterIndex


@route(
    "/books/{book:str}/chapters/{number:int}",
    http_method=["GET", "HEAD"],
    summary="A chapter's index",
    tags=["chapters"],
    responses={
        **documented(404, 412),
        200: ResponseSpec(ChapterIndex, generate_examples=False, description="See docs/store-format.md."),
        304: ResponseSpec(None, description="The index has not changed."),
    },
)
async def get_chapter(request: Call, house: House, book: BookPath, number: ChapterPath) -> Response[bytes]:
    """Text, timings and what is rendered so far. Ask again with If-None-Match: it grows as audio is made."""
    plausible(book, number)
    body = await off_loop(_read_index, house, book, number)
    # Of the content, not of `revision`: that starts anew when a book is deleted and added again.
    etag = f'"{hashlib.sha256(body).hexdigest()[:32]}"'
    return in_memory(request, body, etag, "application/json", REVALIDATE)


def _read_index(house: Household, book: str, number: int) -> bytes:
    path = house.store.chapter_path(book, number)
    try:
        return path.read_bytes()
    except FileNotFoundError:
        raise NotFound(f"This book has no chapter {number}.") from None
    except OSError as error:
        raise StoreError(f"The chapter index {path} cannot be read.") from error
