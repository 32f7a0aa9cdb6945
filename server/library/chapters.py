"""Pages into chapters: where the table of contents says, else where pages and headings do, and no text lost between.

A chapter runs from its start to the next one, over as many documents as lie between. Text that no entry leads to goes
with the chapter before it, unless it begins with a heading of its own.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import zip_longest

from server.library.container import resolve
from server.library.drafts import Draft, Piece, Place
from server.library.gather import Block, Page, Skip
from server.library.inline import count
from server.library.languages import ENGLISH
from server.library.matter import back_matter, by_title, is_inset, mark_boilerplate, rule_for
from server.library.model import Chapter, Figure, Notes, Sentence, Silence
from server.library.notes import move_notes
from server.library.sentences import sentence_ids, split
from server.library.toc import Entry, full_label

_TITLE_LIMIT = 300
_LONG_PAGE = 30_000  # characters; above it a page without contents is looked through for chapter headings
_SILLY_SHARE = 0.1
# Titles of parts that are off and have no title of their own.
_NAMES = {
    "cover": "Cover",
    "title-page": "Title page",
    "toc": "Contents",
    "copyright": "Copyright",
    "pg-licence": "Project Gutenberg",
    "endnotes": "Notes",
    "footnotes": "Notes",
    "index": "Index",
    "advertisement": "Advertisement",
}


@dataclass(frozen=True, slots=True)
class Part:
    """A page with its place in the book: `kinds` are the types that landmarks and guide give it."""

    page: Page
    path: str  # in the reading order; the page may be another one, shown in a frame of it
    linear: bool = True
    kinds: tuple[str, ...] = ()


@dataclass(slots=True)
class _Start:
    """Where a chapter begins: (part, block)."""

    place: tuple[int, int]
    title: str
    depth: int = 1


def make_chapters(
    parts: Sequence[Part],
    toc: Sequence[tuple[int, Entry]],
    book_title: str,
    language: str = ENGLISH,
    notes: Notes = "skipped",
) -> list[Chapter]:
    """Chapters of a book in reading order; `toc` has entries with the index of the part that each leads to.

    `language` says how sentences are told apart, `notes` where foot- and endnotes are read.
    """
    pages = [part.page for part in parts]
    mark_boilerplate(pages)
    starts = _from_contents(parts, toc, book_title)
    if _is_silly(parts, starts):
        starts = []
    starts = _complete(parts, starts, book_title)
    drafts = [_draft(parts, start, end) for start, end in zip_longest(starts, starts[1:])]
    told = [(draft.title, draft.rule, [piece.block for piece in draft.pieces]) for draft in drafts]
    for index, rule in back_matter(told).items():
        drafts[index].rule = rule
    if not any(draft.rule is None and draft.pieces for draft in drafts):
        for draft in drafts:  # better the small print than nothing at all
            draft.rule, draft.whole = None, True
    if notes != "skipped":
        move_notes(pages, drafts, at_end=notes == "end")
    return _number(drafts, language)


def _from_contents(parts: Sequence[Part], toc: Sequence[tuple[int, Entry]], book_title: str) -> list[_Start]:
    """Starts in reading order, one a place. A part and its first chapter at one place share a title."""
    found: dict[tuple[int, int], _Start] = {}
    for index, entry in toc:
        page = parts[index].page
        block = page.anchors.get(entry.fragment, 0) if entry.fragment else 0
        start = _Start((index, block), full_label(entry, book_title)[:_TITLE_LIMIT], entry.depth)
        known = found.setdefault(start.place, start)
        if known is start or not start.title:
            continue
        if not known.title:
            known.title = start.title
        elif start.depth > known.depth and not _ends_with(known.title, entry.label):
            known.title, known.depth = f"{known.title}: {entry.label}"[:_TITLE_LIMIT], start.depth
    return sorted(found.values(), key=lambda start: start.place)


def _ends_with(title: str, label: str) -> bool:
    """Whether a title says what a label does; a bare number is in many a word."""
    return label in title if len(label) > 5 else title == label or title.endswith(f": {label}")


def _is_silly(parts: Sequence[Part], starts: Sequence[_Start]) -> bool:
    """Whether a table of contents leads nowhere but to one small page of many."""
    pages = {start.place[0] for start in starts}
    if len(pages) != 1 or len(starts) < 2:
        return False
    sizes = [_size(part.page.blocks) for part in parts]
    return len([size for size in sizes if size]) >= 4 and sizes[pages.pop()] < _SILLY_SHARE * sum(sizes)


def _complete(parts: Sequence[Part], starts: list[_Start], book_title: str) -> list[_Start]:
    """Add the starts that the contents leave out, so that every block lies in a chapter."""
    listed = bool(starts)
    by_part: dict[int, list[_Start]] = {}
    for start in starts:
        by_part.setdefault(start.place[0], []).append(start)
    titles = Counter(part.page.title for part in parts)
    result: list[_Start] = []
    fresh = True  # whether the page at hand cannot go on with the chapter before it
    for index, part in enumerate(parts):
        own = by_part.get(index, [])
        head = part.page.blocks[: own[0].place[1]] if own else part.page.blocks  # what no entry leads to
        if head or not (own or result):
            goes_on = listed and not fresh and result and _is_title_page(parts, result[-1], index)
            if fresh or not part.linear or not listed or (_opens(part) and not goes_on):
                named = part.page.title if titles[part.page.title] == 1 and part.page.title != book_title else ""
                result.append(_Start((index, 0), _heading(head) or named))
                result += _small_print(index, head) if own else []
        if not listed:
            own = _headings(part.page)
            if own and own[0].place[1] <= 1 and result and result[-1].place == (index, 0):
                result[-1].title = own.pop(0).title
            own = [_Start((index, start.place[1]), start.title) for start in own]
        result += own
        fresh = not part.linear or (bool(result) and result[-1].place[0] == index and _is_off(part, result[-1]))
    return sorted({start.place: start for start in reversed(result)}.values(), key=lambda start: start.place)


def _small_print(index: int, head: Sequence[Block]) -> list[_Start]:
    """Starts at the headings that name front matter ("Contents") in what stands above the first chapter of a page."""
    return [
        _Start((index, at), " ".join(block.text.split()))
        for at, block in enumerate(head)
        if at and block.kind == "heading" and by_title(block.text)
    ]


def _is_title_page(parts: Sequence[Part], start: _Start, index: int) -> bool:
    """Whether there is nothing but headings between a start and the page at `index`."""
    first, block = start.place
    between = [*parts[first].page.blocks[block:], *(b for part in parts[first + 1 : index] for b in part.page.blocks)]
    return all(block.kind in ("heading", "scene_break") for block in between)


def _opens(part: Part) -> bool:
    """Whether a page that no entry leads to begins something of its own."""
    blocks = part.page.blocks
    return bool(blocks) and (
        (blocks[0].kind == "heading" and blocks[0].level <= 2) or rule_for("", blocks, part.kinds) is not None
    )


def _is_off(part: Part, start: _Start) -> bool:
    return rule_for(start.title, part.page.blocks[start.place[1] :], part.kinds) is not None


def _headings(page: Page) -> list[_Start]:
    """Chapter headings inside a long page without contents: the highest level that there are several of."""
    if _size(page.blocks) < _LONG_PAGE:
        return []
    levels = Counter(block.level for block in page.blocks if block.kind == "heading")
    level = next((level for level in sorted(levels) if level and levels[level] >= 3), 0)
    # Parts above many chapters: where the next level has far more, it is the one of the chapters.
    deeper = next((deep for deep in sorted(levels) if deep > level > 0 and levels[deep] >= 3 * levels[level]), 0)
    wanted = deeper or level
    starts: list[_Start] = []
    for index, block in enumerate(page.blocks):
        if block.kind != "heading" or block.level > wanted:
            continue
        title = " ".join(block.text.split())
        if starts and starts[-1].place[1] == index - 1 and page.blocks[index - 1].kind == "heading":
            starts[-1].title = f"{starts[-1].title}: {title}"[:_TITLE_LIMIT]
            starts[-1].place = (0, starts[-1].place[1])
        else:
            starts.append(_Start((0, index), title[:_TITLE_LIMIT]))
    return starts


def _heading(blocks: Sequence[Block]) -> str:
    """Title that a run of blocks gives itself: the heading among its first lines."""
    for block in blocks[:4]:
        if block.kind == "heading":
            return " ".join(block.text.split())[:_TITLE_LIMIT]
    return ""


def _draft(parts: Sequence[Part], start: _Start, end: _Start | None) -> Draft:
    pieces: list[Piece] = []
    waiting: list[tuple[str, Skip]] = []
    stop = end.place if end else (len(parts), 0)
    for index in range(start.place[0], min(stop[0] + 1, len(parts))):
        page = parts[index].page
        first = start.place[1] if index == start.place[0] else 0
        last = stop[1] if index == stop[0] else len(page.blocks) + 1
        skips = sorted([*page.skipped, *page.pictures], key=lambda skip: skip.block)
        skips = [skip for skip in reversed(skips) if first <= skip.block < last]
        for at, block in enumerate(page.blocks[first:last], first):
            while skips and skips[-1].block <= at:
                waiting.append((page.doc, skips.pop()))
            pieces.append(Piece(Place(index, at), page.doc, block, tuple(waiting)))
            waiting = []
        waiting += [(page.doc, skip) for skip in reversed(skips)]
    part = parts[start.place[0]]
    kinds = part.kinds if start.place[1] == 0 else ()
    blocks = [piece.block for piece in pieces]
    rule = rule_for(start.title, blocks, kinds)
    if not part.linear and any(other.linear for other in parts):
        rule = rule or "non-linear"
    return Draft(start.title or _heading(blocks), rule, pieces, waiting)


def _number(drafts: Sequence[Draft], language: str) -> list[Chapter]:
    """Chapters of the drafts that have text; what the others skipped is counted with the chapter after them."""
    chapters: list[Chapter] = []
    waiting: list[Silence | Figure] = []
    for draft in drafts:
        sentences, breaks, beside = _sentences(draft, language)
        waiting = [*(replace(item, before=0) for item in waiting), *beside]
        if not sentences:
            continue
        number = len(chapters) + 1
        title = draft.title or _NAMES.get(draft.rule or "") or f"Chapter {number}"
        chapters.append(Chapter(number, title, draft.rule is None, draft.rule, sentences, breaks, *_apart(waiting)))
        waiting = []
    if waiting and chapters:
        last = chapters[-1]
        end = max(1 + max(sentence.block for sentence in last.sentences), *last.breaks, 0)
        silences, figures = _apart([replace(item, before=end) for item in waiting])
        chapters[-1] = replace(last, silences=(*last.silences, *silences), figures=(*last.figures, *figures))
    return chapters


def _apart(beside: Sequence[Silence | Figure]) -> tuple[tuple[Silence, ...], tuple[Figure, ...]]:
    silences = tuple(item for item in beside if isinstance(item, Silence))
    return silences, tuple(item for item in beside if isinstance(item, Figure))


def _sentences(draft: Draft, language: str) -> tuple[tuple[Sentence, ...], tuple[int, ...], list[Silence | Figure]]:
    """(sentences, ordinals of scene breaks, what stands beside them) of a draft.

    Insets of a chapter that is read are silent.
    """
    spans: list[tuple[int, str, Block, int, int]] = []
    breaks: list[int] = []
    beside: list[Silence | Figure] = []
    ordinal = 0
    for piece in draft.pieces:
        block = piece.block
        beside += [_beside(doc, skip, ordinal) for doc, skip in piece.skipped]
        if draft.rule is None and not draft.whole and is_inset(block):
            if block.text:
                beside.append(Silence(str(block.matter), count(block.text), block.text, piece.doc, ordinal))
            continue
        if block.kind == "scene_break":
            breaks.append(ordinal)
        if block.kind == "code":
            beside.append(Silence("code", count(block.text), block.text, piece.doc, ordinal))
        spans += [(ordinal, piece.doc, block, start, end) for start, end in split(block.text, block.kind, language)]
        ordinal += 1
    beside += [_beside(doc, skip, ordinal) for doc, skip in draft.skipped]
    ids = sentence_ids([block.text[start:end] for _, _, block, start, end in spans])
    sentences = tuple(
        Sentence(name, block.text[start:end], at, block.kind, doc, block.path, start, end)
        for name, (at, doc, block, start, end) in zip(ids, spans, strict=True)
    )
    return sentences, tuple(breaks), beside


def _beside(doc: str, skip: Skip, ordinal: int) -> Silence | Figure:
    if skip.picture:
        target = resolve(doc, skip.picture)
        return Figure(target[0] if target else "", skip.text, ordinal)
    return Silence(skip.rule, skip.characters, skip.text, doc, ordinal)


def _size(blocks: Sequence[Block]) -> int:
    return sum(count(block.text) for block in blocks)
