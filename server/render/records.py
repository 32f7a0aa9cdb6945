"""What a book and its renditions are: the store's JSON files beside the chapter indexes.

As in server/render/index.py, a field that has no value is left out of the file.
"""

from collections.abc import Mapping
from typing import Annotated, Literal

from pydantic import AwareDatetime, Field

from server.render.index import FORMAT, INDEX_FORMAT, PLAN_VERSION, SAMPLE_RATE, Count, Engine, Id, Record, Sha256


class SourceFile(Record):
    """The EPUB a book was read from."""

    name: str
    bytes: Count
    sha256: Sha256


class ChapterRecord(Record):
    """A chapter in its book's list; `skipped` counts the source characters each rule keeps silent."""

    number: Annotated[int, Field(ge=1)]
    title: str
    enabled: bool
    rule: str | None = None
    sentences: Count
    characters: Count
    skipped: Mapping[str, int]


class ChapterChange(Record):
    """What another edition changed in a chapter, in sentences; `number` and `title` are the new ones."""

    number: Annotated[int, Field(ge=1)]
    title: str
    new: Count
    gone: Count


class EditionRecord(Record):
    """What a book was before it was read anew, and what that changed in the text that is read aloud.

    `source` is the file it was read from until `until`, `rendition` the folder that its text and audio lie in.
    """

    source: SourceFile
    rendition: Id
    until: AwareDatetime
    kept: Count
    new: Count
    gone: Count
    chapters: tuple[ChapterChange, ...] = ()


class ContributorRecord(Record):
    """Somebody besides the authors; `role` is a MARC relator code."""

    name: str
    role: str


class OwnRecord(Record):
    """What a book says of itself, where a person wrote something else."""

    title: str
    subtitle: str | None = None
    authors: tuple[str, ...]
    series: str | None = None
    series_index: Annotated[float, Field(ge=0, allow_inf_nan=False)] | None = None
    cover: str | None = None
    title_sort: str | None = None
    author_sort: str | None = None
    thumbnail: str | None = None


class BookRecord(Record):
    """book.json: what a book is, and which rendition of it plays."""

    format: Literal[1] = FORMAT
    id: Id
    title: str
    subtitle: str | None = None
    authors: tuple[str, ...]
    series: str | None = None
    series_index: Annotated[float, Field(ge=0, allow_inf_nan=False)] | None = None
    language: str
    read_as: str | None = None
    identifiers: tuple[str, ...]
    cover: str | None = None
    voice: str
    rendition: Id
    plan_version: int = PLAN_VERSION
    source: SourceFile
    added: AwareDatetime
    chapters: tuple[ChapterRecord, ...]
    warnings: tuple[str, ...]
    before: tuple[EditionRecord, ...] | None = None
    contributors: tuple[ContributorRecord, ...] | None = None
    publisher: str | None = None
    published: str | None = None
    description: str | None = None
    title_sort: str | None = None
    author_sort: str | None = None
    thumbnail: str | None = None
    own: OwnRecord | None = None


class RenditionRecord(Record):
    """rendition.json: what made the audio in its folder."""

    format: Literal[1] = FORMAT
    id: Id
    voice: str
    speed: float = 1.0
    engine: Engine
    bitrate: int
    edition: Annotated[int, Field(ge=1)] | None = None


class Place(Record):
    """place.json: where the listener is in a book; `word` counts the words of the sentence from 0."""

    format: Literal[1] = FORMAT
    chapter: Annotated[int, Field(ge=1)]
    sentence: Id
    word: Count = 0
    device: str | None = None
    updated: AwareDatetime
    edition: Annotated[int, Field(ge=1)] | None = None


class StoreRecord(Record):
    """store.json: marks the folder and its format."""

    format: Literal[1, 2] = INDEX_FORMAT
    sample_rate: Literal[24_000] = SAMPLE_RATE
