"""What is known of each file in the library folder: read into which book, or refused for what reason."""

from pathlib import Path

from sqlmodel import Session, col, select

from server.db import Database
from server.errors import BookRefused
from server.tables import BookRow, FileRow, RefusalRow


class FileTable:
    """The file and refusal rows. Paths are kept relative to `root`. All methods block: call them in a thread."""

    def __init__(self, root: Path, database: Database) -> None:
        self.root = root
        self._database = database

    def key(self, path: Path) -> str:
        return path.relative_to(self.root).as_posix()

    def known(self) -> dict[str, str]:
        """Path → signature of every file that was read or refused."""
        with self._database.session() as session:
            return {row.path: row.signature for row in session.exec(select(FileRow))}

    def signature(self, key: str) -> str | None:
        with self._database.session() as session:
            row = session.get(FileRow, key)
            return None if row is None else row.signature

    def paths_of(self, book: str) -> list[Path]:
        """Where the files of a book were last seen."""
        with self._database.session() as session:
            return [self.root / row.path for row in session.exec(select(FileRow).where(FileRow.book == book))]

    def record_book(self, path: Path, signature: str, book: str) -> str | None:
        """The file was read. Gives another book that it was before, if that has no file left and was marked missing."""
        key = self.key(path)
        with self._database.writing() as session:
            _drop_refusal(session, key)
            before = _book_of(session, key)
            session.merge(FileRow(path=key, signature=signature, book=book))
            row = session.get(BookRow, book)
            if row is not None:
                row.missing = False
            return _mark_missing(session, before)

    def record_refusal(
        self, name: str, refusal: BookRefused, path: Path | None, signature: str
    ) -> tuple[RefusalRow, str | None]:
        """Remember a refusal; with `path`, the file is not read again until it changes.

        Gives the refusal, and the book that the file was before, if that has no file left and was marked missing.
        """
        with self._database.writing() as session:
            before = _book_of(session, self.key(path)) if path is not None else None
            if path is not None:
                _drop_refusal(session, self.key(path))
            row = RefusalRow(name=name, kind=refusal.kind, reason=str(refusal))
            session.add(row)
            session.flush()
            if path is not None:
                session.merge(FileRow(path=self.key(path), signature=signature, refusal=row.id))
            return row, _mark_missing(session, before)

    def forget(self, key: str) -> str | None:
        """The file is gone. Gives the book that has no file left and was marked missing, if any."""
        with self._database.writing() as session:
            _drop_refusal(session, key)
            row = session.get(FileRow, key)
            if row is None:
                return None
            book = row.book
            session.delete(row)
            return _mark_missing(session, book)

    def refusals(self) -> list[RefusalRow]:
        """Newest first."""
        with self._database.session() as session:
            return list(session.exec(select(RefusalRow).order_by(col(RefusalRow.id).desc())))

    def refused_here(self) -> set[int]:
        """Ids of the refusals whose file lies in the library folder."""
        with self._database.session() as session:
            return {row for row in session.exec(select(FileRow.refusal)) if row is not None}

    def path_of_refusal(self, refusal: int) -> Path | None:
        """Where the refused file lies in the library folder; None for one that never came there."""
        with self._database.session() as session:
            row = session.exec(select(FileRow).where(col(FileRow.refusal) == refusal)).first()
            return None if row is None else self.root / row.path

    def forgive(self, name: str) -> None:
        """Take refusals of `name` for its language off the list: it was added in another."""
        with self._database.writing() as session:
            found = select(RefusalRow).where(col(RefusalRow.name) == name, col(RefusalRow.kind) == "language")
            for row in session.exec(found).all():
                session.delete(row)

    def dismiss(self, refusal: int) -> bool:
        """Take a refusal off the list; its file stays known, so that it is not read again."""
        with self._database.writing() as session:
            row = session.get(RefusalRow, refusal)
            if row is None:
                return False
            session.delete(row)
            return True


def _book_of(session: Session, key: str) -> str | None:
    row = session.get(FileRow, key)
    return None if row is None else row.book


def _mark_missing(session: Session, book: str | None) -> str | None:
    """Mark a book that has no file left; give it if it was marked just now."""
    session.flush()
    if book is None or session.exec(select(FileRow).where(col(FileRow.book) == book)).first() is not None:
        return None
    found = session.get(BookRow, book)
    if found is None or found.missing:
        return None
    found.missing = True
    return book


def _drop_refusal(session: Session, key: str) -> None:
    """A file that is read again, or gone, takes what was said of it along."""
    known = session.get(FileRow, key)
    if known is not None and known.refusal is not None:
        refusal = session.get(RefusalRow, known.refusal)
        if refusal is not None:
            session.delete(refusal)
