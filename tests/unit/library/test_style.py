"""Style sheets: what they hide is silent by a rule, and what they may show is read."""

from pathlib import Path

import pytest

from server.library.markup import parse_document, tag
from server.library.reader import read_book
from server.library.style import Sheets
from tests.epubs import build_epub, page

BODY = (
    '<h2 class="t">Title</h2><p class="a b" id="one">One. It is long enough.</p><p class="a">Two.</p>'
    '<div class="c"><p class="d">Three.</p></div><p class="b">Four is longer than all of the others together.</p>'
)


def hidden(css: str, body: str = BODY, *, head: str = "", files: dict[str, str] | None = None) -> list[str]:
    """Text of the elements that `css`, and the files that `head` links, hide."""
    text = page(body).replace("<head>", f"<head>{head}<style>{css}</style>")
    root, _ = parse_document(text.encode())
    assert root is not None
    given = {path: sheet.encode() for path, sheet in (files or {}).items()}
    gone = Sheets(given.get).hidden(root, "OEBPS/c.xhtml")
    return ["".join(e.itertext()) for e in root.iter() if tag(e) and e in gone]


ONE, TWO, THREE = "One. It is long enough.", "Two.", "Three."


@pytest.mark.parametrize(
    ("css", "expected"),
    [
        (".a { display: none }", [ONE, TWO]),
        ("p.a{visibility:hidden;color:red}", [ONE, TWO]),
        (".a.b { color: red; display:none; }", [ONE]),
        ("#one, .c { display: none !important }", [ONE, THREE]),
        (".a { display: none } .a { display: block }", []),
        (".a { display: block } .a { display: none }", [ONE, TWO]),
        ("p.a { display: none } .a { display: block }", [ONE, TWO]),
        (".a { display: none !important } #one { display: block }", [ONE, TWO]),
        (".a { display: none } .a { display: oeb-page-head }", [ONE, TWO]),
        ("/* .a { display: none } */ @charset 'utf-8';", []),
        ("@media print { .a { display: none } } .d { color: red }", []),
        ("@media screen { .a { display: none } } @font-face { src: x }", [ONE, TWO]),
        ("@media (max-width: 3em) { .a { display: none } }", []),
        ("@supports (x: y) { .a { display: none } }", []),
        # Hidden by what we cannot follow, or shown by it.
        ("div > .d, .a ~ p, p[class], p:first-child { display: none }", []),
        (".a { display: none } body .a { display: block }", []),
        (".a { display: none } div p { display: block }", [ONE, TWO]),
        # A heading that has none beside it, a line break, most of the page.
        (".t { display: none }", []),
        ("br, body { display: none }", []),
        ("p { display: none }", []),
    ],
)
def test_plain_selectors_hide(css: str, expected: list[str]) -> None:
    assert hidden(css) == expected


def test_what_an_element_says_of_itself_wins() -> None:
    body = BODY.replace('class="a">', 'class="a" style="display:inline">')
    assert hidden(".a { display: none }", body) == [ONE]
    assert hidden(".a { display: none !important }", body) == [ONE, TWO]


def test_a_page_that_scripts_may_change_is_read_whole() -> None:
    assert hidden(".a { display: none }", BODY + "<script>show()</script>") == []


def test_a_second_heading_may_be_hidden() -> None:
    assert hidden(".t { display: none }", BODY + "<h1>Real</h1>") == ["Title"]


def test_sheets_are_linked_and_import_others() -> None:
    link = '<link rel="stylesheet" href="css/s.css"/><link rel="alternate stylesheet" href="css/n.css"/>'
    files = {
        "OEBPS/css/s.css": '@import url("more/t.css"); @import "s.css"; @import "gone.css"; .d { display: none }',
        "OEBPS/css/more/t.css": ".a { display: none } .d { display: block }",
        "OEBPS/css/n.css": ".b { display: none }",
    }
    assert hidden("", head=link, files=files) == [ONE, TWO, THREE]
    print_only = link.replace("<link ", '<link media="print" ')
    assert hidden("", head=print_only, files=files) == []


def test_hidden_text_of_a_book_is_counted_by_its_rule(tmp_path: Path) -> None:
    text = page(BODY).replace("<head>", '<head><link rel="stylesheet" href="s.css"/>')
    files = {"OEBPS/s.css": "p.a { display: none }"}
    chapter = read_book(build_epub(tmp_path / "b.epub", {"a.xhtml": text}, files=files)).chapters[0]
    assert [s.text for s in chapter.sentences][1] == "Three."
    assert [(s.text, s.rule) for s in chapter.silences if s.rule == "hidden"] == [(ONE, "hidden"), (TWO, "hidden")]


@pytest.mark.parametrize(
    ("style", "heard"),
    [
        ("display:none", False),
        ("color:red; VISIBILITY : hidden", False),
        ("display:block;display:none", False),
        ("display:none !important;display:block", False),
        ("display:none;display:block", True),
        ("--display:none; mso-display:none", True),
        ("font-family:'display:none'", True),
    ],
)
def test_the_own_style_of_an_element_is_taken_as_browsers_do(tmp_path: Path, style: str, heard: bool) -> None:
    body = f'<p>First. It is long enough.</p><p style="{style}">Second.</p>'
    book = read_book(build_epub(tmp_path / "b.epub", {"one.xhtml": page(body)}))
    assert ("Second." in [s.text for s in book.chapters[0].sentences]) is heard


@pytest.mark.parametrize("css", ["", ".v { visibility: visible }"])
@pytest.mark.parametrize("outer", ['style="visibility:hidden"', 'class="h"'])
def test_what_is_made_visible_in_what_is_not_is_read(tmp_path: Path, outer: str, css: str) -> None:
    inner = 'class="v"' if css and "class" in outer else 'style="visibility:visible"'
    body = f"<p>First. It is long enough for both.</p><div {outer}><p {inner}>Second.</p></div>"
    text = page(body).replace("<head>", f"<head><style>.h {{ visibility: hidden }} {css}</style>")
    book = read_book(build_epub(tmp_path / "b.epub", {"one.xhtml": text}))
    assert "Second." in [s.text for s in book.chapters[0].sentences]


@pytest.mark.parametrize("whole", ['hidden="hidden"', 'aria-hidden="true"', 'style="display:none"'])
def test_a_page_that_is_hidden_as_a_whole_is_read(tmp_path: Path, whole: str) -> None:
    text = page("<p>First.</p>").replace("<body>", f"<body {whole}>")
    book = read_book(build_epub(tmp_path / "b.epub", {"one.xhtml": text}))
    assert [s.text for s in book.chapters[0].sentences] == ["First."]
