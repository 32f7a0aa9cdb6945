"""Questions and changes to the rows of books, chapters and places. Everything blocks: call it in a thread."""

from collections.abc import Iterable
from dataclasses import dataclass

from sqlmodel import Session, col, delete, select

from server.db import Database
from server.errors import NotFound
from server.library.relations import Relations
from server.tables import BookRow, ChapterRow, FileRow, PlaceRow


@dataclass(frozen=True, slots=True)
class Shelved:
    """A book with its chapters in order and the listener's place."""

    book: BookRow
    chapters: tuple[ChapterRow, ...]
    place: PlaceRow | None

    @property
    def spoken(self) -> tuple[ChapterRow, ...]:
        """The chapters that are read aloud."""
        return tuple(chapter for chapter in self.chapters if chapter.enabled)


class Catalog:
    """The books of the database."""

    def __init__(self, database: Database) -> None:
        self.database = self._database = database
        self.relations = Relations(database)

    def put(self, book: BookRow, chapters: Iterable[ChapterRow]) -> bool:
        """Add a book with its chapters, or replace what its files tell of it; gives whether it is new."""
        with self._database.writing() as session:
            known = session.get(BookRow, book.id)
            if known is None:
                session.add(book)
                session.flush()
            else:
                known.missing = book.missing
                known.title, known.authors = book.title, book.authors
                known.voice, known.rendition = book.voice, book.rendition
                show(known, book)
            session.exec(delete(ChapterRow).where(col(ChapterRow.book) == book.id))
            session.add_all(chapters)
            return known is None

    def renew(self, book: BookRow) -> None:
        """Keep what a book's record tells, which has changed; nothing where the database does not know the book."""
        with self._database.writing() as session:
            if (known := session.get(BookRow, book.id)) is not None:
                known.title, known.authors = book.title, book.authors
                known.voice, known.rendition = book.voice, book.rendition
                show(known, book)

    def records(self) -> dict[str, tuple[str, str]]:
        """Book → which version of its record its row was made from, and its rendition."""
        with self._database.session() as session:
            rows = session.exec(select(BookRow.id, BookRow.stamp, BookRow.rendition))
            return {book: (stamp, rendition) for book, stamp, rendition in rows}

    def book(self, book: str) -> Shelved:
        """One book. Raises NotFound."""
        with self._database.session() as session:
            row = _get(session, book)
            chapters = session.exec(
                select(ChapterRow).where(col(ChapterRow.book) == book).order_by(col(ChapterRow.number))
            ).all()
            return Shelved(row, tuple(chapters), session.get(PlaceRow, book))

    def ids(self) -> list[str]:
        with self._database.session() as session:
            return list(session.exec(select(BookRow.id)))

    def stamps(self) -> dict[tuple[str, int], str]:
        """(book, chapter) → which version of the index file its counters were read from."""
        with self._database.session() as session:
            rows = session.exec(select(ChapterRow.book, ChapterRow.number, ChapterRow.stamp))
            return {(book, number): stamp for book, number, stamp in rows}

    def count(self, counted: ChapterRow) -> None:
        """Replace the counters of a chapter."""
        with self._database.writing() as session:
            session.merge(counted)

    def set_place(self, place: PlaceRow) -> None:
        """Keep the listener's place; the book counts as opened. Raises NotFound."""
        with self._database.writing() as session:
            book = _get(session, place.book)
            book.opened = place.updated
            book.paused = False
            session.merge(place)

    def move_place(self, place: PlaceRow) -> None:
        """The listener's place went along with its sentence: nobody listened."""
        with self._database.writing() as session:
            session.merge(place)

    def pause(self, book: str) -> None:
        """Render nothing of a book until somebody listens to it. Raises NotFound."""
        with self._database.writing() as session:
            _get(session, book).paused = True

    def remove(self, book: str) -> list[str]:
        """Forget a book and everything of it; gives the paths of its files, relative to the library folder."""
        with self._database.writing() as session:
            row = _get(session, book)
            paths = list(session.exec(select(FileRow.path).where(FileRow.book == book)))
            session.exec(delete(FileRow).where(col(FileRow.book) == book))
            session.exec(delete(PlaceRow).where(col(PlaceRow.book) == book))
            session.exec(delete(ChapterRow).where(col(ChapterRow.book) == book))
            session.delete(row)
            return paths


def show(known: BookRow, told: BookRow) -> None:
    """Put into `known` what the shelf shows of `told`."""
    known.shown, known.stamp, known.folded = told.shown, told.stamp, told.folded
    known.title_key, known.author_key, known.series_key = told.title_key, told.author_key, told.series_key


def _get(session: Session, book: str) -> BookRow:
    row = session.get(BookRow, book)
    if row is None:
        raise NotFound(f"There is no book {book} here. It may have been deleted.")
    return row
