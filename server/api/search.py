"""Full text over all books."""

from typing import Annotated

from litestar import get
from litestar.params import QueryParameter
from pydantic import Field

from server.api.common import House, off_loop, plausible
from server.api.household import Household
from server.api.problems import documented
from server.api.spots import BookId
from server.api.view import View
from server.errors import LecternError

MOST = 100  # hits of one answer

Query = Annotated[
    str,
    QueryParameter(
        name="q",
        max_length=200,
        description="Words that must all be there; in quotes, beside each other. The last may be a beginning.",
    ),
]
InBook = Annotated[str | None, QueryParameter(description="Only this book.", pattern=r"^[0-9a-f]{16}$")]
Limit = Annotated[int, QueryParameter(ge=1, le=MOST, description="How many hits at most.")]
Offset = Annotated[int, QueryParameter(ge=0, le=1_000_000, description="How many of the first to pass over.")]


class Mark(View):
    """A span of the text that matched, in code points."""

    char_start: int
    char_end: int


class HitView(View):
    """A sentence that was found."""

    book: BookId
    title: str = Field(description="The book's.")
    chapter: int
    chapter_title: str
    sentence: str
    text: str
    marks: list[Mark]


class Hits(View):
    """What was found, the best first; in one book, or where it is very much, in reading order."""

    hits: list[HitView]
    total: int = Field(description="How many sentences there are in all.")
    more: bool = Field(description="There are more than `total`, too many to be counted.")


@get("/search", summary="Search all books", tags=["books"], responses=documented())
async def search(house: House, q: Query, book: InBook = None, limit: Limit = 20, offset: Offset = 0) -> Hits:
    """Case and accents do not count. Books that have just come in may take a moment to be found."""
    if book is not None:
        plausible(book)
    return await off_loop(hits_of, house, q, book, limit, offset)


def hits_of(house: Household, query: str, book: str | None, limit: int, offset: int) -> Hits:
    found = house.search.find(query, book=book, limit=limit, offset=offset)
    titles = {name: _titles(house, name) for name in {hit.book for hit in found.hits}}
    return Hits(
        hits=[
            HitView(
                book=hit.book,
                title=titles[hit.book][0],
                chapter=hit.chapter,
                chapter_title=titles[hit.book][1].get(hit.chapter, ""),
                sentence=hit.sentence,
                text=hit.text,
                marks=[Mark(char_start=start, char_end=end) for start, end in hit.marks],
            )
            for hit in found.hits
        ],
        total=found.total,
        more=found.more,
    )


def _titles(house: Household, book: str) -> tuple[str, dict[int, str]]:
    """The title of a book, and those of its chapters."""
    try:
        record = house.store.book(book)
    except LecternError:  # it went since it was found
        return book, {}
    return record.title, {chapter.number: chapter.title for chapter in record.chapters}
