"""What is to be rendered, asked of the database by the policies of `policy.py`: quick with thousands of books."""

from collections.abc import Collection, Sequence
from typing import Any, Final

from sqlalchemy import ColumnElement, and_, case, func, literal, null, or_
from sqlmodel import Session, col, select

from server.db import Database
from server.library.catalog import Shelved
from server.library.policy import Reach
from server.library.shelf import on, places_of, waits
from server.tables import BookRow, ChapterRow, PlaceRow

KNOWN_CHARACTERS: Final = 500  # so much must be rendered before its own pace is trusted
SAMPLES_A_CHARACTER: Final = 1_600  # until then


class Lineup:
    """All methods block: call them in a thread. They raise StoreError."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def line(self, listened: Sequence[str], avoided: Collection[str], books: int, reach: Reach) -> list[Shelved]:
        """The books `listened`, and the first `books` that are to be rendered, each once, in the order of `rank`.

        Those that the household put in order by hand come before all others.
        """
        stage = _stage(reach)
        with self._database.session() as session:
            asked = (
                select(BookRow)
                .where(_has_work(), stage.is_not(null()), col(BookRow.id).not_in(list(avoided)))
                .order_by(*_in_turn(), stage, col(BookRow.opened).is_(None), col(BookRow.opened).desc())
                .order_by(col(BookRow.added), col(BookRow.id))
                .limit(books)
            )
            first = [session.get(BookRow, book) for book in listened if book not in avoided]
            rows = {row.id: row for row in [*filter(None, first), *(session.exec(asked) if books else ())]}
            return _with_chapters(session, list(rows.values()))

    def newcomer(self, avoided: Collection[str], reach: Reach) -> list[Shelved]:
        """Of the books without a single sentence yet the first in line, else the one added first; none or one."""
        begun = select(ChapterRow.book).where(
            ChapterRow.book == BookRow.id, or_(col(ChapterRow.rendered) > 0, col(ChapterRow.failed) > 0)
        )
        with self._database.session() as session:
            asked = (
                select(BookRow)
                .where(_has_work(), ~begun.exists(), _policy(reach) != "paused", col(BookRow.id).not_in(list(avoided)))
                .order_by(*_in_turn(), col(BookRow.added), col(BookRow.id))
                .limit(1)
            )
            return _with_chapters(session, list(session.exec(asked)))

    def waiting(self, reach: Reach) -> tuple[int, int]:
        """How much is to be rendered in all: about how many chapters, and about how many samples of audio."""
        with self._database.session() as session:
            pace = _pace(session)
            inner = (
                select(
                    col(ChapterRow.book).label("book"),
                    func.count().label("chapters"),
                    (func.sum(ChapterRow.characters - ChapterRow.rendered_characters) * pace).label("samples"),
                )
                .where(waits, on)
                .group_by(col(ChapterRow.book))
                .subquery()
            )
            policy, lead, opening = _policy(reach), func.coalesce(BookRow.lead, 0), func.coalesce(BookRow.opening, 0)
            missing = case(
                (policy == "all", inner.c.samples),
                (policy == "ahead", func.max(0, func.min(inner.c.samples, reach.ahead - lead))),
                (policy == "sample", func.max(0, func.min(inner.c.samples, reach.sample - opening))),
                else_=0,
            )
            chapters = case((policy == "all", inner.c.chapters), (missing > 0, 1), else_=0)
            asked: Any = (
                select(func.coalesce(func.sum(chapters), 0), func.coalesce(func.sum(missing), 0))
                .select_from(BookRow)
                .join(inner, inner.c.book == col(BookRow.id))
            )
            count, samples = session.exec(asked).one()
            return int(count), int(samples)


def _pace(session: Session) -> float:
    """Samples of audio per character of text, as the whole shelf has shown so far."""
    characters, samples = session.exec(
        select(
            func.coalesce(func.sum(ChapterRow.rendered_characters), 0),
            func.coalesce(func.sum(ChapterRow.audio_samples), 0),
        )
    ).one()
    return samples / characters if characters >= KNOWN_CHARACTERS else SAMPLES_A_CHARACTER


def _policy(reach: Reach) -> ColumnElement[str]:
    return case(
        (col(BookRow.paused).is_(True), literal("paused")),
        (col(BookRow.render) != "", col(BookRow.render)),
        else_=literal(reach.policy),
    )


def _in_turn() -> tuple[Any, Any]:
    """`policy.in_turn` in SQL."""
    return col(BookRow.turn).is_(None), col(BookRow.turn)


def _stage(reach: Reach) -> Any:
    """`policy.stage` in SQL; null where there is nothing to do. Only for books that have work."""
    policy, opened = _policy(reach), col(BookRow.opened).is_not(None)
    lead, opening = func.coalesce(BookRow.lead, 0), func.coalesce(BookRow.opening, 0)
    begun = or_(opened, col(BookRow.render) == "sample")
    sampled = and_(policy == "sample", opening < reach.sample)
    tasted = and_(policy == "sample", opening >= reach.sample, ~and_(opened, lead < reach.start))
    ahead = and_(policy == "ahead", lead >= reach.ahead)
    again = select(ChapterRow.number).where(ChapterRow.book == BookRow.id, col(ChapterRow.again) > 0, on).exists()
    return case(
        (policy == "paused", null()),
        (or_(tasted, ahead), case((again, 2), else_=null())),
        (and_(begun, or_(sampled, lead < reach.start)), 0),
        (and_(begun, lead < reach.long), 1),
        else_=2,
    )


def _has_work() -> ColumnElement[bool]:
    """A chapter of the book waits. One that is off does only while the place is in it."""
    there = select(PlaceRow.chapter).where(PlaceRow.book == BookRow.id).correlate(BookRow).scalar_subquery()
    inner = select(ChapterRow.number).where(
        ChapterRow.book == BookRow.id, waits, or_(on, col(ChapterRow.number) == there)
    )
    return inner.exists()


def _with_chapters(session: Session, books: Sequence[BookRow]) -> list[Shelved]:
    ids = [book.id for book in books]
    chapters: dict[str, list[ChapterRow]] = {book: [] for book in ids}
    asked = select(ChapterRow).where(col(ChapterRow.book).in_(ids)).order_by(col(ChapterRow.number))
    for chapter in session.exec(asked):
        chapters[chapter.book].append(chapter)
    places = places_of(session, ids)
    return [Shelved(book, tuple(chapters[book.id]), places.get(book.id)) for book in books]
