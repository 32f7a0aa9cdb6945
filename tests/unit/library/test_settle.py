import os
from pathlib import Path

import pytest

from server.library.settle import Settler, is_candidate, signature_of


def test_a_growing_file_is_not_due_until_it_rests(tmp_path: Path) -> None:
    file = tmp_path / "a.epub"
    file.write_bytes(b"1")
    settler = Settler(3.0)
    settler.touch(file, 0.0)
    assert settler.due(2.0) == []
    file.write_bytes(b"12")
    assert settler.due(3.5) == []  # it grew: the rest begins anew
    assert settler.due(6.0) == []
    assert settler.due(6.6) == [file]
    assert not settler


def test_a_file_put_in_the_place_of_another_rests_anew(tmp_path: Path) -> None:
    file, other = tmp_path / "a.epub", tmp_path / "b"
    file.write_bytes(b"1")
    other.write_bytes(b"2")
    os.utime(other, ns=(file.stat().st_atime_ns, file.stat().st_mtime_ns))
    settler = Settler(3.0)
    settler.touch(file, 0.0)
    other.replace(file)
    assert settler.due(3.1) == []
    assert settler.due(6.2) == [file]


def test_a_file_that_went_away_is_given_back_once(tmp_path: Path) -> None:
    file = tmp_path / "a.epub"
    file.write_bytes(b"1")
    settler = Settler(1.0)
    settler.touch(file, 0.0)
    file.unlink()
    assert settler.due(0.5) == []
    assert settler.due(2.0) == []  # it rests twice as long: where it went, if it was moved, is looked at first
    assert settler.due(2.5) == [file]
    assert settler.due(9.0) == []


def test_a_book_that_is_a_folder_changes_with_what_is_in_it(tmp_path: Path) -> None:
    book = tmp_path / "a.epub"
    book.mkdir()
    (book / "mimetype").write_text("application/epub+zip")
    before = signature_of(book)
    (book / "more").write_text("text")
    assert before is not None and signature_of(book) != before


@pytest.mark.parametrize(
    ("name", "taken"),
    [
        ("a.epub", True),
        ("shelf/A.EPUB", True),
        ("a.pdf", True),  # refused by name, not passed over
        ("a.epub.part", False),
        ("a.epub.download/a.epub", False),
        (".hidden.epub", False),
        (".trash/a.epub", False),
        ("a.epub/OEBPS/inner.epub", False),
        ("cover.jpg", False),
        (".DS_Store", False),
        ("Emma.txt", True),
        ("shelf/Emma.MD", True),
        ("Emma.docx", True),
        ("Emma.html", True),
        ("Emma.odt", True),
        ("README.md", False),
        ("LICENSE.txt", False),
        ("metadata.opf", False),
        ("Emma_files/ad.html", False),
        ("requirements-dev.txt", False),
        ("Reading Lolita.txt", True),
        ("History of Rome.txt", True),
    ],
)
def test_only_what_a_person_would_call_a_book_is_looked_at(tmp_path: Path, name: str, taken: bool) -> None:
    assert is_candidate(tmp_path / name, tmp_path) is taken
