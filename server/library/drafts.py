"""A chapter before its sentences are made: its blocks with their places in the book and what is silent between them."""

from dataclasses import dataclass, field
from typing import NamedTuple

from server.library.gather import Block, Skip


class Place(NamedTuple):
    """A block of the book: which part, which block of its page."""

    part: int
    block: int


@dataclass(frozen=True, slots=True)
class Piece:
    """A block, where it stands in the book, and what is skipped before or within it (document, skip)."""

    place: Place
    doc: str
    block: Block
    skipped: tuple[tuple[str, Skip], ...] = ()


@dataclass(slots=True)
class Draft:
    """A chapter as it is cut from the pages. `rule` turns it off, `whole` has its insets read too."""

    title: str
    rule: str | None
    pieces: list[Piece] = field(default_factory=list)
    skipped: list[tuple[str, Skip]] = field(default_factory=list)  # after the last piece
    whole: bool = False
