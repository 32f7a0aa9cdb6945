"""The XML of a Word document, changed where mammoth would leave words out or run them together.

Words in fields, in text set to the left or to the right, and in formulas are kept; breaks of pages and columns are
lines' ends; what the writer hid gets a style by which it is known.
"""

import io
import zipfile
from collections.abc import Mapping
from typing import Final

from lxml import etree

from server.library.markup import Element, attribute, tag

HIDDEN_STYLE: Final = "LecternHidden"  # id of the style of runs that are hidden
_TEXTS: Final = ("document.xml", "footnotes.xml", "endnotes.xml")
_WRAPPERS: Final = frozenset(["fldsimple", "bdo", "dir", "moveto", "customxml"])
_OFF: Final = frozenset(["0", "false", "off"])


def mended_zip(parts: Mapping[str, bytes]) -> bytes:
    """The document as a ZIP of its XML alone, `parts` by their path, with its texts mended."""
    target = io.BytesIO()
    with zipfile.ZipFile(target, "w", zipfile.ZIP_STORED) as made:
        for name, data in parts.items():
            folder, _, file = name.lower().rpartition("/")
            made.writestr(name, _mended(data) if folder == "word" and file in _TEXTS else data)
    return target.getvalue()


def _mended(data: bytes) -> bytes:
    parser = etree.XMLParser(resolve_entities=False, no_network=True, load_dtd=False, huge_tree=False)
    try:
        root = etree.fromstring(data, parser)
    except (etree.XMLSyntaxError, ValueError):
        return data  # what opens it says so
    for element in list(root.iter()):
        name = tag(element)
        if name in _WRAPPERS:
            _unwrap(element)
        elif name == "omath":
            _say(element, root)
        elif name == "br" and attribute(element, "type") in ("page", "column"):
            element.attrib.clear()
        elif name in ("cr", "ptab"):
            element.tag = f"{_space(element)}{'br' if name == 'cr' else 'tab'}"
        elif name == "vanish" and attribute(element, "val").lower() not in _OFF:
            _mark_hidden(element)
    return bytes(etree.tostring(root, encoding="utf-8", xml_declaration=True))


def _space(element: Element) -> str:
    return str(element.tag).rpartition("}")[0] + "}"


def _unwrap(element: Element) -> None:
    """Put the children of an element in its place; text between elements means nothing in Word."""
    parent = element.getparent()
    if parent is None:
        return
    at = parent.index(element)
    for child in reversed(list(element)):
        parent.insert(at, child)
    parent.remove(element)


def _say(formula: Element, root: Element) -> None:
    """Put a run with the text of a formula in its place."""
    space = _space(root)
    run = etree.Element(f"{space}r")
    etree.SubElement(run, f"{space}t").text = "".join(
        inner.text or "" for inner in formula.iter() if tag(inner) in ("t", "deltext")
    )
    parent = formula.getparent()
    if parent is None:
        return
    if tag(parent) == "omathpara" and (outer := parent.getparent()) is not None:
        outer.insert(outer.index(parent), run)
        parent.remove(formula)
    else:
        parent.replace(formula, run)


def _mark_hidden(mark: Element) -> None:
    """Give the run whose properties hide it the style of what is hidden."""
    properties = mark.getparent()
    if properties is None or tag(properties) != "rpr" or tag(properties.getparent()) != "r":
        return
    space = _space(properties)
    for style in [child for child in properties if tag(child) == "rstyle"]:
        properties.remove(style)
    etree.SubElement(properties, f"{space}rStyle").set(f"{space}val", HIDDEN_STYLE)
