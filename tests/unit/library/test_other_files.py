"""What people have besides EPUBs: plain text, Markdown, HTML and Word, each read into chapters like a book."""

from pathlib import Path

import pytest

from server.errors import BookRefused
from server.library.encodings import decode_text, is_text
from server.library.headings import heading_of
from server.library.model import Book, Contributor
from server.library.paragraphs import paragraphs_of
from server.library.reader import read_book
from server.library.sandbox import read_book_safely
from server.library.tongue import tongue_of
from tests.documents import build_docx, paragraph
from tests.epubs import build_epub

PROSE = """It was a dark night, and the lamp in the window of the inn had burned for
an hour when the stranger came up the road. He was wet, and he said so at
once, before anybody had asked him any-
thing, which was his _usual way_ of going on.

"Who are you?" said the host.
"""


def write(tmp_path: Path, name: str, text: str | bytes) -> Path:
    path = tmp_path / name
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return path


def titles(book: Book, *, on: bool = True) -> list[str]:
    return [chapter.title for chapter in book.chapters if chapter.enabled or not on]


def spoken(book: Book) -> str:
    return " ".join(" ".join(s.text.split()) for chapter in book.chapters if chapter.enabled for s in chapter.sentences)


class TestPlainText:
    def test_wrapped_lines_are_joined_and_emphasis_is_not_spoken(self, tmp_path: Path) -> None:
        book = read_book(write(tmp_path, "the_inn.txt", PROSE))
        assert book.title == "the inn" and titles(book) == ["the inn"]
        assert "an hour when the stranger came up the road." in spoken(book)
        assert "before anybody had asked him anything, which was his usual way of going on." in spoken(book)
        blocks = {sentence.block for sentence in book.chapters[0].sentences}
        assert len(blocks) == 2

    @pytest.mark.parametrize("heads", [
        ("CHAPTER I", "CHAPTER II", "CHAPTER III"),
        ("Chapter 1 — The Road", "Chapter 2 — The Inn", "Chapter 3 — The Day"),
        ("Chapter One", "Chapter Two", "Chapter Three"),
        ("I.", "II.", "III."),
        ("1", "2", "3"),
        ("PROLOGUE", "CHAPTER 1.", "EPILOGUE"),
        ("Capítulo I", "Capítulo II", "Capítulo III"),
    ])  # fmt: skip
    def test_headings_begin_chapters(self, tmp_path: Path, heads: tuple[str, ...]) -> None:
        text = "\n\n".join(f"{head}\n\n{PROSE}" for head in heads)
        assert titles(read_book(write(tmp_path, "b.txt", text))) == list(heads)

    def test_a_part_and_its_first_chapter_share_a_title_and_a_title_may_stand_below_its_number(
        self, tmp_path: Path
    ) -> None:
        text = f"PART ONE\n\nCHAPTER I.\n\nThe Road\n\n{PROSE}\n\nCHAPTER II\nThe Inn\n\n{PROSE}"
        assert titles(read_book(write(tmp_path, "b.txt", text))) == [
            "PART ONE: CHAPTER I. The Road",
            "CHAPTER II: The Inn",
        ]

    def test_capitals_with_room_above_are_titles_where_nothing_else_is(self, tmp_path: Path) -> None:
        text = f"{PROSE}\n\n\n\nTHE ROAD\n\n\n{PROSE}\n\n\n\nTHE INN\n\n{PROSE}"
        assert titles(read_book(write(tmp_path, "b.txt", text))) == ["b", "THE ROAD", "THE INN"]

    def test_a_sentence_that_begins_like_a_heading_is_none(self, tmp_path: Path) -> None:
        text = f"{PROSE}\nChapter one of his life was over.\n\n{PROSE}\nPart of the road was gone.\n\n{PROSE}"
        assert len(read_book(write(tmp_path, "b.txt", text)).chapters) == 1

    def test_project_gutenberg_texts_know_their_title_and_keep_contents_and_licence_silent(
        self, tmp_path: Path
    ) -> None:
        text = f"""The Project Gutenberg eBook of The Inn

Title: The Inn
       and the Road

Author: Ann Nobody
Translator: Tom Other

Language: English

*** START OF THE PROJECT GUTENBERG EBOOK THE INN ***


THE INN

by Ann Nobody


CONTENTS

 CHAPTER I.     The Road
 CHAPTER II.    The Inn
 CHAPTER III.   The Day


CHAPTER I.
The Road

{PROSE}

CHAPTER II.
The Inn

{PROSE}

    * * *

{PROSE}

CHAPTER III.
The Day

{PROSE}

*** END OF THE PROJECT GUTENBERG EBOOK THE INN ***

Updated editions will replace the previous one.
"""
        book = read_book(write(tmp_path, "pg1.txt", text))
        assert (book.title, book.authors, book.language) == ("The Inn and the Road", ("Ann Nobody",), "en")
        assert book.contributors == (Contributor("Tom Other", "trl"),)
        assert titles(book) == ["CHAPTER I. The Road", "CHAPTER II. The Inn", "CHAPTER III. The Day"]
        assert "Gutenberg" not in spoken(book) and "editions" not in spoken(book)
        assert len(book.chapters[2].breaks) == 1

    @pytest.mark.parametrize("apart", ["\n\n", "\n"])
    def test_contents_one_line_a_paragraph_or_not_are_not_taken_for_chapters(self, tmp_path: Path, apart: str) -> None:
        heads = [f"CHAPTER {number}" for number in ("I", "II", "III", "IV", "V")]
        text = "CONTENTS\n\n" + apart.join(heads) + "\n\n\n" + "\n\n".join(f"{head}\n\n{PROSE}" for head in heads)
        book = read_book(write(tmp_path, "b.txt", text))
        assert titles(book) == heads
        assert book.chapters[0].rule == "toc"

    def test_notes_pictures_and_verse(self, tmp_path: Path) -> None:
        text = (
            f"{PROSE}\nHe sat down.[1] Then he sang:\n\n    The lamp is low,\n    The night is long.\n\n"
            "[Footnote 1: On the bench.]\n\n[Illustration: The inn by night]\n"
        )
        book = read_book(write(tmp_path, "b.txt", text))
        assert "He sat down. Then he sang:" in spoken(book)
        assert "bench" not in spoken(book) and "night]" not in spoken(book)
        assert any(
            s.kind == "verse" and s.text == "The lamp is low,\nThe night is long." for s in book.chapters[0].sentences
        )
        assert {"noteref", "footnotes", "image"} <= set(book.chapters[0].skipped)

    def test_a_first_line_and_a_by_line_name_the_book(self, tmp_path: Path) -> None:
        book = read_book(write(tmp_path, "x.txt", f"THE INN\n\nby Ann Nobody\n\n{PROSE}"))
        assert (book.title, book.authors, book.author_sort) == ("The Inn", ("Ann Nobody",), "Nobody, Ann")

    @pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "cp1252", "utf-32"])
    @pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
    def test_every_encoding_and_line_end(self, tmp_path: Path, encoding: str, end: str) -> None:
        text = "“Café”, said the host — and the stranger agreed.\n\nThey said naïve things.\n".replace("\n", end)
        assert spoken(read_book(write(tmp_path, "b.txt", text.encode(encoding)))).startswith("“Café”, said the host —")

    @pytest.mark.parametrize(
        ("text", "encoding", "language"),
        [
            ("吾輩は猫である。名前はまだ無い。どこで生れたかとんと見当がつかぬ。\n" * 40, "shift_jis", "ja"),
            ("吾輩は猫である。名前はまだ無い。どこで生れたかとんと見当がつかぬ。\n" * 40, "euc_jp", "ja"),
            ("他说这是我的书，不是你的。我们在一起看了一会儿，就走了。\n" * 40, "gb18030", "zh"),
        ],
    )
    def test_eastern_encodings(self, tmp_path: Path, text: str, encoding: str, language: str) -> None:
        book = read_book(write(tmp_path, "b.txt", text.encode(encoding)))
        assert book.language == language and text.split("。")[0] in spoken(book)

    def test_readings_beside_characters_are_not_read_twice(self, tmp_path: Path) -> None:
        text = "吾輩《わがはい》は猫である。［＃ここから２字下げ］｜名前《なまえ》はまだ無い。\n" * 20
        assert "吾輩は猫である。" in spoken(read_book(write(tmp_path, "b.txt", text))) and "わがはい" not in spoken(
            read_book(write(tmp_path, "b.txt", text))
        )


