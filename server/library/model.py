"""What a read book is: plain values, frozen, safe to send between processes."""

from dataclasses import dataclass
from typing import Literal

BlockKind = Literal[
    "heading", "paragraph", "verse", "list_item", "quotation", "caption", "table_row", "code", "scene_break"
]


@dataclass(frozen=True, slots=True)
class Sentence:
    """One sentence as the book shows it: white space collapsed, invisible characters left out.

    `id` is 12 hex digits of the text's SHA-256, a hyphen, and which occurrence of that text in the chapter it is
    (from 1): unique in its chapter, and the same in an edition that only changed elsewhere.
    `char_start, char_end` is its range `[start, end)` in the text of its block, in code points.
    """

    id: str
    text: str
    block: int  # ordinal of the block in the chapter, from 0; scene breaks count
    kind: BlockKind
    doc: str  # path of the content document in the container
    path: str  # element path in it, like /html/body/section[1]/p[3]
    char_start: int
    char_end: int


@dataclass(frozen=True, slots=True)
class Chapter:
    """A titled run of spine text. `rule` names what turned it off, None when it is on."""

    number: int  # from 1, all chapters counted, in reading order
    title: str
    enabled: bool
    rule: str | None
    sentences: tuple[Sentence, ...]
    breaks: tuple[int, ...]  # ordinals of the blocks that are scene breaks
    skipped: dict[str, int]  # rule → characters of the source that it keeps silent


@dataclass(frozen=True, slots=True)
class Book:
    """A whole book. `id` is the first 16 hex digits of the SHA-256 of what was read."""

    id: str
    title: str
    subtitle: str | None
    authors: tuple[str, ...]
    language: str
    chapters: tuple[Chapter, ...]
    cover: bytes | None
    cover_type: str | None
    warnings: tuple[str, ...]
    identifiers: tuple[str, ...]
