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
    return await house.set_position(book, await off_loop(_settled, house, book, data))


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
    chapter, sentence = data.chapter, data.sentence
    if sentence is not None:
        now = await off_loop(_settled, house, book, PositionIn(chapter=chapter, sentence=sentence))
        chapter, sentence = now.chapter, now.sentence
    else:
        await off_loop(house.store.chapter, book, chapter)
    house.hint(book, chapter, sentence)
    return Listening(book=book, chapter=chapter, sentence=sentence)


def _settled(house: Household, book: str, place: PositionIn) -> PositionIn:
    """`place` in the edition that plays. Raises NotFound for an unknown book, and for a place in no edition of it."""
    spot = house.store.locate(book, place.chapter, place.sentence, place.edition)
    if spot is None:
        house.store.chapter(book, place.chapter)  # raises for a chapter that is not there either
        raise NotFound(f"Chapter {place.chapter} has no sentence {place.sentence}.")
    same = spot.sentence.partition("-")[0] == place.sentence.partition("-")[0]
    changed = {"chapter": spot.chapter, "sentence": spot.sentence, "word": place.word if same else 0}
    return place.model_copy(update={**changed, "edition": house.store.edition(book)})