class TestMarkdown:
    TEXT = """---
title: "The Inn"
author:
  - Ann Nobody
  - Bea Else
date: 2020-01-02
lang: en-GB
description: A *short* tale.
---

# The Road

It was *dark*, and the `lamp` burned.[^1] See [[Places|the map]].

- One
- Two

***

<script>alert(1)</script>

# The Inn

Text.

[^1]: Since noon.
"""

    def test_front_matter_headings_lists_notes_and_breaks(self, tmp_path: Path) -> None:
        book = read_book(write(tmp_path, "x.md", self.TEXT))
        assert (book.title, book.authors, book.published) == ("The Inn", ("Ann Nobody", "Bea Else"), "2020-01-02")
        assert book.language == "en-GB" and titles(book) == ["The Road", "The Inn"]
        assert "It was dark, and the lamp burned. See the map." in spoken(book)
        assert "alert" not in spoken(book) and "noon" not in spoken(book)
        assert len(book.chapters[0].breaks) == 1
        assert [s.text for s in book.chapters[0].sentences if s.kind == "list_item"] == ["One", "Two"]

    def test_a_single_heading_above_others_is_the_title(self, tmp_path: Path) -> None:
        book = read_book(write(tmp_path, "x.md", "# The Inn\n\n## One\n\nText one.\n\n## Two\n\nText two.\n"))
        assert book.title == "The Inn" and titles(book) == ["One", "Two"]


