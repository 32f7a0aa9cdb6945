"""A content document into blocks, in order: every character is in a block or counted under the rule that skips it.

Block elements are borders, inline ones are not: text beside a block becomes a block of its own, a word cut by tags
stays one word. Elements that need more than that have a method each.
"""

from collections import Counter
from collections.abc import Callable, Collection

from server.library.alternatives import heading_around, is_title, silent_alternative
from server.library.gather import Block, Extent, Gatherer, Page
from server.library.inline import CELL, GONE, LINE, lowered, raised
from server.library.markup import Element, attribute, tag
from server.library.rules import (
    BLOCKS,
    Context,
    enter,
    holds_note,
    is_arrow,
    is_initial,
    is_note,
    is_note_link,
    is_note_mark,
    is_opening_mark,
    is_phrase,
    silent_rule,
    types,
)

__all__ = ["Block", "Page", "read_page"]

_DEEPEST = 150  # elements within elements; beyond it the text is taken flat
_MANY_PICTURES = 500  # of a page; the texts of more are not looked at
_LONG_CELL = 300  # characters; a table with such a cell lays out a page rather than data
_SIMPLE_MATH = frozenset(["math", "mrow", "mi", "mn", "mo", "mtext", "mspace", "semantics", "mstyle", "mpadded"])


def read_page(root: Element, doc: str, hidden: Collection[Element] = ()) -> Page:
    """Blocks of the document under `root`; `doc` is its path in the container, `hidden` what its style sheets hide."""
    page = Page(doc)
    page.title = next((" ".join("".join(e.itertext()).split()) for e in root.iter() if tag(e) == "title"), "")
    walk = _Walk(root, page, hidden)
    walk.visit(root, Context(), 1)
    walk.finish(Context(path="/html"))
    return page


