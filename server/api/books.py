"""The shelf: books, their covers, and taking them off it."""

import mimetypes
from typing import Annotated, Final, Literal

from litestar import Response, delete, get, route
from litestar.openapi.datastructures import ResponseSpec
from litestar.params import QueryParameter

from server.api.common import BookPath, Call, House, off_loop, plausible
from server.api.household import BookDetail, Books, Deleted, Deletion, Household
from server.api.identity import person
from server.api.media import REVALIDATE, Media, OpenFile
from server.api.problems import documented
from server.api.ranges import Entity
from server.errors import NotFound, StoreError
from server.library.shelf import Show, Sort

What = Annotated[
    Deletion,
    QueryParameter(description="`audio` keeps the book and its place; `everything` takes the EPUB out of the library."),
]
Size = Annotated[
    Literal["full", "small"], QueryParameter(description="`small`: at most 480 pixels wide, for a shelf of many.")
]
Version = Annotated[
    str, QueryParameter(description="Changes with the picture, for whoever keeps it; the answer is the same.")
]
Order = Annotated[
    Sort,
    QueryParameter(
        description="`added`: newest first. `opened`: what whoever asks listened to last comes first. Else by title, "
        "author or series, each as libraries sort it."
    ),
]
Words = Annotated[
    str,
    QueryParameter(
        description="Only books with all these words, or parts of words, in title, authors or series. Case and accents "
        "do not count.",
        max_length=200,
    ),
]
Shown = Annotated[
    Show,
    QueryParameter(
        description="`begun`, `new` or `finished`: as whoever asks has heard of them; `rendered`: books of which all "
        "that is read aloud can be heard; `missing`: books whose file is not in the library folder; `twice`: of which "
        "several files lie there."
    ),
]
Most = Annotated[int | None, QueryParameter(description="At most so many books; all without it.", ge=1, le=1000)]
Offset = Annotated[int, QueryParameter(description="So many books are passed over first.", ge=0, le=1_000_000)]
# A shelf of thousands asks for thousands: they are shown at once, and asked about afterwards where they are old.
KEPT: Final = "private, max-age=3600, stale-while-revalidate=2592000"


@get("/books", summary="All books", tags=["books"], responses=documented())
async def list_books(
    request: Call,
    house: House,
    sort: Order = "added",
    q: Words = "",
    limit: Most = None,
    offset: Offset = 0,
    show: Shown = "all",
) -> Books:
    """All of them, newest first; a shelf of thousands is better asked for page by page."""
    return await house.page(sort, q, limit, offset, show, person(request))


@get("/books/{book:str}", summary="One book with its chapters", tags=["books"], responses=documented(404))
async def get_book(request: Call, house: House, book: BookPath) -> BookDetail:
    plausible(book)
    return await house.book(book, person(request))


@delete(
    "/books/{book:str}",
    summary="Delete a book or only its audio",
    tags=["books"],
    status_code=200,
    responses=documented(403, 404, 409),
)
async def delete_book(house: House, book: BookPath, what: What) -> Deleted:
    plausible(book)
    return await house.delete(book, what)


@route(
    "/books/{book:str}/cover",
    http_method=["GET", "HEAD"],
    summary="The cover",
    tags=["books"],
    media_type="image/jpeg",
    responses={
        **documented(404, 416),
        206: ResponseSpec(bytes, generate_examples=False, description="The bytes asked for.", media_type="image/jpeg"),
        304: ResponseSpec(None, description="It has not changed."),
    },
)
async def get_cover(
    request: Call, house: House, book: BookPath, size: Size = "full", v: Version = ""
) -> Response[bytes]:
    """The image as the book has it, whose type may be another than JPEG, or a small JPEG of it.

    Where there is no small one, since an older version took the book in, the answer is the image itself.
    """
    plausible(book)
    file, media_type = await off_loop(_open_cover, house, book, size == "small")
    etag = f'"{file.modified_s:.6f}-{file.size_bytes:x}"'
    return Media(request, Entity(file.size_bytes, etag), file.read, media_type, KEPT if size == "small" else REVALIDATE)


def _open_cover(house: Household, book: str, small: bool) -> tuple[OpenFile, str]:
    path = house.store.cover_path(book, small=small)
    if path is None:
        raise NotFound("This book has no cover.")
    try:
        return OpenFile(path), mimetypes.guess_type(path.name)[0] or "application/octet-stream"
    except OSError as error:
        raise StoreError(f"The cover {path} cannot be read.") from error
