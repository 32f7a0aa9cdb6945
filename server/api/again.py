"""Sentences rendered once more: because a person does not like how one sounds, or because it is said otherwise now."""

from typing import Final

from litestar import post
from litestar.params import JSONBody
from pydantic import Field

from server.api.common import BookPath, House, plausible
from server.api.problems import documented
from server.api.spots import BookId, SentenceId
from server.api.view import View

MOST: Final = 500


class Spot(View):
    """A sentence by where it stands."""

    chapter: int = Field(ge=1, le=99_999)
    sentence: SentenceId


class AgainIn(View):
    """Sentences to render again."""

    sentences: list[Spot] = Field(min_length=1, max_length=MOST)


class Again(View):
    """What is rendered again."""

    book: BookId
    sentences: int = Field(description="So many; those without audio are rendered anyway and do not count.")


@post(
    "/books/{book:str}/again",
    summary="Render sentences again",
    tags=["books"],
    status_code=202,
    responses=documented(403, 404, 413),
)
async def render_again(house: House, book: BookPath, data: JSONBody[AgainIn]) -> Again:
    """What they have plays until the new audio is whole. One that was given up is tried once more."""
    plausible(book)
    spots: dict[int, set[str]] = {}
    for spot in data.sentences:
        spots.setdefault(spot.chapter, set()).add(spot.sentence)
    return Again(book=book, sentences=await house.render_again(book, spots, "asked"))
