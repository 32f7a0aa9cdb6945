"""The words of a whole book that the voice will have to guess, found before anything of it is rendered."""

from typing import Literal, Protocol

from litestar import get, post
from pydantic import Field

from server.api.common import BookPath, House, plausible
from server.api.problems import documented
from server.api.spots import BookId
from server.api.view import View

State = Literal["none", "reading", "there", "old", "failed"]


class GuessedWord(View):
    """A word that no dictionary has, with the first sentence that has it."""

    word: str = Field(description="As it is spoken.")
    phonemes: str = Field(description="How it would be said; empty where that cannot be told from its sentence.")
    count: int = Field(description="Sentences of the book with it, of the chapters that are read aloud.")
    chapter: int
    sentence: str
    text: str = Field(description="The sentence as it stands in the book.")


class WordList(View):
    """What is known of the words of a book."""

    book: BookId
    state: State = Field(
        description="`none`: nobody asked yet; `reading`: the book is being read; `old`: text, voice or pronunciations "
        "are others since; `failed`: `trouble` says why."
    )
    trouble: str | None
    total: int = Field(description="How many words there are; of very many only the most frequent are listed.")
    words: list[GuessedWord] = Field(description="The most frequent first.")


class Surveying(Protocol):
    """What the house does to find them. Every method raises NotFound for an unknown book."""

    async def view(self, book: str) -> WordList: ...

    async def begin(self, book: str) -> None:
        """Have a book read through, unless that is going on. Raises Conflict while several others wait for it."""


@get(
    "/books/{book:str}/words",
    summary="Words the voice will have to guess",
    tags=["pronunciation"],
    responses=documented(403, 404),
)
async def get_words(house: House, book: BookPath) -> WordList:
    """In the whole book, as far as somebody asked for that since the server began."""
    plausible(book)
    return await house.surveying.view(book)


@post(
    "/books/{book:str}/words",
    summary="Find the words the voice will have to guess",
    tags=["pronunciation"],
    status_code=202,
    responses=documented(403, 404, 409),
)
async def find_words(house: House, book: BookPath) -> WordList:
    """Begun at once; `words.found` tells when it is done. A novel takes half a minute; nothing is rendered."""
    plausible(book)
    await house.surveying.begin(book)
    return await house.surveying.view(book)
