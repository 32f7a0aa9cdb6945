"""Previews: how a text would be read, and how it sounds."""

import re
from typing import Annotated

from litestar import Response, post, route
from litestar.params import JSONBody, PathParameter
from pydantic import BaseModel, ConfigDict, Field

from server.api.audio import MP4, PARTS
from server.api.common import Call, House, off_loop
from server.api.household import API, Household
from server.api.media import IMMUTABLE, Media, OpenFile
from server.api.problems import documented
from server.api.ranges import Entity
from server.api.spots import BookId
from server.api.view import View
from server.errors import NotFound, StoreError
from server.render.messages import PREVIEWS

_NAME = re.compile(r"[0-9a-f]{32}\.m4a")
LONGEST = 2_000  # characters: a minute or two of speech

FileName = Annotated[str, PathParameter(description="Its name, then `.m4a`.", pattern=r"\.m4a$")]


class PreviewIn(BaseModel):
    """A text to be read, and how."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    text: str = Field(min_length=1, max_length=LONGEST, description="Paragraphs are parted by empty lines.")
    book: BookId | None = Field(
        default=None, pattern=r"^[0-9a-f]{16}$", description="Whose voice and pronunciations hold."
    )
    voice: str | None = Field(
        default=None, max_length=200, description="Another voice, the name of a blend, or the recipe of one."
    )
    speed: float | None = Field(
        default=None, ge=0.5, le=2.0, description="Speed of synthesis; else the book's, or the voice's own."
    )
    rules: str = Field(default="", max_length=10_000, description="Pronunciations to be tried, one rule a line.")
    inline: bool = Field(
        default=True, description="Obey `[word](/phonemes/)` in the text. Say false for the text of a book."
    )
    audio: bool = Field(default=True, description="Whether it is said too, and not only read.")


class PreviewWord(View):
    """A word of a sentence: its place in code points, how it is said, and when, where it is said."""

    word: str
    char_start: int
    char_end: int
    phonemes: str
    start_s: float | None = None
    end_s: float | None = None


class Sentence(View):
    """A sentence as it is read. `lectern say --json` prints the same."""

    sentence: str
    paragraph: int
    spoken: str = Field(description="The text in plain words.")
    phonemes: str
    words: list[PreviewWord]
    unknown: list[str] = Field(description="Words that no dictionary has: their sound is a guess.")
    rules: list[str] = Field(description="Pronunciation rules that were obeyed: layer, colon, line.")
    passes: list[int] = Field(description="Numbers of the passes it is rendered in; none where it is silent.")
    voice: str


class Preview(View):
    """The answer."""

    voice: str
    sentences: list[Sentence]
    problems: list[str] = Field(description="What is wrong with `rules`, a sentence each.")
    audio: str | None = Field(description="Address of the sound, relative to the server. Kept for the next fifty.")
    audio_s: float


@post(
    "/preview",
    summary="Read a text, and say it",
    tags=["pronunciation"],
    status_code=200,
    responses=documented(403, 404, 409, 413, 422, 503),
)
async def preview(house: House, data: JSONBody[PreviewIn]) -> Preview:
    """Goes before all rendering; nothing of it is kept in the store."""
    return await house.preview(data)


@route(
    "/previews/{name:str}",
    http_method=["GET", "HEAD"],
    summary="The sound of a preview",
    tags=["pronunciation"],
    media_type=MP4,
    responses={**documented(404, 412, 416), **PARTS},
)
async def get_preview(request: Call, house: House, name: FileName) -> Response[bytes]:
    """AAC in MP4, byte ranges."""
    file = await off_loop(_open, house, name)
    return Media(request, Entity(file.size_bytes, f'"{name}"'), file.read, MP4, IMMUTABLE)


def _open(house: Household, name: str) -> OpenFile:
    if _NAME.fullmatch(name) is None:
        raise NotFound("There is no such preview.")
    path = house.settings.data / PREVIEWS / name
    try:
        return OpenFile(path)
    except FileNotFoundError:
        raise NotFound("This preview is no longer kept; ask for it again.") from None
    except OSError as error:
        raise StoreError(f"{path} cannot be read.") from error


def preview_url(name: str) -> str:
    """The URL that a `Preview.audio` carries."""
    return f"{API}/{PREVIEWS}/{name}.m4a"
