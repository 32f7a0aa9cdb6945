"""Chapter indexes: the text of a chapter with its timings, as the store has it."""

import gzip
import hashlib
from dataclasses import dataclass
from typing import Annotated, Final

from litestar import Response, get, route
from litestar.openapi.datastructures import ResponseSpec
from litestar.params import QueryParameter
from pydantic import Field

from server.api.common import BookPath, Call, ChapterPath, House, off_loop, plausible
from server.api.held import Held
from server.api.history import History
from server.api.household import Household
from server.api.media import REVALIDATE, in_memory
from server.api.problems import documented
from server.api.view import View
from server.render.index import ChapterIndex, Id, SentenceEntry

# Most of an index is digits: level 4 leaves a quarter of it; level 6 takes three times as long to save a tenth more.
GZIP_LEVEL: Final = 4


@dataclass(frozen=True, slots=True)
class Index:
    """A chapter's index as stored and packed, and the stem of its entity tags."""

    body: bytes
    packed: bytes
    tag: str


_indexes: Final[Held[Index]] = Held(8)
_histories: Final[Held[History]] = Held(32)

Rendition = Annotated[Id, QueryParameter(description="`rendition` of the index that was fetched.")]
Since = Annotated[int, QueryParameter(ge=0, description="Its `revision`.")]


class Changes(View):
    """What changed in a chapter, to be put into its index: the fields, and the sentences by their ids."""

    rendition: Id
    revision: int
    complete: bool
    samples_total: int
    codec_config: str | None
    silence: str | None
    whole: bool = Field(description="It cannot be told: fetch the chapter again.")
    sentences: list[SentenceEntry] = Field(description="The sentences that changed, each whole.")


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


@get(
    "/books/{book:str}/chapters/{number:int}/changes",
    summary="What changed in a chapter",
    tags=["chapters"],
    responses=documented(404),
)
async def get_changes(house: House, book: BookPath, number: ChapterPath, rendition: Rendition, since: Since) -> Changes:
    """What an index of this `rendition` lacks that was fetched at revision `since`: a hundredth of it, while audio is
    made. Where that cannot be told `whole` is true: fetch the chapter again.
    """
    plausible(book, number)
    return await off_loop(_changes, house, book, number, rendition, since)


def _changes(house: Household, book: str, number: int, rendition: str, since: int) -> Changes:
    index = house.store.chapter(book, number)
    history = _histories.get(_life(house, book, number), (), lambda: History(index))
    entries = history.since(index, since) if rendition == index.rendition else None
    totals = index.model_dump(include={"rendition", "revision", "complete", "samples_total", "codec_config", "silence"})
    return Changes(**totals, whole=entries is None, sentences=list(entries or ()))


def _life(house: Household, book: str, number: int) -> tuple[object, ...]:
    """A book that was deleted and added again begins anew, with the revisions that it had."""
    return house.store.root, book, number, house.store.book(book).added


def _read(house: Household, book: str, number: int) -> Index:
    def make() -> Index:
        index = house.store.chapter(book, number)
        _histories.get(_life(house, book, number), (), lambda: History(index))  # from here on it is known
        body = index.to_json().encode()
        # Of the content, not of `revision`: that starts anew when a book is deleted and added again.
        return Index(body, gzip.compress(body, GZIP_LEVEL, mtime=0), hashlib.sha256(body).hexdigest()[:32])

    files = house.store.chapter_files(book, number)
    return _indexes.get((files[0],), files, make)
