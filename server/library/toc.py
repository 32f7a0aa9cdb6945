"""Navigation documents and NCX files as flat lists: what the book says its chapters and its landmarks are."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from server.library.container import resolve
from server.library.markup import Element, attribute, tag
from server.library.matter import by_title
from server.library.rules import types

_MAX_ENTRIES = 20_000
_LONGEST_PARENT = 80  # characters of a line that is put before another
_LONG_PARENT = 50  # of one that is shortened to "Part III" where it begins so
_PART = re.compile(r"((?:part|book|volume|section|act|canto) (?:[ivxlcdm]+|\d+|\w+))\s*[:.,;–—-]", re.IGNORECASE)
_NUMBER = re.compile(r"[\[(]?(?:[ivxlcdm]+|\d+)[\])]?[.:]?", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Entry:
    """One line of a table of contents: where it points to in the container; `depth` from 1.

    `parent` is the label of the line that it stands under, "" for none.
    """

    label: str
    path: str
    fragment: str
    depth: int
    parent: str = ""


@dataclass(frozen=True, slots=True)
class Landmark:
    """A part of the book by its type, as a navigation document or a guide names it."""

    kind: str
    path: str
    fragment: str


def read_nav(root: Element, base: str) -> tuple[list[Entry], list[Landmark]]:
    """(table of contents, landmarks) of an EPUB 3 navigation document at container path `base`."""
    navs = [(element, types(element)) for element in root.iter() if tag(element) == "nav"]
    toc = next((element for element, kinds in navs if "toc" in kinds or "doc-toc" in kinds), None)
    if toc is None:
        toc = next((e for e, kinds in navs if not {"page-list", "doc-pagelist", "landmarks"} & set(kinds)), None)
    entries = list(_list_entries(toc, base)) if toc is not None else []
    marks = [
        Landmark(kind, *target)
        for element, kinds in navs
        if "landmarks" in kinds
        for link in element.iter()
        if tag(link) == "a" and (target := resolve(base, attribute(link, "href")))
        for kind in types(link)
    ]
    return entries[:_MAX_ENTRIES], marks


def _list_entries(nav: Element, base: str) -> Iterator[Entry]:
    """Every link of the list, in order, each once; depth is the number of lists around it."""
    depth_of = {nav: 0}
    parent_of = {nav: ""}
    for element in nav.iter():
        if element is nav:
            continue
        outer = element.getparent()
        above = depth_of.get(outer, 0)
        depth_of[element] = above + (tag(element) in ("ol", "ul"))
        # A list stands under what its item says before it.
        parent_of[element] = parent_of.get(outer, "")
        if tag(element) in ("ol", "ul") and tag(outer) == "li":
            said = next((child for child in outer if tag(child) in ("a", "span", "p")), None)
            parent_of[element] = label_of(said) if said is not None else ""
        if tag(element) == "a" and (target := resolve(base, attribute(element, "href"))):
            yield Entry(label_of(element), target[0], target[1], max(1, above), parent_of[element])


def read_ncx(root: Element, base: str) -> list[Entry]:
    """Table of contents of an NCX file at container path `base`; its page list is none of it."""
    entries = []
    depth_of: dict[Element, int] = {}
    label_of_point: dict[Element, str] = {}  # the last one around each element
    for point in root.iter():
        depth = depth_of.get(point.getparent(), 0)
        parent = label_of_point.get(point.getparent(), "")
        if tag(point) != "navpoint":
            depth_of[point], label_of_point[point] = depth, parent
            continue
        depth_of[point] = depth + 1
        source = next((attribute(child, "src") for child in point if tag(child) == "content"), "")
        label = next((label_of(child) for child in point if tag(child) == "navlabel"), "")
        label_of_point[point] = label
        if source and (target := resolve(base, source)):
            entries.append(Entry(label, target[0], target[1], depth + 1, parent))
    return entries[:_MAX_ENTRIES]


def full_label(entry: Entry, book_title: str) -> str:
    """The label of a line, with that of the line above it where it is a bare number under a name: "A Journey: II".

    The name of the whole book says nothing of one chapter, and under a number another one is no clearer.
    """
    parent = " ".join(entry.parent.split())
    if len(parent) > _LONG_PARENT and (part := _PART.match(parent)):
        parent = part[1]
    named = parent and not _NUMBER.fullmatch(parent) and len(parent) <= _LONGEST_PARENT and not by_title(parent)
    if named and _NUMBER.fullmatch(entry.label) and not _same(parent, book_title):
        return f"{parent}: {entry.label}"
    return entry.label


def _same(first: str, second: str) -> bool:
    return "".join(filter(str.isalnum, first.casefold())) == "".join(filter(str.isalnum, second.casefold()))


def label_of(element: Element) -> str:
    """Text of a label with the alternatives of its images, white space collapsed."""
    parts: list[str] = []
    for inner in element.iter():
        if tag(inner) in ("img", "image"):
            parts.append(attribute(inner, "alt"))
        parts.append(inner.text or "")
        if inner is not element:
            parts.append(inner.tail or "")
    text = " ".join("".join(parts).replace("\u00ad", "").split())
    return text or " ".join(attribute(element, "title").split())
