"""What the style sheets of a page hide: `display: none` and `visibility: hidden`, as far as plain selectors say so.

Only element, .class and #id and what is written of them together count, in sheets for every screen. Where it is not
certain that a reader would not see a text, it is read: a selector that we cannot follow hides nothing, and one that
shows what another hides wins; so does every text of a page with scripts, which may show it later, every heading that
is the only one of its page (a picture of it stands beside), and a page that would be hidden for the most part.
"""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import islice
from typing import NamedTuple

from server.library.container import resolve
from server.library.inline import count
from server.library.markup import Element, attribute, decode, tag
from server.library.rules import style_of

_MAX_SHEET = 400_000  # characters
_MAX_RULES = 1_000  # of a page
_MAX_SELECTOR = 300  # characters
_MAX_IMPORTS = 3  # sheets within sheets
_IMPORT = re.compile(
    r"@import\s{1,9}(?:url\(\s{0,9})?[\"']?([^\"')\s;]{1,500})[\"']?\s{0,9}\)?([^;]{0,300});", re.IGNORECASE
)
_BLOCK = re.compile(r"([^{};]*)([{};])")
_DECLARATION = re.compile(r"(display|visibility)\s*:\s*([a-z-]+)\s*(!\s*important)?", re.IGNORECASE)
_COMPOUND = re.compile(r"(?:[A-Za-z][\w-]*|\*)?(?:[.#]-?[A-Za-z_][\w-]*)*")
_PART = re.compile(r"[.#]?-?[A-Za-z_][\w-]*")
_CLASSES = re.compile(r"[.\[]|(?<!:):(?!:)")
_NAMES = re.compile(r"(?:^|[\s>+~])[A-Za-z]")
_LAST = re.compile(r"[^\s>+~]*$")
_SCREEN = re.compile(r"^\s*(?:(?:only\s+)?(?:all|screen))?\s*$", re.IGNORECASE)
_SHOWN = frozenset(
    "inline block list-item inline-block table inline-table table-row table-cell table-caption flex grid contents "
    "flow-root run-in initial inherit unset revert visible ruby".split()
)
_HEADINGS = frozenset(["h1", "h2", "h3", "h4", "h5", "h6"])
_NEVER = frozenset(["html", "head", "body", "br", "wbr", "hr"])


class _Rule(NamedTuple):
    """One selector: what an element must have, what the rule says of it, and how much that weighs."""

    name: str
    words: frozenset[str]  # .classes and #ids
    hides: bool
    property: str
    weight: tuple[bool, int, int, int, int]  # important, ids, classes, names, order


class Sheets:
    """The style sheets of a book; `read` gives the bytes of a file by its path in the container, None for none."""

    def __init__(self, read: Callable[[str], bytes | None]) -> None:
        self._read = read
        self._texts: dict[str, str] = {}

    def hidden(self, root: Element, doc: str) -> frozenset[Element]:
        """The outermost elements of the page `root`, at container path `doc`, that its style sheets hide."""
        rules = list(islice(self._rules(root, doc), _MAX_RULES))
        if not any(rule.hides for rule in rules) or any(tag(e) == "script" for e in root.iter()):
            return frozenset()
        found = frozenset(_hidden(root, rules))
        seen = sum(count("".join(body.itertext())) for body in root.iter() if tag(body) == "body")
        return found if 2 * sum(count("".join(e.itertext())) for e in found) <= seen else frozenset()

    def _rules(self, root: Element, doc: str) -> Iterator[_Rule]:
        texts = []
        for element in root.iter():
            name = tag(element)
            if name == "style" and _SCREEN.match(attribute(element, "media")):
                texts.append(self._whole("".join(element.itertext()), doc, 0))
            elif name == "link" and _is_sheet(element) and (target := resolve(doc, attribute(element, "href"))):
                texts.append(self._of(target[0], 0))
        order = 0
        for text in texts:
            if "none" in text or "hidden" in text:
                yield from _parse(text, order)
            order += len(text)

    def _of(self, path: str, depth: int) -> str:
        if path not in self._texts:
            self._texts[path] = ""  # a sheet that imports itself
            data = self._read(path)
            self._texts[path] = self._whole(decode(data)[0], path, depth) if data else ""
        return self._texts[path]

    def _whole(self, text: str, base: str, depth: int) -> str:
        """A sheet with those that it imports in front; without comments."""
        text = _without_comments(text[:_MAX_SHEET])
        imports = [
            self._of(target[0], depth + 1)
            for found in (_IMPORT.finditer(text) if depth < _MAX_IMPORTS else ())
            if _SCREEN.match(found[2]) and (target := resolve(base, found[1]))
        ]
        return "".join(imports)[:_MAX_SHEET] + _IMPORT.sub("", text)


