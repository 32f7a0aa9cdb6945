"""What stands in a chapter beside the sentences that are read: pictures, and text that is silent."""

import asyncio
import contextlib
import hashlib
from typing import Annotated, Final

from litestar import Response, get, route
from litestar.openapi.datastructures import ResponseSpec
from litestar.params import PathParameter
from pydantic import Field

from server.api.common import BookPath, Call, ChapterPath, House, off_loop, plausible
from server.api.household import API, Household
from server.api.identity import person
from server.api.ledger import SilenceView
from server.api.media import REVALIDATE, in_memory
from server.api.problems import documented
from server.api.view import View
from server.errors import BookRefused, NotFound, StoreError
from server.library.figures import SVG, read_figure
from server.library.sandbox import read_book_aside
from server.render.coverage import ChapterCoverage, PictureRecord
from server.render.files import Stamp, stamp_of
from server.render.recalled import is_whole, recalled

# A drawing may have styles, and pictures within itself. Whoever opens it alone gets no more of it than a page shows.
DRAWING_POLICY: Final = (
    "default-src 'none'; style-src 'unsafe-inline'; img-src data:; font-src data:; frame-ancestors 'none'; sandbox"
)

PicturePath = Annotated[int, PathParameter(ge=0, description="Ordinal of the picture in its chapter, from 0.")]


class PictureView(View):
    """A picture in its place."""

    url: str = Field(description="Where it is, relative to the server.")
    alt: str = Field(description="What it says of itself; empty where that stands in the text, or nothing is said.")
    width: int = Field(description="In pixels.")
    height: int
    before: int = Field(description="`block_index` of the block of its chapter that it stands before.")


class Beside(View):
    """What is shown in a chapter beside its sentences, in reading order."""

    silences: list[SilenceView]
    pictures: list[PictureView]


@get(
    "/books/{book:str}/chapters/{number:int}/beside",
    summary="What stands beside a chapter's sentences",
    tags=["chapters"],
    responses=documented(404),
)
async def get_beside(request: Call, house: House, book: BookPath, number: ChapterPath) -> Beside:
    """Its pictures, and the text that is not read.

    Of a book that an older version took in they are read from its file, once, if that is in the library folder.
    """
    plausible(book, number)
    if not await off_loop(_is_known, house, book, number):
        async with request.app.state.setdefault("recalling", asyncio.Lock()):  # one at a time: reading takes a while
            await _recall(house, book, number, person(request), request.app.state.setdefault("vain", {}))
    return await off_loop(_beside, house, book, number)


def _is_known(house: Household, book: str, number: int) -> bool:
    house.store.chapter(book, number)
    return is_whole(house.store.coverage(book))


async def _recall(house: Household, book: str, number: int, who: str, vain: dict[str, Stamp]) -> None:
    """Complete the ledger of a book, where its file can be read; one in which nothing was found is not read again."""
    if await off_loop(_is_known, house, book, number):  # by who came first
        return
    record, ledger = await off_loop(house.store.book, book), await off_loop(house.store.coverage, book)
    chosen = await off_loop(house.store.choices, book)
    for file in (await house.book(book, who)).files[:1]:
        path = house.settings.library / file
        stamp = await off_loop(stamp_of, path)
        if stamp is None or vain.get(book) == stamp:
            return
        with contextlib.suppress(BookRefused, OSError, StoreError):  # a full disk: the rest of the page is there
            read = await read_book_aside(path, language=record.read_as, notes=chosen.notes or "skipped")
            whole = recalled(ledger, record, read)
            if whole is not None and is_whole(whole):
                # What was read anew meanwhile is complete by itself.
                await off_loop(house.store.complete_coverage, ledger, whole)
                return
        vain[book] = stamp


def _beside(house: Household, book: str, number: int) -> Beside:
    chapter = _chapter(house, book, number)
    if chapter is None:
        return Beside(silences=[], pictures=[])
    url = f"{API}/books/{book}/chapters/{number}/pictures"
    return Beside(
        silences=[SilenceView(**silence.model_dump()) for silence in chapter.silences],
        pictures=[
            PictureView(url=f"{url}/{at}", **picture.model_dump(exclude={"file"}))
            for at, picture in enumerate(chapter.pictures or ())
        ],
    )


@route(
    "/books/{book:str}/chapters/{number:int}/pictures/{at:int}",
    http_method=["GET", "HEAD"],
    summary="A picture",
    tags=["chapters"],
    media_type="image/jpeg",
    responses={
        **documented(404, 412, 416),
        206: ResponseSpec(bytes, generate_examples=False, description="The bytes asked for.", media_type="image/jpeg"),
        304: ResponseSpec(None, description="It has not changed."),
    },
)
async def get_picture(
    request: Call, house: House, book: BookPath, number: ChapterPath, at: PicturePath
) -> Response[bytes]:
    """As the file of the book in the library folder has it; its type may be another than JPEG."""
    plausible(book, number)
    picture = await off_loop(_picture, house, book, number, at)
    files = (await house.book(book, person(request))).files
    if not files:
        raise NotFound("The file of this book is not in the library folder, so its pictures cannot be shown.")
    data, media_type = await off_loop(read_figure, house.settings.library / files[0], picture.file)
    answer = in_memory(request, data, f'"{hashlib.sha256(data).hexdigest()[:32]}"', media_type, REVALIDATE)
    if media_type == SVG:
        answer.headers["content-security-policy"] = DRAWING_POLICY
    return answer


def _picture(house: Household, book: str, number: int, at: int) -> PictureRecord:
    chapter = _chapter(house, book, number)
    pictures = (chapter.pictures if chapter else None) or ()
    if at >= len(pictures):
        raise NotFound(f"Chapter {number} of this book has no picture {at}.")
    return pictures[at]


def _chapter(house: Household, book: str, number: int) -> ChapterCoverage | None:
    """None where the book has no ledger. Raises NotFound for a chapter that is not there."""
    house.store.chapter(book, number)
    ledger = house.store.coverage(book)
    return next((chapter for chapter in ledger.chapters if chapter.number == number), None) if ledger else None
