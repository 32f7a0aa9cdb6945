"""What a read book is: plain values, frozen, safe to send between processes."""

from collections import Counter
from dataclasses import dataclass
from typing import Literal

# What becomes of foot- and endnotes: silent, read after the block that refers to them, or at the end of its chapter.
Notes = Literal["skipped", "inline", "end"]
BlockKind = Literal[
    "heading", "paragraph", "verse", "list_item", "quotation", "caption", "table_row", "code", "note", "scene_break"
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
class Silence:
    """A run of source text that is not read, and the rule that keeps it silent.

    `characters` are all but white space. `text` is what stood there, "" where there is nothing to show (invisible
    characters, hyphens at the ends of lines); a long one is cut.
    """

    rule: str
    characters: int
    text: str
    doc: str  # path of the content document in the container
    before: int  # ordinal of the block of its chapter that it stands before; how many there are: at its end


@dataclass(frozen=True, slots=True)
class Figure:
    """A picture that is shown where it stands in the book. `alt` describes it where its text does not."""

    path: str  # in the container
    alt: str
    before: int  # ordinal of the block of its chapter that it stands before; how many there are: at its end
    width: int = 0  # in pixels
    height: int = 0


@dataclass(frozen=True, slots=True)
class Chapter:
    """A titled run of spine text. `rule` names what turned it off, None when it is on."""

    number: int  # from 1, all chapters counted, in reading order
    title: str
    enabled: bool
    rule: str | None
    sentences: tuple[Sentence, ...]
    breaks: tuple[int, ...]  # ordinals of the blocks that are scene breaks
    silences: tuple[Silence, ...] = ()
    figures: tuple[Figure, ...] = ()

    @property
    def skipped(self) -> dict[str, int]:
        """Rule → characters of the source that it keeps silent."""
        found = Counter[str]()
        for silence in self.silences:
            found[silence.rule] += silence.characters
        return dict(found)

    @property
    def characters(self) -> int:
        """Characters of its text that is read, all but white space: code is shown, and only announced."""
        return sum(len("".join(sentence.text.split())) for sentence in self.sentences if sentence.kind != "code")


@dataclass(frozen=True, slots=True)
class Refused:
    """A page of the spine that could not be read, and why, in a sentence."""

    doc: str
    reason: str


@dataclass(frozen=True, slots=True)
class Contributor:
    """Somebody who had a part in a book; `role` is a MARC relator code such as "edt", "trl", "ill", "nrt"."""

    name: str
    role: str


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
    series: str | None = None
    series_index: float | None = None
    read_as: str | None = None  # the language that a person chose, whatever the book says
    refused: tuple[Refused, ...] = ()
    contributors: tuple[Contributor, ...] = ()  # those besides the authors
    publisher: str | None = None
    published: str | None = None  # YYYY, YYYY-MM or YYYY-MM-DD; as the book writes it where that is no such date
    description: str | None = None  # plain text, paragraphs apart by an empty line
    title_sort: str | None = None  # what the title is put in order by, such as "Hobbit, The"
    author_sort: str | None = None  # the same for the authors, such as "Tolkien, J. R. R."
    thumbnail: bytes | None = None  # the cover as a small JPEG
