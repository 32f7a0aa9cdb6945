"""Full text over all books: which sentences hold what somebody looks for. The index can be made again from the store.

Whatever is typed is a search: words are looked for as they are, words in quotes beside each other, and the last word
also as the beginning of a longer one. Case and accents do not count.
"""

import contextlib
import re
import sqlite3
import threading
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from server.errors import StoreError

SCHEMA: Final = 2
LONGEST: Final = 200  # characters of a search that count
MOST_WORDS: Final = 20
_WORD: Final = re.compile(r"[^\W_]+(?:['’][^\W_]+)*")
_QUOTED: Final = re.compile(r"[\"“”„]([^\"“”„]*)(?:[\"“”„]|$)")
_BUSY_S: Final = 5.0
_FOUND: Final = "FROM passage WHERE passage MATCH ? AND (? IS NULL OR book = ?)"
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


class Search:
    """The index in its own file. Everything blocks: call it in a thread; any thread may."""

    def __init__(self, path: Path) -> None:
        """Open or make the index; one that is damaged, or of another version, is made anew. Raises StoreError."""
        self._path = path
        self._lock = threading.Lock()
        try:
            self._connection = self._open()
        except sqlite3.DatabaseError:
            self._discard()
            self._connection = self._open()

    def books(self) -> dict[str, str]:
        """The books that are in the index, each with the edition of it that is."""
        with self._talking() as connection:
            return dict(connection.execute("SELECT id, edition FROM book").fetchall())

    def put(self, book: str, passages: Iterable[Passage], edition: str = "") -> None:
        """Put a book into the index, in place of what was there of it. Raises StoreError."""
        with self._talking() as connection:
            self._remove(connection, book)
            connection.executemany(
                "INSERT INTO passage (text, book, chapter, sentence) VALUES (?, ?, ?, ?)",
                ((one.text, book, one.chapter, one.sentence) for one in passages),
            )
            connection.execute("INSERT INTO book (id, edition) VALUES (?, ?)", (book, edition))

    def remove(self, book: str) -> None:
        """Take a book out of the index. Raises StoreError."""
        with self._talking() as connection:
            self._remove(connection, book)

    def find(self, query: str, *, book: str | None = None, limit: int = 50, offset: int = 0) -> tuple[list[Hit], int]:
        """The sentences that hold all that `query` asks for, the best first, and how many there are in all.

        A query without a word finds nothing. Raises StoreError.
        """
        match = match_expression(query)
        if match is None:
            return [], 0
        with self._talking() as connection:
            total: int = connection.execute(f"SELECT count(*) {_FOUND}", (match, book, book)).fetchone()[0]
            rows = connection.execute(
                f"SELECT book, chapter, sentence, text, {_MARKED} {_FOUND} ORDER BY rank, rowid LIMIT ? OFFSET ?",
                (match, book, book, limit, offset),
            ).fetchall()
        hits = [Hit(name, int(chapter), sid, text, _marks(marked)) for name, chapter, sid, text, marked in rows]
        return hits, total

    def close(self) -> None:
        with self._lock:
            self._connection.close()

    def _open(self) -> sqlite3.Connection:
        self._path.parent.mkdir(parents=True, exist_ok=True)
        connection = sqlite3.connect(self._path, timeout=_BUSY_S, check_same_thread=False, isolation_level=None)
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
                "CREATE TABLE IF NOT EXISTS book (id TEXT PRIMARY KEY, edition TEXT NOT NULL) WITHOUT ROWID"
            )
            connection.execute("SELECT count(*) FROM book").fetchone()
            connection.execute(f"PRAGMA user_version = {SCHEMA}")
        except sqlite3.DatabaseError:
            connection.close()
            raise
        return connection

    def _discard(self) -> None:
        try:
            for name in ("", "-wal", "-shm"):
                self._path.with_name(self._path.name + name).unlink(missing_ok=True)
        except OSError as error:
            raise StoreError(f"The search index {self._path} is damaged and cannot be made anew; delete it.") from error

    @contextmanager
    def _talking(self) -> Iterator[sqlite3.Connection]:
        """One transaction at a time; all of it or nothing."""
        with self._lock:
            try:
                self._connection.execute("BEGIN")
                yield self._connection
                self._connection.execute("COMMIT")
            except sqlite3.Error as error:
                self._back()
                raise StoreError(f"The search index {self._path} cannot be used just now ({error}).") from error
            except BaseException:
                self._back()
                raise

    def _back(self) -> None:
        with contextlib.suppress(sqlite3.Error):  # what went wrong is told already
            if self._connection.in_transaction:
                self._connection.execute("ROLLBACK")

    def _remove(self, connection: sqlite3.Connection, book: str) -> None:
        # The text index has no index by book: only one that holds the book is gone through.
        if connection.execute("DELETE FROM book WHERE id = ?", (book,)).rowcount:
            connection.execute("DELETE FROM passage WHERE book = ?", (book,))


def match_expression(query: str) -> str | None:
    """`query` in the language of the text index, so that nothing in it is a command; None where it has no word."""
    query = query[:LONGEST]
    phrases: list[list[str]] = []

    def take(found: "re.Match[str]") -> str:
        phrases.append(_WORD.findall(found[1]))
        return " "

    rest = _QUOTED.sub(take, query)
    loose = _WORD.findall(rest)
    # Whoever is still typing means the beginning of a word; who typed a space or a quote after it means the word.
    prefix = bool(loose) and rest.rstrip() == rest and rest.endswith(loose[-1])
    parts = [_quoted(" ".join(words)) for words in phrases if words] + [_quoted(word) for word in loose]
    if not parts:
        return None
    if prefix:
        parts[-1] += " *"
    return " AND ".join(parts[-MOST_WORDS:])


def _quoted(text: str) -> str:
    return '"' + text.replace('"', '""') + '"'


def _marks(marked: str) -> tuple[tuple[int, int], ...]:
    """Spans between the control characters that the index puts round what it found."""
    spans: list[tuple[int, int]] = []
    at = start = 0
    for char in marked:
        if char == "\x02":
            start = at
        elif char == "\x03":
            spans.append((start, at))
        else:
            at += 1
    return tuple(spans)
