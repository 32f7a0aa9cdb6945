"""The ledger of a book: what becomes of every character of its spine (pure)."""

from collections import Counter
from typing import Annotated, Literal

from pydantic import Field

from server.library.model import Book
from server.render.index import FORMAT, Count, Id, Record


class SilenceRecord(Record):
    """Source text that is not read, by which rule, and before which block of its chapter it stands."""

    rule: str
    characters: Count
    text: str
    doc: str
    before: Count


class PictureRecord(Record):
    """A picture of the source that is shown in its chapter, `width` × `height` pixels, and before which block."""

    file: str
    alt: str
    before: Count
    width: Count
    height: Count


class ChapterCoverage(Record):
    """What becomes of a chapter's characters: `characters` are those of its sentences, which `rule` may turn off.

    `pictures` is None where an older version took the book in, which knew of none.
    """

    number: Annotated[int, Field(ge=1)]
    title: str
    rule: str | None = None
    characters: Count
    silences: tuple[SilenceRecord, ...]
    pictures: tuple[PictureRecord, ...] | None = None


class RefusedRecord(Record):
    """A page of the spine that could not be read."""

    doc: str
    reason: str


class CoverageRecord(Record):
    """coverage.json: every character of the spine is in a sentence, silent by a named rule, or on a refused page."""

    format: Literal[1] = FORMAT
    book: Id
    chapters: tuple[ChapterCoverage, ...]
    refused: tuple[RefusedRecord, ...] = ()


def coverage_record(book: Book) -> CoverageRecord:
    """The ledger of a book's characters."""
    return CoverageRecord(
        book=book.id,
        chapters=tuple(
            ChapterCoverage(
                number=chapter.number,
                title=chapter.title,
                rule=chapter.rule,
                characters=chapter.characters,
                silences=tuple(
                    SilenceRecord(rule=s.rule, characters=s.characters, text=s.text, doc=s.doc, before=s.before)
                    for s in chapter.silences
                ),
                pictures=tuple(
                    PictureRecord(file=f.path, alt=f.alt, before=f.before, width=f.width, height=f.height)
                    for f in chapter.figures
                ),
            )
            for chapter in book.chapters
        ),
        refused=tuple(RefusedRecord(doc=page.doc, reason=page.reason) for page in book.refused),
    )


def off(chapter: ChapterCoverage) -> dict[str, int]:
    """Rule → characters of a chapter that it keeps silent, its own rule included."""
    found = Counter[str]()
    for silence in chapter.silences:
        found[silence.rule] += silence.characters
    if chapter.rule is not None:
        found[chapter.rule] += chapter.characters
    return dict(found.most_common())


def spoken(chapter: ChapterCoverage) -> int:
    """Characters of a chapter that are read aloud."""
    return chapter.characters if chapter.rule is None else 0
