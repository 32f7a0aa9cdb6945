"""What the household chose for a book, kept beside its audio: which chapters are read, where its notes are."""

from collections.abc import Iterable
from dataclasses import replace
from typing import Annotated, Final, Literal

from pydantic import Field

from server.library.model import Book, Chapter, Notes
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


class Choices(Record):
    """choices.json: missing where nobody chose anything."""

    format: Literal[1] = FORMAT
    notes: Notes | None = None
    paused: bool | None = None
    chapters: tuple[ChapterChoice, ...] = ()

    def turned(self, choice: ChapterChoice) -> "Choices":
        """These choices with `choice`; it goes where it is what the reader says anyway."""
        others = [one for one in self.chapters if one.number != choice.number]
        if choice.enabled != (choice.rule is None):
            others.append(choice)
        return self.model_copy(update={"chapters": tuple(sorted(others, key=lambda one: one.number))})


def apply(book: Book, choices: Choices) -> tuple[Book, Choices]:
    """(the book with its chapters on and off as chosen, the choices by its numbers).

    A choice whose chapter is not in this edition is kept as it is: the next one may have it.
    """
    chapters = list(book.chapters)
    kept: list[ChapterChoice] = []
    for choice in choices.chapters:
        chapter = _find(chapters, choice)
        if chapter is None:
            kept.append(choice)
            continue
        kept.append(choice.model_copy(update={"number": chapter.number, "title": chapter.title, "rule": chapter.rule}))
        chapters[chapter.number - 1] = turn(chapter, choice.enabled)
    return replace(book, chapters=tuple(chapters)), choices.model_copy(update={"chapters": tuple(kept)})


def turn(chapter: Chapter, enabled: bool) -> Chapter:
    """A chapter turned on or off by a person."""
    if enabled:
        return replace(chapter, enabled=True, rule=None)
    return replace(chapter, enabled=False, rule=chapter.rule or CHOSEN)


def _find(chapters: Iterable[Chapter], choice: ChapterChoice) -> Chapter | None:
    """The chapter that begins as the chosen one did, best with its number too; else the one with its title."""
    begins = [one for one in chapters if one.sentences and one.sentences[0].id == choice.sentence]
    named = [one for one in chapters if one.title == choice.title]
    return next((one for one in begins if one.number == choice.number), next(iter(begins), next(iter(named), None)))
