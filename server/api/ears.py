"""Sentences that somebody should listen to: what the quality gate and listeners found, and what is to become of it."""

from collections.abc import Mapping
from datetime import datetime
from typing import Annotated, Final, Literal, Protocol

from litestar import get, post
from litestar.params import JSONBody, QueryParameter
from pydantic import BaseModel, ConfigDict, Field

from server.api.common import BookPath, Call, ChapterPath, House, SentencePath, plausible
from server.api.identity import only_owner
from server.api.problems import documented
from server.api.spots import BookId, SentenceId
from server.api.view import View

MOST: Final = 100  # sentences of one answer
NOTE: Final = 500  # characters of what a listener says

State = Literal["gate", "listener", "redone"]
Wish = Literal["wrong", "withdrawn", "accepted", "again", "earlier"]

REASONS: Final[Mapping[str, str]] = {
    "quiet": "next to nothing is heard",
    "noisy": "there is hiss in it",
    "clipped": "it is distorted by its own loudness",
    "slow": "it is said too slowly",
    "fast": "it is said too fast",
    "timings": "its words are not where they should be",
    "silent start": "it begins with a silence",
    "silent end": "it ends with a silence",
    "long pause": "there is a long silence in it",
    "long word": "a word is drawn out",
    "repeated": "something is said twice",
    "stray sound": "there is a sound between the words",
    "runs on": "there is a sound after its end",
    "faint word": "a word is hardly heard",
    "too soft": "it is softer than the rest",
    "too loud": "it is louder than the rest",
}

InBook = Annotated[str | None, QueryParameter(description="Only this book.", pattern=r"^[0-9a-f]{16}$")]
Order = Annotated[Literal["newest", "oldest"], QueryParameter(description="Which come first.")]
Limit = Annotated[int, QueryParameter(ge=1, le=MOST, description="How many at most.")]
Offset = Annotated[int, QueryParameter(ge=0, le=1_000_000, description="How many of the first to pass over.")]


class Neighbour(View):
    """A sentence beside one, for the context."""

    text: str
    audio: str | None = Field(description="URL of its audio; null where it has none.")


class EarsItem(View):
    """A sentence to listen to."""

    book: BookId
    title: str = Field(description="The book's.")
    chapter: int
    chapter_title: str
    sentence: SentenceId
    text: str
    before: Neighbour | None = Field(description="The sentence before it in its chapter.")
    after: Neighbour | None = Field(description="The one after it.")
    state: State = Field(
        description="`gate`: found odd as it was rendered; `listener`: somebody said so; `redone`: rendered anew since."
    )
    reason: str = Field(description="What is odd, in a sentence.")
    note: str | None = Field(description="What the listener said.")
    at: datetime = Field(description="Since when it waits.")
    audio: str = Field(description="URL of its audio, relative to the server.")
    again: bool = Field(description="It is being rendered anew; what it has plays until then.")
    earlier: bool = Field(description="The audio that it had before can be put back.")
    earlier_audio: str | None = Field(default=None, description="URL of the audio that it had before, to compare.")


class EarsList(View):
    """Sentences to listen to, or the part of them that was asked for."""

    items: list[EarsItem]
    total: int = Field(description="How many there are in all.")


class EarsIn(BaseModel):
    """What is to become of a sentence."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    state: Wish = Field(
        description="`wrong`: it sounds wrong; `withdrawn`: it does not after all, and what was thought of it before "
        "that holds; `accepted`: it is good as it is; `again`: render it so that it sounds "
        "otherwise; `earlier`: put back the audio that it had before."
    )
    note: str | None = Field(default=None, max_length=NOTE, description="What is wrong, in the listener's words.")


class EarsAnswer(View):
    """A sentence as it is now."""

    book: BookId
    chapter: int
    sentence: SentenceId
    state: State | Literal["accepted"] | None
    again: bool
    earlier: bool
    changed: bool = Field(description="False where that had been said already.")


class Ears(Protocol):
    """The sentences of a household that somebody should listen to."""

    async def listed(self, book: str | None, *, oldest: bool, limit: int, offset: int) -> EarsList: ...

    async def say(self, book: str, chapter: int, sentence: str, wish: Wish, note: str | None) -> EarsAnswer:
        """Raises NotFound; Conflict for a sentence that has no audio, or no earlier one."""


@get("/ears", summary="Sentences to listen to", tags=["ears"], responses=documented())
async def list_ears(
    house: House, book: InBook = None, order: Order = "newest", limit: Limit = 50, offset: Offset = 0
) -> EarsList:
    """What the quality gate found odd twice, what a listener found wrong, and what was rendered anew since then."""
    return await house.ears.listed(book, oldest=order == "oldest", limit=limit, offset=offset)


@post(
    "/books/{book:str}/chapters/{number:int}/sentences/{sentence:str}/ears",
    summary="Say how a sentence sounds",
    tags=["ears"],
    status_code=200,
    responses=documented(403, 404, 409, 413),
)
async def say_ears(
    request: Call,
    house: House,
    book: BookPath,
    number: ChapterPath,
    sentence: SentencePath,
    data: JSONBody[EarsIn],
) -> EarsAnswer:
    """What plays goes on: a sentence that is rendered anew has its old sound until the new one is whole.

    A listener may say `wrong` and `withdrawn`; what becomes of a sentence is the owner's to say.
    """
    plausible(book, number, sentence)
    if data.state not in ("wrong", "withdrawn"):
        only_owner(request)
    return await house.ears.say(book, number, sentence, data.state, data.note)


def reason(state: State, found: tuple[str, ...]) -> str:
    """Why a sentence is to be listened to, in a sentence; `found` is what the gate says of it."""
    odd = [REASONS.get(name, name) for name in found]
    told = " and ".join([", ".join(odd[:-1]), odd[-1]] if len(odd) > 1 else odd)
    if state == "listener":
        return "Somebody said that it sounds wrong."
    if state == "redone":
        return "It was rendered again. Listen whether it is good now." + (f" Still, {told}." if told else "")
    return f"{told[:1].upper()}{told[1:]}." if told else "It sounded odd as it was rendered."
