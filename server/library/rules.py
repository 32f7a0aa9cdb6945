"""What of a page is spoken: each rule that keeps something silent has the name that the ledger counts it under."""

import re
from typing import NamedTuple

from server.library.markup import Element, attribute, tag
from server.library.model import BlockKind
from server.library.preformatted import Kept, kept_as

_BLOCK_NAMES = """
address article aside blockquote body caption center dd details dialog dir div dl dt fieldset
figcaption figure footer form h1 h2 h3 h4 h5 h6 header hgroup hr html legend li main menu nav ol p
pre section summary table tbody td tfoot th thead tr ul level level1 level2 level3 book bodymatter
frontmatter rearmatter doctitle docauthor hd list linegroup line lic foreignobject
"""
BLOCKS = frozenset(_BLOCK_NAMES.split())
HEADINGS = {"h1": 1, "h2": 2, "h3": 3, "h4": 4, "h5": 5, "h6": 6, "doctitle": 1, "hd": 2}
_KINDS: dict[str, BlockKind] = {
    "blockquote": "quotation",
    "li": "list_item",
    "dt": "list_item",
    "dd": "list_item",
    "figcaption": "caption",
    "caption": "caption",
}
_KEPT: dict[str, BlockKind] = {"code": "code", "lines": "verse"}
_SILENT_TAGS = {
    "head": "head",
    "title": "head",
    "style": "style",
    "script": "script",
    "template": "script",
    "rt": "ruby",
    "rp": "ruby",
    "rtc": "ruby",
    "iframe": "embedded",
    "object": "embedded",
    "embed": "embedded",
    "audio": "embedded",
    "video": "embedded",
    "canvas": "embedded",
    "select": "form",
    "option": "form",
    "textarea": "form",
    "button": "form",
    "input": "form",
    "datalist": "form",
    "annotation": "math",
    "annotation-xml": "math",
    "pagenum": "pagebreak",
    "del": "deleted",
}
_STYLED = re.compile(r"(?:^|;)\s*(display|visibility)\s*:\s*([a-z-]+)\s*(!\s*important)?\s*(?=;|$)", re.IGNORECASE)
_PAGE_CLASS = re.compile(
    r"^(?:x-)?(?:ebookmaker-)?(?:page-?num(?:ber)?s?|pgnum|pageno|pagebreak|page-break-num)$", re.I
)
_PAGE_NUMBER = 40  # characters of the mark of a page: "[Pg 12]", "page xii of the first edition"
_LINE_NUMBER_CLASS = re.compile(r"^(?:poem-?)?(?:line-?num(?:ber)?s?|lineno|lnum|linenr|ln)$", re.IGNORECASE)
_VERSE_CLASS = re.compile(
    r"^(?:verse|poem|poetry|stanza|linegroup|lg|song|hymn|z3998:(?:verse|poem|song|hymn|lyrics))$"
)
_STANZA_CLASS = re.compile(r"^(?:stanza|linegroup|lg)$")
_DROPCAP_CLASS = re.compile(r"drop-?cap|initial|^dc$|first-?letter|versal", re.IGNORECASE)
_NOTE_CLASS = re.compile(r"^(?:foot|end)notes?$", re.IGNORECASE)
_ONE_NOTE_CLASS = re.compile(r"^(?:foot|end)?note$")
_ONE_NOTE = frozenset(["footnote", "doc-footnote", "endnote", "doc-endnote", "rearnote", "note"])
# A note mark: [12], (3), *, †, ‡3, iv; never a word.
_MARK = re.compile(
    r"[\[({]?\s*(?:\d{1,4}|[*∗†‡§¶#]{1,4}\d{0,2}|[a-zA-Z]|[ivxl]{1,6}|fn\.?\s?\d+|note\s?\d+)\s*[\])}]?\.?"
)
_NOTE_TARGET = re.compile(
    r"(?:^|[^a-z])(?:fn|ftn|footnote|note|endnote|en|noteref|nt|n|f|rfn|_ftn|_edn)[-_.]?[a-z]?\d+", re.I
)
_NOTE_LINK_CLASS = re.compile(r"note|fnref|(?:^|\s)fn|anchor", re.IGNORECASE)
_ARROWS = frozenset("↩↵⏎⤴↑⇑⬆←⇐⟵^")
_UNITS = frozenset(["m", "cm", "mm", "km", "dm", "ft", "in", "mi", "yd", "s", "sec", "hm", "nm"])

