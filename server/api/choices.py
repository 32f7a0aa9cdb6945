"""What a household chooses for a book: which of its chapters are read, and where its notes are."""

from litestar import patch
from litestar.params import JSONBody
from pydantic import Field

from server.api.common import BookPath, ChapterPath, House, plausible
from server.api.household import BookDetail
from server.api.problems import documented
from server.api.view import View
from server.library.model import Notes


class BookPatch(View):
    """How a book is to be read."""

    notes: Notes = Field(
        description="`skipped`; `inline`: after the paragraph that refers to them; `end`: at the end of its chapter."
    )


class ChapterPatch(View):
    """Whether a chapter is to be read."""

    enabled: bool


@patch(
    "/books/{book:str}",
    summary="Choose how a book is read",
    tags=["books"],
    responses=documented(403, 404, 409, 413, 422),
)
async def patch_book(house: House, book: BookPath, data: JSONBody[BookPatch]) -> BookDetail:
    """Its file is read anew: sentences that are the same keep their audio, and the listener's place goes along."""
    plausible(book)
    return await house.choose(book, data.notes)


@patch(
    "/books/{book:str}/chapters/{number:int}",
    summary="Have a chapter read, or not",
    tags=["chapters"],
    responses=documented(403, 404, 413),
)
async def patch_chapter(house: House, book: BookPath, number: ChapterPath, data: JSONBody[ChapterPatch]) -> BookDetail:
    """Whatever the rules for front and back matter say. Audio that it has stays."""
    plausible(book, number)
    return await house.turn_chapter(book, number, data.enabled)
