"""Bookmarks: places in a book that somebody wants to find again. Each person has their own."""

from datetime import UTC, datetime
from typing import Annotated

from litestar import Response, delete, get, patch, post
from litestar.openapi.datastructures import ResponseSpec
from litestar.params import JSONBody, PathParameter
from pydantic import Field

from server.api.common import BookPath, Call, House, off_loop, plausible
from server.api.household import Household
from server.api.identity import person
from server.api.positions import settled
from server.api.problems import documented
from server.api.spots import PositionIn, SentenceId
from server.api.view import View
from server.library.editions import Spot
from server.render.bookmarks import Bookmark

MarkPath = Annotated[str, PathParameter(description="Id of the bookmark.")]


class BookmarkView(View):
    """A bookmark, where its sentence is now."""

    id: str
    chapter: int
    chapter_title: str
    sentence: SentenceId
    word: int = Field(description="Index of the word in the sentence, 0 at its start.")
    text: str = Field(description="The sentence as it was when it was marked.")
    note: str | None
    created: datetime


class BookmarkList(View):
    """In the order in which they come in the book."""

    bookmarks: list[BookmarkView]


class BookmarkIn(View):
    """A new bookmark. Its place must exist in the book."""

    chapter: int = Field(ge=1, le=99_999)
    sentence: SentenceId
    word: int = Field(default=0, ge=0, le=100_000)
    note: str | None = Field(default=None, max_length=2_000)
    edition: int | None = Field(default=None, ge=0, le=99_999, description="As with a position.")


class BookmarkPatch(View):
    """What is noted with a bookmark."""

    note: str | None = Field(max_length=2_000)


@get("/books/{book:str}/bookmarks", summary="The bookmarks of a book", tags=["listening"], responses=documented(404))
async def list_bookmarks(request: Call, house: House, book: BookPath) -> BookmarkList:
    """In reading order."""
    plausible(book)
    return BookmarkList(bookmarks=await off_loop(_views, house, book, person(request)))


@post(
    "/books/{book:str}/bookmarks",
    summary="Set a bookmark",
    tags=["listening"],
    responses={
        **documented(403, 404, 409, 413),
        200: ResponseSpec(BookmarkView, generate_examples=False, description="It was there already."),
    },
)
async def add_bookmark(
    request: Call, house: House, book: BookPath, data: JSONBody[BookmarkIn]
) -> Response[BookmarkView]:
    """201; where there is one already it is answered with 200, and a note takes the place of its own."""
    plausible(book)
    mark, new = await off_loop(_add, house, book, data, person(request))
    house.hub.publish("bookmarks", person=person(request), book=book)
    return Response(await off_loop(_view, house, book, mark), status_code=201 if new else 200)


@patch(
    "/books/{book:str}/bookmarks/{mark:str}",
    summary="Note something with a bookmark",
    tags=["listening"],
    responses=documented(403, 404, 413),
)
async def change_bookmark(
    request: Call, house: House, book: BookPath, mark: MarkPath, data: JSONBody[BookmarkPatch]
) -> BookmarkView:
    """An empty note is none."""
    plausible(book)
    changed = await off_loop(house.store.bookmarks.change, book, mark, data.note, person(request))
    house.hub.publish("bookmarks", person=person(request), book=book)
    return await off_loop(_view, house, book, changed)


@delete(
    "/books/{book:str}/bookmarks/{mark:str}",
    summary="Remove a bookmark",
    tags=["listening"],
    responses=documented(403, 404),
)
async def remove_bookmark(request: Call, house: House, book: BookPath, mark: MarkPath) -> None:
    """It is gone for all devices of the person."""
    plausible(book)
    await off_loop(house.store.bookmarks.remove, book, mark, person(request))
    house.hub.publish("bookmarks", person=person(request), book=book)


def _add(house: Household, book: str, asked: BookmarkIn, who: str) -> tuple[Bookmark, bool]:
    place = settled(house, book, PositionIn(**asked.model_dump(exclude={"note"})))
    spot = Spot(place.chapter, place.sentence)
    return house.store.bookmarks.add(book, spot, place.word, asked.note, datetime.now(UTC), who)


def _views(house: Household, book: str, who: str) -> list[BookmarkView]:
    titles = {chapter.number: chapter.title for chapter in house.store.book(book).chapters}
    return [_shown(mark, titles) for mark in house.store.bookmarks.of(book, who)]


def _view(house: Household, book: str, mark: Bookmark) -> BookmarkView:
    return _shown(mark, {chapter.number: chapter.title for chapter in house.store.book(book).chapters})


def _shown(mark: Bookmark, titles: dict[int, str]) -> BookmarkView:
    told = mark.model_dump(exclude={"edition"})
    return BookmarkView(**told, chapter_title=titles.get(mark.chapter, ""))
