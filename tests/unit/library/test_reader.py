"""Whole files into books: where things are found, which chapters come of them, what stays off."""

import time
import zipfile
from pathlib import Path

import pytest

from server.errors import BookRefused
from server.library.identity import book_id
from server.library.model import Book
from server.library.reader import read_book
from tests.epubs import CONTAINER, build_epub, ncx, page

THREE = {
    "c1.xhtml": "<h1>One</h1><p>First text.</p>",
    "c2.xhtml": "<h1>Two</h1><p>Second text.</p>",
    "c3.xhtml": "<h1>Three</h1><p>Third text.</p>",
}
TOC = [("One", "c1.xhtml"), ("Two", "c2.xhtml"), ("Three", "c3.xhtml")]


def titles(book: Book) -> list[str]:
    return [chapter.title for chapter in book.chapters]


def text(book: Book) -> str:
    return " ".join(sentence.text for chapter in book.chapters for sentence in chapter.sentences)


@pytest.mark.parametrize("version", ["2.0", "3.0"])
def test_a_plain_book_has_its_chapters_and_metadata(tmp_path: Path, version: str) -> None:
    metadata = (
        '<dc:title id="t2">A Tale</dc:title><meta refines="#t2" property="title-type">subtitle</meta>'
        '<dc:creator id="c1">Ann Hale</dc:creator><dc:creator id="c2" opf:role="ill">B. Draw</dc:creator>'
    )
    book = read_book(build_epub(tmp_path / "b.epub", THREE, toc=TOC, metadata=metadata, version=version))
    assert titles(book) == ["One", "Two", "Three"]
    assert [chapter.number for chapter in book.chapters] == [1, 2, 3]
    assert all(chapter.enabled and chapter.rule is None for chapter in book.chapters)
    assert (book.title, book.subtitle, book.authors, book.language) == ("A Small Book", "A Tale", ("Ann Hale",), "en")
    assert book.identifiers == ("urn:isbn:9780000000000",)
    assert book.id == book_id(tmp_path / "b.epub") and len(book.id) == 16
    assert text(book) == "One First text. Two Second text. Three Third text."
    first = book.chapters[0].sentences[1]
    assert (first.doc, first.path, first.block, first.kind) == ("OEBPS/c1.xhtml", "/html/body/p[1]", 1, "paragraph")
    assert first.text == "First text." and (first.char_start, first.char_end) == (0, 11)


def test_anchors_inside_one_file_are_chapters_and_text_comes_once(tmp_path: Path) -> None:
    body = "".join(f'<h2 id="c{n}">Part {n}</h2><p>Text {n}.</p>' for n in (1, 2, 3))
    toc = [(f"Part {n}", f"a.xhtml#c{n}") for n in (1, 3, 2)]
    book = read_book(build_epub(tmp_path / "b.epub", {"a.xhtml": body}, toc=toc, version="2.0"))
    assert titles(book) == ["Part 1", "Part 2", "Part 3"]
    assert text(book) == "Part 1 Text 1. Part 2 Text 2. Part 3 Text 3."


def test_a_chapter_goes_on_over_files_that_no_entry_leads_to(tmp_path: Path) -> None:
    pages = {"a.xhtml": "<h1>One</h1>" + "<p>Long text.</p>" * 40, "a2.xhtml": "<p>More of it.</p>", **THREE}
    book = read_book(build_epub(tmp_path / "b.epub", pages, toc=[("One", "a.xhtml"), ("Two", "c2.xhtml")]))
    assert titles(book) == ["One", "One", "Two", "Three"]  # c1 and c3 open with headings of their own
    assert book.chapters[0].sentences[-1].text == "More of it."


def test_order_is_the_spine_and_titles_are_the_books_own(tmp_path: Path) -> None:
    pages = {"c3.xhtml": "<h1>03</h1><p>c</p>", "c1.xhtml": "<h1>01</h1><p>a</p>", "c2.xhtml": "<h1>02</h1><p>b</p>"}
    spine = '<itemref idref="p1"/><itemref idref="p2"/><itemref idref="p0"/>'
    book = read_book(build_epub(tmp_path / "b.epub", pages, spine=spine))
    assert titles(book) == ["01", "02", "03"]


