"""Foot- and endnotes by choice: silent, behind the block that refers to them, or at the end of its chapter."""

from collections import Counter
from pathlib import Path

import pytest

from server.library.model import Book, Notes
from server.library.reader import read_book
from server.library.sandbox import read_book_safely
from tests.epubs import build_epub

REF = '<a epub:type="noteref" href="{0}" id="r{1}">{1}</a>'
ENDNOTES = """<section epub:type="endnotes"><h2>Endnotes</h2><ol>
<li id="n1"><p>First note. <a epub:type="backlink" href="a.xhtml#r1">↩</a></p></li>
<li id="n2"><p>Second note.</p><p>It goes on.</p><blockquote><p>And quotes.</p></blockquote></li>
<li id="n3"><p>Nobody's note.</p></li></ol></section>"""


def read(tmp_path: Path, pages: dict[str, str], notes: Notes, toc: list[tuple[str, str]] | None = None) -> Book:
    toc = toc if toc is not None else [(name[0].upper(), name) for name in pages]
    return read_book(build_epub(tmp_path / "b.epub", pages, toc=toc), notes=notes)


def told(book: Book) -> dict[str, list[str]]:
    """Title → what is read of the chapters that are on, by blocks."""
    found: dict[str, list[str]] = {}
    for chapter in book.chapters:
        blocks: dict[int, list[str]] = {}
        for sentence in chapter.sentences:
            blocks.setdefault(sentence.block, []).append(sentence.text)
        if chapter.enabled:
            found[chapter.title] = [" ".join(texts) for texts in blocks.values()]
    return found


def ledger(book: Book) -> int:
    """Characters that are spoken or counted as silent."""
    return sum(sum(c.skipped.values()) + c.characters for c in book.chapters)


def test_endnotes_of_another_page_are_read_where_they_are_referred_to(tmp_path: Path) -> None:
    first = f"<h1>A</h1><p>One{REF.format('n.xhtml#n2', 2)} two. Three.</p><p>Four{REF.format('n.xhtml#n1', 1)}.</p>"
    pages = {"a.xhtml": first, "b.xhtml": "<h1>B</h1><p>Five.</p>", "n.xhtml": ENDNOTES}
    skipped = read(tmp_path, pages, "skipped")
    inline = read(tmp_path, pages, "inline")
    end = read(tmp_path, pages, "end")
    second = ["Second note.", "It goes on.", "And quotes."]
    assert told(skipped) == {"A": ["A", "One two. Three.", "Four."], "B": ["B", "Five."]}
    assert told(inline) == {"A": ["A", "One two. Three.", *second, "Four.", "First note."], "B": ["B", "Five."]}
    assert told(end) == {"A": ["A", "One two. Three.", "Four.", *second, "First note."], "B": ["B", "Five."]}
    assert ledger(skipped) == ledger(inline) == ledger(end)
    kinds = {s.text: s.kind for s in inline.chapters[0].sentences}
    assert kinds["It goes on."] == kinds["First note."] == "note" and kinds["And quotes."] == "quotation"
    (left,) = [chapter for chapter in inline.chapters if not chapter.enabled]
    assert [s.text for s in left.sentences] == ["Endnotes", "Nobody's note."] and left.rule == "endnotes"
    assert inline.chapters[0].skipped["backlink"] == 1


MARK = '<sup><a href="#{0}" id="b{0}">{1}</a></sup>'


