"""Full text over all books: which sentences hold what somebody looks for. The index can be made again from the store.

Case and accents do not count; how what is typed is understood is in `query`.
"""

import contextlib
import sqlite3
import threading
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from server.errors import StoreError
from server.library.query import match_expression, spread, unmarked

SCHEMA: Final = 3
COUNTED: Final = 5_000  # of more hits nobody reads the best: they come in reading order, without being weighed
_BUSY_S: Final = 5.0
_FOUND: Final = "FROM passage WHERE passage MATCH ? AND rowid BETWEEN ? AND ?"
_EVERY: Final = (1, 2**62)
_MARKED: Final = "highlight(passage, 0, char(2), char(3))"


@dataclass(frozen=True, slots=True)
class Passage:
    """A sentence to be found."""

    chapter: int
    sentence: str
    text: str


@dataclass(frozen=True, slots=True)
class Hit:
    """A sentence that was found; `marks` are the spans [start, end) of its `text`, in code points, that matched."""

    book: str
    chapter: int
    sentence: str
    text: str
    marks: tuple[tuple[int, int], ...]


@dataclass(frozen=True, slots=True)
class Found:
    """A page of hits; `total`: how many there are in all, or, with `more`, more than that."""

    hits: list[Hit]
    total: int
    more: bool = False


