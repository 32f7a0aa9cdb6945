"""How a book changed when it was read anew, as the API shows it."""

from datetime import datetime

from pydantic import Field

from server.api.view import View
from server.render.records import BookRecord


class ChapterChangeView(View):
    """What another edition changed in a chapter, in sentences."""

    number: int
    title: str
    new: int
    gone: int


class EditionView(View):
    """How the text read aloud changed when a book was read anew: from a corrected file, or in another way."""

    until: datetime = Field(description="When it was read anew.")
    file: str = Field(description="Name of the file that it had been read from.")
    same_file: bool = Field(description="Only the way it is read changed, such as where its notes are.")
    kept: int = Field(description="Sentences that stayed as they were, their audio too.")
    new: int = Field(description="Sentences that came, or were changed.")
    gone: int = Field(description="Sentences that went.")
    chapters: list[ChapterChangeView]


def edition_views(record: BookRecord) -> list[EditionView]:
    """Latest first."""
    before = record.before or ()
    later = [record.source, *(edition.source for edition in before)]
    return [
        EditionView(
            until=edition.until,
            file=edition.source.name,
            same_file=edition.source.sha256 == after.sha256,
            kept=edition.kept,
            new=edition.new,
            gone=edition.gone,
            chapters=[ChapterChangeView(**change.model_dump()) for change in edition.chapters],
        )
        for edition, after in zip(before, later, strict=False)
    ]
