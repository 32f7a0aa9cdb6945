"""Which files a book has been read from, and which other books call themselves the same. All methods block."""

from collections.abc import Iterable, Sequence

from sqlalchemy import case, func, or_
from sqlmodel import col, delete, select

from server.db import Database
from server.library.model import Book
from server.tables import BookRow, EditionRow, IdentifierRow

_COMMON = 5  # books that share an identifier; what more of them have ("none", a template's) names none of them


class Relations:
    """The edition and identifier rows: an index of what the books' records say."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def relate(self, book: str, files: Iterable[str], identifiers: Iterable[str]) -> None:
        """Keep what a book was read from (`files`: ids by content) and what it calls itself."""
        with self._database.writing() as session:
            session.exec(delete(EditionRow).where(col(EditionRow.book) == book))
            session.exec(delete(IdentifierRow).where(col(IdentifierRow.book) == book))
            session.flush()
            for file in dict.fromkeys(files):
                session.merge(EditionRow(file=file, book=book))
            session.add_all(IdentifierRow(identifier=_plain(one), book=book) for one in _distinct(identifiers))

    def known(self) -> set[str]:
        """The books that something is kept of."""
        with self._database.session() as session:
            return set(session.exec(select(EditionRow.book).distinct()))

    def owner(self, file: str) -> str | None:
        """The book that was read from the file with this id, now or once."""
        with self._database.session() as session:
            row = session.get(EditionRow, file)
            return None if row is None else row.book

    def namesakes(self, book: Book) -> list[str]:
        """Other books with one of its identifiers."""
        found: list[str] = []
        with self._database.session() as session:
            for one in _distinct(book.identifiers):
                rows = select(IdentifierRow.book).where(col(IdentifierRow.identifier) == _plain(one))
                books = list(session.exec(rows.limit(_COMMON + 1)))
                found += books if len(books) <= _COMMON else []
        return [one for one in dict.fromkeys(found) if one != book.id]

    def titled(self, book: Book) -> list[str]:
        """Other books with its title, by which the household may call them no longer."""
        own = func.json_extract(case((col(BookRow.shown) != "", col(BookRow.shown)), else_="{}"), "$.own.title")
        with self._database.session() as session:
            named = or_(func.lower(BookRow.title) == func.lower(book.title), func.lower(own) == func.lower(book.title))
            rows = select(BookRow.id).where(named)
            return [one for one in session.exec(rows.limit(_COMMON + 1)) if one != book.id]


def _plain(identifier: str) -> str:
    return identifier.strip().casefold()[:500]


def _distinct(identifiers: Iterable[str]) -> Sequence[str]:
    return list({_plain(one): one for one in identifiers if _plain(one)}.values())
