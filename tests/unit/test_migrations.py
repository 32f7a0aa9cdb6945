"""A database of any schema there ever was becomes what a new one is, with its rows, or stays what it was."""

import contextlib
import shutil
import sqlite3
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from sqlmodel import SQLModel, select

from server import db
from server.db import SCHEMA, Database
from server.errors import StoreError
from server.library.catalog import Catalog
from server.migrations import run, script
from server.tables import BookRow, ChapterRow, PlaceRow, ReadingRow, RefusalRow
from tests.conftest import ROOT

OLD = sorted((Path(__file__).parent.parent / "data" / "schemas").glob("*.sql"))


def old_database(folder: Path, sql: Path) -> Path:
    path = folder / "lectern.db"
    with contextlib.closing(sqlite3.connect(path)) as connection:
        connection.executescript(sql.read_text())
    return path


def dump(path: Path) -> list[str]:
    with contextlib.closing(sqlite3.connect(path)) as connection:
        return [f"{connection.execute('PRAGMA user_version').fetchone()[0]}", *connection.iterdump()]


def shape(path: Path) -> dict[str, Any]:
    """Tables with their columns (but for their order) and indexes, as SQLite tells of them."""
    with contextlib.closing(sqlite3.connect(path)) as connection:
        names = [row[0] for row in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
        return {
            name: (
                sorted(row[1:] for row in connection.execute(f"PRAGMA table_info('{name}')")),
                sorted(row[2:] for row in connection.execute(f"PRAGMA foreign_key_list('{name}')")),
                sorted(
                    (index[1], [row[2] for row in connection.execute(f"PRAGMA index_info('{index[1]}')")])
                    for index in connection.execute(f"PRAGMA index_list('{name}')")
                    if index[3] == "c"  # those that somebody made; the others belong to keys
                ),
            )
            for name in names
        }


@pytest.mark.parametrize("sql", OLD, ids=lambda path: path.stem)
def test_every_schema_there_was_becomes_todays_with_its_rows(tmp_path: Path, sql: Path) -> None:
    path = old_database(tmp_path, sql)
    before = dump(path)
    with contextlib.closing(Database(path)) as database:
        with database.session() as session:
            assert {(row.id, row.title, row.paused, row.lead) for row in session.exec(select(BookRow)).all()} == {
                ("b1", "A Walk", False, None),
                ("b2", "Another", False, None),
            }
            chapters = session.exec(select(ChapterRow).order_by("number")).all()
            assert [(row.title, row.sentences, row.rule, row.again) for row in chapters] == [
                ("One", 3, None, 0),
                ("Two", 0, "toc", 0),
            ]
            assert [(row.sentence, row.word, row.device) for row in session.exec(select(PlaceRow)).all()] == [
                ("aa-1", 2, "phone")
            ]
            assert session.exec(select(ReadingRow)).all() == []  # read anew from the journals
            assert [row.reason for row in session.exec(select(RefusalRow)).all()] == ["It is locked."]
        assert set(Catalog(database).ids()) == {"b1", "b2"}
    with contextlib.closing(Database(tmp_path / "new.db")):
        pass
    assert shape(path) == shape(tmp_path / "new.db")
    (kept,) = (tmp_path / run.KEPT).iterdir()
    assert kept.name.startswith(f"lectern-schema{before[0].rjust(1)}-")
    assert dump(kept) == before


def test_a_migrated_and_a_new_database_are_what_the_tables_say(tmp_path: Path) -> None:
    old_database(tmp_path, OLD[0])
    for name in ("lectern.db", "new.db"):
        with contextlib.closing(Database(tmp_path / name)) as database, database.engine.connect() as connection:
            options = {"include_name": script.is_ours, "compare_type": True, "compare_server_default": True}
            context = MigrationContext.configure(connection, opts=options)
            assert compare_metadata(context, SQLModel.metadata) == [], (
                'tables.py changed: raise SCHEMA and run `python -m server.migrations "what changed"`'
            )
            assert context.get_current_revision() == f"{SCHEMA:04}"
    assert script.head() == f"{SCHEMA:04}"


def test_a_migrated_database_is_opened_again_without_a_step_and_without_alembic(tmp_path: Path) -> None:
    path = old_database(tmp_path, OLD[0])
    Database(path).close()
    code = (
        f"import sys; from pathlib import Path; from server.db import Database; Database(Path({str(path)!r})).close()"
    )
    told = subprocess.run(
        [sys.executable, "-c", f"{code}; print('alembic' in sys.modules)"],
        capture_output=True, text=True, check=True, cwd=ROOT,
    )  # fmt: skip
    assert told.stdout == "False\n"
    assert len(list((tmp_path / run.KEPT).iterdir())) == 1


def with_a_bad_step(folder: Path, monkeypatch: pytest.MonkeyPatch, body: str) -> None:
    """The steps there are, and one more that does `body`."""
    here = folder / "100% steps"  # alembic's configuration has a meaning for %
    shutil.copytree(Path(run.__file__).parent, here)
    (here / "versions" / f"schema_{SCHEMA + 1}.py").write_text(
        "import sqlalchemy as sa\nfrom alembic import op\n"
        f"revision = '{SCHEMA + 1:04}'\ndown_revision = '{SCHEMA:04}'\n\n\ndef upgrade() -> None:\n    {body}\n"
    )
    monkeypatch.setattr(run, "__file__", str(here / "run.py"))
    monkeypatch.setattr(db, "SCHEMA", SCHEMA + 1)


@pytest.mark.parametrize(
    "body",
    [
        "op.drop_table('place'); op.execute('SELECT * FROM no_such_table')",
        "op.execute('DELETE FROM book')",  # leaves chapters without their book
        "op.drop_table('chapter'); raise OSError(28, 'No space left on device')",
    ],
)
@pytest.mark.parametrize("sql", [OLD[0], OLD[-1]], ids=lambda path: path.stem)
def test_a_step_that_fails_leaves_the_database_as_it_was_and_says_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, sql: Path, body: str
) -> None:
    path = old_database(tmp_path, sql)
    before = dump(path)
    with_a_bad_step(tmp_path, monkeypatch, body)
    for _ in range(2):
        with pytest.raises(StoreError, match=r"could not be brought from schema .* as it was.*lectern rebuild"):
            Database(path)
        assert dump(path) == before
    assert list((tmp_path / run.KEPT).iterdir()) == []  # nothing changed, so nothing piles up


def test_a_step_that_is_good_is_done_on_a_database_of_the_last_schema(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "lectern.db"
    Database(path).close()
    with_a_bad_step(tmp_path, monkeypatch, "op.add_column('place', sa.Column('pace', sa.Integer()))")
    Database(path).close()
    with contextlib.closing(sqlite3.connect(path)) as connection:
        assert "pace" in [row[1] for row in connection.execute("PRAGMA table_info(place)")]
        assert connection.execute("PRAGMA user_version").fetchone()[0] == SCHEMA + 1


def test_without_room_for_a_copy_nothing_is_changed(tmp_path: Path) -> None:
    path = old_database(tmp_path, OLD[0])
    before = dump(path)
    (tmp_path / run.KEPT).write_text("in the way")
    with pytest.raises(StoreError, match=r"no copy of it can be put into .*: nothing is changed\. Make room"):
        Database(path)
    assert dump(path) == before


def test_tables_of_a_full_text_index_are_not_compared() -> None:
    assert not any(script.is_ours(name, "table", {}) for name in ("passage", "passage_data", "passage_idx", "x_config"))
    assert all(script.is_ours(name, "table", {}) for name in SQLModel.metadata.tables)
