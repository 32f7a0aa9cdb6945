"""Texts that are no EPUB: what of them was lost once, or was heard and is not the text."""

from pathlib import Path

import pytest

from server.errors import BookRefused
from server.library.encodings import encoding_of, is_text
from server.library.markup import parse_document
from server.library.model import Book
from server.library.reader import read_book
from tests.documents import build_docx, paragraph

LINE = "The lamp burned in the window, and the stranger came up the road."


def read(tmp_path: Path, name: str, text: str | bytes) -> Book:
    path = tmp_path / name
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return read_book(path)


def spoken(book: Book) -> str:
    return " ".join(" ".join(s.text.split()) for c in book.chapters for s in c.sentences if s.kind != "code")


def silent(book: Book) -> dict[str, str]:
    return {silence.rule: silence.text for chapter in book.chapters for silence in chapter.silences}


class TestPlainText:
    @pytest.mark.parametrize(
        "data",
        [
            LINE.replace("lamp", "la\0mp").encode(),
            b"\x07\x1b" + LINE.encode() * 4,
            LINE.encode() + bytes(3_000),
            LINE.replace("lamp", "l\bla\bam\bmp\bp").encode(),
        ],
    )
    def test_a_slip_of_bytes_makes_no_other_file_of_a_text(self, tmp_path: Path, data: bytes) -> None:
        assert spoken(read(tmp_path, "a.txt", data)).startswith(LINE)

    def test_bytes_of_other_files_are_told_all_the_same(self) -> None:
        assert not is_text(bytes(range(256)) * 8) and not is_text(bytes(100)) and not is_text(b"\0\1\2\3" + b"x" * 60)

    def test_lines_end_as_word_and_others_end_them(self, tmp_path: Path) -> None:
        assert spoken(read(tmp_path, "a.txt", f"{LINE}\x0b{LINE}\u2028{LINE}")) == " ".join([LINE] * 3)

    def test_the_numbers_of_pages_are_silent(self, tmp_path: Path) -> None:
        feet = "".join(f"{LINE}\n\n    {number}\n\f\n" for number in range(11, 16))
        heads = "".join(f"\f- {number} -\n\n{LINE}\n" for number in range(11, 16))
        for text in (feet, heads):
            book = read(tmp_path, "a.txt", text)
            assert spoken(book) == " ".join([LINE] * 5) and "pagebreak" in silent(book)
        assert spoken(read(tmp_path, "b.txt", f"{LINE}\n\n1984\n\f\n{LINE}\n")) == f"{LINE} 1984 {LINE}"

    def test_the_quotes_of_old_macs_are_known(self) -> None:
        said = "“Don’t go,” he said – “the café is closed.” " * 5
        assert encoding_of(said.encode("mac_roman")) == "mac_roman"
        assert encoding_of(said.encode("cp1252")) == "cp1252"
        assert encoding_of("El niño y la señora Ñandú comían. ¿Qué? ÓSCAR Ó NO".encode("cp1252")) == "cp1252"

    def test_a_page_is_one_behind_a_mark_of_its_bytes_too(self, tmp_path: Path) -> None:
        assert spoken(read(tmp_path, "a.txt", f"\ufeff<html><body><p>{LINE}</p></body></html>")) == LINE

    @pytest.mark.parametrize(
        ("text", "what"), [("\n%PDF-1.4\nabc", "a PDF"), ("<?xml version='1.0'?><FictionBook>", "a FictionBook")]
    )
    def test_what_is_no_text_is_named(self, tmp_path: Path, text: str, what: str) -> None:
        with pytest.raises(BookRefused, match=what):
            read(tmp_path, "a.txt", text)