class Search:
    """The index in its own file. Everything blocks: call it in a thread; any thread may.

    Who looks for something does not wait for a book that is put in: reading and writing have a connection each.
    """

    def __init__(self, path: Path) -> None:
        """Open or make the index; one that is damaged, or of another version, is made anew. Raises StoreError."""
        self._path = path
        self._writing, self._reading = threading.Lock(), threading.Lock()
        self._damaged = False
        self.on_damage: Callable[[], object] = lambda: None  # from any thread, when it has to be filled anew
        try:
            self._writer = self._open()
        except sqlite3.DatabaseError:
            self._anew()
        self._reader = self._connected()

    def books(self) -> dict[str, str]:
        """The books that are in the index, each with the edition of it that is."""
        with self._looking() as connection:
            return dict(connection.execute("SELECT id, edition FROM book").fetchall())

    def put(self, book: str, passages: Iterable[Passage], edition: str = "") -> None:
        """Put a book into the index, in place of what was there of it. Raises StoreError."""
        with self._changing() as connection:
            self._remove(connection, book)
            start: int = connection.execute("SELECT coalesce(max(until), 1) FROM book").fetchone()[0]
            rows = ((row, spread(one.text), book, one.chapter, one.sentence) for row, one in enumerate(passages, start))
            connection.executemany(
                "INSERT INTO passage (rowid, text, book, chapter, sentence) VALUES (?, ?, ?, ?, ?)", rows
            )
            until: int = connection.execute("SELECT coalesce(max(rowid) + 1, 1) FROM passage").fetchone()[0]
            connection.execute("INSERT INTO book VALUES (?, ?, ?, ?)", (book, edition, start, max(start, until)))

    def remove(self, book: str) -> None:
        """Take a book out of the index. Raises StoreError."""
        with self._changing() as connection:
            self._remove(connection, book)

    def find(self, query: str, *, book: str | None = None, limit: int = 50, offset: int = 0) -> Found:
        """The sentences that hold all that `query` asks for, the best first, and how many there are in all.

        In one `book` they come in reading order. A query without a word finds nothing. Raises StoreError.
        """
        match = match_expression(query)
        if match is None:
            return Found([], 0)
        with self._looking() as connection:
            first, last = _EVERY if book is None else self._span(connection, book)
            asked = (match, first, last)
            counted = connection.execute(f"SELECT 1 {_FOUND} LIMIT ?", (*asked, COUNTED + 1))
            total = sum(1 for _ in counted)
            more = total > COUNTED
            rows = connection.execute(
                f"SELECT book, chapter, sentence, {_MARKED} {_FOUND} "
                f"ORDER BY {'rowid' if more or book is not None else 'rank, rowid'} LIMIT ? OFFSET ?",
                (*asked, limit, offset),
            ).fetchall()
        hits = [Hit(name, int(chapter), sid, *unmarked(marked)) for name, chapter, sid, marked in rows]
        return Found(hits, min(total, COUNTED), more)

    def close(self) -> None:
        with self._writing, self._reading:
            self._writer.close()
            self._reader.close()

    def _connected(self) -> sqlite3.Connection:
        return sqlite3.connect(self._path, timeout=_BUSY_S, check_same_thread=False, isolation_level=None)

    def _open(self) -> sqlite3.Connection:
        self._path.parent.mkdir(parents=True, exist_ok=True)
        connection = self._connected()
        try:
            for pragma in ("journal_mode=WAL", "synchronous=NORMAL"):
                connection.execute(f"PRAGMA {pragma}")
            found = connection.execute("PRAGMA user_version").fetchone()[0]
            if found not in (0, SCHEMA):
                raise sqlite3.DatabaseError(f"the index is of version {found}")
            connection.execute(
                "CREATE VIRTUAL TABLE IF NOT EXISTS passage USING fts5(text, book UNINDEXED, chapter UNINDEXED, "
                "sentence UNINDEXED, tokenize='unicode61 remove_diacritics 2')"
            )
            connection.execute(
                # `start` to `until`: the rows of its passages, which lie together
                "CREATE TABLE IF NOT EXISTS book (id TEXT PRIMARY KEY, edition TEXT NOT NULL, "
                "start INTEGER NOT NULL, until INTEGER NOT NULL) WITHOUT ROWID"
            )
            connection.execute("SELECT count(*) FROM book").fetchone()
            connection.execute(f"PRAGMA user_version = {SCHEMA}")
        except sqlite3.DatabaseError:
            connection.close()
            raise
        return connection

    def _anew(self) -> None:
        self._discard()
        try:
            self._writer = self._open()
        except sqlite3.Error as error:
            raise StoreError(f"The search index {self._path} cannot be made ({error}).") from error

    def _mended(self) -> None:
        """An empty index in place of one that turned out to be damaged."""
        if not self._damaged:
            return
        with self._writing, self._reading:
            if self._damaged:  # nobody else was quicker
                self._writer.close()
                self._reader.close()
                self._anew()
                self._reader = self._connected()
                self._damaged = False

    def _discard(self) -> None:
        try:
            for name in ("", "-wal", "-shm"):
                self._path.with_name(self._path.name + name).unlink(missing_ok=True)
        except OSError as error:
            raise StoreError(f"The search index {self._path} is damaged and cannot be made anew; delete it.") from error

    @contextmanager
    def _changing(self) -> Iterator[sqlite3.Connection]:
        """One transaction at a time; all of it or nothing."""
        self._mended()
        with self._writing:
            try:
                self._writer.execute("BEGIN IMMEDIATE")
                yield self._writer
                self._writer.execute("COMMIT")
            except sqlite3.Error as error:
                self._back()
                raise self._unusable(error) from error
            except BaseException:
                self._back()
                raise

    @contextmanager
    def _looking(self) -> Iterator[sqlite3.Connection]:
        """What the index holds at one moment."""
        self._mended()
        with self._reading:
            try:
                self._reader.execute("BEGIN")
                try:
                    yield self._reader
                finally:
                    if self._reader.in_transaction:
                        self._reader.execute("ROLLBACK")
            except sqlite3.Error as error:
                raise self._unusable(error) from error

    def _unusable(self, error: sqlite3.Error) -> StoreError:
        if _is_damage(error):
            self._damaged = True
            self.on_damage()
        return StoreError(f"The search index {self._path} cannot be used just now ({error}).")

    def _back(self) -> None:
        with contextlib.suppress(sqlite3.Error):  # what went wrong is told already
            if self._writer.in_transaction:
                self._writer.execute("ROLLBACK")

    def _span(self, connection: sqlite3.Connection, book: str) -> tuple[int, int]:
        """The first and the last row of a book's passages; the last before the first where there is none."""
        row = connection.execute("SELECT start, until - 1 FROM book WHERE id = ?", (book,)).fetchone()
        return (1, 0) if row is None else (int(row[0]), int(row[1]))

    def _remove(self, connection: sqlite3.Connection, book: str) -> None:
        connection.execute("DELETE FROM passage WHERE rowid BETWEEN ? AND ?", self._span(connection, book))
        connection.execute("DELETE FROM book WHERE id = ?", (book,))


def _is_damage(error: sqlite3.Error) -> bool:
    """Whether an error is of the file itself, and no matter of now: a full disk, somebody else who writes."""
    if isinstance(error, sqlite3.ProgrammingError):
        return False
    code = getattr(error, "sqlite_errorcode", sqlite3.SQLITE_OK) & 0xFF
    lost = "vtable constructor failed" in str(error) or "no such table" in str(error)
    return code in (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB) or lost
