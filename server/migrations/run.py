"""Bringing a database of an older schema up to now: a copy is put aside, then all steps are done, or none."""

import contextlib
import sqlite3
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final

from alembic import command
from alembic.config import Config
from alembic.util import CommandError
from sqlalchemy import Connection, create_engine, event, text
from sqlalchemy.exc import SQLAlchemyError

from server.errors import LecternError, StoreError

KEPT: Final = "backups"  # folder beside the database for what it was before


def migrate(path: Path, found: int, wanted: int) -> Path:
    """Bring the database at `path` from schema `found` to `wanted`; gives the copy of what it was.

    Raises StoreError where that cannot be done; the database is as it was then.
    """
    kept = _put_aside(path, found)
    try:
        with on_connection(path) as connection:
            command.upgrade(configuration(connection), f"{wanted:04}")
            if connection.execute(text("PRAGMA foreign_key_check")).first() is not None:
                raise LecternError("rows without their book")
            connection.execute(text(f"PRAGMA user_version = {wanted}"))
    except (SQLAlchemyError, sqlite3.Error, CommandError, LecternError, OSError) as error:
        kept.unlink(missing_ok=True)  # nothing changed: the next try makes it again
        raise StoreError(
            f"The database {path} could not be brought from schema {found} to {wanted} ({_reason(error)}) and is as it "
            "was. Make room if the disk is full; else `lectern rebuild` makes it anew from the store."
        ) from error
    return kept


def _reason(error: Exception) -> str:
    return str(getattr(error, "orig", None) or error).splitlines()[0]


@contextlib.contextmanager
def on_connection(path: Path) -> Iterator[Connection]:
    """A connection in one transaction that has the write lock, without foreign keys, which get in a rebuild's way."""
    engine = create_engine(f"sqlite:///{path}")
    event.listen(engine, "connect", _bare)
    event.listen(engine, "begin", lambda connection: connection.exec_driver_sql("BEGIN IMMEDIATE"))
    try:
        with engine.begin() as connection:
            yield connection
    finally:
        engine.dispose()


def _bare(connection: sqlite3.Connection, _record: Any) -> None:
    connection.isolation_level = None
    connection.execute("PRAGMA foreign_keys=OFF")
    connection.execute("PRAGMA busy_timeout=5000")


def configuration(connection: Connection) -> Config:
    """Alembic's configuration for the steps of this package, on `connection`."""
    config = Config()
    here = str(Path(__file__).parent)
    config.set_main_option("script_location", here.replace("%", "%%"))
    config.set_main_option("path_separator", "os")
    config.attributes["connection"] = connection
    return config


def _put_aside(path: Path, found: int) -> Path:
    """Copy the database into `KEPT`, whole or not at all. Raises StoreError."""
    stamp = datetime.now(UTC).strftime("%Y%m%dT%H%M%SZ")
    folder = path.parent / KEPT
    kept = folder / f"{path.stem}-schema{found}-{stamp}{path.suffix}"
    making = kept.with_name(f".{kept.name}.tmp")
    try:
        folder.mkdir(parents=True, exist_ok=True)
        making.unlink(missing_ok=True)
        with contextlib.closing(sqlite3.connect(path)) as connection:
            connection.execute("VACUUM INTO ?", (str(making),))
        making.replace(kept)
    except (OSError, sqlite3.Error) as error:
        with contextlib.suppress(OSError):
            making.unlink(missing_ok=True)
        raise StoreError(
            f"The database {path} is of an older Lectern, and no copy of it can be put into {folder} ({error}): "
            "nothing is changed. Make room there and start again."
        ) from error
    return kept
