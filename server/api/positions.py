"""The listener's place, and the wish to listen somewhere."""

from litestar import get, post, put
from litestar.params import JSONBody

from server.api.common import BookPath, House, off_loop, plausible
from server.api.household import Household, ListenIn, Listening, Position, PositionIn
from server.api.problems import documented
from server.errors import NotFound


@get("/books/{book:str}/position", summary="The place in a book", tags=["listening"], responses=documented(404))
async def get_position(house: House, book: BookPath) -> Position:
    """404 before the first one is set."""
    plausible(book)
    if (place := await house.position(book)) is None:
        raise NotFound("Nobody has listened to this book yet.")
    return place


@put("/books/{book:str}/position", summary="Set the place", tags=["listening"], responses=documented(403, 404, 413))
async def set_position(house: House, book: BookPath, data: JSONBody[PositionIn]) -> Position:
    """What lies ahead of the new place is rendered next."""
    plausible(book)
    await off_loop(_check_place, house, book, data.chapter, data.sentence)
    return await house.set_position(book, data)


@post(
    "/books/{book:str}/listen",
    summary="Render from here next",
    tags=["listening"],
    status_code=202,
    responses=documented(403, 404, 413),
)
async def listen(house: House, book: BookPath, data: JSONBody[ListenIn]) -> Listening:
    """A hint to the renderer; the place stays where it is."""
    plausible(book)
    await off_loop(_check_place, house, book, data.chapter, data.sentence)
    house.hint(book, data.chapter, data.sentence)
    return Listening(book=book, chapter=data.chapter, sentence=data.sentence)


def _check_place(house: Household, book: str, number: int, sentence: str | None) -> None:
    """Raises NotFound for an unknown book and for a place that is not in it."""
    index = house.store.chapter(book, number)
    if sentence is not None and all(entry.id != sentence for entry in index.sentences):
        raise NotFound(f"Chapter {number} has no sentence {sentence}.")