class TestWebPage:
    def test_metadata_main_part_and_headings(self, tmp_path: Path) -> None:
        body = "<p>It was a dark night, and the lamp burned in the inn by the road.</p>" * 5
        text = (
            '<!DOCTYPE html><html lang="en-US"><head><title>The Inn | A Site</title>'
            '<meta name="author" content="Ann Nobody">'
            '<meta property="og:description" content="A tale &amp; more"></head><body><header>Home Shop</header>'
            f"<nav>Menu</nav><main><h1>The Inn</h1><h2>One</h2>{body}<h2>Two</h2>{body}</main><footer>Imprint</footer>"
            "<script>x()</script></body></html>"
        )
        book = read_book(write(tmp_path, "page.html", text))
        assert (book.title, book.authors, book.language) == ("The Inn", ("Ann Nobody",), "en-US")
        assert book.description == "A tale & more" and titles(book) == ["One", "Two"]
        assert not any(word in spoken(book) for word in ("Shop", "Menu", "Imprint", "x()"))
        assert {"hidden"} <= {rule for chapter in book.chapters for rule in chapter.skipped}

    def test_headings_by_their_words_where_none_is_marked(self, tmp_path: Path) -> None:
        text = "<html><body><p>CHAPTER I</p><p>Text one.</p><p><b>CHAPTER II</b></p><p>Text two.</p></body></html>"
        assert titles(read_book(write(tmp_path, "x.htm", text))) == ["CHAPTER I", "CHAPTER II"]

    def test_a_page_that_is_called_txt_is_read_as_a_page(self, tmp_path: Path) -> None:
        book = read_book(write(tmp_path, "x.txt", "<!DOCTYPE html><html><body><p>Just text.</p></body></html>"))
        assert spoken(book) == "Just text."


class TestWord:
    def test_styles_notes_and_properties(self, tmp_path: Path) -> None:
        path = build_docx(
            tmp_path / "draft_3.docx",
            [
                paragraph("The Inn", "Title"),
                paragraph("One", "Heading1"),
                paragraph("It was dark.", note=2),
                paragraph("Two", "berschrift1"),
                paragraph("It was light & fine."),
            ],
            notes={2: "Since noon."},
            properties="<dc:title>Microsoft Word - draft</dc:title><dc:creator>Ann Nobody</dc:creator>",
        )
        book = read_book(path)
        assert (book.title, book.authors) == ("draft 3", ("Ann Nobody",))
        assert titles(book)[-1] == "Two" and titles(book)[0].endswith("One")
        assert "It was dark." in spoken(book) and "light & fine" in spoken(book) and "noon" not in spoken(book)
        assert any("note" in rule for chapter in book.chapters for rule in chapter.skipped)

    def test_chapters_by_their_words_where_no_style_is_used(self, tmp_path: Path) -> None:
        texts = ["Chapter 1", "It was dark.", "Chapter 2", "It was light."]
        path = build_docx(tmp_path / "x.docx", [paragraph(text) for text in texts])
        assert titles(read_book(path)) == ["Chapter 1", "Chapter 2"]

    def test_one_with_entities_is_refused_and_a_damaged_one_says_so(self, tmp_path: Path) -> None:
        bomb = '<!DOCTYPE x [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;">]><w:document>&b;</w:document>'
        for number, data in enumerate([bomb, "<w:document"]):
            path = build_docx(tmp_path / f"{number}.docx", [], files={"word/document.xml": data})
            with pytest.raises(BookRefused) as caught:
                read_book_safely(path)
            assert caught.value.kind == "damaged" and path.name in str(caught.value)

    def test_one_without_text_holds_nothing(self, tmp_path: Path) -> None:
        with pytest.raises(BookRefused) as caught:
            read_book(build_docx(tmp_path / "x.docx", [paragraph("")]))
        assert caught.value.kind == "nothing-to-read"

    def test_a_word_document_and_an_epub_are_known_by_what_is_in_them(self, tmp_path: Path) -> None:
        word = build_docx(tmp_path / "a.epub", [paragraph("It was dark.")])
        book = build_epub(tmp_path / "b.docx", {"one.xhtml": "<p>She lit the lamp.</p>"})
        assert spoken(read_book(word)) == "It was dark." and spoken(read_book(book)) == "She lit the lamp."


