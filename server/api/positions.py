"""The place of whoever asks, the jumps that can be undone, and the wish to listen somewhere."""

from datetime import date
from typing import Annotated, Protocol

from litestar import get, post, put
from litestar.params import JSONBody, PathParameter, QueryParameter
from pydantic import Field

from server.api.common import BookPath, Call, House, off_loop, plausible
from server.api.household import Household
from server.api.identity import person
from server.api.listening import ListeningView
from server.api.problems import documented
from server.api.spots import ListenIn, Listening, Position, PositionIn, Spot
from server.api.view import View
from server.errors import NotFound
from server.render.reconcile import Reason

Device = Annotated[
    str | None,
    QueryParameter(
        description="The device that asks: where another one has moved on, the answer tells of its `own` place too.",
        max_length=100,
    ),
]
Entry = Annotated[int, PathParameter(description="`entry` of the jump.")]
Most = Annotated[int, QueryParameter(description="At most so many.", ge=1, le=100)]
Offset = Annotated[int, QueryParameter(description="So many are passed over first.", ge=0, le=1_000)]
MOST_ENTRIES = 2**31


class JumpView(View):
    """A step of the place that can be gone back from."""

    entry: int
    reason: Reason = Field(description="`moved`: the device did not say why it was somewhere else.")
    left: Spot = Field(description="Where the place was, and where going back leads.")
    arrived: Spot


class JumpList(View):
    """The latest first."""

    jumps: list[JumpView]


class BackIn(View):
    """From which device somebody goes back."""

    device: str | None = Field(default=None, max_length=100)
    counter: int | None = Field(default=None, ge=0, le=2**53, description="As with a position.")


class Placing(Protocol):
    """Places and what is known by them. Methods raise NotFound for an unknown book."""

    async def position(self, book: str, person: str, device: str | None = None) -> Position | None:
        """The person's place, None before the first."""

    async def report(self, book: str, place: PositionIn, person: str) -> Position:
        """Take a report of a place (its chapter and sentence are known to exist), tell of it, render from there next.

        Raises Conflict for an unexplained jump to the beginning.
        """

    async def jumps(self, book: str, person: str) -> JumpList: ...

    async def back(self, book: str, entry: int, asked: BackIn, person: str) -> Position:
        """Go back from a jump. Raises NotFound where it is not known."""

    async def listened(self, first: date, last: date, person: str) -> ListeningView:
        """What a person heard from `first` to `last`, both included."""


@get("/books/{book:str}/position", summary="The place in a book", tags=["listening"], responses=documented(404))
async def get_position(request: Call, house: House, book: BookPath, device: Device = None) -> Position:
    """404 before the first one is set.

    A device that asks with its name and finds its `own` place in the answer was left behind: ask whether to go to the
    place, or to stay, which is reported with the `reason` "stay".
    """
    plausible(book)
    if (place := await house.places.position(book, person(request), device)) is None:
        raise NotFound("Nobody has listened to this book yet.")
    return place


@put(
    "/books/{book:str}/position",
    summary="Report the place",
    tags=["listening"],
    responses=documented(403, 404, 409, 413),
)
async def set_position(request: Call, house: House, book: BookPath, data: JSONBody[PositionIn]) -> Position:
    """What lies ahead of the new place is rendered next.

    The answer is the place as it is now. It is another one, with `applied` false, where the report came too late
    (`stale`, `older`), or where another device has moved on since and nobody has chosen yet (`elsewhere`).
    409 for a report of the very beginning that nobody went to: without the `reason` "jump" it is taken for a mistake.
    """
    plausible(book)
    return await house.places.report(book, await off_loop(settled, house, book, data), person(request))


@get(
    "/books/{book:str}/position/jumps",
    summary="Jumps that can be undone",
    tags=["listening"],
    responses=documented(404),
)
async def get_jumps(request: Call, house: House, book: BookPath, limit: Most = 20, offset: Offset = 0) -> JumpList:
    """Whatever moved the place but listening; empty where nothing did."""
    plausible(book)
    found = await house.places.jumps(book, person(request))
    return JumpList(jumps=found.jumps[offset:][:limit])


@post(
    "/books/{book:str}/position/jumps/{entry:int}/back",
    summary="Undo a jump",
    tags=["listening"],
    status_code=200,
    responses=documented(403, 404, 413),
)
async def go_back(request: Call, house: House, book: BookPath, entry: Entry, data: JSONBody[BackIn]) -> Position:
    """The place is where the jump began; that is a jump too, and can be undone."""
    plausible(book)
    if not 1 <= entry <= MOST_ENTRIES:
        raise NotFound("That jump is no longer known; ask for the list again.")
    return await house.places.back(book, entry, data, person(request))


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
        now = await off_loop(settled, house, book, PositionIn(chapter=chapter, sentence=sentence))
        chapter, sentence = now.chapter, now.sentence
    else:
        await off_loop(house.store.chapter, book, chapter)
    house.hint(book, chapter, sentence)
    return Listening(book=book, chapter=chapter, sentence=sentence)


def settled(house: Household, book: str, place: PositionIn) -> PositionIn:
    """`place` in the edition that plays. Raises NotFound for an unknown book, and for a place in no edition of it."""
    spot = house.store.locate(book, place.chapter, place.sentence, place.edition)
    if spot is None:
        house.store.chapter(book, place.chapter)  # raises for a chapter that is not there either
        raise NotFound(f"Chapter {place.chapter} has no sentence {place.sentence}.")
    same = spot.sentence.partition("-")[0] == place.sentence.partition("-")[0]
    changed = {"chapter": spot.chapter, "sentence": spot.sentence, "word": place.word if same else 0}
    return place.model_copy(update={**changed, "edition": house.store.edition(book)})
