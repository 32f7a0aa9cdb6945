"""Front and back matter: what is off, by which rule, and the chapters of stories that only look like it."""

from pathlib import Path

import pytest

from server.library.model import Book
from server.library.reader import read_book
from tests.epubs import build_epub, page

STORY = "<p>" + "It rained on the harbour all day, and nobody came to the old house by the quay. " * 6 + "</p>"
TALK = "<p>“Is it you?”</p><p>“It is.”</p><p>“Then come in, and shut the door behind you.”</p><p>He did so.</p>" * 4
LIST = "<p>The Old House</p><p>The Quay</p><p>A Winter at Sea</p><p>Letters Home</p>"


def rules(tmp_path: Path, pages: dict[str, str]) -> dict[str, str | None]:
    """Title → rule, of a book with a page for each title and one chapter of a story in front."""
    pages = {"One": STORY, **pages}
    files = {f"p{at}.xhtml": f"<h1>{title}</h1>{body}" for at, (title, body) in enumerate(pages.items())}
    toc = list(zip(pages, files, strict=True))
    book: Book = read_book(build_epub(tmp_path / "b.epub", files, toc=toc))
    found = {chapter.title: chapter.rule for chapter in book.chapters}
    assert found.pop("One") is None
    return found


@pytest.mark.parametrize(
    ("title", "body", "rule"),
    [
        ("Also by A. Nobody", LIST, "advertisement"),
        ("ALSO BY THE SAME AUTHOR", LIST, "advertisement"),
        ("Books by A. Nobody", LIST, "advertisement"),
        ("About the Author", "<p>A. Nobody lives by the sea with two cats.</p>", "about-author"),
        ("Newsletter Sign-up", "<p>Sign up at www.example.org.</p>", "advertisement"),
        ("Connect with A. Nobody", "<p>Find me on Facebook.</p>", "advertisement"),
        (
            "Dear Reader",
            "<p>Join the mailing list, subscribe at www.example.org, get a free ebook!</p>",
            "advertisement",
        ),
        ("Praise for The Old House", "<p>“Grand.” — The Quay Times</p><p>“Very wet.” — A Friend</p>", "praise"),
        ("THE FULL PROJECT GUTENBERG™ LICENSE", "<p>Please read this.</p>", "pg-licence"),
        ("License", "<p>This ebook is licensed for your personal enjoyment only.</p>", "copyright"),
        ("Notes", "<p>1 See above.</p><p>2. See below.</p><p>[3] Nowhere.</p>", "endnotes"),
        ("General Index", "<p>Harbour, 3</p>", "index"),
        ("Page List", "<p>1 2 3</p>", "page-list"),
        # What stories call their chapters.
        ("Also by Candlelight", TALK, None),
        ("Praise for the Dead", STORY, None),
        ("More from the Sea", TALK, None),
        ("Notes", STORY + TALK, None),
        ("About the Author of My Days", STORY, None),
        ("Excerpt from the Diary of a Clerk", STORY, None),
        ("Coming Soon", TALK, None),
        ("Index of Refraction", STORY, None),
        ("Acknowledgments", STORY, None),
        ("Dedication", "<p>To nobody.</p>", None),
        ("The Web", "<p>She found it on www.example.org.</p>" + STORY, None),
    ],
)
def test_matter_is_known_by_title_and_content(tmp_path: Path, title: str, body: str, rule: str | None) -> None:
    assert rules(tmp_path, {title: body, "Two": STORY}) == {title: rule, "Two": None}


@pytest.mark.parametrize("title", ["Excerpt from The Quay", "A Sneak Peek", "Read on for an Extract", "Preview"])
def test_a_teaser_stands_behind_the_story_and_sells(tmp_path: Path, title: str) -> None:
    sold = "<p>Keep reading for the next novel by A. Nobody, available now.</p>" + STORY
    assert rules(tmp_path, {title: sold})[title] == "teaser"
    assert rules(tmp_path, {"Also by A. Nobody": LIST, title: STORY, "Copyright": "<p>©</p>"})[title] == "teaser"
    assert rules(tmp_path, {"Acknowledgments": STORY, title: STORY})[title] == "teaser"
    assert rules(tmp_path, {title: sold, "Two": STORY})[title] is None
    # Alone at the end it counts if its title sells.
    assert rules(tmp_path, {title: STORY})[title] == ("teaser" if "Peek" in title or "Read on" in title else None)


def test_a_number_under_a_name_has_the_name_before_it(tmp_path: Path) -> None:
    lists = (
        '<li><a href="a.xhtml">A Journey</a><ol><li><a href="b.xhtml">I</a></li><li><a href="c.xhtml">II.</a></li>'
        '<li><a href="d.xhtml">The End</a></li></ol></li>'
        '<li><span>Part the Second</span><ol><li><a href="e.xhtml">1</a></li></ol></li>'
        '<li><a href="f.xhtml">III</a><ol><li><a href="g.xhtml">IV</a></li></ol></li>'
        '<li><a href="h.xhtml">A Small Book</a><ol><li><a href="i.xhtml">V</a></li></ol></li>'
    )
    pages = {f"{name}.xhtml": STORY for name in "abcdefghi"}
    nav = page(f'<nav epub:type="toc"><ol>{lists}</ol></nav>')
    path = build_epub(tmp_path / "b.epub", pages, toc=[], files={"OEBPS/nav.xhtml": nav})
    assert [chapter.title for chapter in read_book(path).chapters] == [
        "A Journey", "A Journey: I", "A Journey: II.", "The End", "Part the Second: 1", "III", "IV",
        "A Small Book", "V",
    ]  # fmt: skip
    points = (
        '<navPoint><navLabel><text>A Journey</text></navLabel><content src="a.xhtml"/>'
        '<navPoint><navLabel><text>I</text></navLabel><content src="a.xhtml"/></navPoint>'
        '<navPoint><navLabel><text>II</text></navLabel><content src="b.xhtml"/></navPoint></navPoint>'
    )
    ncx = f'<ncx xmlns="http://www.daisy.org/z3986/2005/ncx/"><navMap>{points}</navMap></ncx>'
    path = build_epub(
        tmp_path / "n.epub",
        dict.fromkeys(["a.xhtml", "b.xhtml"], STORY),
        toc=[],
        version="2.0",
        files={"OEBPS/toc.ncx": ncx},
    )
    assert [chapter.title for chapter in read_book(path).chapters] == ["A Journey: I", "A Journey: II"]


@pytest.mark.parametrize("title", ["Index", "Contents", "Copyright", "Illustrations", "Keep in Touch", "Advertisement"])
def test_a_chapter_of_the_story_by_such_a_name_is_read(tmp_path: Path, title: str) -> None:
    mine = STORY.replace("It rained", "I saw it rain")
    assert rules(tmp_path, {title: mine * 3 + TALK, "After": STORY})[title] is None


@pytest.mark.parametrize(
    ("title", "body"),
    [
        ("Index", "<p>Harbour, the old, and those who lived in it before the war, 3, 17, 23–25, 40.</p>" * 30),
        ("Contents", "<p>CHAPTER I. In which it rains. The harbour is seen. A stranger comes to the quay.</p>" * 20),
        ("Illustrations", "<p>It rained on the harbour all day.</p><p>Nobody came.</p>" * 30),
        ("Copyright", f"{STORY * 2}<p>Copyright A. Nobody. All rights reserved.</p>"),
    ],
)
def test_and_what_such_a_name_promises_is_not(tmp_path: Path, title: str, body: str) -> None:
    assert rules(tmp_path, {title: body})[title] is not None
