"""What is known of each file in the library folder: read into which book, or refused for what reason."""

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from sqlmodel import Session, col, select

from server.db import Database
from server.errors import BookRefused
from server.tables import BookRow, DiskRow, FileRow, RefusalRow

IN_CLOUD = "cloud"  # the signature of a file whose bytes are only in iCloud


@dataclass(frozen=True, slots=True)
class Known:
    """What a row says of a file."""

    signature: str
    book: str | None


class FileTable:
    """The file and refusal rows. Paths are kept relative to `root`. All methods block: call them in a thread."""

    def __init__(self, root: Path, database: Database) -> None:
        self.root = root
        self._database = database

    def key(self, path: Path) -> str:
        return path.relative_to(self.root).as_posix()

    def known(self) -> dict[str, Known]:
        """Path → what is known of every file that was read or refused."""
        with self._database.session() as session:
            rows = session.exec(select(FileRow.path, FileRow.signature, FileRow.book))
            return {path: Known(signature, book) for path, signature, book in rows}

    def of(self, path: Path) -> Known | None:
        """What is known of one file."""
        with self._database.session() as session:
            row = session.get(FileRow, self.key(path))
            return None if row is None else Known(row.signature, row.book)

    def alike(self, path: Path, signature: str) -> list[Path]:
        """Other paths at which a file with this signature became a book: this very file, if it was moved."""
        with self._database.session() as session:
            asked = select(FileRow.path).where(
                col(FileRow.signature) == signature, col(FileRow.book).is_not(None), col(FileRow.path) != self.key(path)
            )
            return [self.root / key for key in session.exec(asked)]

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

    def move(self, before: Path, path: Path) -> str | None:
        """The file lies at `path` now. Gives the book that the file there was, if it was marked missing for it."""
        with self._database.writing() as session:
            row = session.get(FileRow, self.key(before))
            if row is None:
                return None
            moved = FileRow(path=self.key(path), signature=row.signature, book=row.book)
            session.delete(row)
            session.flush()
            _drop_refusal(session, self.key(path))
            replaced = _book_of(session, self.key(path))
            session.merge(moved)
            return _mark_missing(session, replaced)

    def forget(self, keys: Iterable[str]) -> list[str]:
        """The files are gone. Gives the books they were read into; those that have no file left are marked missing."""
        lost: dict[str, None] = {}
        with self._database.writing() as session:
            for key in keys:
                _drop_refusal(session, key)
                if (row := session.get(FileRow, key)) is not None:
                    session.delete(row)
                    _mark_missing(session, row.book)
                    lost |= {row.book: None} if row.book is not None else {}
        return list(lost)

    def disks(self) -> dict[Path, int]:
        """The folders in which disks began when they were last seen with books, and their inodes."""
        with self._database.session() as session:
            return {self.root / row.path: row.inode for row in session.exec(select(DiskRow))}

    def record_disk(self, folder: Path, inode: int) -> None:
        with self._database.writing() as session:
            session.merge(DiskRow(path=self.key(folder), inode=inode))

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
