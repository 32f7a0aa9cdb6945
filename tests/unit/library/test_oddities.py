"""What is odd about a book is said in words, and costs nothing of its text."""

import struct
import zipfile
from pathlib import Path

import pytest

from server.library.reader import read_book
from tests.epubs import CONTAINER, build_epub, nav, page, write_zip

PAGES = {"one.xhtml": "<h1>One</h1><p>She lit the lamp.</p>"}
TOC = [("One", "one.xhtml")]
OPF = (
    '<package xmlns="http://www.idpf.org/2007/opf"{version}><metadata xmlns:dc="http://purl.org/dc/elements/1.1/">'
    "<dc:title>A</dc:title>{metadata}</metadata><manifest>{items}</manifest>"
    "<spine{toc}><itemref idref='p'/></spine></package>"
)
PAGE = '<item id="p" href="one.xhtml" media-type="application/xhtml+xml"/>'


Files = dict[str, str | bytes]
OCF = CONTAINER.format(path="OEBPS/content.opf")
XHTML_TYPE = "application/xhtml+xml"


def package(items: str = PAGE, *, version: str = ' version="3.0"', metadata: str = "", toc: str = "") -> Files:
    return {"OEBPS/content.opf": OPF.format(version=version, metadata=metadata, items=items, toc=toc)}


def item(href: str, kind: str, more: str = "") -> str:
    return f'{PAGE}<item id="o" href="{href}" media-type="{kind}"{more}/>'


CIRCLE = '<meta id="a" refines="#b" property="x">1</meta><meta id="b" refines="#a" property="x">2</meta>'
CASES: dict[str, tuple[Files, str]] = {
    "blanks in the mimetype": ({"mimetype": " application/epub+zip\n"}, "blanks"),
    "wrong mimetype": ({"mimetype": "text/plain"}, "mimetype"),
    "container": (
        {"META-INF/container.xml": OCF.replace("<rootfiles>", "<x/><rootfiles>")},
        "container.xml holds something else",
    ),
    "encryption": ({"META-INF/encryption.xml": "<nothing/>"}, "encryption.xml holds something else"),
    "signatures": ({"META-INF/signatures.xml": "<signatures><"}, "signatures.xml is not well-formed"),
    "namesakes": ({"OEBPS/ONE.xhtml": page("<p>Other.</p>")}, "namesake"),
    "characters": ({"OEBPS/a|b.css": ""}, "characters in its name"),
    "no version": (package(version=""), "which version"),
    "old version": (package(version=' version="1.2"'), "version 1.2"),
    "doubled name": (package(PAGE + PAGE.replace("one", "two")), "twice"),
    "absolute": (package(PAGE.replace('"one.xhtml', '"/OEBPS/one.xhtml')), "root of the book"),
    "itself": (package(item("content.opf", "application/oebps-package+xml")), "lists itself"),
    "fallback": (package(item("f.psd", "image/x-psd", ' fallback="o"')), "shown by itself"),
    "circle": (package(metadata=CIRCLE), "in a circle"),
    "no type": (package('<item id="p" href="one.xhtml"/>'), "without a type"),
    "wrong type": (package(PAGE.replace(XHTML_TYPE, "application/octet-stream")), "said to be application/octet"),
    "unknown type": (package(PAGE.replace(XHTML_TYPE, "x/unknown")), "said to be x/unknown"),
    "no ncx": (package(toc=' toc="p"'), "as its contents"),
    "trailing": (
        {"OEBPS/content.opf": str(package()["OEBPS/content.opf"]) + "trailing <junk"},
        "not well-formed; it was mended",
    ),
    "xml 1.1": ({"OEBPS/one.xhtml": page("<p>She lit the lamp.</p>").replace('version="1.0"', 'version="1.1"')}, "1.1"),
}


@pytest.mark.parametrize("case", list(CASES))
def test_it_is_said_and_the_text_is_read(tmp_path: Path, case: str) -> None:
    files, says = CASES[case]
    path = build_epub(tmp_path / "b.epub", PAGES, toc=TOC)
    with zipfile.ZipFile(path) as source:
        entries: dict[str, str | bytes] = {name: source.read(name) for name in source.namelist()}
    write_zip(path, entries | files, mimetype=False)
    book = read_book(path)
    assert any(says in warning for warning in book.warnings), book.warnings
    assert all(warning.endswith(".") for warning in book.warnings)
    assert "She lit the lamp." in [s.text for chapter in book.chapters for s in chapter.sentences]


@pytest.mark.parametrize(
    ("contents", "says"),
    [
        (nav(TOC).replace("One</a>", "</a>"), "without a name"),
        (nav(TOC).replace(' epub:type="toc"', ""), "the first one was taken"),
        (nav(TOC, '<nav epub:type="landmarks"><ol> </ol></nav>'), "list of the contents page is empty"),
        (nav(TOC).replace("<li>", "<li><ol><li>").replace("</li>", "</li></ol></li>"), "lines below it and no name"),
    ],
)
def test_odd_contents_are_said(tmp_path: Path, contents: str, says: str) -> None:
    book = read_book(build_epub(tmp_path / "b.epub", PAGES, toc=TOC, files={"OEBPS/nav.xhtml": contents}))
    assert any(says in warning for warning in book.warnings), book.warnings
    assert [chapter.title for chapter in book.chapters] == ["One"]


def test_a_page_that_is_never_read_is_said(tmp_path: Path) -> None:
    more = '<item id="x" href="extra.xhtml" media-type="application/xhtml+xml"/>'
    files: dict[str, str | bytes] = {"OEBPS/extra.xhtml": page("<p>Extra.</p>")}
    book = read_book(build_epub(tmp_path / "b.epub", PAGES, toc=TOC, manifest=more, files=files))
    assert any("not in its reading order" in warning and "extra.xhtml" in warning for warning in book.warnings)


def test_a_name_that_the_zip_has_twice_in_two_ways_is_said(tmp_path: Path) -> None:
    path = build_epub(tmp_path / "b.epub", PAGES, toc=TOC)
    data = bytearray(path.read_bytes())
    with zipfile.ZipFile(path) as source:
        at = source.getinfo("OEBPS/one.xhtml").header_offset
    assert struct.unpack_from("<4s", data, at) == (b"PK\x03\x04",)
    data[at + 30 + 6 : at + 30 + 9] = b"two"
    path.write_bytes(data)
    assert any("inside the ZIP" in warning for warning in read_book(path).warnings)


def test_a_plain_book_is_without_remarks(tmp_path: Path) -> None:
    assert read_book(build_epub(tmp_path / "b.epub", PAGES, toc=TOC)).warnings == ()
    assert read_book(build_epub(tmp_path / "c.epub", PAGES, toc=TOC, version="2.0")).warnings == ()