class _Walk(Gatherer):
    def __init__(self, root: Element, page: Page, hidden: Collection[Element]) -> None:
        super().__init__(root, page)
        self._hidden = hidden
        self._steps: list[str] = []
        self._special: dict[str, Callable[[Element, Context, list[str]], None]] = {
            "br": self._line_break,
            "hr": self._rule,
            "img": self._image,
            "image": self._image,
            "a": self._link,
            "sup": self._superscript,
            "sub": self._subscript,
            "math": self._math,
            "svg": self._svg,
            "table": self._table,
            "switch": self._switch,
        }

    def visit(self, element: Element, context: Context, ordinal: int) -> None:
        name = tag(element)
        if not name:
            return
        self._steps.append(name if name in ("html", "body") else f"{name}[{ordinal}]")
        kinds = types(element) if element.attrib else []
        rule = silent_rule(element, name, kinds) or ("hidden" if element in self._hidden else None)
        if rule == "head" and any(tag(inner) in ("body", "p", "div") for inner in element.iter()):
            rule = None  # a page whose body slipped into its head
        if rule == "hidden" and is_note(kinds):
            rule = None  # to be shown when its mark is touched: silent as a note, and heard with the notes
        if rule:
            self.skip_all(rule, element)
        elif len(self._steps) > _DEEPEST:
            self.add(" ".join(element.itertext()), context)
        elif special := self._special.get(name):
            special(element, context, kinds)
        elif name in BLOCKS:
            self._block_element(element, name, context, kinds)
        else:
            self.mark(element)
            self.children(element, context)
        self._steps.pop()

    def children(self, element: Element, context: Context) -> None:
        self.add(element.text, context)
        ordinals: Counter[str] = Counter()
        for child in element:
            name = tag(child)
            ordinals[name] += 1
            self.visit(child, context, ordinals[name])
            self.add(child.tail, context)

    def _path(self) -> str:
        return "/" + "/".join(self._steps)

    def _block_element(self, element: Element, name: str, context: Context, kinds: list[str]) -> None:
        if context.within == "row" and name not in ("tr", "caption"):
            self.mark(element)
            self.children(element, context)
            self._raw.append(CELL if name in ("td", "th") else " ")
            return
        if context.within == "stanza" and name in ("p", "div", "line", "li"):
            self.mark(element)
            self._raw.append(LINE)
            self.children(element, context)
            self._raw.append(LINE)
            return
        self.flush(context)
        self.mark(element)
        start = len(self.page.blocks)
        inner = enter(element, name, kinds, context, self._path())
        if name == "tr" and context.within == "row":
            inner = inner._replace(kind="table_row")
        elif name == "caption":
            inner = inner._replace(within="")
        self.children(element, inner)
        self.flush(inner)
        end = len(self.page.blocks)
        anchor, holder = attribute(element, "id"), holds_note(element, name, kinds)
        if end > start and (anchor or holder):
            self.page.extents.append(Extent(start, end, anchor, holder))

    def _line_break(self, element: Element, context: Context, kinds: list[str]) -> None:
        self.mark(element)
        self._raw.append(" " if context.within == "row" else LINE)
        self.add(element.text, context)

    def _rule(self, element: Element, context: Context, kinds: list[str]) -> None:
        self.flush(context)
        self.mark(element)
        self.pause(context._replace(path=self._path()))
        self.children(element, context)

    def _image(self, element: Element, context: Context, kinds: list[str]) -> None:
        self.mark(element)
        self.page.images += 1
        text = attribute(element, "alt")
        if is_initial(text, element.tail or "") or (context.level and is_title(heading_around(element), text)):
            self.add(text.strip(), context)
        elif rule := self._silent_picture(element, text, context):
            self.show(element, text)
            self.skip(rule, text)
        else:
            self.flush(context)
            self.show(element, "")
            self.add(text, context)
            self.flush(context._replace(kind="caption", dropcap=False, path=self._path()))
        self.children(element, context)

    def _silent_picture(self, element: Element, text: str, context: Context) -> str | None:
        if context.level or context.within or context.kept or self.page.images > _MANY_PICTURES:
            return "image"
        return silent_alternative(element, text)

    def _link(self, element: Element, context: Context, kinds: list[str]) -> None:
        text = "".join(element.itertext())
        if is_note_link(element, kinds, text):
            if not is_phrase(text):
                self._drop_mark(element, element)
                return
            self.refer(attribute(element, "href"), "", typed=True)
        href = attribute(element, "href")
        if "#" in href and is_arrow(text):
            self.refer(href, "", back=True)
            self.skip_all("backlink", element)
            return
        if is_opening_mark(href, text, self.before()):
            self.refer(href, "", back=True)
        if "#" in href or not href.startswith(("http:", "https:", "mailto:")):
            self.link(text if element.get("href") else "")
        self.mark(element)
        self.children(element, context)

    def _superscript(self, element: Element, context: Context, kinds: list[str]) -> None:
        text = "".join(element.itertext())
        links = [inner for inner in element.iter() if tag(inner) == "a" and inner.get("href")]
        note = next((link for link in links if is_note_link(link, types(link), text)), None)
        if note is not None or (not links and is_note_mark(text, self.before())):
            self._drop_mark(element, note)
        elif len(element) == 0:
            self.mark(element)
            self.add(raised(text) if any(map(str.isdigit, text)) else text, context)
        else:
            self.mark(element)
            self.children(element, context)

    def _drop_mark(self, element: Element, link: Element | None) -> None:
        if link is not None:
            kinds = types(link)
            mark = "".join(element.itertext())
            self.refer(attribute(link, "href"), mark, typed="noteref" in kinds or "doc-noteref" in kinds)
        self.skip_all("noteref", element)
        self._raw.append(GONE)

    def _subscript(self, element: Element, context: Context, kinds: list[str]) -> None:
        self.mark(element)
        if len(element) == 0:
            self.add(lowered(element.text or ""), context)
        else:
            self.children(element, context)

    def _math(self, element: Element, context: Context, kinds: list[str]) -> None:
        """A formula by its text for the ear if it has one, as it stands if it is one line of signs; else silent."""
        words = attribute(element, "alttext").strip() or _described(element)
        if words and not any(sign in words for sign in "\\{}^_"):
            self.skip_all("math", element)
            self._raw.append(f" {words} ")
            return
        if words or any(tag(inner) not in _SIMPLE_MATH for inner in element.iter()):
            self.skip_all("math", element)
            return
        self.mark(element)
        self.add("".join(element.itertext()), context)

    def _svg(self, element: Element, context: Context, kinds: list[str]) -> None:
        """Drawings are silent but for HTML inside; the text of a page that is all drawing is read."""
        whole = element.getparent() is None
        self.mark(element)
        self._drawing(element, context, whole=whole)

    def _drawing(self, element: Element, context: Context, *, whole: bool) -> None:
        for child in element:
            name = tag(child)
            self._steps.append(name)
            if name == "foreignobject" or (whole and name == "text"):
                self.flush(context)
                inner = context._replace(path=self._path())
                self.children(child, inner)
                self.flush(inner)
            elif name in ("image", "img"):
                self.page.images += 1
                self.show(child, attribute(child, "alt"))
            elif name in ("title", "desc", "metadata", "style", "script") or not name or not len(child):
                self.skip("svg", "".join(child.itertext()) if name else "")
            elif len(self._steps) < _DEEPEST:
                self.skip("svg", child.text or "")
                self._drawing(child, context, whole=whole)
            else:
                self.skip("svg", "".join(child.itertext()))
            self.skip("svg", child.tail or "")
            self._steps.pop()
        self.skip("svg", element.text or "")

    def _table(self, element: Element, context: Context, kinds: list[str]) -> None:
        if _is_layout(element, kinds):
            self._block_element(element, "table", context._replace(within=""), kinds)
            return
        self.flush(context)
        self.mark(element)
        inner = enter(element, "table", kinds, context, self._path())._replace(kind="table_row", within="row")
        self.children(element, inner)
        self.flush(inner)

    def _switch(self, element: Element, context: Context, kinds: list[str]) -> None:
        """Of alternatives the default is read: the cases ask for things that a listener cannot have."""
        chosen = next((child for child in element if tag(child) == "default"), None)
        if chosen is None:
            chosen = next(iter(element), None)
        self.mark(element)
        for child in element:
            if child is chosen:
                self.visit(child, context, 1)
            elif tag(child):
                self.skip_all("switch", child)
            self.add(child.tail, context)


def _described(formula: Element) -> str:
    """What a formula says of itself in words, in an annotation of XHTML."""
    for inner in formula.iter():
        if tag(inner) == "annotation-xml" and "xhtml" in attribute(inner, "encoding"):
            return " ".join("".join(inner.itertext()).split())
    return ""


def _is_layout(table: Element, kinds: list[str]) -> bool:
    """Whether a table places parts of a page instead of holding data: long cells, structure in them, one column."""
    if "presentation" in kinds or "none" in kinds:
        return True
    widest = 0
    for row in table.iter():
        if tag(row) != "tr":
            continue
        cells = [cell for cell in row if tag(cell) in ("td", "th")]
        widest = max(widest, len(cells))
        for cell in cells:
            if len("".join(cell.itertext())) > _LONG_CELL:
                return True
            if any(tag(e) in ("table", "h1", "h2", "h3", "blockquote", "ul", "ol", "hr", "pre") for e in cell.iter()):
                return True
    return widest <= 1