def test_headings_make_chapters_of_a_long_file_without_contents(tmp_path: Path) -> None:
    body = "<h1>The Book</h1>" + "".join(f"<h2>Chapter {n}</h2>" + "<p>Some words here.</p>" * 900 for n in range(1, 5))
    book = read_book(build_epub(tmp_path / "b.epub", {"all.xhtml": body}))
    assert [title for title in titles(book) if title.startswith("Chapter")] == [
        f"Chapter {n}" for n in range(1, 5)
    ] or (titles(book) == ["The Book: Chapter 1", "Chapter 2", "Chapter 3", "Chapter 4"])


def test_paths_are_found_however_they_are_written(tmp_path: Path) -> None:
    pages = {
        "Chapter%201.xhtml": "",
        "../Text/c2.xhtml": "",
        "Text\\c3.xhtml": "",
        "C4.XHTML": "",
        "a+b.xhtml": "",
    }
    real = ["OEBPS/Chapter 1.xhtml", "Text/c2.xhtml", "OEBPS\\Text\\c3.xhtml", "oebps/c4.xhtml", "OEBPS/a+b.xhtml"]
    files: dict[str, str | bytes] = {name: page(f"<p>Text {n}.</p>") for n, name in enumerate(real, 1)}
    path = build_epub(tmp_path / "b.epub", {}, files={})
    items = "".join(
        f'<item id="q{n}" href="{name}" media-type="application/xhtml+xml"/>' for n, name in enumerate(pages)
    )
    spine = "".join(f'<itemref idref="q{n}"/>' for n in range(len(pages)))
    book = read_book(build_epub(path, {}, manifest=items, spine=spine, files=files))
    assert text(book) == "Text 1. Text 2. Text 3. Text 4. Text 5."


def test_missing_files_cost_a_warning_and_not_the_book(tmp_path: Path) -> None:
    manifest = (
        '<item id="css" href="gone.css" media-type="text/css"/><item id="x" href="gone.xhtml" '
        'media-type="application/xhtml+xml"/><item href="nameless.png" media-type="image/png"/>'
    )
    spine = (
        '<itemref idref="p0"/><itemref idref="x"/><itemref idref="unknown"/><itemref idref="p0"/><itemref idref="p1"/>'
    )
    book = read_book(build_epub(tmp_path / "b.epub", THREE, toc=TOC, manifest=manifest, spine=spine))
    assert text(book) == "One First text. Two Second text."
    assert any("gone.xhtml" in warning for warning in book.warnings)
    assert any("unknown" in warning for warning in book.warnings)


def test_front_and_back_matter_is_off_and_names_its_rule(tmp_path: Path) -> None:
    pages = {
        "t.xhtml": '<section epub:type="titlepage"><h1>A Small Book</h1><p>by A. Nobody</p></section>',
        "r.xhtml": "<p>Copyright © 2020 A. Nobody. All rights reserved. ISBN 978-0-00-000000-0.</p>",
        "n.xhtml": "<h1>Contents</h1>" + "".join(f'<p><a href="c1.xhtml">Chapter {n} of it</a></p>' for n in range(9)),
        **THREE,
        "e.xhtml": '<section epub:type="endnotes"><h1>Notes</h1><p>A note.</p></section>',
        "g.xhtml": "<h1>THE FULL PROJECT GUTENBERG LICENSE</h1><p>Please read.</p>",
        "x.xhtml": "<h1>Word List</h1><p>boat, 4</p>",
    }
    guide = '<reference type="index" title="Word List" href="x.xhtml"/>'
    toc = [*TOC, ("Notes", "e.xhtml"), ("THE FULL PROJECT GUTENBERG LICENSE", "g.xhtml"), ("Word List", "x.xhtml")]
    book = read_book(build_epub(tmp_path / "b.epub", pages, toc=toc, guide=guide))
    rules = [chapter.rule for chapter in book.chapters]
    assert rules == ["title-page", "copyright", "toc", None, None, None, "endnotes", "pg-licence", "index"]
    assert [chapter.enabled for chapter in book.chapters] == [rule is None for rule in rules]


def test_contents_printed_above_the_first_chapter_are_off(tmp_path: Path) -> None:
    body = '<h1>A Small Book</h1><h2>CONTENTS.</h2><p>I. Morning, 1</p><h2 id="c1">I</h2><p>Text.</p>'
    book = read_book(build_epub(tmp_path / "b.epub", {"a.xhtml": body}, toc=[("I", "a.xhtml#c1")]))
    assert [(c.title, c.rule) for c in book.chapters] == [("A Small Book", None), ("CONTENTS.", "toc"), ("I", None)]


