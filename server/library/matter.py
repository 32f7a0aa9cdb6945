"""Front and back matter: what a listener does not press play for, recognised by type, title and content."""

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

from server.library.gather import Block, Page
from server.library.inline import count
from server.library.rules import MATTER
from server.library.told import COPYRIGHT, INVITES, LICENCE, NUMBERED, STORIES, is_told

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
    "permissions": "copyright",
    "copyright and permissions": "copyright",
    "about this ebook": "copyright",
    "about this e-book": "copyright",
    "about this digital edition": "copyright",
    "license notes": "copyright",
    "start: full license": "pg-licence",
    "page list": "page-list",
    "list of pages": "page-list",
    "landmarks": "toc",
    "about the author": "about-author",
    "about the authors": "about-author",
    "about the translator": "about-author",
    "about the illustrator": "about-author",
    "about the editor": "about-author",
    "about the publisher": "advertisement",
    "by the same author": "advertisement",
    "also by the same author": "advertisement",
    "also by this author": "advertisement",
    "also in this series": "advertisement",
    "also available": "advertisement",
    "other titles": "advertisement",
    "other books in this series": "advertisement",
    "newsletter": "advertisement",
    "newsletter sign-up": "advertisement",
    "newsletter signup": "advertisement",
    "mailing list": "advertisement",
    "join our mailing list": "advertisement",
    "join the mailing list": "advertisement",
    "stay in touch": "advertisement",
    "keep in touch": "advertisement",
    "discover more": "advertisement",
}
_TITLE_STARTS = (
    ("also by ", "advertisement"),
    ("also available from ", "advertisement"),
    ("other books by ", "advertisement"),
    ("other titles by ", "advertisement"),
    ("other works by ", "advertisement"),
    ("more books by ", "advertisement"),
    ("more from ", "advertisement"),
    ("books by ", "advertisement"),
    ("novels by ", "advertisement"),
    ("titles by ", "advertisement"),
    ("praise for ", "praise"),
    ("advance praise for ", "praise"),
    ("acclaim for ", "praise"),
    ("sign up for ", "advertisement"),
    ("subscribe to ", "advertisement"),
    ("connect with ", "advertisement"),
    ("newsletter ", "advertisement"),
    ("the project gutenberg ebook of", "pg-licence"),
    ("start of the project gutenberg", "pg-licence"),
    ("end of the project gutenberg", "pg-licence"),
)
# What a story may call a chapter of its own: it counts only behind the story, where something says that it is none.
_TEASER = re.compile(
    r"(?:read on for )?(?:an? |the )?(?:exclusive |special |bonus |free )*(?:sneak )?"
    r"(?:peek|preview|excerpt|extract|sample|teaser)s?\b|"
    r"(?:read on|coming soon|keep reading|turn the page|next in the series|the story continues)\b"
)
_SELLS = re.compile(
    r"coming (?:soon|in \d|this (?:spring|summer|fall|autumn|winter))|available (?:now|in|from|wherever)|on sale|"
    r"read on for|keep reading|turn the page for|pre-?order|sneak (?:peek|preview)|bestselling|published by|©|\bISBN\b|"
    r"(?:new|next|latest) (?:\w+ ){0,3}(?:book in|novel|thriller|mystery|instal?lment)",
    re.IGNORECASE,
)
_BACK_TITLES = frozenset(
    ["acknowledgments", "acknowledgements", "author's note", "afterword", "a note on the author", "a note on the type",
     "reading group guide", "discussion questions", "questions for discussion", "about the author"]
)  # fmt: skip
_BACK_RULES = frozenset(["advertisement", "about-author", "praise", "endnotes", "index", "bibliography", "teaser"])
# Longer than this a part is more than its title or its landmark says, such as a whole book under "Cover".
_SHORT = {
    "cover": 3_000,
    "title-page": 4_000,
    "copyright": 12_000,
    "imprint": 8_000,
    "colophon": 8_000,
    "toc": 60_000,
    "advertisement": 12_000,
    "praise": 20_000,
    "about-author": 6_000,
    "transcriber": 12_000,
    "pg-licence": 40_000,
}
# Parts of a chapter that are silent although the chapter is read.
_INSET = frozenset(["endnotes", "footnotes", "pg-licence", "toc", "index", "copyright", "title-page", "page-list"])
_START = re.compile(r"\*\*\*\s*START OF (?:THE|THIS) PROJECT GUTENBERG", re.IGNORECASE)
_END = re.compile(r"\*\*\*\s*END OF (?:THE|THIS) PROJECT GUTENBERG|^End of (?:the )?Project Gutenberg", re.IGNORECASE)
_COPYRIGHT_LIMIT = 5_000  # characters of the longest page that may be one by its content
_LINKED_SHARE = 0.7
_LISTED = 160  # characters of a line in a list of books
_INVITATION_LIMIT = 2_500  # characters of the longest page that asks for a subscription
_LICENCE_LIMIT = 1_500


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
    titled = None if _plain(title) in STORIES and is_told(blocks) else by_title(title)
    for rule in (*(MATTER.get(kind) for kind in landmarks), titled):
        if rule and size <= _SHORT.get(rule, 10**9) and _bears_out(rule, title, blocks):
            return rule
    return _by_content(title, blocks, size)