# epub:type, role or guide type → name of the rule that a chapter of it is turned off by.
MATTER = {
    "cover": "cover",
    "cover-page": "cover",
    "doc-cover": "cover",
    "titlepage": "title-page",
    "title-page": "title-page",
    "halftitlepage": "title-page",
    "halftitle": "title-page",
    "copyright-page": "copyright",
    "copyright": "copyright",
    "imprint": "imprint",
    "colophon": "colophon",
    "doc-colophon": "colophon",
    "toc": "toc",
    "doc-toc": "toc",
    "toc-brief": "toc",
    "landmarks": "toc",
    "loi": "list-of-illustrations",
    "lot": "list-of-tables",
    "page-list": "page-list",
    "doc-pagelist": "page-list",
    "index": "index",
    "doc-index": "index",
    "bibliography": "bibliography",
    "doc-bibliography": "bibliography",
    "endnotes": "endnotes",
    "rearnotes": "endnotes",
    "doc-endnotes": "endnotes",
    "footnotes": "footnotes",
    "footnote": "footnotes",
    "doc-footnote": "footnotes",
    "endnote": "footnotes",
    "doc-endnote": "footnotes",
    "rearnote": "footnotes",
    "seriespage": "advertisement",
    "other-credits": "advertisement",
}
_BOILERPLATE = re.compile(r"^pg-?(?:boilerplate|header|footer|machine-header|license|licence)$", re.IGNORECASE)


class Context(NamedTuple):
    """What holds for the text inside an element."""

    kind: BlockKind = "paragraph"
    level: int = 0  # 1–6 in a heading
    matter: str | None = None  # rule of the front or back matter it lies in
    path: str = ""
    verse: bool = False
    kept: Kept = ""  # white space is kept (pre)
    within: str = ""  # "row" or "stanza": inner blocks do not start a new block
    dropcap: bool = False


def types(element: Element) -> list[str]:
    """The words of epub:type and role, in lower case."""
    found = [
        str(value)
        for key, value in element.attrib.items()
        if key == "role" or (key != "type" and str(key).endswith(("}type", ":type")))
    ]
    return " ".join(found).lower().split()


def silent_rule(element: Element, name: str, kinds: list[str]) -> str | None:
    """Name of the rule that keeps an element silent, None when it is read."""
    if name in _SILENT_TAGS:
        return _SILENT_TAGS[name]
    attributes = element.attrib
    if not attributes:
        return None
    classes = attributes.get("class", "").split()
    paged = "pagebreak" in kinds or "doc-pagebreak" in kinds or any(_PAGE_CLASS.match(word) for word in classes)
    if paged and len("".join("".join(element.itertext()).split())) <= _PAGE_NUMBER:  # else it begins a page
        return "pagebreak"
    if any(_LINE_NUMBER_CLASS.match(word) for word in classes) and "".join(element.itertext()).strip().isdigit():
        return "line-number"
    if name not in ("html", "body") and (  # a page that is hidden as a whole is shown by a script
        ("hidden" in attributes and name != "nav") or _hides_from_ears(element) or _hides_itself(element)
    ):
        return "hidden"
    if name == "nav" and ("page-list" in kinds or "landmarks" in kinds):
        return "page-list"
    if "backlink" in kinds or "doc-backlink" in kinds:
        return "backlink"
    return None


def style_of(element: Element) -> dict[str, str]:
    """`display` and `visibility` as an element's own style says them: of several the last, or the important one."""
    said: dict[str, str] = {}
    style = attribute(element, "style")
    for important in (False, True) if "display" in style.lower() or "visibility" in style.lower() else ():
        for name, value, mark in _STYLED.findall(style):
            if bool(mark) == important:
                said[name.lower()] = value.lower()
    return said


def _hides_from_ears(element: Element) -> bool:
    """Whether an element is kept from screen readers: all but a drop cap whose word goes on after it."""
    if element.get("aria-hidden") != "true":
        return False
    text = "".join(element.itertext()).strip()
    return not (text and element.tail and is_initial(text, element.tail))


def _hides_itself(element: Element) -> bool:
    """Whether the own style of an element hides it; one that is but invisible may hold what is not."""
    said = style_of(element)
    if said.get("display") == "none":
        return True
    return said.get("visibility") == "hidden" and not any(
        style_of(inner).get("visibility") == "visible" for inner in element.iter() if inner is not element
    )


