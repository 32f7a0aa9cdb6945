"""Small books made by hand."""

import hashlib
from collections.abc import Sequence

from server.library.model import Book, Chapter, Sentence


def make_book(chapters: Sequence[Sequence[str]], title: str = "Small Talk") -> Book:
    """A book with one paragraph a chapter entry; sentences in it are parted by `|`."""
    made = tuple(
        Chapter(number, f"Chapter {number}", True, None, _sentences(paragraphs), ())
        for number, paragraphs in enumerate(chapters, 1)
    )
    name = hashlib.sha256(repr((title, chapters)).encode()).hexdigest()[:16]
    return Book(name, title, None, ("A. Nobody",), "en", made, None, None, (), ())


def _sentences(paragraphs: Sequence[str]) -> tuple[Sentence, ...]:
    found: list[Sentence] = []
    seen: dict[str, int] = {}
    for block, paragraph in enumerate(paragraphs):
        at = 0
        for text in paragraph.split("|"):
            text = text.strip()
            seen[text] = seen.get(text, 0) + 1
            sid = f"{hashlib.sha256(text.encode()).hexdigest()[:12]}-{seen[text]}"
            path = f"/html/body/p[{block + 1}]"
            found.append(Sentence(sid, text, block, "paragraph", "c.xhtml", path, at, at + len(text)))
            at += len(text) + 1
    return tuple(found)
