"""`lectern inspect`: one object a file, with outcome, reason and contents; nothing is added."""

import json
import os
from pathlib import Path
from typing import Any

import pytest

from server.cli import main
from tests.epubs import build_epub

PAGES = {
    "c1.xhtml": "<h1>One</h1><p>First<a epub:type='noteref' href='#n'>1</a> text. More of it.</p>",
    "imprint.xhtml": "<h1>Imprint</h1><p>All rights reserved. Copyright. ISBN.</p>",
}
TOC = [("One", "c1.xhtml"), ("Imprint", "imprint.xhtml")]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("LECTERN_DATA", str(tmp_path / "data"))
    monkeypatch.setenv("LECTERN_LIBRARY", str(tmp_path / "library"))
    drop = tmp_path / "drop"
    (drop / "deep").mkdir(parents=True)
    build_epub(drop / "fine.epub", PAGES, toc=TOC)
    lost = '<item id="x" href="gone.xhtml" media-type="application/xhtml+xml"/>'
    build_epub(drop / "odd.epub", PAGES, toc=TOC, manifest=lost, spine='<itemref idref="p0"/><itemref idref="x"/>')
    build_epub(drop / "deep" / "german.epub", PAGES, toc=TOC, language="de")
    (drop / "deep" / "letter.epub").write_text("Dear reader, this is no book. " * 20)
    (drop / "notes.txt").write_text("no book")
    return drop


def told(capsys: pytest.CaptureFixture[str]) -> dict[str, dict[str, Any]]:
    return {Path(one["file"]).name: one for one in map(json.loads, capsys.readouterr().out.splitlines())}


def test_a_folder_gives_an_object_a_book(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["inspect", "--json", str(folder)]) == 3
    found = told(capsys)
    assert {name: one["outcome"] for name, one in found.items()} == {
        "fine.epub": "import", "odd.epub": "import-warn", "german.epub": "reject", "letter.epub": "reject",
    }  # fmt: skip
    assert all(one["seconds"] > 0 for one in found.values())
    assert (found["letter.epub"]["kind"], found["german.epub"]["kind"]) == ("not-epub", "language")
    assert "German" in found["german.epub"]["reason"]
    assert any("gone.xhtml" in warning for warning in found["odd.epub"]["warnings"])


def test_chapters_tell_what_is_spoken_and_what_is_skipped(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["inspect", "--json", str(folder / "fine.epub")]) == 0
    one, imprint = told(capsys)["fine.epub"]["chapters"]
    assert (one["title"], one["on"], one["rule"], one["sentences"]) == ("One", True, None, 3)
    assert one["spoken_characters"] == len("OneFirsttext.Moreofit.") and one["skipped"]["noteref"] == 1
    assert (imprint["on"], imprint["rule"], imprint["spoken_characters"]) == (False, "imprint", 0)
    assert imprint["skipped_characters"] >= len("ImprintAllrightsreserved.")


def test_it_is_read_by_a_person_too_and_nothing_is_added(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["inspect", str(folder)]) == 3
    lines = capsys.readouterr().out
    assert "“A Small Book” by A. Nobody, en: 1 chapter, 3 sentences" in lines
    assert "(not read: imprint)" in lines and "REFUSED" in lines
    assert not (folder.parent / "data").exists() and not (folder.parent / "library").exists()


def test_a_folder_that_is_a_book_is_one(folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    import zipfile

    with zipfile.ZipFile(folder / "fine.epub") as packed:
        packed.extractall(tmp_path / "unpacked")
    assert main(["inspect", "--json", str(tmp_path / "unpacked")]) == 0
    assert told(capsys)["unpacked"]["title"] == "A Small Book"


def test_what_is_not_there_is_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["inspect", str(tmp_path / "nothing.epub")]) == 4
    assert "There is no file or folder" in capsys.readouterr().err


def test_what_a_book_says_of_itself_is_told(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    metadata = (
        "<dc:creator>Ann Ames</dc:creator><dc:contributor opf:role='trl'>Bo Berg</dc:contributor>"
        "<dc:publisher>A House</dc:publisher><dc:date>1926-03</dc:date><dc:description>A walk.</dc:description>"
    )
    build_epub(folder / "told.epub", PAGES, toc=TOC, metadata=metadata, identifier="urn:isbn:9780000000002")
    main(["inspect", "--json", str(folder / "told.epub")])
    found = told(capsys)["told.epub"]
    assert found["contributors"] == [{"name": "Bo Berg", "role": "trl"}]
    assert (found["publisher"], found["published"], found["description"]) == ("A House", "1926-03", "A walk.")
    assert (found["series"], found["identifiers"]) == (None, ["urn:isbn:9780000000002"])


def test_a_name_that_is_no_text_is_told_and_hides_nothing(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    try:
        (folder / os.fsdecode(b"caf\xe9.epub")).write_bytes((folder / "fine.epub").read_bytes())
    except OSError:
        pytest.skip("this disk takes no such name: it is not tested here")
    main(["inspect", "--json", str(folder)])
    out, err = capsys.readouterr()
    assert "its name is not in UTF-8: rename it" in err
    assert any(json.loads(line)["file"].endswith("fine.epub") for line in out.splitlines())
