import contextlib
import sqlite3
import subprocess
import sys
import threading
from pathlib import Path

import pytest
from sqlmodel import select

from server import db
from server.db import Database, passes
from server.errors import StoreError
from server.tables import RefusalRow
from tests.conftest import ROOT


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


def test_a_locked_database_is_not_called_damaged(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "lectern.db"
    Database(path).close()
    monkeypatch.setattr(db, "WAIT_MS", 100)
    with contextlib.closing(sqlite3.connect(path, isolation_level=None)) as other:
        other.execute("PRAGMA locking_mode=EXCLUSIVE")
        other.execute("BEGIN EXCLUSIVE")
        other.execute("CREATE TABLE held (a)")
        with pytest.raises(StoreError, match=r"lectern\.db is in use by another program .*Wait") as told:
            Database(path)
    assert passes(told.value) and "Move it away" not in str(told.value)
    Database(path).close()


def test_a_full_disk_is_not_called_damage(tmp_path: Path) -> None:
    code = (
        "import resource, signal, sys; from pathlib import Path; from server.db import Database, passes\n"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (8192, 8192)); signal.signal(signal.SIGXFSZ, signal.SIG_IGN)\n"
        "try: Database(Path(sys.argv[1]))\n"
        "except Exception as error: print(passes(error), error)"
    )
    given = [sys.executable, "-c", code, str(tmp_path / "lectern.db")]
    told = subprocess.run(given, capture_output=True, text=True, check=True, cwd=ROOT).stdout
    assert told.startswith("True ") and "Make room" in told and "Move it away" not in told


def test_a_folder_that_may_not_be_read_is_not_called_damage(tmp_path: Path) -> None:
    (tmp_path / "lectern.db").mkdir()
    with pytest.raises(StoreError, match="may not be opened") as told:
        Database(tmp_path / "lectern.db")
    assert passes(told.value)


def test_damage_is_no_passing_trouble(tmp_path: Path) -> None:
    (tmp_path / "lectern.db").write_bytes(b"not a database" * 100)
    with pytest.raises(StoreError, match="Move it away") as told:
        Database(tmp_path / "lectern.db")
    assert not passes(told.value)
