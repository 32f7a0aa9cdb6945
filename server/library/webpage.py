"""An HTML file as a sheet: its own metadata, its main part, and headings where the page has none that are marked."""

import re
from collections.abc import Iterator

from server.library.headings import heading_of
from server.library.languages import tag_of
from server.library.markup import Element, attribute, parse_document, tag
from server.library.metadata import plain_date
from server.library.plain import plain_text
from server.library.sheet import Sheet
from server.library.tongue import tongue_of

_TITLE_LIMIT = 300
_AROUND = frozenset(["nav", "header", "footer", "aside", "form", "dialog"])  # of a page with a main part
_MAIN_SHARE = 0.5  # of the text that a main part must hold
_NAMES = {
    "title": ("dc.title", "dcterms.title", "citation_title", "og:title"),
    "authors": ("author", "dc.creator", "dcterms.creator", "citation_author", "article:author"),
    "publisher": ("dc.publisher", "dcterms.publisher", "citation_publisher"),
    "published": ("dc.date", "dcterms.issued", "citation_publication_date", "article:published_time", "date"),
    "description": ("description", "dc.description", "og:description"),
    "language": ("dc.language", "dcterms.language"),
}
_SITE = re.compile(r"\s+[|·–—-]\s+[^|·–—-]{2,40}$")


def read_html(data: bytes, stem: str) -> Sheet | None:
    """The sheet of an HTML file, None for what is no page at all; `stem` is the file's name without its ending."""
    root, notes = parse_document(data)
    if root is None or any(tag(element) == "frameset" for element in root.iter()):  # the text is in other files
        return None
    sheet = sheet_of(root, stem)
    sheet.remarks += [f"The file {note}." for note in notes]
    return sheet


def sheet_of(root: Element, stem: str) -> Sheet:
    """The sheet of a page's tree."""
    said = _metas(root)
    quieten(root)
    mark_headings(root)
    written = next((_text(element) for element in root.iter() if tag(element) == "title"), "")
    first = [_text(element) for element in root.iter() if tag(element) == "h1"]
    own = first[0] if len(first) == 1 else ""
    if own and written.startswith(own):  # "The Inn | A Site"
        written = own
    title = next(iter(said["title"]), "") or written or own or stem
    published = next(iter(said["published"]), None)
    description = next(iter(said["description"]), None)
    lang = attribute(root, "lang") or next(iter(said["language"]), "")
    return Sheet(
        root,
        title=(_SITE.sub("", title) if title != own else title)[:_TITLE_LIMIT],
        authors=tuple(dict.fromkeys(name for name in said["authors"] if "://" not in name))[:20],
        language=tag_of(lang) or tongue_of(" ".join(root.itertext())),
        publisher=next(iter(said["publisher"]), None),
        published=plain_date(published) if published else None,
        description=plain_text(description) if description else None,
    )


def mark_headings(root: Element) -> None:
    """Make headings of the paragraphs whose words are those of headings, in a page without any that are marked."""
    if any(tag(element) in ("h1", "h2", "h3") for element in root.iter()):
        return
    found = []
    for element in root.iter():
        if tag(element) in ("p", "div", "center") and not any(tag(inner) in ("p", "div") for inner in element):
            text = _text(element)
            if len(text) <= 100 and (heading := heading_of(text)):
                found.append((element, heading.level))
    for element, level in found:
        prefix = str(element.tag).rpartition("}")[0]
        element.tag = f"{prefix}}}h{level}" if prefix else f"h{level}"


def quieten(root: Element) -> None:
    """Hide what stands around the main part of a page, where it names one that holds most of the text."""
    mains = [e for e in root.iter() if tag(e) == "main" or "main" in attribute(e, "role").split()]
    mains = mains or [element for element in root.iter() if tag(element) == "article"]
    if len(mains) != 1 or len(_text(mains[0])) < _MAIN_SHARE * len(_text(root)):
        return
    above = set(mains[0].iterancestors())
    for element in root.iter():
        if tag(element) in _AROUND and element not in above and mains[0] not in set(element.iterancestors()):
            element.set("hidden", "hidden")


def _metas(root: Element) -> dict[str, list[str]]:
    """What `meta` elements say, by the field that it is for."""
    said: dict[str, list[str]] = {}
    for element in root.iter():
        if tag(element) == "meta" and (content := " ".join(attribute(element, "content").split())):
            name = (attribute(element, "name") or attribute(element, "property")).lower()
            said.setdefault(name, []).append(content[:5_000])
    return {field: list(_first(said, names)) for field, names in _NAMES.items()}


def _first(said: dict[str, list[str]], names: tuple[str, ...]) -> Iterator[str]:
    for name in names:
        if name in said:
            yield from said[name]
            return


def _text(element: Element) -> str:
    return " ".join("".join(element.itertext()).split())
