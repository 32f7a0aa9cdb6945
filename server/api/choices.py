"""What a household chooses for a book: which of its chapters are read, in which voice, and where its notes are."""

from typing import Literal

from litestar import patch
from litestar.params import JSONBody
from pydantic import Field

from server.api.common import BookPath, ChapterPath, House, plausible
from server.api.household import BookDetail
from server.api.problems import documented
from server.api.renditions import FASTEST, SLOWEST, Bitrate, SoundIn
from server.api.view import View
from server.library.model import Notes
from server.library.policy import Policy


class BookPatch(View):
    """How a book is to be read: what is given changes, the rest stays."""

    notes: Notes | None = Field(
        default=None,
        description="`skipped`; `inline`: after the paragraph that refers to them; `end`: at the end of its chapter.",
    )
    voice: str | None = Field(
        default=None,
        max_length=200,
        description="A voice, the name of a blend, or a recipe such as `af_heart*0.6+af_bella*0.4`. It is rendered "
        "beside the audio that is there; to go back to a voice that has audio costs nothing.",
    )
    speed: float | None = Field(
        default=None, ge=SLOWEST, le=FASTEST, description="Speed of synthesis; 1 is the voice's own. A rendition each."
    )
    bitrate: Bitrate | None = Field(default=None, description="Bits a second of its audio. A rendition each.")
    render: Policy | Literal["house"] | None = Field(
        default=None,
        description="How much of it is rendered: `all`, `ahead` of the listener, a `sample`, `paused`; `house`: as the "
        "household's rules say.",
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
    """The listener's place stays. For `notes` its file is read anew: sentences that are the same keep their audio."""
    plausible(book)
    asked = SoundIn(voice=data.voice, speed=data.speed, bitrate=data.bitrate)
    sound = await house.voicing.sound(book, asked) if asked.asked else None  # refused before anything is changed
    if data.notes is not None:
        await house.choose(book, data.notes)
    if sound is not None:
        await house.voicing.choose(book, sound)
    if data.render is not None:
        await house.rendering.choose(book, None if data.render == "house" else data.render)
    return await house.book(book)


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
