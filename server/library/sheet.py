"""A file that is one text instead of a package of documents: its tree and what it says of itself, made into a book."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field

from server.library import languages
from server.library.blocks import read_page
from server.library.chapters import Part, make_chapters
from server.library.gather import Block, Page
from server.library.headings import heading_of
from server.library.inline import count
from server.library.markup import Element
from server.library.matter import mark_boilerplate
from server.library.model import Book, Contributor, Notes
from server.library.refusals import nothing_to_read
from server.library.sort_keys import names_sort, title_sort
from server.library.style import Sheets
from server.library.toc import Entry

_TITLE_LIMIT = 300
_TITLE_PAGE = 800  # characters of what may stand before the first chapter and be no more than a title page
_TITLE_LINE = 100  # … and of each paragraph of it


@dataclass(slots=True)
class Sheet:
    """The text under `root`, as HTML, and what the file says of itself; what it does not say is empty."""

    root: Element
    title: str = ""
    authors: tuple[str, ...] = ()
    language: str = ""
    contributors: tuple[Contributor, ...] = ()
    publisher: str | None = None
    published: str | None = None
    description: str | None = None
    remarks: list[str] = field(default_factory=list)


def book_of(sheet: Sheet, *, name: str, doc: str, identity: str, language: str | None, notes: Notes) -> Book:
    """The book that a sheet is; `name` is its file's, `doc` what its page is called in the book.

    Raises BookRefused for one without a word.
    """
    page = read_page(sheet.root, doc, Sheets(lambda _path: None).hidden(sheet.root, doc))
    mark_boilerplate([page])
    told = sheet.language or languages.ENGLISH
    toc = _outline(page, sheet.title)
    chapters = make_chapters([Part(page, doc)], [(0, entry) for entry in toc], sheet.title, language or told, notes)
    if not chapters:
        raise nothing_to_read(name, has_images=page.images > 0, missing=0)
    remark = languages.remark(told, language)
    return Book(
        id=identity,
        title=sheet.title,
        subtitle=None,
        authors=sheet.authors,
        language=told,
        chapters=tuple(chapters),
        cover=None,
        cover_type=None,
        warnings=tuple(filter(None, (remark, *sheet.remarks))),
        identifiers=(),
        read_as=language,
        contributors=sheet.contributors,
        publisher=sheet.publisher,
        published=sheet.published,
        description=sheet.description,
        title_sort=title_sort(sheet.title, told),
        author_sort=names_sort(sheet.authors),
    )


def _outline(page: Page, title: str) -> list[Entry]:
    """The chapters that a page's headings make, as a table of contents; the whole page where there are none."""
    level = _level_of_chapters(page.blocks)
    starts: list[tuple[int, str]] = []
    for index, block in enumerate(page.blocks):
        if block.kind != "heading" or not 0 < block.level <= level or block.matter:
            continue
        heading = _label(block.text)
        before = page.blocks[starts[-1][0] : index] if starts else []
        if before and all(other.kind in ("heading", "scene_break") for other in before):
            starts[-1] = (starts[-1][0], f"{starts[-1][1]}: {heading}"[:_TITLE_LIMIT])
        else:
            starts.append((index, heading[:_TITLE_LIMIT]))
    if starts and starts[0][1].startswith(f"{title}: "):  # the book's title right above its first chapter
        starts[0] = (starts[0][0], starts[0][1].removeprefix(f"{title}: "))
    if not starts or any(block.kind != "scene_break" for block in page.blocks[: starts[0][0]]):
        end = starts[0][0] if starts else len(page.blocks)
        front = _is_title_page(page.blocks[:end]) and len(starts) > 1
        starts.insert(0, (0, "Title page" if front else title))
    entries = []
    for number, (index, label) in enumerate(starts):
        anchor = f"lectern-{number}"  # no file's own: those have been put where they are already
        page.anchors[anchor] = index
        entries.append(Entry(label, page.doc, anchor, 1))
    return entries


def _label(heading: str) -> str:
    """A heading in one line: "CHAPTER I: The Boy" where number and title stand on lines of their own."""
    first, _, rest = heading.partition("\n")
    known = heading_of(first)
    mark = ":" if rest and known is not None and known.bare and first.rstrip()[-1:].isalnum() else ""
    return " ".join(f"{first}{mark} {rest}".split())


def _level_of_chapters(blocks: Sequence[Block]) -> int:
    """The highest level of heading that there are two of; the next below where that has three times as many."""
    levels = Counter(block.level for block in blocks if block.kind == "heading" and not block.matter)
    level = next((level for level in sorted(levels) if levels[level] >= 2), max(levels, default=0))
    deeper = next((deep for deep in sorted(levels) if deep > level and levels[deep] >= 3 * levels[level]), 0)
    return deeper if level and levels[level] < 10 and deeper else level


def _is_title_page(blocks: Sequence[Block]) -> bool:
    """Whether what stands before the first chapter is titles and names, and no text."""
    own = [block for block in blocks if not block.matter]
    return sum(count(block.text) for block in own) <= _TITLE_PAGE and all(len(b.text) <= _TITLE_LINE for b in own)
