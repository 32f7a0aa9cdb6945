"""The shelf, asked of the database with sums instead of chapters: it stays quick with thousands of books."""

import unicodedata
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Final, Literal

from sqlalchemy import ColumnElement, Select, and_, case, func, or_
from sqlmodel import Session, col, select

from server.db import Database
from server.library.catalog import Shelved
from server.tables import BookRow, ChapterRow, PlaceRow

Sort = Literal["added", "title", "author", "series", "opened"]
ORDERS: Final[dict[Sort, tuple[Any, ...]]] = {
    "added": (col(BookRow.added).desc(), col(BookRow.id)),
    "title": (col(BookRow.title_key), col(BookRow.author_key), col(BookRow.id)),
    "author": (col(BookRow.author_key), col(BookRow.series_key), col(BookRow.title_key), col(BookRow.id)),
    "series": (col(BookRow.series_key) == "", col(BookRow.series_key), col(BookRow.title_key), col(BookRow.id)),
    "opened": (col(BookRow.opened).is_(None), col(BookRow.opened).desc(), col(BookRow.added).desc(), col(BookRow.id)),
}
_MANY: Final = 500  # so few books are asked for by name, more by going through all

_waits = col(ChapterRow.sentences) > col(ChapterRow.rendered) + col(ChapterRow.failed) - col(ChapterRow.again)
_on = col(ChapterRow.enabled)


@dataclass(frozen=True, slots=True)
class Totals:
    """Sums over the chapters of a book; all but the last two count only what is read aloud."""

    chapters: int = 0
    sentences: int = 0
    rendered: int = 0
    failed: int = 0
    left_characters: int = 0  # of the chapters that wait
    paced_characters: int = 0  # that are rendered
    paced_samples: int = 0
    audio_samples: int = 0
    audio_bytes: int = 0


@dataclass(frozen=True, slots=True)
class Summary:
    """A book as the shelf shows it."""

    book: BookRow
    totals: Totals
    place: PlaceRow | None


def totals_of(chapters: Iterable[ChapterRow]) -> Totals:
    """The sums that `Shelf` asks the database for."""
    every = list(chapters)
    spoken = [chapter for chapter in every if chapter.enabled]
    waiting = [chapter for chapter in spoken if chapter.sentences > chapter.rendered + chapter.failed - chapter.again]
    return Totals(
        chapters=len(spoken),
        sentences=sum(chapter.sentences for chapter in spoken),
        rendered=sum(chapter.rendered for chapter in spoken),
        failed=sum(chapter.failed for chapter in spoken),
        left_characters=sum(chapter.characters - chapter.rendered_characters for chapter in waiting),
        paced_characters=sum(chapter.rendered_characters for chapter in spoken),
        paced_samples=sum(chapter.audio_samples for chapter in spoken),
        audio_samples=sum(chapter.audio_samples for chapter in every),
        audio_bytes=sum(chapter.audio_bytes for chapter in every),
    )


