"""What a household writes of a book by hand, its title, authors, series and cover; and back to the book's own."""

import unicodedata
from pathlib import Path
from typing import Annotated, Final, Literal, Protocol

from litestar import delete, patch, put
from litestar.openapi.spec import OpenAPIMediaType, Operation, RequestBody, Schema
from litestar.openapi.spec.enums import OpenAPIFormat, OpenAPIType
from litestar.params import JSONBody
from pydantic import AfterValidator, Field

from server.api.common import BookPath, Call, House, off_loop, plausible
from server.api.household import BookDetail
from server.api.imports import incoming, receive
from server.api.problems import HttpError, documented
from server.api.view import View
from server.render.about import PICTURES
from server.render.files import write_error

Part = Literal["title", "subtitle", "authors", "series"]
MOST_AUTHORS: Final = 50
MAX_PICTURE_BYTES: Final = 20_000_000
_ANY: Final = "application/octet-stream"


_UNSEEN: Final = ("Cf", "Cn", "Co", "Mn", "Me", "Zs")  # by themselves they show nothing


def _plain(text: str) -> str:
    """Without what nobody sees: control characters, and white space but for single spaces."""
    kept = "".join(" " if unicodedata.category(char) in ("Cc", "Cs", "Zl", "Zp") else char for char in text)
    return " ".join(kept.split())


def _named(text: str) -> str:
    if all(unicodedata.category(char) in _UNSEEN for char in text):
        raise ValueError("a title has at least one letter")
    return text


Title = Annotated[str, Field(max_length=500), AfterValidator(_plain), AfterValidator(_named)]
Line = Annotated[str, Field(max_length=500), AfterValidator(_plain)]


class AboutIn(View):
    """What is written of a book: what is given changes, the rest stays. Empty says that it has none."""

    title: Title | None = None
    subtitle: Line | None = None
    authors: Annotated[list[Line], Field(max_length=MOST_AUTHORS)] | None = Field(
        default=None, description="One name each, in order."
    )
    series: Line | None = Field(default=None, description="With it goes `series_index`: none where none is given.")
    series_index: float | None = Field(default=None, ge=0, le=100_000, description="Only together with `series`.")
    own: list[Part] = Field(default=[], max_length=4, description="These go back to what the book says itself.")

    def changed(self) -> dict[str, object]:
        """What the store is told."""
        told: dict[str, object] = {}
        if self.title is not None:
            told["title"] = self.title
        if self.subtitle is not None:
            told["subtitle"] = self.subtitle
        if self.authors is not None:
            told["authors"] = tuple(dict.fromkeys(filter(None, self.authors)))
        if self.series is not None:
            told |= {"series": self.series, "series_index": self.series_index if self.series else None}
        told |= dict.fromkeys(self.own)
        return told | ({"series_index": None} if "series" in self.own else {})


class Telling(Protocol):
    """What the house does for what is written of its books. Every method raises NotFound for an unknown book."""

    async def write(self, book: str, changed: dict[str, object]) -> None: ...

    async def cover(self, book: str, picture: Path | None) -> None:
        """Show a book with the picture in a file, or with its own again. Raises PictureRefused."""


class _Picture(Operation):
    """The body is read as it comes, which the framework cannot document by itself."""

    def __post_init__(self) -> None:
        content = OpenAPIMediaType(schema=Schema(type=OpenAPIType.STRING, format=OpenAPIFormat.BINARY))
        self.request_body = RequestBody(required=True, content=dict.fromkeys((*PICTURES, _ANY), content))


@patch(
    "/books/{book:str}/about",
    summary="Write what a book is called",
    tags=["books"],
    responses=documented(403, 404, 413, 507),
)
async def patch_about(house: House, book: BookPath, data: JSONBody[AboutIn]) -> BookDetail:
    """It is shown everywhere from now on, and stays when the book is read anew. Its file is not changed."""
    plausible(book)
    await house.telling.write(book, data.changed())
    return await house.book(book)


@put(
    "/books/{book:str}/cover",
    summary="Choose a cover",
    tags=["books"],
    operation_class=_Picture,
    request_max_body_size=None,  # counted here, with a sentence of our own
    responses=documented(403, 404, 413, 415, 422, 507),
)
async def put_cover(request: Call, house: House, book: BookPath) -> BookDetail:
    """The body is a JPEG, PNG or WebP picture; a large one is kept smaller. The book's own cover stays beside it."""
    plausible(book)
    await off_loop(house.store.book, book)  # that there is none is said before anything is read
    kind = (request.headers.get("content-type") or _ANY).partition(";")[0].strip().lower()
    if kind not in (*PICTURES, _ANY):
        raise HttpError(415, f"The body is {kind}; send a JPEG, PNG or WebP picture.")
    try:
        with incoming(house.settings) as (path, file):
            await receive(request, file, MAX_PICTURE_BYTES, "picture")
            await house.telling.cover(book, path)
    except OSError as error:
        raise write_error(house.settings.data, error) from error
    return await house.book(book)


@delete(
    "/books/{book:str}/cover",
    summary="Go back to the book's own cover",
    tags=["books"],
    status_code=200,
    responses=documented(403, 404, 507),
)
async def delete_cover(house: House, book: BookPath) -> BookDetail:
    plausible(book)
    await house.telling.cover(book, None)
    return await house.book(book)