def enter(element: Element, name: str, kinds: list[str], outer: Context, path: str) -> Context:
    """The context inside a block element."""
    words = attribute(element, "class").lower().split() + kinds
    verse = outer.verse or any(_VERSE_CLASS.match(word) for word in words)
    level = HEADINGS.get(name, 2 if name == "hgroup" else 0)
    kind: BlockKind = "verse" if verse else outer.kind
    if name in HEADINGS or (outer.level and name == "p"):
        kind = "heading"
    elif name in _KINDS:
        kind = _KINDS[name]
    kept = outer.kept
    if name == "pre" and not kept:
        kept = "lines" if verse else kept_as(element)
        kind = _KEPT.get(kept, kind)
    within = outer.within or ("stanza" if verse and any(_STANZA_CLASS.match(word) for word in words) else "")
    return Context(
        kind=kind,
        level=level or outer.level,
        matter=_matter(element, name, kinds, words) or outer.matter,
        path=path,
        verse=verse,
        kept=kept,
        within=within,
        dropcap=any(_DROPCAP_CLASS.search(word) for word in words),
    )


def _matter(element: Element, name: str, kinds: list[str], words: list[str]) -> str | None:
    for kind in kinds:
        if kind in MATTER:
            return MATTER[kind]
    if name == "nav":
        return "toc"
    if _BOILERPLATE.match(attribute(element, "id")) or any(_BOILERPLATE.match(word) for word in words):
        return "pg-licence"
    if any(_NOTE_CLASS.match(word) for word in words):
        return "footnotes"
    return None


def is_note(kinds: list[str]) -> bool:
    """Whether the types of an element say that it is a note or holds several."""
    return any(MATTER.get(kind) in ("footnotes", "endnotes") for kind in kinds)


def is_arrow(text: str) -> bool:
    """Whether a link is nothing but an arrow: the way back from a note."""
    return not _ARROWS.isdisjoint(text) and not any(map(str.isalnum, text))


def is_opening_mark(href: str, text: str, before: str) -> bool:
    """Whether a link looks like the number of the note that it opens."""
    return "#" in href and not before.strip() and _MARK.fullmatch(text.strip()) is not None


def is_phrase(text: str) -> bool:
    """Whether the mark of a note is words of its sentence: "this passage", where others have a number."""
    return len(text.split()) > 1 and not any(map(str.isdigit, text))


def holds_note(element: Element, name: str, kinds: list[str]) -> bool:
    """Whether an element holds one note, if it holds any."""
    words = attribute(element, "class").lower().split()
    if any(word in ("endnotes", "footnotes", "rearnotes", "doc-endnotes") for word in words + kinds):
        return False
    return (
        name in ("li", "aside") or not _ONE_NOTE.isdisjoint(kinds) or any(_ONE_NOTE_CLASS.match(word) for word in words)
    )


def is_note_link(element: Element, kinds: list[str], text: str) -> bool:
    """Whether a link is the mark of a note, as its type says or its looks and its target do."""
    if "noteref" in kinds or "doc-noteref" in kinds:
        return True
    href = attribute(element, "href")
    text = text.strip()
    if "#" not in href or not text or not _MARK.fullmatch(text):
        return False
    parent = element.getparent()
    raised = any(tag(e) == "sup" for e in element.iter()) or (parent is not None and tag(parent) == "sup")
    bracketed = text[0] in "[({" and text[-1] in "])}"
    named = _NOTE_TARGET.search(href.rpartition("#")[2]) is not None
    classed = _NOTE_LINK_CLASS.search(attribute(element, "class") + " " + attribute(element, "id")) is not None
    return raised or bracketed or named or (classed and not text.isalpha())


def is_note_mark(text: str, before: str) -> bool:
    """Whether a superscript without a link marks a note: figures or daggers after a word or a stop, not a power."""
    text = text.strip()
    if not text or not _MARK.fullmatch(text) or (text.isalpha() and text not in "abcdefg"):
        return False
    if not text[0].isdigit():
        return not text.isalpha() or before[-1:] in ".,;:!?”’\"')"
    if text.isdigit() and not before.strip():
        return False
    word = re.search(r"[^\W\d_]+$", before)
    if word:
        return len(word[0]) > 2 and word[0].lower() not in _UNITS
    return before[-1:] in ".,;:!?”’\"'…—"


def is_initial(text: str, tail: str) -> bool:
    """Whether the text of an image is a drop cap: one letter, perhaps after a quote, that the next letters go on."""
    bare = text.strip().lstrip("“‘\"'")
    return len(bare) == 1 and bare.isalpha() and (tail[:1].isalpha() or tail[:1] in "’'")