def back_matter(chapters: Sequence[tuple[str, str | None, Sequence[Block]]]) -> dict[int, str]:
    """Index → rule of the chapters (title, rule, blocks) behind the story that are part of another book.

    They are looked for from the end, as far as all after them is off, and only where they sell something or stand
    behind back matter: the last chapter of a novel may well be an "Excerpt from the Diary".
    """
    found: dict[int, str] = {}
    for index in range(len(chapters) - 1, 0, -1):
        title, rule, blocks = chapters[index]
        if rule is not None:
            continue
        if not _TEASER.match(_plain(title)):
            if _plain(title) in _BACK_TITLES:
                continue
            break
        head = " ".join([title, *(block.text for block in blocks[:6])])[:800]
        before_title, before_rule, _ = chapters[index - 1]
        story = any(rule is None for _, rule, _ in chapters[:index])
        sold = _SELLS.search(head) or before_rule in _BACK_RULES or _plain(before_title) in _BACK_TITLES
        if not (story and sold):
            break
        found[index] = "teaser"
    return found


def is_inset(block: Block) -> bool:
    """Whether a block is left out of a chapter that is read otherwise."""
    return block.matter in _INSET


def by_title(title: str) -> str | None:
    """Rule of the part that a title names by itself, None for any other title."""
    bare = _plain(title)
    if bare in _TITLES:
        return _TITLES[bare]
    return next((rule for start, rule in _TITLE_STARTS if bare.startswith(start)), None)


def _plain(title: str) -> str:
    """A title without case, trade marks and outer punctuation."""
    return " ".join(title.replace("’", "'").replace("™", "").casefold().split()).strip(" .:;,!–—-[]()*")


def _bears_out(rule: str, title: str, blocks: Sequence[Block]) -> bool:
    """Whether what a part holds agrees with a title that a story's chapter could have too ("Praise for the Dead")."""
    texts = [block.text for block in blocks if block.kind != "heading" and block.text]
    if _plain(title) in _TITLES or not texts:
        return True
    if rule == "praise":
        return sum(text[0] in "“\"‘'—–-" or "—" in text[-80:] for text in texts) >= 0.4 * len(texts)
    if rule == "advertisement":
        return sum(map(_is_listed, texts)) >= 0.6 * len(texts) or INVITES.search("\n".join(texts)) is not None
    return True


def _is_listed(text: str) -> bool:
    """Whether a text is a line of a list, such as the title of a book, rather than told or said."""
    return len(text) <= _LISTED and text[0] not in "“\"‘'" and not (text[-1] in ".!?”" and len(text.split()) > 6)


def _by_content(title: str, blocks: Sequence[Block], size: int) -> str | None:
    if not size:
        return None
    if _plain(title) in ("notes", "references", "notes and references") and _are_notes(blocks):
        return "endnotes"
    linked = sum(block.linked for block in blocks)
    if linked / size >= _LINKED_SHARE and sum(block.linked > 0 for block in blocks) >= 4:
        return "toc"
    if size <= _COPYRIGHT_LIMIT:
        text = "\n".join(block.text for block in blocks)
        if LICENCE.search(text) and size <= _LICENCE_LIMIT:
            return "copyright"
        if size <= _INVITATION_LIMIT and len({found.lower() for found in INVITES.findall(text)}) >= 3:
            return "advertisement"
        if len({found.lower() for found in COPYRIGHT.findall(text)}) >= 3:
            return "copyright"
    return None


def _are_notes(blocks: Sequence[Block]) -> bool:
    texts = [block for block in blocks if block.kind != "heading" and block.text]
    marked = sum(block.kind == "list_item" or NUMBERED.match(block.text) is not None for block in texts)
    return bool(texts) and marked >= 0.6 * len(texts)
