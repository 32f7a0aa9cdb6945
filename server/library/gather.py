"""The blocks of a page while they are gathered: a buffer of inline text, closed into a block at each border."""

import re
from bisect import bisect_left
from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import accumulate
from typing import NamedTuple

from server.library.inline import LINE, count, has_cut_words, join_cut_words, tidy, visible, vocabulary
from server.library.markup import Element, attribute, tag
from server.library.model import BlockKind
from server.library.rules import Context

_PAUSING = ("paragraph", "verse", "quotation")
_EMPTY_LINE = re.compile(r"\n(?:[^\S\n]*\n)+")
_KEPT: dict[str, Callable[[str], str]] = {
    "code": lambda text: text.replace("\n", LINE),
    "lines": lambda text: text.replace("\n", LINE),
    "prose": lambda text: _EMPTY_LINE.sub(LINE + LINE, text),
}
_SHOWN = 4_000  # characters of a silent run that are kept to be looked at
_SHOWN_OF_PICTURE = 1_000  # characters of what a picture says of itself


@dataclass(frozen=True, slots=True)
class Block:
    """One run of text that is read by itself. `matter` names the front or back matter it lies in."""

    kind: BlockKind
    text: str
    path: str
    level: int = 0  # of a heading, 1–6
    matter: str | None = None
    linked: int = 0  # characters of it that are links to other places


class Skip(NamedTuple):
    """Text that is kept silent: before which block of its page, by which rule, how many characters, and what it is."""

    block: int
    rule: str
    characters: int
    text: str
    picture: str = ""  # where the picture that stands here is, as written; `text` describes it


class Reference(NamedTuple):
    """A link that may be the mark of a note or lead back to one: where it leads, as written, and how it looks."""

    block: int
    href: str
    mark: str
    opens: bool  # nothing of the block is before it
    typed: bool  # its type says that it is a mark
    back: bool  # it can but lead back


class Extent(NamedTuple):
    """The blocks `[start, end)` of an element that may be a note: one that has an id, or is made to hold a note."""

    start: int
    end: int
    name: str  # its id
    holder: bool


@dataclass(slots=True)
class Page:
    """A content document as read: blocks, where its ids are, and what was skipped before which block."""

    doc: str
    title: str = ""
    blocks: list[Block] = field(default_factory=list)
    anchors: dict[str, int] = field(default_factory=dict)  # id → index of the block it stands in or before
    skipped: list[Skip] = field(default_factory=list)
    images: int = 0
    pictures: list[Skip] = field(default_factory=list)  # to be shown, and before which block
    frames: list[str] = field(default_factory=list)  # what its iframes show
    references: list[Reference] = field(default_factory=list)
    extents: list[Extent] = field(default_factory=list)  # inner ones first


