"""Which texts of a library folder are passed over, and that a file that became a book stays one."""

from pathlib import Path

import pytest

from server.db import Database
from server.library.compare import compare
from server.library.files import FileTable
from server.library.settle import is_candidate, signature_of
from server.library.strays import LEAST_BYTES
from server.tables import BookRow

TEXT = "The lamp burned in the window of the inn. " * 100


def put(root: Path, name: str, text: str = TEXT) -> Path:
    path = root / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    return path


@pytest.mark.parametrize("name", ["a.txt", "deep/er/a.md", "a.html", "a.docx"])
def test_a_text_of_some_length_is_a_book(tmp_path: Path, name: str) -> None:
    assert is_candidate(put(tmp_path, name), tmp_path)


def test_short_texts_are_notes(tmp_path: Path) -> None:
    assert not is_candidate(put(tmp_path, "a.txt", "x" * (LEAST_BYTES - 1)), tmp_path)
    assert is_candidate(put(tmp_path, "b.txt", "x" * LEAST_BYTES), tmp_path)
    assert is_candidate(put(tmp_path, "short.docx", "x"), tmp_path)


@pytest.mark.parametrize("name", ["Emma.txt", "Emma.pdf", "Emma.mobi", "Emma.docx", "Emma.html"])
def test_other_forms_of_a_book_that_is_here_as_epub_are_passed_over(tmp_path: Path, name: str) -> None:
    path = put(tmp_path, f"calibre/{name}")
    assert is_candidate(path, tmp_path)
    put(tmp_path, "calibre/Emma.epub")
    assert not is_candidate(path, tmp_path)
    assert is_candidate(tmp_path / "calibre/Emma.epub", tmp_path)


@pytest.mark.parametrize("mark", [".git/HEAD", ".obsidian/app.json", "package.json", "mkdocs.yml"])
def test_texts_of_a_program_or_of_somebodys_notes_are_passed_over(tmp_path: Path, mark: str) -> None:
    path = put(tmp_path, "work/docs/guide.md")
    put(tmp_path, f"work/{mark}", "x")
    assert not is_candidate(path, tmp_path)
    # The library folder itself may be anything.
    put(tmp_path, mark, "x")
    assert is_candidate(put(tmp_path, "tale.md"), tmp_path)


def test_pages_of_a_site_are_passed_over_and_a_page_alone_is_not(tmp_path: Path) -> None:
    page = put(tmp_path, "site/chapter1.html")
    assert is_candidate(page, tmp_path)
    put(tmp_path, "site/index.html")
    assert not is_candidate(page, tmp_path)


def test_a_folder_with_the_name_of_a_text_is_a_folder(tmp_path: Path) -> None:
    inner = put(tmp_path, "tales.txt/one.txt")
    assert not is_candidate(inner.parent, tmp_path) and is_candidate(inner, tmp_path)


def test_what_became_a_book_stays_one_while_it_lies_there(tmp_path: Path) -> None:
    database = Database(tmp_path / "lectern.db")
    root = tmp_path / "library"
    path, never = put(root, "Emma.txt"), put(root, "Persuasion.txt", "x")
    files = FileTable(root, database)
    with database.writing() as session:
        session.add(BookRow(id="f" * 16, title="Emma", voice="af_heart", rendition="r"))
    found = signature_of(path)
    assert found is not None
    files.record_book(path, found.text, "f" * 16)
    put(root, "Emma.epub")
    difference = compare(files)
    assert difference.gone == [] and difference.new == [root / "Emma.epub"] and never not in difference.new
    path.unlink()
    assert compare(files).gone == ["Emma.txt"]
    database.close()


@pytest.mark.parametrize("name", ["Changes_by_Somebody.txt", "Notice.txt", "license-to-kill.txt", "A (www.b.org).txt"])
def test_a_long_text_is_a_book_though_its_name_may_be_another_things(tmp_path: Path, name: str) -> None:
    assert not is_candidate(put(tmp_path, name), tmp_path)
    assert is_candidate(put(tmp_path, name, TEXT * 20), tmp_path)
    assert not is_candidate(put(tmp_path, "README.md", TEXT * 20), tmp_path)


def test_a_folder_that_is_only_called_like_a_saved_page_holds_books(tmp_path: Path) -> None:
    path = put(tmp_path, "X-Files/a.txt")
    assert is_candidate(path, tmp_path)
    assert not is_candidate(put(tmp_path, "X_files/a.html"), tmp_path)
    put(tmp_path, "X.html")
    assert not is_candidate(path, tmp_path)


def test_the_pages_of_an_epub_that_was_unpacked_are_no_books(tmp_path: Path) -> None:
    path = put(tmp_path, "My Book/OEBPS/one.xhtml")
    put(tmp_path, "My Book/META-INF/container.xml")
    assert not is_candidate(path, tmp_path)


@pytest.mark.parametrize("name", ["a.docm", "a.mht", "a.kepub", "a.webarchive", "a.chm"])
def test_what_is_meant_as_a_book_and_not_read_is_told(tmp_path: Path, name: str) -> None:
    assert is_candidate(put(tmp_path, name), tmp_path)
