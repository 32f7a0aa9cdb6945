"""Archives that are not written as they say."""

import zipfile
from pathlib import Path

import pytest

from server.library.reader import read_book
from server.library.zips import open_zip
from tests.epubs import build_epub


def lying(path: Path, name: str, instead: bytes) -> Path:
    """A book in which a file beside the text has a name that is no UTF-8, though its entry says so."""
    build_epub(path, {"c1.xhtml": "<h1>One</h1><p>It is here.</p>"}, files={f"OEBPS/{name}": b"x"})
    data = path.read_bytes()
    assert len(instead) == len(name.encode())
    path.write_bytes(data.replace(name.encode(), instead))
    return path


def test_a_name_that_is_no_text_costs_the_name_and_not_the_book(tmp_path: Path) -> None:
    path = lying(tmp_path / "a.epub", "caf\u00e9.css", b"ca\xe9\xb4x.css")
    with pytest.raises(UnicodeDecodeError):
        zipfile.ZipFile(path)
    assert [s.text for chapter in read_book(path).chapters for s in chapter.sentences] == ["One", "It is here."]


def test_names_that_are_text_stay_what_they_are(tmp_path: Path) -> None:
    path = lying(tmp_path / "a.epub", "caf\u00e9.css", b"ca\xe9\xb4x.css")
    build_epub(tmp_path / "b.epub", {"caf\u00e9.xhtml": "<p>Here.</p>"}, files={"OEBPS/\u00fc.css": b"x"})
    data = (tmp_path / "b.epub").read_bytes()
    (tmp_path / "b.epub").write_bytes(data.replace("\u00fc.css".encode(), b"\xfc\xfc.css"))
    with open_zip(tmp_path / "b.epub") as archive:
        assert "OEBPS/caf\u00e9.xhtml" in archive.namelist()
    with open_zip(path) as archive:
        assert any(name.endswith("x.css") for name in archive.namelist())


@pytest.mark.parametrize("cut", [3, 22, 60, 400])
def test_what_is_no_archive_is_told_so(tmp_path: Path, cut: int) -> None:
    path = lying(tmp_path / "a.epub", "caf\u00e9.css", b"ca\xe9\xb4x.css")
    path.write_bytes(path.read_bytes()[:-cut])
    with pytest.raises(zipfile.BadZipFile):
        open_zip(path)
