"""The database's rows. The database is an index of the store and of the library folder: all of it can be made again."""

from datetime import UTC, datetime

from sqlalchemy import Index
from sqlmodel import Field, SQLModel


def now() -> datetime:
    return datetime.now(UTC)


class BookRow(SQLModel, table=True):
    """One book of the store; what the shelf and the planner ask of it."""

    __tablename__ = "book"
    # A page of the shelf reads what is in order here, and only then the rows, which are long.
    __table_args__ = (
        Index("book_by_added", "added", "id"),
        Index("book_by_title", "title_key", "author_key", "id"),
        Index("book_by_author", "author_key", "series_key", "title_key", "id"),
        Index("book_by_series", "series_key", "title_key", "id"),
        Index("book_by_opened", "opened", "added", "id"),
    )

    id: str = Field(primary_key=True)
    title: str
    authors: str = ""  # joined with newlines
    voice: str
    rendition: str
    missing: bool = False  # its file is no longer in the library folder; the audio stays
    sample: bool = False
    paused: bool = False  # its audio was deleted: nothing is rendered until somebody listens again
    render: str = ""  # how much of it is rendered, where somebody chose that; empty: as the household's rules say
    turn: int | None = None  # which in line it is, where the household put books in order by hand
    # Samples of audio that are there without a gap, `library.policy.WHOLE` where nothing is missing, None: not measured
    lead: int | None = None  # from the listener's place on, or from the beginning
    opening: int | None = None  # of the first chapter that is read aloud
    beside_bytes: int | None = None  # audio in other voices and of earlier editions, on the disk; None: not weighed
    added: datetime = Field(default_factory=now)
    opened: datetime | None = None
    shown: str = ""  # book.json without what only the book's own page shows
    stamp: str = ""  # which version of book.json that is; empty: none, read it
    title_key: str = ""  # what the shelf is put in order by
    author_key: str = ""
    series_key: str = ""  # with the number in the series, so that ten comes after nine; empty where there is none
    folded: str = ""  # title, authors and series without case and accents: what the shelf is searched in


class ChapterRow(SQLModel, table=True):
    """Counters of one chapter index, so that a shelf needs no index file opened."""

    __tablename__ = "chapter"

    book: str = Field(primary_key=True, foreign_key="book.id")
    number: int = Field(primary_key=True)
    title: str
    enabled: bool = True
    rule: str | None = None
    sentences: int = 0
    characters: int = 0
    rendered: int = 0
    rendered_characters: int = 0
    failed: int = 0
    again: int = 0  # of the rendered: so many are rendered once more
    audio_samples: int = 0
    audio_bytes: int = 0
    stamp: str = ""  # size and time of the index file these counters were read from


class PlaceRow(SQLModel, table=True):
    """Where the household is in a book: what the queue goes by."""

    __tablename__ = "place"

    book: str = Field(primary_key=True, foreign_key="book.id")
    chapter: int
    sentence: str
    word: int = 0
    device: str = ""
    updated: datetime = Field(default_factory=now)


class ReadingRow(SQLModel, table=True):
    """Where a person is in a book: what the shelf shows of it."""

    __tablename__ = "reading"
    __table_args__ = (Index("reading_by_time", "person", "updated", "book"),)

    person: str = Field(primary_key=True)
    book: str = Field(primary_key=True, foreign_key="book.id")
    chapter: int
    sentence: str
    word: int = 0
    device: str = ""
    ordinal: int = 0  # how many sentences of the chapter stand before it
    updated: datetime = Field(default_factory=now)


class FileRow(SQLModel, table=True):
    """A file of the library folder as it was when it was last read."""

    __tablename__ = "file"

    path: str = Field(primary_key=True)
    signature: str  # size, mtime and inode: any change means it is read again
    book: str | None = Field(default=None, index=True)
    refusal: int | None = None


class EditionRow(SQLModel, table=True):
    """A file that a book is, or once was, read from, by its content: another edition is the same book."""

    __tablename__ = "edition"

    file: str = Field(primary_key=True)
    book: str = Field(index=True)


class IdentifierRow(SQLModel, table=True):
    """What a book calls itself: ISBN, URN, …"""

    __tablename__ = "identifier"

    identifier: str = Field(primary_key=True)
    book: str = Field(primary_key=True, index=True)


class DiskRow(SQLModel, table=True):
    """The library folder, or a folder in it where another disk begins, as it was when it was last seen with books."""

    __tablename__ = "disk"

    path: str = Field(primary_key=True)
    inode: int  # the bare folder that stays behind when the disk is taken away has another


class RefusalRow(SQLModel, table=True):
    """A file that did not become a book, and why."""

    __tablename__ = "refusal"

    id: int | None = Field(default=None, primary_key=True)
    name: str
    kind: str
    reason: str
    at: datetime = Field(default_factory=now)


class EarsRow(SQLModel, table=True):
    """A sentence that somebody should listen to, as its entry in the index says."""

    __tablename__ = "ears"
    __table_args__ = (Index("ears_by_time", "at", "book", "chapter", "sentence"),)

    book: str = Field(primary_key=True)
    chapter: int = Field(primary_key=True)
    sentence: str = Field(primary_key=True)
    state: str  # gate, listener or redone
    at: datetime = Field(default_factory=now)