class Shelf:
    """All methods block: call them in a thread. They raise StoreError."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def page(
        self, sort: Sort = "added", query: str = "", limit: int | None = None, offset: int = 0
    ) -> tuple[list[Summary], int]:
        """Books in order, those that hold every word of `query` in title, authors or series; and how many in all."""
        with self._database.session() as session:
            asked = _holding(select(BookRow.id), query).order_by(*ORDERS[sort]).offset(offset)
            named = list(session.exec(asked if limit is None else asked.limit(limit)))
            rows = {row.id: row for row in session.exec(_of(select(BookRow), BookRow.id, named))}
            books = [rows[book] for book in named]
            whole = offset == 0 and (limit is None or len(books) < limit)
            total = len(books) if whole else session.exec(_holding(select(func.count()), query, BookRow)).one()
            totals = _totals(session, named)
            places = _places(session, named)
            return [Summary(book, totals.get(book.id, Totals()), places.get(book.id)) for book in books], total

    def sums(self) -> tuple[int, int]:
        """How many books there are, and how many samples of audio."""
        with self._database.session() as session:
            books = session.exec(select(func.count()).select_from(BookRow)).one()
            return books, session.exec(select(func.coalesce(func.sum(ChapterRow.audio_samples), 0))).one()

    def line(self, focus: str | None, avoided: Collection[str], books: int) -> list[Shelved]:
        """The book `focus`, if any, and the first `books` others that have something to render, in that order."""
        with self._database.session() as session:
            others = (
                select(BookRow)
                .where(_has_work(), col(BookRow.paused).is_(False), col(BookRow.id).not_in([*avoided, focus or ""]))
                .order_by(col(BookRow.opened).is_(None), col(BookRow.opened).desc(), col(BookRow.added))
                .limit(books)
            )
            first = session.get(BookRow, focus) if focus is not None and focus not in avoided else None
            rows = [*filter(None, [first]), *session.exec(others)]
            return _with_chapters(session, rows)

    def newcomer(self, avoided: Collection[str]) -> list[Shelved]:
        """The book added first that has not a single sentence yet; none or one."""
        begun = select(ChapterRow.book).where(
            ChapterRow.book == BookRow.id, or_(col(ChapterRow.rendered) > 0, col(ChapterRow.failed) > 0)
        )
        with self._database.session() as session:
            asked = (
                select(BookRow)
                .where(
                    _has_work(), ~begun.exists(), col(BookRow.paused).is_(False), col(BookRow.id).not_in(list(avoided))
                )
                .order_by(col(BookRow.added))
                .limit(1)
            )
            return _with_chapters(session, list(session.exec(asked)))

    def waiting(self) -> int:
        """How many chapters wait for audio in books that are rendered."""
        with self._database.session() as session:
            paused = select(BookRow.id).where(col(BookRow.paused).is_(True))
            asked = select(func.count()).select_from(ChapterRow)
            return session.exec(asked.where(_waits, _on, col(ChapterRow.book).not_in(paused))).one()


def folded(text: str) -> str:
    """`text` without case and accents, to be compared and put in order."""
    plain = unicodedata.normalize("NFKD", text.casefold())
    return " ".join("".join(char for char in plain if not unicodedata.combining(char)).split())


def _holding(asked: Any, query: str, source: Any = None) -> Any:
    if source is not None:
        asked = asked.select_from(source)
    for word in folded(query).split():
        asked = asked.where(col(BookRow.folded).contains(word, autoescape=True))
    return asked


def _has_work() -> ColumnElement[bool]:
    """A chapter of the book waits. One that is off does only while the place is in it."""
    there = select(PlaceRow.chapter).where(PlaceRow.book == BookRow.id).scalar_subquery()
    inner = select(ChapterRow.number).where(
        ChapterRow.book == BookRow.id, _waits, or_(_on, col(ChapterRow.number) == there)
    )
    return inner.exists()


def _of(asked: Any, column: Any, books: Sequence[str]) -> Any:
    """Only the rows of `books`; of all books where they are many."""
    return asked.where(col(column).in_(books)) if len(books) <= _MANY else asked


def _totals(session: Session, books: Sequence[str]) -> dict[str, Totals]:
    def spoken(value: Any) -> Any:
        return func.sum(case((_on, value), else_=0))

    asked: Select[Any] = select(  # type: ignore[call-overload]
        ChapterRow.book,
        spoken(1),
        spoken(ChapterRow.sentences),
        spoken(ChapterRow.rendered),
        spoken(ChapterRow.failed),
        func.sum(case((and_(_on, _waits), col(ChapterRow.characters) - col(ChapterRow.rendered_characters)), else_=0)),
        spoken(ChapterRow.rendered_characters),
        spoken(ChapterRow.audio_samples),
        func.sum(ChapterRow.audio_samples),
        func.sum(ChapterRow.audio_bytes),
    ).group_by(ChapterRow.book)
    return {book: Totals(*sums) for book, *sums in session.execute(_of(asked, ChapterRow.book, books))}


def _places(session: Session, books: Sequence[str]) -> dict[str, PlaceRow]:
    return {place.book: place for place in session.exec(_of(select(PlaceRow), PlaceRow.book, books))}


def _with_chapters(session: Session, books: Sequence[BookRow]) -> list[Shelved]:
    ids = [book.id for book in books]
    chapters: dict[str, list[ChapterRow]] = {book: [] for book in ids}
    asked = select(ChapterRow).where(col(ChapterRow.book).in_(ids)).order_by(col(ChapterRow.number))
    for chapter in session.exec(asked):
        chapters[chapter.book].append(chapter)
    places = _places(session, ids)
    return [Shelved(book, tuple(chapters[book.id]), places.get(book.id)) for book in books]
