"""SQLite through SQLModel: one engine, write-ahead log, short sessions in threads."""

import logging
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from sqlalchemy import Engine, event
from sqlalchemy.exc import DatabaseError, OperationalError
from sqlmodel import Session, SQLModel, create_engine

from server import tables  # noqa: F401  (registers the tables)
from server.errors import StoreError

SCHEMA = 5  # PRAGMA user_version of a database this code can use; its step is server/migrations/versions/schema_5.py

WAIT_MS = 5000  # for whoever holds the write lock

log = logging.getLogger(__name__)

_STAMP = """\
CREATE TABLE alembic_version (
    version_num VARCHAR(32) NOT NULL,
    CONSTRAINT alembic_version_pkc PRIMARY KEY (version_num)
)"""


class Database:
    """Owns the engine. `session()` is for reading; `writing()` takes SQLite's one write lock at once.

    Both raise StoreError when the disk is full or the file is locked.
    """

    def __init__(self, path: Path) -> None:
        """Open, create or bring up to date. Raises StoreError where none of that can be done."""
        path.parent.mkdir(parents=True, exist_ok=True)
        self.path = path
        self.engine: Engine = create_engine(f"sqlite:///{path}", connect_args={"check_same_thread": False})
        event.listen(self.engine, "connect", _prepare)
        event.listen(self.engine, "begin", _begin)
        try:
            self._create()
        except DatabaseError as error:
            self.engine.dispose()
            raise StoreError(_told(path, error)) from error

    def _create(self) -> None:
        with self.engine.connect() as connection:
            found = connection.exec_driver_sql("PRAGMA user_version").scalar_one()
            empty = connection.exec_driver_sql("SELECT 1 FROM sqlite_master LIMIT 1").first() is None
        if found > SCHEMA:
            raise StoreError(f"The database {self.path} was written by a newer Lectern. Update Lectern to use it.")
        if empty:
            with self.engine.connect().execution_options(immediate=True) as connection, connection.begin():
                SQLModel.metadata.create_all(connection)
                # what alembic would have left behind, without the half second that loading it takes
                connection.exec_driver_sql(_STAMP)
                connection.exec_driver_sql("INSERT INTO alembic_version VALUES (?)", (f"{SCHEMA:04}",))
                connection.exec_driver_sql(f"PRAGMA user_version = {SCHEMA}")
        elif found < SCHEMA:
            from server.migrations.run import migrate  # loads alembic: only where there is something to do

            self.engine.dispose()
            kept = migrate(self.path, found, SCHEMA)
            log.info(
                "the database is brought from schema %d to %d; what it was is kept as %s", found, SCHEMA, kept.name
            )

    @contextmanager
    def session(self) -> Iterator[Session]:
        with self._telling(), Session(self.engine, expire_on_commit=False) as session:
            yield session

    @contextmanager
    def writing(self) -> Iterator[Session]:
        """A session that holds the write lock from the start and commits at the end, or rolls back on an error."""
        with self._telling(), Session(self.engine, expire_on_commit=False) as session:
            session.connection(execution_options={"immediate": True})
            yield session
            session.commit()

    @contextmanager
    def _telling(self) -> Iterator[None]:
        """Turn what SQLite says of a full disk or a locked file into StoreError: it passes, and nobody ends for it."""
        try:
            yield
        except OperationalError as error:
            raise StoreError(f"The database {self.path} cannot be used just now ({error.orig}).") from error

    def close(self) -> None:
        self.engine.dispose()


_FULL = (sqlite3.SQLITE_FULL, sqlite3.SQLITE_IOERR)
_LOCKED = (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED, sqlite3.SQLITE_PROTOCOL)
_CLOSED = (sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_PERM, sqlite3.SQLITE_READONLY, sqlite3.SQLITE_AUTH)
_PASSING = (*_FULL, *_LOCKED, *_CLOSED, sqlite3.SQLITE_NOMEM, sqlite3.SQLITE_INTERRUPT)


def passes(error: BaseException) -> bool:
    """Whether a database could not be used for a reason that leaves it whole: a lock, a full disk, a missing right."""
    causes = (error, error.__cause__, getattr(error.__cause__, "orig", None))
    return any(_code(cause) in _PASSING for cause in causes)


def _code(error: object) -> int:
    """SQLite's primary result code, 0 where there is none."""
    orig = getattr(error, "orig", error)
    return int(getattr(orig, "sqlite_errorcode", None) or 0) & 0xFF


def _told(path: Path, error: DatabaseError) -> str:
    """Why the database at `path` was not opened, and the way out."""
    code, why = _code(error), str(error.orig)
    if code in _LOCKED:
        return f"The database {path} is in use by another program ({why}). Wait for it or end it, then start again."
    if code in _FULL:
        return f"The database {path} cannot be read or written ({why}). Make room on the disk, then start again."
    if code in _CLOSED:
        return f"The database {path} may not be opened ({why}). Give yourself the right to it and its folder."
    if code in _PASSING:
        return f"The database {path} cannot be used just now ({why}). Try again."
    return f"The database {path} cannot be opened ({why}). Move it away: Lectern makes it again from the store."


def _prepare(connection: sqlite3.Connection, _record: Any) -> None:
    # pysqlite must not open transactions by itself: _begin does, so that a writer never has to upgrade a reader.
    connection.isolation_level = None
    for pragma in ("journal_mode=WAL", "synchronous=NORMAL", f"busy_timeout={WAIT_MS}", "foreign_keys=ON"):
        connection.execute(f"PRAGMA {pragma}")


def _begin(connection: Any) -> None:
    immediate = connection.get_execution_options().get("immediate", False)
    connection.exec_driver_sql("BEGIN IMMEDIATE" if immediate else "BEGIN")
