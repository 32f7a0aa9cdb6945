"""What the household chose for a book, kept beside its audio: its chapters and notes, its name."""

from collections.abc import Collection, Iterable
from dataclasses import replace
from typing import Annotated, Final, Literal

from pydantic import Field

from server.library.model import Book, Chapter, Notes
from server.library.policy import Policy
from server.render.about import About
from server.render.index import FORMAT, Id, Record

CHOSEN: Final = "chosen"  # the rule of a chapter that a person turned off


class ChapterChoice(Record):
    """A chapter that a person turned on or off; `rule` is what the reader says of it.

    It is known by its first sentence, so that it is found again in another edition.
    """

    number: Annotated[int, Field(ge=1)]
    title: str
    sentence: Id
    enabled: bool
    rule: str | None = None

    def is_of(self, number: int, title: str, sentence: str | None) -> bool:
        """Whether it is of the chapter with this number: one of another edition may have had the number too."""
        return self.number == number and (self.sentence == sentence or self.title == title)


class Sound(Record):
    """How a book sounds: the recipe of its voice, the speed of synthesis, the bits a second that it is coded with."""

    voice: str
    speed: float = 1.0
    bitrate: int


class Choices(Record):
    """choices.json: missing where nobody chose anything."""

    format: Literal[1] = FORMAT
    notes: Notes | None = None
    paused: bool | None = None
    render: Policy | None = None
    turn: Annotated[int, Field(ge=1)] | None = None
    chapters: tuple[ChapterChoice, ...] = ()
    sound: Sound | None = None
    about: About | None = None

    def turned(self, choice: ChapterChoice) -> "Choices":
        """These choices with `choice`; it goes where it is what the reader says anyway."""
        others = [one for one in self.chapters if not one.is_of(choice.number, choice.title, choice.sentence)]
        if choice.enabled != (choice.rule is None):
            others.append(choice)
        return self.model_copy(update={"chapters": tuple(sorted(others, key=lambda one: one.number))})


def apply(book: Book, choices: Choices) -> tuple[Book, Choices]:
    """(the book with its chapters on and off as chosen, the choices by its numbers).

    A choice whose chapter is not in this edition is kept as it is: the next one may have it.
    """
    chapters, found = list(book.chapters), dict[ChapterChoice, Chapter]()
    for find in (_beginning, _called):
        for choice in choices.chapters:
            taken = {one.number for one in found.values()}
            if choice not in found and (chapter := find(book.chapters, choice, taken)) is not None:
                found[choice] = chapter
                chapters[chapter.number - 1] = turn(chapter, choice.enabled)
    kept = [_of(choice, found[choice]) if choice in found else choice for choice in choices.chapters]
    return replace(book, chapters=tuple(chapters)), choices.model_copy(update={"chapters": tuple(kept)})


def _of(choice: ChapterChoice, chapter: Chapter) -> ChapterChoice:
    sentence = chapter.sentences[0].id if chapter.sentences else choice.sentence
    fields = {"number": chapter.number, "title": chapter.title, "sentence": sentence, "rule": chapter.rule}
    return choice.model_copy(update=fields)


def turn(chapter: Chapter, enabled: bool) -> Chapter:
    """A chapter turned on or off by a person."""
    if enabled:
        return replace(chapter, enabled=True, rule=None)
    return replace(chapter, enabled=False, rule=chapter.rule or CHOSEN)


def _beginning(chapters: Iterable[Chapter], choice: ChapterChoice, taken: Collection[int]) -> Chapter | None:
    """The chapter that begins as the chosen one did, best with its number too."""
    begins = [one for one in chapters if one.sentences and one.sentences[0].id == choice.sentence]
    free = [one for one in begins if one.number not in taken]
    return next((one for one in free if one.number == choice.number), next(iter(free), None))


def _called(chapters: Iterable[Chapter], choice: ChapterChoice, taken: Collection[int]) -> Chapter | None:
    return next((one for one in chapters if one.title == choice.title and one.number not in taken), None)
