"""SQLite through SQLModel: one engine, write-ahead log, short sessions in threads."""

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

SCHEMA = 2  # PRAGMA user_version of a database this code can use

_EMPTY = {"VARCHAR": "''"}


class Database:
    """Owns the engine. `session()` is for reading; `writing()` takes SQLite's one write lock at once.

    Both raise StoreError when the disk is full or the file is locked.
    """

    def __init__(self, path: Path) -> None:
        """Open or create the database. Raises StoreError when the file is no database or of a newer schema."""
        path.parent.mkdir(parents=True, exist_ok=True)
        self.path = path
        self.engine: Engine = create_engine(f"sqlite:///{path}", connect_args={"check_same_thread": False})
        event.listen(self.engine, "connect", _prepare)
        event.listen(self.engine, "begin", _begin)
        try:
            self._create()
        except DatabaseError as error:
            self.engine.dispose()
            raise StoreError(
                f"The database {path} cannot be opened. Move it away: Lectern makes it again from the store."
            ) from error

    def _create(self) -> None:
        with self.engine.connect() as connection:
            found = connection.exec_driver_sql("PRAGMA user_version").scalar_one()
        if found > SCHEMA:
            raise StoreError(f"The database {self.path} was written by a newer Lectern. Update Lectern to use it.")
        SQLModel.metadata.create_all(self.engine)
        self._add_columns()
        with self.engine.begin() as connection:
            connection.exec_driver_sql(f"PRAGMA user_version = {SCHEMA}")

    def _add_columns(self) -> None:
        """Give the tables of an older database what came since; what belongs in new columns is counted anew."""
        with self.engine.begin() as connection:
            for table in SQLModel.metadata.sorted_tables:
                there = {row[1] for row in connection.exec_driver_sql(f'PRAGMA table_info("{table.name}")')}
                for column in table.columns:
                    if column.name not in there:
                        kind = column.type.compile(self.engine.dialect)
                        rule = "" if column.nullable else f" NOT NULL DEFAULT {_EMPTY.get(kind, 0)}"
                        connection.exec_driver_sql(
                            f'ALTER TABLE "{table.name}" ADD COLUMN "{column.name}" {kind}{rule}'
                        )
                for index in table.indexes:
                    index.create(connection, checkfirst=True)

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


def _prepare(connection: sqlite3.Connection, _record: Any) -> None:
    # pysqlite must not open transactions by itself: _begin does, so that a writer never has to upgrade a reader.
    connection.isolation_level = None
    for pragma in ("journal_mode=WAL", "synchronous=NORMAL", "busy_timeout=5000", "foreign_keys=ON"):
        connection.execute(f"PRAGMA {pragma}")


def _begin(connection: Any) -> None:
    immediate = connection.get_execution_options().get("immediate", False)
    connection.exec_driver_sql("BEGIN IMMEDIATE" if immediate else "BEGIN")
