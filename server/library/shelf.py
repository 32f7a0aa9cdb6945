"""The shelf, asked of the database with sums instead of chapters: it stays quick with thousands of books."""

import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Final, Literal

from sqlalchemy import Select, and_, case, func
from sqlmodel import Session, col, select

from server.db import Database
from server.tables import BookRow, ChapterRow, FileRow, PlaceRow, ReadingRow

Sort = Literal["added", "title", "author", "series", "opened"]
Show = Literal["all", "begun", "new", "finished", "rendered", "missing", "twice"]
ORDERS: Final[dict[Sort, tuple[Any, ...]]] = {
    "added": (col(BookRow.added).desc(), col(BookRow.id)),
    "title": (col(BookRow.title_key), col(BookRow.author_key), col(BookRow.id)),
    "author": (col(BookRow.author_key), col(BookRow.series_key), col(BookRow.title_key), col(BookRow.id)),
    "series": (col(BookRow.series_key) == "", col(BookRow.series_key), col(BookRow.title_key), col(BookRow.id)),
    "opened": (
        col(ReadingRow.updated).is_(None),
        col(ReadingRow.updated).desc(),
        col(BookRow.added).desc(),
        col(BookRow.id),
    ),
}
OWNER: Final = "owner"  # whose shelf it is where nobody says
FINISHED: Final = 0.01  # a book of which no more than this share is left has been heard to its end
_MANY: Final = 500  # so few books are asked for by name, more by going through all

waits = col(ChapterRow.sentences) > col(ChapterRow.rendered) + col(ChapterRow.failed) - col(ChapterRow.again)
on = col(ChapterRow.enabled)


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
class Progress:
    """Where somebody is in a book, and what share of its text that is read aloud stands before and after."""

    place: ReadingRow
    before: float  # characters
    after: float

    @property
    def share(self) -> float:
        """0 at the first sentence, 1 at the last."""
        return self.before / (self.before + self.after) if self.after > 0 else 1.0

    @property
    def finished(self) -> bool:
        return self.after <= FINISHED * (self.before + self.after)


@dataclass(frozen=True, slots=True)
class Summary:
    """A book as the shelf of a person shows it; `progress` None: never begun.

    `copies`: where its files lie in the library folder, where they are more than one.
    """

    book: BookRow
    totals: Totals
    progress: Progress | None
    copies: tuple[str, ...] = ()


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
        self,
        sort: Sort = "added",
        query: str = "",
        limit: int | None = None,
        offset: int = 0,
        *,
        show: Show = "all",
        person: str = OWNER,
    ) -> tuple[list[Summary], int]:
        """Books in order, and how many in all.

        Those that hold every word of `query` in title, authors or series, and of which `show` holds for `person`.
        """
        with self._database.session() as session:
            chosen = _shown(_holding(select(BookRow.id), query), show, person)
            ordered = _joined(chosen, person) if sort == "opened" else chosen
            asked = ordered.order_by(*ORDERS[sort]).offset(offset)
            named = list(session.exec(asked if limit is None else asked.limit(limit)))
            rows = {row.id: row for row in session.exec(_of(select(BookRow), BookRow.id, named))}
            books = [rows[book] for book in named]
            whole = offset == 0 and (limit is None or len(books) < limit)
            counted = select(func.count()).select_from(chosen.subquery())
            total = len(books) if whole else session.exec(counted).one()
            totals = _totals(session, named)
            progress = _progress(session, person, named)
            copies = _copies(session, named)
            found = [
                Summary(book, totals.get(book.id, Totals()), progress.get(book.id), copies.get(book.id, ()))
                for book in books
            ]
            return found, total

    def progress(self, book: str, person: str) -> Progress | None:
        """Where a person is in a book; None where that was never begun."""
        with self._database.session() as session:
            return _progress(session, person, [book]).get(book)

    def sums(self) -> tuple[int, int, int]:
        """How many books there are, how many samples of audio, and how many bytes."""
        with self._database.session() as session:
            books = session.exec(select(func.count()).select_from(BookRow)).one()
            samples, size = func.sum(ChapterRow.audio_samples), func.sum(ChapterRow.audio_bytes)
            plays = session.exec(select(func.coalesce(samples, 0), func.coalesce(size, 0))).one()
            beside = session.exec(select(func.coalesce(func.sum(BookRow.beside_bytes), 0))).one()
            return books, plays[0], plays[1] + (beside or 0)


def folded(text: str) -> str:
    """`text` without case and accents, to be compared and put in order."""
    plain = unicodedata.normalize("NFKD", text.casefold())
    return " ".join("".join(char for char in plain if not unicodedata.combining(char)).split())