class Gatherer:
    """Takes text, ids and borders in document order; its `page` has the blocks. `root` is read for its words only."""

    def __init__(self, root: Element, page: Page) -> None:
        self.page = page
        self._root = root
        self._raw: list[str] = []
        self._linked = 0
        self._carry = ""  # a drop cap that stood in a block of its own
        self._ids: list[tuple[str, int]] = []  # ids met since the last border, with the pieces of text before them
        self._references: list[tuple[int, Reference]] = []  # since the last border, with the pieces of text before
        self._known: frozenset[str] | None = None

    def add(self, text: str | None, context: Context) -> None:
        if text:
            self._raw.append(_KEPT[context.kept](text) if context.kept else text)

    def before(self) -> str:
        """The last characters of the block at hand."""
        return "".join(self._raw[-4:])[-40:]

    def link(self, text: str) -> None:
        self._linked += count(text)

    def skip(self, rule: str, text: str) -> None:
        if characters := count(text):
            shown = " ".join(text.split())
            shown = shown if len(shown) <= _SHOWN else shown[: _SHOWN - 1] + "…"
            self.page.skipped.append(Skip(len(self.page.blocks), rule, characters, shown))

    def show(self, element: Element, text: str) -> None:
        """Have a picture shown where it stands: before the block at hand, or behind it where that has begun."""
        source = attribute(element, "src") or attribute(element, "href")
        if source and not source.startswith("data:"):
            begun = any(piece.strip() for piece in self._raw)
            shown = " ".join(text.split())[:_SHOWN_OF_PICTURE]
            self.page.pictures.append(Skip(len(self.page.blocks) + begun, "picture", 0, shown, source))

    def skip_unseen(self, rule: str, characters: int) -> None:
        """Skip characters that nobody could see."""
        if characters:
            self.page.skipped.append(Skip(len(self.page.blocks), rule, characters, ""))

    def skip_all(self, rule: str, element: Element) -> None:
        """Skip an element with all that is in it; its ids stay known, so that links to it find their place."""
        self.skip(rule, "".join(element.itertext()))
        for inner in element.iter():
            self.mark(inner)
            if tag(inner) in ("img", "image"):
                self.page.images += 1
                self.skip(rule, attribute(inner, "alt"))
            elif tag(inner) == "iframe":
                self.page.frames.append(attribute(inner, "src"))

    def refer(self, href: str, mark: str, *, typed: bool = False, back: bool = False) -> None:
        """Remember a link to or from a note at this place of the block at hand."""
        if href:
            opens = back or not self.before().strip()
            self._references.append((len(self._raw), Reference(0, href, mark, opens, typed, back)))

    def mark(self, element: Element) -> None:
        """Remember the ids of an element."""
        if anchor := element.get("id"):
            self._ids.append((anchor, len(self._raw)))
        if (anchor := element.get("name")) and tag(element) == "a":
            self._ids.append((anchor, len(self._raw)))

    def flush(self, context: Context) -> None:
        """Close the block at hand, if there is any text in it."""
        pieces, self._raw = self._raw, []
        linked, self._linked = self._linked, 0
        raw = "".join(pieces)
        self._place_ids(pieces, context)
        first = len(self.page.blocks)
        self._close(raw, context, linked)
        self._place_references(pieces, first)

    def _close(self, raw: str, context: Context, linked: int) -> None:
        if not count(raw):
            return
        if context.dropcap and len(raw.strip()) <= 2 and raw.strip()[-1].isalpha():
            self._carry += raw.strip()
            return
        if self._carry and context.kind != "heading":
            raw, self._carry = self._carry + raw.lstrip(), ""
        if has_cut_words(raw):
            raw, hyphens = join_cut_words(raw, self._vocabulary())
            self.skip_unseen("line-hyphen", hyphens)
        texts, invisible = tidy(
            raw, paragraphs=context.kind != "heading" and context.kept not in ("code", "lines") and not context.within
        )
        self.skip_unseen("invisible", invisible)
        for text in texts:
            self._block(text, context, linked)

    def finish(self, context: Context) -> None:
        """Close what is open at the end of the page."""
        self.flush(context._replace(dropcap=False))
        if self._carry:
            self._raw.append("")
            raw, self._carry = self._carry, ""
            self._block(raw, context, 0)

    def pause(self, context: Context) -> None:
        """A scene break, once, and not before the first text."""
        blocks = self.page.blocks
        if blocks and blocks[-1].kind != "scene_break":
            blocks.append(Block("scene_break", "", context.path, matter=context.matter))

    def _block(self, text: str, context: Context, linked: int) -> None:
        if any(map(str.isalnum, text)):
            block = Block(context.kind, text, context.path, context.level, context.matter, min(linked, count(text)))
            self.page.blocks.append(block)
            return
        self.skip("ornament", text)
        if context.kind in _PAUSING:
            self.pause(context)

    def _place_ids(self, pieces: list[str], context: Context) -> None:
        """An id stands in the block that is being closed, or after it when none of its text follows the id."""
        here = len(self.page.blocks)
        some = any(piece.strip() for piece in pieces)
        for anchor, index in self._ids:
            after = (
                some and index > 0 and context.kind != "heading" and not any(piece.strip() for piece in pieces[index:])
            )
            self.page.anchors.setdefault(anchor, here + 1 if after else here)
        self._ids = []

    def _place_references(self, pieces: list[str], first: int) -> None:
        """A mark belongs to the block that its text went to: of several, the one where as much text is before it."""
        references, self._references = self._references, []
        blocks = self.page.blocks
        for index, reference in references:
            at = len(blocks) - 1
            if at > first:
                before = count(visible("".join(pieces[:index])))
                sizes = list(accumulate(count(block.text) for block in blocks[first:]))
                at = first + min(bisect_left(sizes, before), len(sizes) - 1)
            self.page.references.append(reference._replace(block=max(at, 0)))

    def _vocabulary(self) -> frozenset[str]:
        if self._known is None:
            self._known = vocabulary(" ".join(self._root.itertext()))
        return self._known