class TestMarkdown:
    def test_notes_are_notes_beside_code_too(self, tmp_path: Path) -> None:
        book = read(tmp_path, "a.md", f"{LINE}[^1]\n\n```\na[^1] = 1\n```\n\nMore.\n\n[^1]: A note.\n")
        assert spoken(book) == f"{LINE} More." and silent(book)["footnotes"] == "A note."
        assert silent(book)["code"] == "a[^1] = 1"

    def test_percents_are_text_and_remarks_are_counted(self, tmp_path: Path) -> None:
        book = read(tmp_path, "a.md", "It was 100%% sure.\n\nBetween.\n\nAnd 50%% of it %%no%% went.\n\n%%\nNo\n%%\n")
        assert spoken(book) == "It was 100%% sure. Between. And 50%% of it went." and silent(book)["hidden"] == "No"

    def test_a_rule_above_the_first_paragraph_takes_it_nowhere(self, tmp_path: Path) -> None:
        assert spoken(read(tmp_path, "a.md", f"---\n\n{LINE}\n\n---\n\nSecond.\n")) == f"{LINE} Second."

    def test_front_matter_may_be_toml(self, tmp_path: Path) -> None:
        book = read(tmp_path, "a.md", f'+++\ntitle = "The Inn"\n+++\n\n{LINE}\n')
        assert book.title == "The Inn" and spoken(book) == LINE

    @pytest.mark.parametrize("indent", ["\t", "    "])
    def test_a_story_with_indents_is_no_code(self, tmp_path: Path, indent: str) -> None:
        assert spoken(read(tmp_path, "a.md", f"{indent}{LINE}\n\n" * 3)) == " ".join([LINE] * 3)
        assert spoken(read(tmp_path, "c.md", f"One:\n\n{indent}In the forests of the night;\n")).endswith("the night;")
        book = read(tmp_path, "b.md", f"{LINE}\n\n{indent}x = [1, 2]\n{indent}print(x)\n")
        assert spoken(book) == LINE and "code" in silent(book)

    def test_the_names_of_pictures_are_not_heard(self, tmp_path: Path) -> None:
        book = read(tmp_path, "a.md", f"{LINE}\n\n![[inn.png]]\n\n![[inn.jpg|300]]\n\nSee [[inn|the inn]].\n")
        assert spoken(book) == f"{LINE} See the inn."


class TestWebPage:
    def test_its_own_sheet_hides(self, tmp_path: Path) -> None:
        head = "<head><style>.h { display: none }</style></head>"
        assert (
            spoken(read(tmp_path, "a.html", f"<html>{head}<body><p>{LINE}</p><p class='h'>No.</p></body></html>"))
            == LINE
        )

    def test_a_page_of_frames_has_no_text(self, tmp_path: Path) -> None:
        with pytest.raises(BookRefused, match="no text"):
            read(tmp_path, "a.html", "<html><frameset><frame src='b.html'/><noframes>No.</noframes></frameset></html>")

    @pytest.mark.parametrize(
        "bulk",
        [
            "<img alt='' src='data:image/png;base64,{}'/>",
            "<script>{}</script>",
            "<style>{}</style>",
            "<!-- {} -->",
        ],
    )
    def test_nothing_is_lost_behind_what_is_very_long(self, bulk: str) -> None:
        text = f"<html><body><p>{LINE}</p>{bulk.format('A' * 11_000_000)}<p>After.</p></body></html>"
        root, _ = parse_document(text.encode())
        assert root is not None and " ".join("".join(p.itertext()) for p in root.iter("{*}p")) == f"{LINE} After."


class TestWord:
    @pytest.mark.parametrize(
        ("inner", "heard"),
        [
            ('<w:fldSimple w:instr="REF a"><w:r><w:t>Chapter Two</w:t></w:r></w:fldSimple>', "Chapter Two"),
            ('<w:bdo w:val="ltr"><w:r><w:t>written</w:t></w:r></w:bdo>', "written"),
            ('<m:oMath xmlns:m="urn:m"><m:r><m:t>x</m:t></m:r><m:r><m:t>=2</m:t></m:r></m:oMath>', "x=2"),
            ('<w:r><w:rPr><w:vanish w:val="0"/></w:rPr><w:t>seen</w:t></w:r>', "seen"),
        ],
    )
    def test_words_in_words_are_kept(self, tmp_path: Path, inner: str, heard: str) -> None:
        before, after = (f'<w:r><w:t xml:space="preserve">{text}</w:t></w:r>' for text in ("See ", " there."))
        book = read_book(build_docx(tmp_path / "a.docx", [f"<w:p>{before}{inner}{after}</w:p>"]))
        assert spoken(book) == f"See {heard} there."

    @pytest.mark.parametrize("sign", ['<w:br w:type="page"/>', '<w:br w:type="column"/>', "<w:cr/>"])
    def test_what_ends_a_line_joins_no_words(self, tmp_path: Path, sign: str) -> None:
        body = f"<w:p><w:r><w:t>It was late</w:t>{sign}<w:t>and dark.</w:t></w:r></w:p>"
        assert spoken(read_book(build_docx(tmp_path / "a.docx", [body]))) == "It was late and dark."

    def test_what_the_writer_hid_is_silent_and_counted(self, tmp_path: Path) -> None:
        hidden = "<w:p><w:r><w:rPr><w:vanish/></w:rPr><w:t>No.</w:t></w:r><w:r><w:t>Yes.</w:t></w:r></w:p>"
        book = read_book(build_docx(tmp_path / "a.docx", [paragraph(LINE), hidden]))
        assert spoken(book) == f"{LINE} Yes." and silent(book)["hidden"] == "No."