@pytest.mark.parametrize(
    ("name", "data", "kind", "says"),
    [
        ("b.txt", b"", "empty", "0 bytes"),
        ("b.txt", b" \n\n  ", "nothing-to-read", "no text"),
        ("b.txt", bytes(range(256)) * 8, "not-epub", "no text"),
        ("b.md", b"\x7fELF\x01\x02\x00\x00 program", "not-epub", "no text"),
        ("b.html", b"%PDF-1.7", "not-epub", "PDF"),
        ("b.txt", b"\xff\xd8\xff\xe0", "not-epub", "JPEG"),
        ("b.html", b"<html><body><img src='x.png'></body></html>", "nothing-to-read", "pictures"),
        ("b.docx", b"Only words.", "not-epub", "plain text with the name of a Word document"),
        ("b.docx", b"\xd0\xcf\x11\xe0" + bytes(600), "drm", "password"),
        ("b.docx", b"PK\x03\x04" + bytes(600), "damaged", "cut short"),
        ("b.doc", b"\xd0\xcf\x11\xe0" + bytes(600), "not-epub", ".docx"),
        ("b.rtf", b"{\\rtf1 words}", "not-epub", ".docx"),
        ("b.fb2", b"<?xml version='1.0'?><FictionBook/>", "not-epub", "calibre"),
        ("b.azw3", bytes(60) + b"BOOKMOBI" + bytes(700), "not-epub", "calibre"),
        (
            "b.azw3",
            bytes(60) + b"BOOKMOBI" + bytes(10) + b"\0\0\0\x60" + bytes(26) + b"\0\2" + bytes(99),
            "drm",
            "Amazon",
        ),
        ("b.kfx", b"\xeaDRMION\xee" + bytes(99), "drm", "Amazon"),
        ("b.acsm", b"<fulfillmentToken xmlns='http://ns.adobe.com/adept'/>", "not-epub", "ticket"),
    ],
)
def test_what_is_refused_says_what_it_is_and_the_way_out(
    tmp_path: Path, name: str, data: bytes, kind: str, says: str
) -> None:
    with pytest.raises(BookRefused) as caught:
        read_book(write(tmp_path, name, data))
    message = str(caught.value)
    assert caught.value.kind == kind and says in message
    assert message.startswith(name) and message.endswith(".") and "\n" not in message


def test_a_file_of_a_size_that_no_text_has_is_refused(tmp_path: Path) -> None:
    with pytest.raises(BookRefused) as caught:
        read_book(write(tmp_path, "log.txt", b"line of a log\n" * 2_000_000))
    assert caught.value.kind == "too-large"


def test_a_text_in_a_language_that_nothing_reads_is_known_by_its_words(tmp_path: Path) -> None:
    german = "Es war dunkel, und die Lampe brannte in dem Fenster, als der Fremde auf der Straße zu ihr kam. " * 10
    assert read_book(write(tmp_path, "b.txt", german)).language == "de"
    assert tongue_of("Elle était dans la rue, et il ne savait pas que les gens du village étaient là. " * 9) == "fr"
    assert tongue_of("The lamp was in the window, and he was on the road to the inn that was his. " * 9) == "en"
    assert tongue_of("Ok") == "en"


def test_who_a_book_is_does_not_hang_on_its_name(tmp_path: Path) -> None:
    first, second = write(tmp_path, "a.txt", PROSE), write(tmp_path, "b.txt", PROSE)
    assert read_book(first).id == read_book(second).id
    sentences = [[s.id for s in read_book(path).chapters[0].sentences] for path in (first, second)]
    assert sentences[0] == sentences[1]


def test_paragraphs_one_a_line_by_indents_and_by_empty_lines() -> None:
    long = "A line that is longer than anybody would wrap by hand, since the editor wraps by itself. " * 2
    assert len(paragraphs_of(f"{long}\nShort.\n{long}\n")) == 3
    indented = "  It was late when the\nstranger came up.\n  He said nothing at\nall to us there.\n" * 8
    assert len(paragraphs_of(indented)) == 16
    assert len(paragraphs_of("a b\nc d\n\ne f\ng h\n")) == 2
    assert paragraphs_of("  \n\n") == []


def test_headings_are_lines_that_say_so() -> None:
    for line in (
        "CHAPTER I",
        "Chapter 12: The End",
        "PART TWO",
        "THE SECOND PART",
        "Chapitre premier",
        "第三章",
        "Epilogue",
    ):
        assert heading_of(line), line
    for line in ("Chapter 1 was dull.", "Part of it", "Introduction to the art", "I", "Book I did not read", "x" * 200):
        assert heading_of(line) is None, line


def test_text_is_told_from_other_bytes() -> None:
    assert is_text("é".encode("cp1252")) and is_text("long text".encode("utf-16-le")) and is_text(b"a\x1a")
    assert not is_text(b"\x7fELF\x02\x01") and not is_text(b"\x00\x00\x00\x20ftypisom")
    assert decode_text(b"a\xff" + b"\xc3\xa9" * 200)[0].startswith("a\ufffd")