def test_notes_within_a_chapter_are_skipped_by_rule(tmp_path: Path) -> None:
    body = (
        '<h1>One</h1><p>Text.<a epub:type="noteref" href="#n">1</a></p><aside epub:type="footnote" id="n">Note.</aside>'
    )
    book = read_book(build_epub(tmp_path / "b.epub", {"a.xhtml": body}, toc=[("One", "a.xhtml")]))
    assert text(book) == "One Text."
    assert book.chapters[0].skipped["footnotes"] == 5 and book.chapters[0].skipped["noteref"] == 1


def test_gutenberg_boilerplate_is_known_by_its_wording(tmp_path: Path) -> None:
    body = (
        "<p>The Project Gutenberg eBook of X</p><p>*** START OF THE PROJECT GUTENBERG EBOOK X ***</p>"
        + "<h2>I</h2><p>Story.</p>" * 40
        + "<p>*** END OF THE PROJECT GUTENBERG EBOOK X ***</p><p>Licence.</p>"
    )
    book = read_book(build_epub(tmp_path / "b.epub", {"a.xhtml": body}, toc=[("X", "a.xhtml")]))
    assert "Gutenberg" not in text(book) and "Licence" not in text(book) and "Story." in text(book)
    assert book.chapters[0].skipped["pg-licence"] > 80


def test_aside_documents_are_off_and_one_click_from_on(tmp_path: Path) -> None:
    spine = '<itemref idref="p0"/><itemref idref="p1" linear="no"/><itemref idref="p2"/>'
    book = read_book(build_epub(tmp_path / "b.epub", THREE, toc=TOC, spine=spine))
    assert [(c.title, c.rule) for c in book.chapters] == [("One", None), ("Two", "non-linear"), ("Three", None)]


def test_a_book_of_nothing_but_small_print_is_read(tmp_path: Path) -> None:
    book = read_book(build_epub(tmp_path / "b.epub", {"t.xhtml": '<nav epub:type="toc"><a href="#">Word</a></nav>'}))
    assert [chapter.enabled for chapter in book.chapters] == [True] and text(book) == "Word"


def test_page_lists_and_landmarks_are_no_chapters(tmp_path: Path) -> None:
    extra = (
        '<nav epub:type="page-list"><ol><li><a href="c1.xhtml">1</a></li></ol></nav>'
        '<nav epub:type="landmarks"><ol><li><a epub:type="bodymatter" href="c2.xhtml">Start</a></li></ol></nav>'
    )
    book = read_book(build_epub(tmp_path / "b.epub", THREE, toc=TOC, nav_extra=extra))
    assert titles(book) == ["One", "Two", "Three"]


def test_contents_that_lead_to_one_small_page_are_not_believed(tmp_path: Path) -> None:
    front = "".join(f'<p id="w{n}">Word{n}</p>' for n in range(5))
    pages = {"t.xhtml": front, **{name: body + "<p>More and more text.</p>" * 30 for name, body in THREE.items()}}
    toc = [(f"Word{n}", f"t.xhtml#w{n}") for n in range(5)]
    book = read_book(build_epub(tmp_path / "b.epub", pages, toc=toc))
    assert titles(book)[-3:] == ["One", "Two", "Three"]


def test_tag_soup_and_wrong_encodings_are_read(tmp_path: Path) -> None:
    soup: dict[str, str | bytes] = {
        "OEBPS/c1.xhtml": b"<html><head><meta charset=windows-1252><title/></head><body><p>It\x92s & so<p>on</body>",
        "OEBPS/c2.xhtml": "<html><head><title>x</title><body><p>Inside.</p></body></head></html>",
        "OEBPS/c3.xhtml": page("<p>Sixteen&nbsp;bits &eacute; &foo;.</p>").encode("utf-16"),
    }
    book = read_book(build_epub(tmp_path / "b.epub", THREE, files=soup))
    assert text(book) == "It’s & so on Inside. Sixteen\u00a0bits é &foo;."


def test_a_folder_is_read_like_a_file_and_junk_in_it_does_not_count(tmp_path: Path) -> None:
    with zipfile.ZipFile(build_epub(tmp_path / "b.epub", THREE, toc=TOC)) as source:
        source.extractall(tmp_path / "Tale.epub")
    book = read_book(tmp_path / "Tale.epub")
    (tmp_path / "Tale.epub" / ".DS_Store").write_bytes(b"junk")
    assert titles(book) == ["One", "Two", "Three"]
    assert read_book(tmp_path / "Tale.epub").id == book.id