@pytest.mark.parametrize(
    ("body", "spoken"),
    [
        (  # an inset at the end of the page, hidden until its mark is touched
            f"<p>One{REF.format('#n', 1)}.</p><p>Two.</p><aside epub:type='footnote' id='n' hidden=''>1. Note.</aside>",
            ["One.", "Note.", "Two."],
        ),
        (  # Project Gutenberg's way
            '<p>One<a id="FNanchor_1"></a><a href="#Footnote_1" class="fnanchor">[1]</a>.</p><p>Two.</p>'
            '<div class="footnotes"><h3>FOOTNOTES:</h3><div class="footnote"><p><a id="Footnote_1"></a>'
            '<a href="#FNanchor_1"><span class="label">[1]</span></a> Note.</p><p>More.</p></div></div>',
            ["One.", "Note.", "More.", "Two."],
        ),
        (  # untyped, and leading back
            f"<p>One{MARK.format('f1', 1)}.</p><p>Two.</p><p id='f1'><a href='#bf1'>1</a> Note.</p>",
            ["One.", "Note.", "Two."],
        ),
        (  # untyped, with an arrow back
            f"<p>One{MARK.format('f1', 1)}.</p><p>Two.</p><p id='f1'>Note. <a href='#bf1'>↩</a></p>",
            ["One.", "Note.", "Two."],
        ),
        (  # untyped, and leading nowhere: not to be told from the text
            f"<p>One{MARK.format('f1', 1)}.</p><p>Two.</p><p id='f1'>1 Note.</p>",
            ["One.", "Two.", "1 Note."],
        ),
        (  # a definition list, the mark in a block of its own
            f"<p>One{MARK.format('f1', 1)}.</p><p>Two.</p><dl class='footnotes'>"
            "<dt id='f1'>[1]</dt><dd>Note.</dd></dl>",
            ["One.", "Note.", "Two."],
        ),
        (  # paragraphs that have the id of their first
            f"<p>One{MARK.format('f1', '*')}.</p><p>Two{MARK.format('f2', '†')}.</p><section epub:type='footnotes'>"
            "<p id='f1'>* Note.</p><p>More.</p><p id='f2'>† Other.</p></section>",
            ["One.", "Note.", "More.", "Two.", "Other."],
        ),
        (  # a note that refers to a note, and to itself
            f"<p>One{REF.format('#n', 1)}.</p><p>Two.</p>"
            f"<aside epub:type='footnote' id='n'>Note{REF.format('#m', 2)}.</aside>"
            f"<aside epub:type='footnote' id='m'>Inner{REF.format('#n', 3)}.</aside>",
            ["One.", "Note.", "Inner.", "Two."],
        ),
        (  # twice referred to
            f"<p>One{REF.format('#n', 1)}.</p><p>Two{REF.format('#n', 1)}.</p>"
            "<aside epub:type='footnote' id='n'>Note.</aside>",
            ["One.", "Note.", "Two."],
        ),
        (  # paragraphs parted by breaks only
            f"<div>One{REF.format('#n', 1)}.<br/><br/>Two{REF.format('#m', 2)}.<br/><br/>Three.</div>"
            "<aside epub:type='footnote' id='n'>Note.</aside><aside epub:type='footnote' id='m'>Other.</aside>",
            ["One.", "Note.", "Two.", "Other.", "Three."],
        ),
        (  # a mark that is words of the sentence
            "<p>As <a epub:type='noteref' href='#n'>this note</a> says.</p>"
            "<aside epub:type='footnote' id='n'>Note.</aside>",
            ["As this note says.", "Note."],
        ),
        (  # a mark to all notes at once is none to any
            f"<p>One{REF.format('#all', 1)}.</p>"
            "<section epub:type='endnotes' id='all'><h2>Notes</h2><p>Note.</p></section>",
            ["One."],
        ),
        (  # a cross-reference that looks like a mark, to a chapter and to a paragraph of the story
            "<p>See <a href='#n2'>[2]</a> and <a href='#p3'>[3]</a>.</p><h3 id='n2'>Two</h3><p id='p3'>Three.</p>",
            ["See and.", "Two", "Three."],
        ),
    ],
)
def test_shapes_of_notes(tmp_path: Path, body: str, spoken: list[str]) -> None:
    pages = {"a.xhtml": f"<h1>A</h1>{body}"}
    inline = read(tmp_path, pages, "inline")
    assert told(inline)["A"][1:] == spoken
    assert ledger(inline) == ledger(read(tmp_path, pages, "end")) == ledger(read(tmp_path, pages, "skipped"))


def test_a_note_s_own_number_is_silent_by_its_rule(tmp_path: Path) -> None:
    notes = {
        "1 Eins.": "Eins.",
        "[2] Zwei.": "Zwei.",
        "3. Drei.": "Drei.",
        "4th of May.": "4th of May.",
        "9 Lives.": "9 Lives.",
    }
    body = "".join(f"<p>x{REF.format(f'#n{n}', n)}</p>" for n in range(1, 6))
    body += "".join(f"<aside epub:type='footnote' id='n{n}'>{text}</aside>" for n, text in enumerate(notes, start=1))
    book = read(tmp_path, {"a.xhtml": body}, "end")
    assert told(book)["A"][5:] == list(notes.values())
    marks = [(s.text, s.characters) for c in book.chapters for s in c.silences if s.rule == "note-mark"]
    assert marks == [("1", 1), ("[2]", 3), ("3.", 2)]