def _without_comments(text: str) -> str:
    first, *rest = text.split("/*")
    return (first + " ".join(piece.partition("*/")[2] for piece in rest)).replace("<!--", " ").replace("-->", " ")


def _is_sheet(link: Element) -> bool:
    relations = attribute(link, "rel").lower().split()
    return "stylesheet" in relations and "alternate" not in relations and bool(_SCREEN.match(attribute(link, "media")))


def _parse(sheet: str, order: int) -> Iterator[_Rule]:
    """Rules of a sheet that hide or show; blocks for other media are passed over."""
    open_blocks: list[bool] = []  # of each block around: whether its rules count
    selectors = ""
    for found in _BLOCK.finditer(sheet):
        before, sign = found[1].strip(), found[2]
        if sign == "{":
            media = re.match(r"@media\b(.*)", before, re.DOTALL | re.IGNORECASE)
            counts = bool(_SCREEN.match(media[1])) if media else not before.startswith("@")
            open_blocks.append(counts)
            selectors = "" if before.startswith("@") else before
            continue
        if selectors and all(open_blocks) and (said := _DECLARATION.fullmatch(before)):
            yield from _rules_of(selectors, said, order + found.start())
        if sign == "}":
            selectors = ""
            if open_blocks:
                open_blocks.pop()


def _rules_of(selectors: str, said: "re.Match[str]", order: int) -> Iterator[_Rule]:
    hides = said[2].lower() in ("none", "hidden")
    if not hides and said[2].lower() not in _SHOWN:
        return
    for selector in map(str.strip, selectors.split(",")):
        if len(selector) > _MAX_SELECTOR:
            continue
        whole = selector
        if not _COMPOUND.fullmatch(selector):
            if hides:
                continue
            last = _LAST.search(selector)
            found = _COMPOUND.match(last[0]) if last else None
            whole = found[0] if found else ""
        parts = _PART.findall(whole)
        words = frozenset(part for part in parts if part[0] in ".#")
        name = next((part.lower() for part in parts if part[0] not in ".#"), "")
        weight = (
            bool(said[3]),
            selector.count("#"),
            len(_CLASSES.findall(selector)),
            len(_NAMES.findall(selector)),
            order,
        )
        if whole:
            yield _Rule(name, words, hides, said[1].lower(), weight)


def _hidden(root: Element, rules: Sequence[_Rule]) -> Iterator[Element]:
    index: dict[str, list[_Rule]] = {}
    for rule in {(*rule[:-1], *rule.weight[:-1]): rule for rule in rules}.values():
        index.setdefault(min(rule.words, default=rule.name), []).append(rule)
    seen_headings = 0
    hidden_headings: list[Element] = []
    inside: set[Element] = set()
    for element in root.iter():
        name = tag(element)
        if element.getparent() in inside:
            inside.add(element)
            continue
        if name in _NEVER or not name:
            continue
        said = _said(element, name, index)
        if not (said.get("display") or (said.get("visibility") and not _shows_within(element, index))):
            seen_headings += name in _HEADINGS and bool("".join(element.itertext()).strip())
        elif name in _HEADINGS:
            hidden_headings.append(element)
        else:
            inside.add(element)
            yield element
    if seen_headings:
        yield from hidden_headings


def _shows_within(element: Element, index: Mapping[str, Sequence[_Rule]]) -> bool:
    """Whether something in an invisible element is made visible again."""
    inside = (inner for inner in element.iter() if inner is not element and tag(inner))
    return any(
        _said(inner, tag(inner), index).get("visibility") is False or style_of(inner).get("visibility") == "visible"
        for inner in inside
    )


def _said(element: Element, name: str, index: Mapping[str, Sequence[_Rule]]) -> dict[str, bool]:
    """Property → whether it hides an element, as the sheets and, against them, its own style have it."""
    words = {f".{word}" for word in attribute(element, "class").split()}
    if anchor := element.get("id"):
        words.add(f"#{anchor}")
    found: dict[str, _Rule] = {}
    for rule in (rule for key in (name, *words) for rule in index.get(key, ())):
        if rule.name in ("", name) and rule.words <= words:
            known = found.get(rule.property)
            if known is None or rule.weight >= known.weight:
                found[rule.property] = rule
    for name, value in style_of(element).items() if found else ():
        known = found.get(name)
        if known is not None and known.hides and not known.weight[0] and value in _SHOWN:
            del found[name]
    return {name: rule.hides for name, rule in found.items()}