def _holding(asked: Any, query: str) -> Any:
    for word in folded(query).split():
        asked = asked.where(col(BookRow.folded).contains(word, autoescape=True))
    return asked


def _joined(asked: Any, person: str) -> Any:
    theirs = and_(col(ReadingRow.book) == BookRow.id, col(ReadingRow.person) == person)
    return asked.outerjoin(ReadingRow, theirs)


def _shown(asked: Any, show: Show, person: str) -> Any:
    if show == "all":
        return asked
    if show == "rendered":
        return asked.where(~select(ChapterRow.number).where(ChapterRow.book == BookRow.id, waits, on).exists())
    if show == "missing":
        return asked.where(col(BookRow.missing).is_(True))
    if show == "twice":
        return asked.where(col(BookRow.id).in_(_twice()))
    if show == "new":
        return asked.where(col(BookRow.id).not_in(select(ReadingRow.book).where(ReadingRow.person == person)))
    before, after = _around()
    heard: Any = _around_places(col(ReadingRow.book), person=person)
    ended = after <= FINISHED * (before + after)
    return asked.where(col(BookRow.id).in_(heard.having(ended if show == "finished" else ~ended)))


def _twice() -> Any:
    """Books of which more than one file lies in the library folder."""
    return select(FileRow.book).where(col(FileRow.book).is_not(None)).group_by(FileRow.book).having(func.count() > 1)


def _copies(session: Session, books: Sequence[str]) -> dict[str, tuple[str, ...]]:
    asked = _of(select(FileRow.book, FileRow.path).where(col(FileRow.book).in_(_twice())), FileRow.book, books)
    found: dict[str, tuple[str, ...]] = {}
    for book, path in session.exec(asked.order_by(FileRow.path)):
        found[book] = (*found.get(book, ()), path)
    return found


def _around() -> tuple[Any, Any]:
    """(before, after) as sums over a book's chapters: characters that are read aloud on either side of a place."""
    chapter, place = col(ChapterRow.number), col(ReadingRow.chapter)
    each = col(ChapterRow.characters) * 1.0 / func.max(col(ChapterRow.sentences), 1)
    here = and_(on, chapter == place)
    before = case((and_(on, chapter < place), col(ChapterRow.characters)), (here, each * ReadingRow.ordinal), else_=0)
    rest = each * func.max(col(ChapterRow.sentences) - 1 - ReadingRow.ordinal, 0)
    after = case((and_(on, chapter > place), col(ChapterRow.characters)), (here, rest), else_=0)
    return func.sum(before), func.sum(after)


def _around_places(*columns: Any, person: str) -> Any:
    asked: Any = select(*columns).select_from(ReadingRow)
    asked = asked.join(ChapterRow, col(ChapterRow.book) == ReadingRow.book)
    return asked.where(ReadingRow.person == person).group_by(col(ReadingRow.book))


def _progress(session: Session, person: str, books: Sequence[str]) -> dict[str, Progress]:
    places = session.exec(_of(select(ReadingRow).where(ReadingRow.person == person), ReadingRow.book, books))
    asked = _of(_around_places(col(ReadingRow.book), *_around(), person=person), ReadingRow.book, books)
    around = {book: (before, after) for book, before, after in session.execute(asked)}
    return {place.book: Progress(place, *around.get(place.book, (0.0, 0.0))) for place in places}


def _of(asked: Any, column: Any, books: Sequence[str]) -> Any:
    """Only the rows of `books`; of all books where they are many."""
    return asked.where(col(column).in_(books)) if len(books) <= _MANY else asked


def _totals(session: Session, books: Sequence[str]) -> dict[str, Totals]:
    def spoken(value: Any) -> Any:
        return func.sum(case((on, value), else_=0))

    asked: Select[Any] = select(  # type: ignore[call-overload]
        ChapterRow.book,
        spoken(1),
        spoken(ChapterRow.sentences),
        spoken(ChapterRow.rendered),
        spoken(ChapterRow.failed),
        func.sum(case((and_(on, waits), col(ChapterRow.characters) - col(ChapterRow.rendered_characters)), else_=0)),
        spoken(ChapterRow.rendered_characters),
        spoken(ChapterRow.audio_samples),
        func.sum(ChapterRow.audio_samples),
        func.sum(ChapterRow.audio_bytes),
    ).group_by(ChapterRow.book)
    return {book: Totals(*sums) for book, *sums in session.execute(_of(asked, ChapterRow.book, books))}


def places_of(session: Session, books: Sequence[str]) -> dict[str, PlaceRow]:
    return {place.book: place for place in session.exec(_of(select(PlaceRow), PlaceRow.book, books))}
