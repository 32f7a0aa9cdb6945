import threading
from pathlib import Path

import pytest
from sqlmodel import select

from server.db import Database
from server.errors import StoreError
from server.tables import RefusalRow


def test_writers_wait_for_each_other(tmp_path: Path) -> None:
    database = Database(tmp_path / "lectern.db")
    with database.writing() as session:
        session.add(RefusalRow(name="first", kind="empty", reason="r"))

    def write(name: str) -> None:
        for _ in range(20):
            with database.writing() as session:
                # Reading first is what makes a deferred transaction fail when it comes to write.
                found = session.exec(select(RefusalRow).where(RefusalRow.name == "first")).one()
                found.reason += "+"

    threads = [threading.Thread(target=write, args=(str(n),)) for n in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    with database.session() as session:
        assert session.exec(select(RefusalRow)).one().reason == "r" + "+" * 80


def test_a_failed_write_leaves_nothing(tmp_path: Path) -> None:
    database = Database(tmp_path / "lectern.db")
    with pytest.raises(ZeroDivisionError), database.writing() as session:
        session.add(RefusalRow(name="x", kind="empty", reason="r"))
        session.flush()
        _ = 1 / 0
    with database.session() as session:
        assert session.exec(select(RefusalRow)).all() == []


def test_a_file_that_is_no_database_is_named(tmp_path: Path) -> None:
    file = tmp_path / "lectern.db"
    file.write_bytes(b"not a database" * 100)
    with pytest.raises(StoreError, match=r"lectern\.db cannot be opened"):
        Database(file)


def test_a_newer_database_is_not_touched(tmp_path: Path) -> None:
    database = Database(tmp_path / "lectern.db")
    with database.engine.begin() as connection:
        connection.exec_driver_sql("PRAGMA user_version = 99")
    database.close()
    with pytest.raises(StoreError, match="newer Lectern"):
        Database(tmp_path / "lectern.db")
