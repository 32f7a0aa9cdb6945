"""What of a book is not read, and which of its words the voice had to guess."""

from collections import Counter, defaultdict

from litestar import get
from pydantic import Field

from server.api.audio import sentence_url
from server.api.common import BookPath, House, off_loop, plausible
from server.api.household import Household
from server.api.problems import documented
from server.api.spots import BookId
from server.api.view import View
from server.errors import NotFound
from server.render.coverage import off, spoken

PLACES = 50  # of a guessed word that are listed; its count tells of all


class SilenceView(View):
    """A run of text that is not read."""

    rule: str = Field(description="Name of the rule that keeps it silent.")
    characters: int = Field(description="White space is not counted.")
    text: str = Field(description="What stands there, of a long run its beginning; empty where nothing can be seen.")
    doc: str = Field(description="Path of the content document in the EPUB.")
    before: int = Field(description="`block_index` of the block of its chapter that it stands before.")


class ChapterLedger(View):
    """What becomes of the characters of a chapter."""

    number: int
    title: str
    rule: str | None = Field(description="The rule that turns the whole chapter off.")
    spoken: int
    silent: dict[str, int] = Field(description="Rule → characters.")
    silences: list[SilenceView]


class RefusedPage(View):
    """A page that could not be read."""

    doc: str
    reason: str


class Coverage(View):
    """Every character of the book is spoken, silent by a named rule, or on a refused page."""

    book: BookId
    spoken: int
    silent: dict[str, int] = Field(description="Rule → characters of the whole book.")
    chapters: list[ChapterLedger]
    refused: list[RefusedPage]


class Place(View):
    """A sentence with a guessed word."""

    chapter: int
    sentence: str
    text: str = Field(description="The sentence as it stands in the book.")
    audio: str = Field(description="URL of its audio, relative to the server.")


class Guess(View):
    """A word that no dictionary has."""

    word: str = Field(description="As it is spoken.")
    count: int = Field(description="Sentences with it, of those rendered so far.")
    places: list[Place] = Field(description=f"The first {PLACES} of them.")


class Guesses(View):
    """The words whose sound is a guess, the most frequent first."""

    words: list[Guess]


@get("/books/{book:str}/coverage", summary="What is read and what is not", tags=["books"], responses=documented(404))
async def get_coverage(house: House, book: BookPath) -> Coverage:
    """The ledger of a book's characters, white space not counted. Chapters, silences and pages in reading order."""
    plausible(book)
    return await off_loop(coverage_of, house, book)


def coverage_of(house: Household, book: str) -> Coverage:
    """Raises NotFound for a book that is not there, or that an older version took in without a ledger."""
    record = house.store.coverage(book)
    if record is None:
        raise NotFound("An older version took this book in and kept no ledger of it. Add its file again to get one.")
    silent: dict[str, int] = defaultdict(int)
    chapters = []
    for chapter in record.chapters:
        own = off(chapter)
        for rule, characters in own.items():
            silent[rule] += characters
        silences = [SilenceView(**silence.model_dump()) for silence in chapter.silences]
        chapters.append(
            ChapterLedger(
                number=chapter.number,
                title=chapter.title,
                rule=chapter.rule,
                spoken=spoken(chapter),
                silent=own,
                silences=silences,
            )
        )
    return Coverage(
        book=book,
        spoken=sum(chapter.spoken for chapter in chapters),
        silent=dict(sorted(silent.items(), key=lambda item: -item[1])),
        chapters=chapters,
        refused=[RefusedPage(**page.model_dump()) for page in record.refused],
    )


@get("/books/{book:str}/guesses", summary="Words the voice guessed", tags=["books"], responses=documented(404))
async def get_guesses(house: House, book: BookPath) -> Guesses:
    """Words that no dictionary has, in what is rendered so far of the voice that plays."""
    plausible(book)
    return await off_loop(guesses_of, house, book)


def guesses_of(house: Household, book: str) -> Guesses:
    """Raises NotFound for a book that is not there."""
    found: dict[str, list[Place]] = defaultdict(list)
    counts: Counter[str] = Counter()
    for chapter in house.store.book(book).chapters:
        for entry in house.store.chapter(book, chapter.number).sentences:
            for word in entry.guessed or ():
                counts[word] += 1
                if len(at := found[word]) < PLACES:
                    audio = sentence_url(book, chapter.number, entry)
                    at.append(Place(chapter=chapter.number, sentence=entry.id, text=entry.text, audio=audio))
    words = sorted(found.items(), key=lambda item: (-counts[item[0]], item[0]))
    return Guesses(words=[Guess(word=word, count=counts[word], places=at) for word, at in words])
