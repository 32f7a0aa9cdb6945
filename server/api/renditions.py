"""The voices of a book: what it was rendered with so far, and what another would cost."""

from typing import Annotated, Final, Literal, Protocol

from litestar import delete, get
from litestar.params import PathParameter
from pydantic import Field

from server.api.common import BookPath, House, plausible
from server.api.problems import documented
from server.api.view import View
from server.errors import NotFound
from server.render.choices import Sound
from server.render.index import SAFE_NAME

Bitrate = Literal[32_000, 48_000, 64_000]
SLOWEST: Final = 0.5
FASTEST: Final = 2.0

RenditionPath = Annotated[str, PathParameter(description="Id of the rendition.")]


class SoundIn(View):
    """What is to change of how a book sounds; the rest stays as it is."""

    voice: str | None = None
    speed: float | None = None
    bitrate: Bitrate | None = None

    @property
    def asked(self) -> bool:
        return (self.voice, self.speed, self.bitrate) != (None, None, None)


class RenditionView(View):
    """A rendition that is there: one voice, one speed, one bitrate."""

    id: str
    voice: str = Field(description="A voice, or the recipe of a mix.")
    speed: float = Field(description="Speed of synthesis; 1 is the voice's own. What a player adds is not in it.")
    bitrate: int = Field(description="Bits a second that its audio was coded with.")
    plays: bool
    current: bool = Field(description="It has the text as it is now; else what it shares with that is taken along.")
    sentences: int = Field(description="Rendered, of the chapters that are read.")
    audio_s: float
    audio_bytes: int
    freed_bytes: int = Field(description="What deleting it frees: less where another edition shares its files.")


class RenditionList(View):
    """The renditions of a book, and what all of it takes in another voice."""

    renditions: list[RenditionView] = Field(description="The one that plays first.")
    language: str = Field(description="Code of the language that it is read in: voices that speak it can be chosen.")
    sentences: int = Field(description="Sentences of the chapters that are read.")
    speech_s: float = Field(description="How long all of it is at speed 1, as far as can be told.")
    render_s: float | None = Field(
        description="Seconds of work that all of it at speed 1 takes, as fast as lately; null when that is unknown."
    )


class RenditionGone(View):
    """What a deletion did."""

    deleted: str
    freed_bytes: int


class Voicing(Protocol):
    """What the house does for the voices of its books. Every method raises NotFound for an unknown book."""

    async def of(self, book: str) -> RenditionList: ...

    async def sound(self, book: str, asked: SoundIn) -> Sound:
        """What `asked` comes to. Raises NotFound for an unknown voice, BadRequest for one of another language."""

    async def choose(self, book: str, sound: Sound) -> None:
        """Have it read so from now on; the place stays, and what is rendered. Raises as `sound`."""

    async def delete(self, book: str, rendition: str) -> RenditionGone:
        """Raises NotFound, Conflict for the one that plays."""


@get(
    "/books/{book:str}/renditions", summary="The voices a book has audio in", tags=["voices"], responses=documented(404)
)
async def list_renditions(house: House, book: BookPath) -> RenditionList:
    """To go back to one, PATCH the book with its voice, speed and bitrate: nothing is rendered for that."""
    plausible(book)
    return await house.voicing.of(book)


@delete(
    "/books/{book:str}/renditions/{rendition:str}",
    summary="Delete the audio of a voice",
    tags=["voices"],
    status_code=200,
    responses=documented(403, 404, 409),
)
async def delete_rendition(house: House, book: BookPath, rendition: RenditionPath) -> RenditionGone:
    """Only of one that does not play."""
    plausible(book)
    if SAFE_NAME.fullmatch(rendition) is None:
        raise NotFound("There is no such rendition.")
    return await house.voicing.delete(book, rendition)
