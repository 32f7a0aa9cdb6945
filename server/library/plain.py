"""A book's description as plain text: paragraphs apart by an empty line, and nothing of its markup."""

import html
import re
from typing import Final

from server.library.blocks import read_page
from server.library.markup import parse_document

DESCRIPTION_LIMIT: Final = 4_000  # characters; what sellers write is mostly below 2,000
_READ_LIMIT: Final = 200_000  # of what is looked at
_MARKUP = re.compile(r"</?[A-Za-z][\w:-]*(?:\s[^<>]*)?/?>|&(?:[A-Za-z]\w+|#\d+|#x[0-9a-f]+);", re.IGNORECASE)
_UNSEEN = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\u00ad\u200b\u2028-\u202e\u2060-\u2069\ufeff\ufffe\uffff]")


def plain_text(value: str, limit: int = DESCRIPTION_LIMIT) -> str | None:
    """`value`, plain or HTML or HTML escaped, as plain text of at most `limit` characters; None where none is left."""
    text = value[:_READ_LIMIT]
    for _ in range(2):  # escaped once by the package's XML, and again by whoever wrote it
        if "<" not in text and _MARKUP.search(html.unescape(text)):
            text = html.unescape(text)
    paragraphs = _blocks(text) if _MARKUP.search(text) else re.split(r"\s*\n\s*\n\s*", text)
    tidy = (" ".join(_UNSEEN.sub("", paragraph).split()) for paragraph in paragraphs)
    return _cut("\n\n".join(filter(None, tidy)), limit) or None


def _blocks(text: str) -> list[str]:
    """The paragraphs of HTML, as the text of a book is read: no script, no style, nothing hidden."""
    root, _ = parse_document(f"<html><body>{text}</body></html>".encode())
    return [] if root is None else [block.text for block in read_page(root, "").blocks]


def _cut(text: str, limit: int) -> str:
    if len(text) <= limit:
        return text
    cut = text[: limit - 1]
    return f"{cut[: cut.rfind(' ')] if ' ' in cut else cut}…"
