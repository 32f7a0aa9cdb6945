"""Sentences that wait for somebody's ears, of all books: so many that a list of them must open no index."""

from collections.abc import Mapping
from datetime import datetime

from sqlalchemy import and_, func
from sqlmodel import col, delete, select

from server.db import Database
from server.tables import EarsRow, now

Waiting = Mapping[str, tuple[str, datetime | None]]  # sentence → its state, and since when where the store tells


class EarsTable:
    """Everything blocks: call it in a thread. Raises StoreError."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def keep(self, book: str, chapters: Mapping[int, Waiting], *, whole: bool = False) -> None:
        """What waits in these chapters of a book, instead of what waited there. It waits since it was first seen.

        `whole`: the book has no others.
        """
        there = (
            col(EarsRow.book) == book if whole else and_(col(EarsRow.book) == book, col(EarsRow.chapter).in_(chapters))
        )
        with self._database.session() as session:
            rows = session.exec(select(EarsRow).where(there))
            known = {(row.chapter, row.sentence): (row.state, row.at) for row in rows}
        told = {(number, one): state for number, waiting in chapters.items() for one, state in waiting.items()}
        if {key: state for key, (state, _) in known.items()} == {key: state for key, (state, _) in told.items()}:
            return
        with self._database.writing() as session:
            session.exec(delete(EarsRow).where(there))
            for (chapter, sentence), (state, since) in told.items():
                at = since or (known[chapter, sentence][1] if (chapter, sentence) in known else now())
                session.add(EarsRow(book=book, chapter=chapter, sentence=sentence, state=state, at=at))

    def count(self, book: str | None = None) -> int:
        """How many wait in all, or in a book."""
        with self._database.session() as session:
            asked = select(func.count()).select_from(EarsRow)
            return session.exec(asked if book is None else asked.where(col(EarsRow.book) == book)).one()

    def page(self, book: str | None, *, oldest: bool, limit: int, offset: int) -> list[EarsRow]:
        """Those of a book, None for all: the newest first, or the oldest."""
        order = col(EarsRow.at) if oldest else col(EarsRow.at).desc()
        asked = select(EarsRow).order_by(order, col(EarsRow.book), col(EarsRow.chapter), col(EarsRow.sentence))
        if book is not None:
            asked = asked.where(col(EarsRow.book) == book)
        with self._database.session() as session:
            return list(session.exec(asked.offset(offset).limit(limit)))
