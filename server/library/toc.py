"""Navigation documents and NCX files as flat lists: what the book says its chapters and its landmarks are."""

from collections.abc import Iterator
from dataclasses import dataclass

from server.library.container import resolve
from server.library.markup import Element, attribute, tag
from server.library.rules import types

_MAX_ENTRIES = 20_000


@dataclass(frozen=True, slots=True)
class Entry:
    """One line of a table of contents: where it points to in the container; `depth` from 1."""

    label: str
    path: str
    fragment: str
    depth: int


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
    for element in nav.iter():
        if element is nav:
            continue
        above = depth_of.get(element.getparent(), 0)
        depth_of[element] = above + (tag(element) in ("ol", "ul"))
        if tag(element) == "a" and (target := resolve(base, attribute(element, "href"))):
            yield Entry(label_of(element), target[0], target[1], max(1, above))


def read_ncx(root: Element, base: str) -> list[Entry]:
    """Table of contents of an NCX file at container path `base`; its page list is none of it."""
    entries = []
    depth_of: dict[Element, int] = {}
    for point in root.iter():
        depth = depth_of.get(point.getparent(), 0)
        if tag(point) != "navpoint":
            depth_of[point] = depth
            continue
        depth_of[point] = depth + 1
        source = next((attribute(child, "src") for child in point if tag(child) == "content"), "")
        label = next((label_of(child) for child in point if tag(child) == "navlabel"), "")
        if source and (target := resolve(base, source)):
            entries.append(Entry(label, target[0], target[1], depth + 1))
    return entries[:_MAX_ENTRIES]


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