def test_identity_is_the_bytes_and_not_the_name(tmp_path: Path) -> None:
    first = build_epub(tmp_path / "a.epub", THREE, toc=TOC)
    second = tmp_path / "renamed.epub"
    second.write_bytes(first.read_bytes())
    assert book_id(first) == book_id(second)
    assert book_id(build_epub(tmp_path / "c.epub", THREE, toc=TOC, title="Other")) != book_id(first)


def test_titles_fall_back_to_the_file_name(tmp_path: Path) -> None:
    assert read_book(build_epub(tmp_path / "The_Old_House.epub", THREE, title="")).title == "The Old House"


def test_another_language_is_a_warning(tmp_path: Path) -> None:
    book = read_book(build_epub(tmp_path / "b.epub", THREE, toc=TOC, language="fr"))
    assert book.language == "fr" and book.warnings[0].startswith("Read in French: sentences")


def test_package_is_found_without_container(tmp_path: Path) -> None:
    files: dict[str, str | bytes] = {"META-INF/container.xml": CONTAINER.format(path="nowhere.opf")}
    book = read_book(build_epub(tmp_path / "b.epub", THREE, toc=TOC, files=files))
    assert titles(book) == ["One", "Two", "Three"] and book.warnings


def test_ncx_serves_where_the_nav_has_no_contents(tmp_path: Path) -> None:
    manifest = '<item id="n" href="toc.ncx" media-type="application/x-dtbncx+xml"/>'
    files: dict[str, str | bytes] = {"OEBPS/toc.ncx": ncx([("Eins", "c1.xhtml"), ("Zwei", "c2.xhtml")])}
    book = read_book(build_epub(tmp_path / "b.epub", THREE, toc=[], manifest=manifest, files=files))
    assert titles(book)[:2] == ["Eins", "Zwei"]


def test_a_long_novel_is_read_in_a_few_seconds(tmp_path: Path) -> None:
    paragraph = (
        "<p>“It is late,” said Mr. Hale. She rose, and the <i>lamp</i> went out. Nobody spoke for a while.</p>\n"
    )
    pages = {f"c{n}.xhtml": f"<h2>Chapter {n}</h2>" + paragraph * 250 for n in range(40)}
    path = build_epub(tmp_path / "b.epub", pages, toc=[(f"Chapter {n}", f"c{n}.xhtml") for n in range(40)])
    start = time.process_time()
    book = read_book(path)
    assert sum(len(s.text) for c in book.chapters for s in c.sentences) > 850_000
    assert time.process_time() - start < 8


def test_nothing_outside_the_file_is_read(tmp_path: Path) -> None:
    secret = tmp_path / "secret.xhtml"
    secret.write_text(page("<p>SECRET</p>"))
    for href in (secret.as_uri(), str(secret), f"../../../../../..{secret}", "%2e%2e/%2e%2e/secret.xhtml"):
        manifest = f'<item id="s" href="{href}" media-type="application/xhtml+xml"/>'
        spine = '<itemref idref="p0"/><itemref idref="s"/>'
        book = read_book(build_epub(tmp_path / "b.epub", THREE, manifest=manifest, spine=spine))
        assert "SECRET" not in text(book)
    entity = f'<!DOCTYPE html [<!ENTITY x SYSTEM "{secret.as_uri()}">]><html><body><p>a&x;b</p></body></html>'
    assert text(read_book(build_epub(tmp_path / "e.epub", {"a.xhtml": entity}))) == "ab"


def test_names_of_characters_without_an_end_are_taken_as_browsers_do(tmp_path: Path) -> None:
    body = "<p>&copy 1900, Smith &amp Sons, AT&T, R&D; caf&eacute; au lait&hellip, a&b=1&copy=2.</p>"
    book = read_book(build_epub(tmp_path / "b.epub", {"a.xhtml": body}))
    assert text(book) == "© 1900, Smith & Sons, AT&T, R&D; café au lait&hellip, a&b=1&copy=2."


def test_no_text_is_a_refusal(tmp_path: Path) -> None:
    with pytest.raises(BookRefused, match="only pictures") as refused:
        read_book(build_epub(tmp_path / "b.epub", {"a.xhtml": '<img src="x.png" alt=""/>'}))
    assert refused.value.kind == "nothing-to-read"
