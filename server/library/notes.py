"""Foot- and endnotes to where they are referred to, for who wants to hear them there.

A note is what the mark of a note leads to, if that is a note by its type, its class or its chapter, or leads back to
the mark. It is moved with all that belongs to it, once, to the first place that refers to it. What no mark leads to
stays where it is, and so does what cannot be told from the text around it.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

from server.library.container import resolve
from server.library.drafts import Draft, Piece, Place
from server.library.gather import Extent, Page, Reference, Skip
from server.library.inline import count
from server.library.matter import is_inset
from server.library.model import BlockKind

_MATTER = frozenset(["endnotes", "footnotes"])
_LONGEST = 5_000  # characters of a note that is not among notes, and of a page that is one note
_AS_NOTE: frozenset[BlockKind] = frozenset(["paragraph", "list_item", "caption", "heading"])


def move_notes(pages: Sequence[Page], drafts: Sequence[Draft], *, at_end: bool) -> None:
    """Move the notes of a book behind the blocks that refer to them, or `at_end` of the chapters that do."""
    finder = _Finder(pages, drafts)
    moved: dict[Place, list[Piece]] = {}
    for read in (True, False):  # a chapter that is read comes before one that is off
        for draft in drafts:
            if draft.rule not in _MATTER and (draft.rule is None) == read:
                for piece in draft.pieces:
                    if piece.place not in finder.taken and (draft.whole or not is_inset(piece.block)):
                        moved[piece.place] = finder.notes_of(piece.place)
    for draft in drafts:
        kept: list[Piece] = []
        last: list[Piece] = []
        for piece in draft.pieces:
            if piece.place not in finder.taken:
                kept.append(piece)
                (last if at_end else kept).extend(moved.get(piece.place, ()))
        draft.pieces = kept + last


class _Finder:
    """Finds notes by their references and remembers which blocks were taken."""

    def __init__(self, pages: Sequence[Page], drafts: Sequence[Draft]) -> None:
        self.taken: set[Place] = set()
        self._pages = pages
        docs = [(page.doc, part) for part, page in reversed(list(enumerate(pages)))]
        self._parts = {doc.casefold(): part for doc, part in docs} | dict(docs)
        self._pieces = {piece.place: piece for draft in drafts for piece in draft.pieces}
        self._rules = {piece.place: draft.rule for draft in drafts for piece in draft.pieces}
        self._references: dict[Place, list[Reference]] = {}
        self._targets: dict[int, set[int]] = {}
        self._extents: dict[Place, list[Extent]] = {}  # by where they begin, inner ones first
        for part, page in enumerate(pages):
            for extent in page.extents:
                self._extents.setdefault(Place(part, extent.start), []).append(extent)
            for reference in page.references:
                self._references.setdefault(Place(part, reference.block), []).append(reference)
                if not reference.back and (found := self._target(part, reference)):
                    self._targets.setdefault(found[0].part, set()).add(found[0].block)

    def notes_of(self, place: Place) -> list[Piece]:
        """The notes that a block refers to and that are still in their place, each with those that it refers to."""
        notes: list[Piece] = []
        waiting = [self._own_notes(place)]  # a note may refer to the next, and that on and on
        while waiting:
            piece = next(waiting[-1], None)
            if piece is None:
                waiting.pop()
            else:
                notes.append(piece)
                waiting.append(self._own_notes(piece.place))
        return notes

    def _own_notes(self, place: Place) -> Iterator[Piece]:
        for reference in self._references.get(place, ()):
            if reference.back:
                continue
            found = self._target(place.part, reference)
            if found is None or found[0] == place:
                continue
            part = found[0].part
            places = [Place(part, at) for at in self._note(place, reference, *found)]
            if not places or any(at in self.taken or at not in self._pieces for at in places):
                continue
            self.taken.update(places)
            yield from _as_note([self._pieces[at] for at in places], reference.mark)

    def _target(self, part: int, reference: Reference) -> tuple[Place, str] | None:
        """(block, fragment) that a reference leads to."""
        found = resolve(self._pages[part].doc, reference.href)
        if found is None:
            return None
        path, fragment = found
        index = self._parts.get(path, self._parts.get(path.casefold()))
        if index is None:
            return None
        page = self._pages[index]
        block = page.anchors.get(fragment, -1) if fragment else 0
        return (Place(index, block), fragment) if 0 <= block < len(page.blocks) else None

    def _note(self, place: Place, reference: Reference, target: Place, fragment: str) -> range:
        """The blocks of the note that is referred to; none where it cannot be told from the text around it."""
        page = self._pages[target.part]
        rule = self._rules.get(target)
        among = page.blocks[target.block].matter in _MATTER or rule in _MATTER
        if not fragment:
            whole = range(len(page.blocks))
            alone = (among or rule == "non-linear") and _size(page, whole) <= _LONGEST
            return whole if alone else range(0)
        blocks = self._extent(target, fragment, among=among)
        holders = self._extents.get(target, ())
        if page.blocks[target.block].kind == "heading" and not any(extent.holder for extent in holders):
            return range(0)
        if among:
            return blocks
        if (place.part == target.part and place.block in blocks) or _size(page, blocks) > _LONGEST or rule is not None:
            return range(0)
        told = (reference.typed and holders) or self._leads_back(place, target)
        return blocks if told else range(0)

    def _extent(self, target: Place, fragment: str, *, among: bool) -> range:
        """The blocks of the note that begins at `target`: those of its element, else up to the next note."""
        page, start = self._pages[target.part], target.block
        others = self._targets[target.part] - {start}
        for extent in self._extents.get(target, ()):
            several = extent.end - start > 1
            if (extent.holder or (extent.name == fragment and several)) and not (
                several and any(start < other < extent.end for other in others)
            ):
                return range(start, extent.end)
        end = start + 1
        while among and end < len(page.blocks) and end not in others:
            block = page.blocks[end]
            begins = any(extent.name or extent.holder for extent in self._extents.get(Place(target.part, end), ()))
            if begins or block.kind in ("heading", "scene_break") or block.matter != page.blocks[start].matter:
                break
            end += 1
        return range(start, end)

    def _leads_back(self, place: Place, target: Place) -> bool:
        """Whether a block begins with a mark, or has an arrow, to the earlier block that refers to it."""
        return place < target and any(
            reference.opens and (found := self._target(target.part, reference)) is not None and found[0] == place
            for reference in self._references.get(target, ())
        )


def _size(page: Page, blocks: range) -> int:
    return sum(count(page.blocks[at].text) for at in blocks)


def _as_note(pieces: Sequence[Piece], mark: str) -> list[Piece]:
    """A note as it is read: without the mark that it begins with, which the listener has just passed."""
    first, *more = pieces
    rest = _without_mark(first.block.text, mark)
    gone = first.block.text[: len(first.block.text) - len(rest)]
    skipped = first.skipped
    if gone:
        skipped = (*skipped, (first.doc, Skip(first.place.block, "note-mark", count(gone), gone.strip())))
    if not rest and more:  # the mark had a block to itself
        more[0] = replace(more[0], skipped=(*skipped, *more[0].skipped))
        return [_plain(piece) for piece in more]
    if not any(map(str.isalnum, rest)):
        return [_plain(piece) for piece in pieces]
    return [
        _plain(replace(first, block=replace(first.block, text=rest), skipped=skipped)),
        *(_plain(piece) for piece in more),
    ]


def _plain(piece: Piece) -> Piece:
    block = piece.block
    kind: BlockKind = "note" if block.kind in _AS_NOTE else block.kind
    return replace(piece, block=replace(block, kind=kind, level=0, matter=None))


def _without_mark(text: str, mark: str) -> str:
    """The text of a note behind its own number, where it begins with that: "1 ", "[1]", "1.", "*"."""
    bare = mark.strip().strip("[](){}.").strip()
    if not bare:
        return text
    stop = r"[.:)\]}]" + ("+" if bare.isalpha() else "*")
    found = re.match(rf"[\[({{]?{re.escape(bare)}{stop}(?:\s+|$|(?<=[\])}}*†‡§]))", text)
    return text[found.end() :] if found else text
