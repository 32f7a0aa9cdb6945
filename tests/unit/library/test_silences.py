"""What is not read is kept with its rule, its text and its place; with what is read it makes up the book."""

import json
from datetime import UTC, datetime
from pathlib import Path

import pytest

from server.cli import main
from server.cli.coverage import coverage_lines
from server.library import wire
from server.library.model import Book
from server.library.reader import read_book
from server.render.coverage import coverage_record, off, spoken
from server.render.store import Store
from tests.epubs import build_epub
from tests.fakes.synthetic import ENGINE

PAGE = """
<h1>The Gate</h1>
<p>It rained<a epub:type="noteref" href="#n1">1</a> all <span epub:type="pagebreak">12</span>day.</p>
<figure><img src="a.png" alt="A gate"/></figure>
<p>so&#173;ft<!-- a remark --></p>
<aside epub:type="footnote" id="n1"><p>Rain is wet.</p></aside>
<p>It stopped.</p>
<nav epub:type="landmarks"><a href="#x">Start</a></nav>
"""


MATTER = "<h1>Imprint</h1><p>All rights reserved. Copyright. ISBN.</p>"


@pytest.fixture
def path(tmp_path: Path) -> Path:
    pages = {"c1.xhtml": PAGE, "imprint.xhtml": MATTER}
    manifest = '<item id="x" href="gone.xhtml" media-type="application/xhtml+xml"/>'
    spine = '<itemref idref="p0"/><itemref idref="p1"/><itemref idref="x"/>'
    toc = [("The Gate", "c1.xhtml"), ("Imprint", "imprint.xhtml")]
    return build_epub(tmp_path / "gate.epub", pages, toc=toc, manifest=manifest, spine=spine)


@pytest.fixture
def book(path: Path) -> Book:
    return read_book(path)


def test_each_silence_has_its_rule_its_text_and_its_place(book: Book) -> None:
    chapter = book.chapters[0]
    told = [(silence.rule, silence.text, silence.before) for silence in chapter.silences if silence.rule != "head"]
    assert told == [
        ("noteref", "1", 1),
        ("pagebreak", "12", 1),
        ("image", "A gate", 2),
        ("invisible", "", 2),
        ("footnotes", "Rain is wet.", 3),
        ("page-list", "Start", 4),
    ]
    blocks = {sentence.block: sentence.text for sentence in chapter.sentences}
    assert blocks == {0: "The Gate", 1: "It rained all day.", 2: "soft", 3: "It stopped."}


def test_a_book_comes_whole_through_the_pipe(book: Book) -> None:
    assert wire.load(wire.dump(book)) == book


def test_a_page_that_cannot_be_read_is_refused_by_name(book: Book) -> None:
    (page,) = book.refused
    assert page.doc == "OEBPS/gone.xhtml" and page.reason == f"{page.doc} is listed in the book but is not in it."


def test_the_ledger_adds_up(book: Book) -> None:
    record = coverage_record(book)
    gate, imprint = record.chapters
    assert spoken(gate) == len("TheGateItrainedallday.softItstopped.")
    assert off(gate) == {
        "footnotes": 10, "image": 5, "page-list": 5, "pagebreak": 2, "noteref": 1, "invisible": 1
    }  # fmt: skip
    assert spoken(imprint) == 0 and off(imprint)["imprint"] == imprint.characters > 30


def test_it_is_printed_with_its_rules_and_first_examples(book: Book) -> None:
    lines = list(coverage_lines(book.title, coverage_record(book)))
    assert lines[0].startswith("“A Small Book”: ") and lines[0].endswith("% of them are read aloud.")
    told = "\n".join(lines)
    assert "  1  The Gate\n" in told and "  2  Imprint  (not read: imprint)" in told
    assert "        10  footnotes      “Rain is wet.”" in told
    assert "the chapter “Imprint”" in told
    assert lines[-1] == "  OEBPS/gone.xhtml is listed in the book but is not in it."


def test_the_command_takes_a_file_an_id_or_a_title(
    book: Book, path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("LECTERN_DATA", str(tmp_path / "data"))
    store = Store(tmp_path / "data" / "store")
    added = datetime(2026, 1, 2, tzinfo=UTC)
    store.put_book(book, source=path, voice="af_heart", engine=ENGINE, bitrate=48_000, added=added)
    answers = []
    for name in (str(path), book.id, "a small BOOK"):
        assert main(["coverage", "--json", name]) == 0
        answers.append(json.loads(capsys.readouterr().out))
    assert answers[0] == answers[1] == answers[2] == json.loads(coverage_record(book).to_json())
    assert main(["coverage", "No Such Book"]) == 4
    assert "There is no book 'No Such Book'" in capsys.readouterr().err
    (store.book_folder(book.id) / "coverage.json").unlink()
    assert main(["coverage", book.id]) == 1
    assert f"lectern coverage PATH/{path.name}" in capsys.readouterr().err
