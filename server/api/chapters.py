"""Chapter indexes: the text of a chapter with its timings, byte for byte as the store keeps it."""

import gzip
import hashlib
from dataclasses import dataclass
from typing import Final

from litestar import Response, route
from litestar.openapi.datastructures import ResponseSpec

from server.api.common import BookPath, Call, ChapterPath, House, off_loop, plausible
from server.api.held import Held
from server.api.household import Household
from server.api.media import REVALIDATE, in_memory
from server.api.problems import documented
from server.errors import NotFound, StoreError
from server.render.index import ChapterIndex

# Most of an index is digits: level 4 leaves a quarter of it; level 6 takes three times as long to save a tenth more.
GZIP_LEVEL: Final = 4


@dataclass(frozen=True, slots=True)
class Index:
    """A chapter's index as stored and packed, and the stem of its entity tags."""

    body: bytes
    packed: bytes
    tag: str


_indexes: Final[Held[Index]] = Held(8)


@route(
    "/books/{book:str}/chapters/{number:int}",
    http_method=["GET", "HEAD"],
    summary="A chapter's index",
    tags=["chapters"],
    responses={
        **documented(404, 412, 416),
        200: ResponseSpec(ChapterIndex, generate_examples=False, description="See docs/store-format.md."),
        206: ResponseSpec(bytes, generate_examples=False, description="The bytes asked for."),
        304: ResponseSpec(None, description="The index has not changed."),
    },
)
async def get_chapter(request: Call, house: House, book: BookPath, number: ChapterPath) -> Response[bytes]:
    """Text, timings and what is rendered so far. Ask again with If-None-Match: it grows as audio is made."""
    plausible(book, number)
    index = await off_loop(_read, house, book, number)
    if accepts_gzip(request.headers.get("accept-encoding", "")):
        # Another representation, so another tag: a strong one vouches for the very bytes.
        response = in_memory(request, index.packed, f'"{index.tag}-gzip"', "application/json", REVALIDATE)
        response.headers["content-encoding"] = "gzip"
    else:
        response = in_memory(request, index.body, f'"{index.tag}"', "application/json", REVALIDATE)
    response.headers["vary"] = "accept-encoding"
    return response


def accepts_gzip(header: str) -> bool:
    """Whether an Accept-Encoding header names gzip and does not refuse it."""
    for item in header[:200].split(","):
        coding, _, weight = item.partition(";")
        if coding.strip().lower() == "gzip":
            return weight.replace(" ", "").lower() not in ("q=0", "q=0.0", "q=0.00", "q=0.000")
    return False


def _read(house: Household, book: str, number: int) -> Index:
    path = house.store.chapter_path(book, number)

    def make() -> Index:
        try:
            body = path.read_bytes()
        except FileNotFoundError:
            raise NotFound(f"This book has no chapter {number}.") from None
        except OSError as error:
            raise StoreError(f"The chapter index {path} cannot be read.") from error
        # Of the content, not of `revision`: that starts anew when a book is deleted and added again.
        return Index(body, gzip.compress(body, GZIP_LEVEL, mtime=0), hashlib.sha256(body).hexdigest()[:32])

    return _indexes.get((path,), [path], make)
