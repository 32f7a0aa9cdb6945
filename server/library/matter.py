"""Front and back matter: what a listener does not press play for, recognised by type, title and content."""

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

from server.library.gather import Block, Page
from server.library.inline import count
from server.library.rules import MATTER

# Titles, without case and outer punctuation, that name such a part by themselves.
_TITLES = {
    "cover": "cover",
    "cover page": "cover",
    "front cover": "cover",
    "back cover": "cover",
    "title page": "title-page",
    "titlepage": "title-page",
    "half title": "title-page",
    "half title page": "title-page",
    "halftitle": "title-page",
    "copyright": "copyright",
    "copyright page": "copyright",
    "copyright notice": "copyright",
    "copyright information": "copyright",
    "uncopyright": "copyright",
    "legal notice": "copyright",
    "imprint": "imprint",
    "colophon": "colophon",
    "contents": "toc",
    "table of contents": "toc",
    "detailed contents": "toc",
    "list of illustrations": "list-of-illustrations",
    "illustrations": "list-of-illustrations",
    "list of figures": "list-of-illustrations",
    "list of tables": "list-of-tables",
    "index": "index",
    "general index": "index",
    "index of first lines": "index",
    "bibliography": "bibliography",
    "works cited": "bibliography",
    "endnotes": "endnotes",
    "footnotes": "footnotes",
    "the full project gutenberg license": "pg-licence",
    "the full project gutenberg licence": "pg-licence",
    "project gutenberg license": "pg-licence",
    "full project gutenberg license": "pg-licence",
    "transcriber's note": "transcriber",
    "transcriber's notes": "transcriber",
    "original transcriber's notes": "transcriber",
    "advertisement": "advertisement",
    "advertisements": "advertisement",
}
_TITLE_STARTS = (
    ("also by ", "advertisement"),
    ("other books by ", "advertisement"),
    ("books by ", "advertisement"),
    ("the project gutenberg ebook of", "pg-licence"),
    ("an excerpt from ", "teaser"),
    ("excerpt from ", "teaser"),
    ("start of the project gutenberg", "pg-licence"),
    ("end of the project gutenberg", "pg-licence"),
)
# Longer than this a part is more than its title or its landmark says, such as a whole book under "Cover".
_SHORT = {
    "cover": 3_000,
    "title-page": 4_000,
    "copyright": 12_000,
    "imprint": 8_000,
    "colophon": 8_000,
    "toc": 60_000,
    "advertisement": 30_000,
    "transcriber": 12_000,
    "pg-licence": 40_000,
}
# Parts of a chapter that are silent although the chapter is read.
_INSET = frozenset(["endnotes", "footnotes", "pg-licence", "toc", "index", "copyright", "title-page", "page-list"])
_START = re.compile(r"\*\*\*\s*START OF (?:THE|THIS) PROJECT GUTENBERG", re.IGNORECASE)
_END = re.compile(r"\*\*\*\s*END OF (?:THE|THIS) PROJECT GUTENBERG|^End of (?:the )?Project Gutenberg", re.IGNORECASE)
_COPYRIGHT = re.compile(r"©|\bcopyright\b|all rights reserved|\bISBN\b|no part of this|first published", re.IGNORECASE)
_COPYRIGHT_LIMIT = 5_000  # characters of the longest page that may be one by its content
_LINKED_SHARE = 0.7


def mark_boilerplate(pages: list[Page]) -> None:
    """Give Project Gutenberg's header and licence their matter where only their wording shows them."""
    total = sum(len(page.blocks) for page in pages)
    seen = 0
    begin: tuple[int, int] | None = None
    end: tuple[int, int] | None = None
    for number, page in enumerate(pages):
        for index, block in enumerate(page.blocks):
            seen += 1
            if begin is None and _START.search(block.text) and seen <= max(60, total // 4):
                begin = (number, index)
            elif end is None and _END.search(block.text) and seen >= total // 2:
                end = (number, index)
    for number, page in enumerate(pages):
        for index, block in enumerate(page.blocks):
            before = begin is not None and (number, index) <= begin
            after = end is not None and (number, index) >= end
            if before or after:
                page.blocks[index] = replace(block, matter="pg-licence")


def rule_for(title: str, blocks: Sequence[Block], landmarks: Sequence[str]) -> str | None:
    """Name of the rule that turns a chapter off, None when it is to be read."""
    size = sum(count(block.text) for block in blocks)
    matters = Counter[str]()
    for block in blocks:
        if block.matter:
            matters[block.matter] += count(block.text)
    if matters and sum(matters.values()) >= 0.9 * size:
        return matters.most_common(1)[0][0]
    for rule in (*(MATTER.get(kind) for kind in landmarks), by_title(title)):
        if rule and size <= _SHORT.get(rule, 10**9):
            return rule
    return _by_content(blocks, size)


def is_inset(block: Block) -> bool:
    """Whether a block is left out of a chapter that is read otherwise."""
    return block.matter in _INSET


def by_title(title: str) -> str | None:
    """Rule of the part that a title names by itself, None for any other title."""
    bare = " ".join(title.replace("’", "'").casefold().split()).strip(" .:;,!–—-[]()")
    if bare in _TITLES:
        return _TITLES[bare]
    return next((rule for start, rule in _TITLE_STARTS if bare.startswith(start)), None)


def _by_content(blocks: Sequence[Block], size: int) -> str | None:
    if not size:
        return None
    linked = sum(block.linked for block in blocks)
    if linked / size >= _LINKED_SHARE and sum(block.linked > 0 for block in blocks) >= 4:
        return "toc"
    if size <= _COPYRIGHT_LIMIT:
        text = "\n".join(block.text for block in blocks)
        if len({found.lower() for found in _COPYRIGHT.findall(text)}) >= 3:
            return "copyright"
    return None
