"""`lectern lexicon`: what it prints, what it complains of, and its exit code."""

import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from server.cli import main
from server.cli.exits import FAILED, NOT_FOUND, OK
from server.config import load_settings
from server.render.store import Store
from tests.fakes.books import make_book
from tests.fakes.synth import ENGINE


@pytest.fixture
def store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Store:
    monkeypatch.setenv("LECTERN_DATA", str(tmp_path / "data"))
    monkeypatch.setenv("LECTERN_LIBRARY", str(tmp_path / "library"))
    store = Store(load_settings().store)
    (source := tmp_path / "a.epub").write_bytes(b"PK")
    store.put_book(
        make_book([["The Pequod sailed."]], title="The Ship"), source=source, voice="af_heart", engine=ENGINE,
        bitrate=48_000, added=datetime(2026, 1, 2, tzinfo=UTC),
    )  # fmt: skip
    return store


def put(store: Store, name: str, text: str) -> Path:
    path = store.root / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    return path


def test_the_rules_of_a_book_file_by_file(store: Store, capsys: Any) -> None:
    (book,) = store.books()
    put(store, "lexicon/household.txt", "# all\nPequod = PEE-kwod\nlead = LED {case}\n[1] = {skip}\n")
    own = put(store, f"books/{book}/overrides.txt", "St. Mary = Saint Mary {as written}\nrecord = {stress 2}\n")
    assert main(["lexicon", "the ship"]) == OK
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].startswith("Household: 3 rules  ")
    assert lines[1:4] == [
        "     2  Pequod = /pˈikwɑd/, British /pˈiːkwɒd/", "     3  lead = /lˈɛd/ {case}", "     4  [1] = {skip}",
    ]  # fmt: skip
    assert lines[4].startswith("Author “A. Nobody”: no rules yet;  ")
    assert lines[5] == f"Book “The Ship”: 2 rules  {own}"
    assert lines[6:] == ["     1  St. Mary = “Saint Mary” {as written}", "     2  record = {stress 2}"]
    assert main(["lexicon", "--json", book]) == OK
    files = json.loads(capsys.readouterr().out)["files"]
    assert [(one["exists"], len(one["rules"])) for one in files] == [(True, 3), (False, 0), (True, 2)]


def test_a_bad_line_is_named_and_the_exit_code_says_so(store: Store, capsys: Any) -> None:
    path = put(store, "mine.txt", "a = b\nnonsense\n")
    assert main(["lexicon", "--check", str(path)]) == FAILED
    told = capsys.readouterr()
    assert '  line 2: there is no "=" in it' in told.out
    assert told.err == "lectern: 1 problem; such lines are passed over, the others hold.\n"
    put(store, "lexicon/author-somebody.txt", "# author: Somebody\nbad\n")
    assert main(["lexicon"]) == FAILED
    assert "Author “Somebody”: 0 rules" in capsys.readouterr().out


def test_what_is_not_there_is_told_in_a_sentence(store: Store, capsys: Any) -> None:
    assert main(["lexicon", "Emma"]) == NOT_FOUND
    assert main(["lexicon", "--check", str(store.root / "nowhere.txt")]) == NOT_FOUND
    assert capsys.readouterr().err.count("lectern: There is no") == 2
