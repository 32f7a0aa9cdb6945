"""Questions and changes to the rows of books, chapters and places. Everything blocks: call it in a thread."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from sqlmodel import Session, col, delete, select, update

from server.db import Database
from server.errors import NotFound
from server.library.ears import EarsTable
from server.library.relations import Relations
from server.tables import BookRow, ChapterRow, EarsRow, FileRow, PlaceRow, ReadingRow


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

    @property
    def first(self) -> ChapterRow | None:
        """The first of them in which there is something to be read."""
        return next((chapter for chapter in self.spoken if chapter.sentences), None)


class Catalog:
    """The books of the database."""

    def __init__(self, database: Database) -> None:
        self.database = self._database = database
        self.relations = Relations(database)
        self.ears = EarsTable(database)

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
                known.lead = known.opening = None
                known.beside_bytes = book.beside_bytes
                show(known, book)
            session.exec(delete(ChapterRow).where(col(ChapterRow.book) == book.id))
            session.add_all(chapters)
            return known is None

    def weigh(self, book: str, beside_bytes: int) -> None:
        """Keep what the audio of a book weighs that does not play; nothing where the database does not know it."""
        with self._database.writing() as session:
            if (known := session.get(BookRow, book)) is not None:
                known.beside_bytes = beside_bytes

    def to_weigh(self) -> list[str]:
        """Books that may have audio that does not play: not weighed yet, or found to have some."""
        with self._database.session() as session:
            weight = col(BookRow.beside_bytes)
            return list(session.exec(select(BookRow.id).where(weight.is_(None) | (weight > 0))))

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

    def set_reading(self, reading: ReadingRow) -> None:
        """Keep where somebody is in a book. Raises NotFound."""
        with self._database.writing() as session:
            _get(session, reading.book)
            session.merge(reading)

    def put_readings(self, book: str, readings: Iterable[ReadingRow]) -> None:
        """Keep where everybody is in a book, in place of what was known of it. Raises NotFound."""
        with self._database.writing() as session:
            _get(session, book)
            session.exec(delete(ReadingRow).where(col(ReadingRow.book) == book))
            session.add_all(readings)

    def uncount(self, book: str, number: int) -> None:
        """Know of a chapter that nothing of it is rendered, whatever its index says: it cannot be read."""
        nothing = {"rendered": 0, "rendered_characters": 0, "audio_samples": 0, "audio_bytes": 0, "again": 0}
        chosen = (col(ChapterRow.book) == book) & (col(ChapterRow.number) == number)
        with self._database.writing() as session:
            session.exec(update(ChapterRow).where(chosen).values(nothing))

    def pause(self, book: str) -> None:
        """Render nothing of a book until somebody listens to it. Raises NotFound."""
        with self._database.writing() as session:
            _get(session, book).paused = True

    def resume(self, book: str) -> None:
        """Somebody listens to it. Raises NotFound."""
        with self._database.writing() as session:
            _get(session, book).paused = False

    def paused(self) -> set[str]:
        """Books of which nothing is rendered until somebody listens."""
        with self._database.session() as session:
            return set(session.exec(select(BookRow.id).where(col(BookRow.paused))))

    def choose(self, book: str, render: str) -> None:
        """Keep how much of a book is rendered; empty: as the household's rules say. Raises NotFound."""
        with self._database.writing() as session:
            _get(session, book).render = render

    def turns(self) -> dict[str, int]:
        """Book → which in line it is, of those that the household put in order by hand."""
        with self._database.session() as session:
            rows = session.exec(select(BookRow.id, BookRow.turn).where(col(BookRow.turn).is_not(None)))
            return {book: turn for book, turn in rows if turn is not None}

    def put_turns(self, turns: Mapping[str, int | None]) -> None:
        """Keep which in line these books are, None: as usual; nothing of a book that the database does not know."""
        with self._database.writing() as session:
            for book, turn in turns.items():
                session.exec(update(BookRow).where(col(BookRow.id) == book).values(turn=turn))

    def keep_lead(self, book: str, *, lead: int, opening: int) -> None:
        """Keep how much audio is ready past the place, and of the first chapter. Raises NotFound."""
        with self._database.session() as session:
            row = _get(session, book)
            if (row.lead, row.opening) == (lead, opening):
                return
        with self._database.writing() as session:
            row = _get(session, book)
            row.lead, row.opening = lead, opening

    def unmeasured(self) -> list[str]:
        """Books of which nobody has measured how much is ready."""
        with self._database.session() as session:
            return list(session.exec(select(BookRow.id).where(col(BookRow.lead).is_(None))))

    def remove(self, book: str) -> list[str]:
        """Forget a book and everything of it; gives the paths of its files, relative to the library folder."""
        with self._database.writing() as session:
            row = _get(session, book)
            paths = list(session.exec(select(FileRow.path).where(FileRow.book == book)))
            session.exec(delete(FileRow).where(col(FileRow.book) == book))
            session.exec(delete(PlaceRow).where(col(PlaceRow.book) == book))
            session.exec(delete(ReadingRow).where(col(ReadingRow.book) == book))
            session.exec(delete(ChapterRow).where(col(ChapterRow.book) == book))
            session.exec(delete(EarsRow).where(col(EarsRow.book) == book))
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