def test_the_first_chapter_that_is_read_has_the_note(tmp_path: Path) -> None:
    imprint = f"<h1>Imprint</h1><p>All rights reserved{REF.format('n.xhtml#n1', 1)}. Copyright. ISBN.</p>"
    pages = {
        "i.xhtml": imprint,
        "a.xhtml": f"<h1>A</h1><p>One{REF.format('n.xhtml#n1', 1)}.</p>",
        "b.xhtml": f"<h1>B</h1><p>Two{REF.format('n.xhtml#n1', 1)}.</p>",
        "n.xhtml": ENDNOTES,
    }
    toc = [("Imprint", "i.xhtml"), ("A", "a.xhtml"), ("B", "b.xhtml"), ("Endnotes", "n.xhtml")]
    assert told(read(tmp_path, pages, "end", toc)) == {"A": ["A", "One.", "First note."], "B": ["B", "Two."]}


def test_a_note_that_has_a_page_to_itself(tmp_path: Path) -> None:
    pages = {
        "a.xhtml": f"<h1>A</h1><p>One{REF.format('f.xhtml', 1)}.</p><p>Two.</p>",
        "f.xhtml": "<div epub:type='footnote'><p>Note.</p></div>",
    }
    assert told(read(tmp_path, pages, "inline", [("A", "a.xhtml")]))["A"] == ["A", "One.", "Note.", "Two."]


def test_a_note_keeps_its_source_and_goes_through_the_pipe(tmp_path: Path) -> None:
    pages = {"a.xhtml": f"<h1>A</h1><p>One{REF.format('n.xhtml#n1', 1)}.</p>", "n.xhtml": ENDNOTES}
    book = read(tmp_path, pages, "inline")
    note = book.chapters[0].sentences[-1]
    assert (note.doc, note.path, note.kind) == ("OEBPS/n.xhtml", "/html/body/section[1]/ol[1]/li[1]/p[1]", "note")
    assert read_book_safely(tmp_path / "b.epub", notes="inline") == book


@pytest.mark.corpus
@pytest.mark.parametrize(
    ("file", "notes"),
    [
        ("books/se_marcus-aurelius_meditations_george-long.epub", 122),
        ("books/se_jonathan-swift_gullivers-travels.epub", 7),
        ("idpf/georgia-cfi.epub", 15),
        ("idpf/wasteland.epub", 50),
        ("idpf/moby-dick.epub", 1),
        ("books/d_pg_jack-sheppard_single-file.epub", 1),
    ],
)
def test_notes_of_handed_books(shared: Path, file: str, notes: int) -> None:
    path = shared / "corpus" / file
    skipped = read_book(path)
    every = Counter(s.text for c in skipped.chapters for s in c.sentences if c.enabled)
    for way in ("inline", "end"):
        book = read_book(path, notes=way)
        assert ledger(book) == ledger(skipped)
        moved = [s for c in book.chapters for s in c.sentences if s.kind == "note"]
        assert len({(s.doc, s.path) for s in moved}) >= notes
        rest = Counter(s.text for c in book.chapters for s in c.sentences if c.enabled and s.kind != "note")
        assert rest >= every


def test_notes_that_refer_to_notes_are_followed_however_many(tmp_path: Path) -> None:
    count = 2_500
    notes = "".join(
        f'<aside epub:type="footnote" id="n{i}"><p>Note {i}{REF.format(f"#n{i + 1}", i + 1)}.</p></aside>'
        for i in range(count)
    )
    book = read(tmp_path, {"a.xhtml": f"<p>One{REF.format('#n0', 0)}.</p><p>Two.</p>{notes}"}, "here")
    texts = [sentence.text for chapter in book.chapters for sentence in chapter.sentences]
    assert texts[0] == "One." and texts[-1] == "Two." and len(texts) == count + 2
