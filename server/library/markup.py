"""Bytes of XML or HTML into a tree: encodings guessed as readers do, entities never expanded by the parser, no network.

What is not well-formed is read again by the forgiving HTML parser, so that a stray ampersand costs nothing.
"""

import codecs
import html.entities
import re
from typing import Any, TypeAlias

from lxml import etree

_XML_ENTITIES = frozenset({"amp", "lt", "gt", "quot", "apos"})
_DECLARATION = re.compile(r"^\s*<\?xml[^>]*?\?>", re.DOTALL)
_DOCTYPE = re.compile(r"<!DOCTYPE[^\[>]*(?:\[(?P<subset>.*?)\]\s*)?>", re.DOTALL | re.IGNORECASE)
_ENTITY = re.compile(r"<!ENTITY\s+([\w.-]+)\s+(?:\"([^\"<&]{0,200})\"|'([^'<&]{0,200})')\s*>")
_DECLARED = re.compile(r"<!ENTITY\s+([\w.-]+)\s")
_REFERENCE = re.compile(r"&([A-Za-z][\w.-]*);")
_UNENDED = re.compile(r"&([A-Za-z]{2,8}\d?)(?![A-Za-z0-9;=])")  # "&copy 1900", as browsers take it
_BARE = re.compile(r"&(?![A-Za-z][\w.-]*;|#\d+;|#[xX][0-9A-Fa-f]+;)")
_CONTROL = re.compile(
    "[\x00-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]|&#(?:0*(?:[0-8]|1[124-9]|2\\d|3[01])|[xX]0*(?:[0-8bcefBCEF]|1[0-9a-fA-F]));"
)
_ENCODING_XML = re.compile(rb"^\s*<\?xml[^>]*?encoding\s*=\s*[\"']([\w.:-]+)", re.IGNORECASE)
_ENCODING_META = re.compile(rb"<meta[^>]+charset\s*=\s*[\"']?\s*([\w.:-]+)", re.IGNORECASE)
_SELF_CLOSED = re.compile(r"<([A-Za-z][\w:.-]*)((?:\s+[^<>]*?)?)\s*/>")
_EMBEDDED = re.compile(r"data:[\w.+-]{1,40}/[\w.+-]{1,80}[;,][\w.;=%:+/,\s-]{4096,}", re.IGNORECASE)
_ASIDE = re.compile(r"<(script|style)\b.*?</\1\s*>|<!--.*?-->", re.DOTALL | re.IGNORECASE)
_TAG = re.compile(r"<[^<>]*>")
_UNSEEN = re.compile(r"<(script|style|head)\b.*?</\1\s*>|<!--.*?-->", re.DOTALL | re.IGNORECASE)
_NO_CONTROLS = dict.fromkeys([*range(9), 11, 12, *range(14, 32), 0xFFFE, 0xFFFF])
_ESCAPED = {ord("&"): "&amp;", ord("<"): "&lt;"}
_VOID = frozenset(
    ["area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "param", "source", "track", "wbr"]
)
_BOMS = ((codecs.BOM_UTF8, "utf-8"), (codecs.BOM_UTF16_LE, "utf-16-le"), (codecs.BOM_UTF16_BE, "utf-16-be"))
_BULK = 1_000_000  # characters of a script, a style sheet or a remark
_EXPANSION_LIMIT = 100_000  # characters that a document's own entities may add

Element: TypeAlias = Any  # lxml has no types of its own


def tag(element: Element) -> str:
    """Local name in lower case, without namespace or prefix; "" for comments and the like."""
    name = element.tag
    if not isinstance(name, str):
        return ""
    return name.rpartition("}")[2].rpartition(":")[2].lower()


def attribute(element: Element, name: str) -> str:
    """An attribute by local name, whatever its namespace or prefix; "" where absent."""
    if (value := element.get(name)) is not None:
        return str(value)
    for key, value in element.attrib.items():
        if str(key).rpartition("}")[2].rpartition(":")[2] == name:
            return str(value)
    return ""


def decode(data: bytes) -> tuple[str, bool]:
    """(text, whether its bytes are in another encoding than the document says).

    By byte-order mark, XML declaration, meta, then UTF-8, and Windows-1252 where that fails.
    """
    for bom, encoding in _BOMS:
        if data.startswith(bom):
            return data[len(bom) :].decode(encoding, "replace"), False
    if data[:4] in (b"<\0?\0", b"<\0h\0", b"<\0!\0"):
        return data.decode("utf-16-le", "replace"), False
    if data[:4] in (b"\0<\0?", b"\0<\0h", b"\0<\0!"):
        return data.decode("utf-16-be", "replace"), False
    found = _ENCODING_XML.search(data[:400]) or _ENCODING_META.search(data[:2048])
    name = found[1].decode("ascii", "replace").lower() if found else "utf-8"
    try:
        encoding = codecs.lookup(name).name
    except LookupError:
        encoding = "utf-8"
    if encoding in ("iso8859-1", "ascii", "latin-1"):
        encoding = "cp1252"  # as browsers do: the bytes between are quotes and dashes, not controls
    if encoding.startswith("utf-16"):
        encoding = "utf-8"  # declared, and yet a byte-oriented declaration could be read
    # A declared code page that the bytes contradict is mostly UTF-8 mislabelled, and the other way round.
    for attempt in ("utf-8", encoding) if encoding == "cp1252" else (encoding, "utf-8"):
        try:
            return data.decode(attempt), attempt not in (encoding, "utf-8")
        except (UnicodeDecodeError, LookupError):
            continue
    return data.decode("cp1252", "replace"), True


def parse_xml(data: bytes) -> Element | None:
    """Root of an XML document (package, container, ncx), mended where that is possible; None for no tree at all."""
    return _parse(_prepare(decode(data)[0], []), recover=True)


def is_well_formed(data: bytes) -> bool:
    """Whether a document is XML without being mended, but for the references that it does not define."""
    return _parse(_prepare(decode(data)[0], []), recover=False) is not None


def parse_document(data: bytes) -> tuple[Element | None, list[str]]:
    """(root, what was mended, in words) of a content document; None where even the forgiving parser finds nothing."""
    text, mislabelled = decode(data)
    text = _without_bulk(text)
    notes = ["is in another encoding than it says; it was taken as Windows-1252"] if mislabelled else []
    text = _prepare(text, notes)
    root = _parse(text, recover=False)
    if root is not None:
        return root, notes
    notes.append("is not well-formed; it was read as a browser would")
    # To an HTML parser <title/> opens an element that swallows the page.
    text = _SELF_CLOSED.sub(lambda m: m[0] if m[1].lower() in _VOID else f"<{m[1]}{m[2]}></{m[1]}>", text)
    parser = etree.HTMLParser(encoding="utf-8", no_network=True, recover=True, remove_comments=True, remove_pis=True)
    try:
        root = etree.fromstring(text.encode("utf-8", "replace"), parser)
    except (etree.XMLSyntaxError, ValueError):
        root = None
    return _unless_lost(root, text), notes


def _without_bulk(text: str) -> str:
    """A page without the pictures, and the largest scripts, that it holds in itself.

    The parsers end where one value is longer than 10 MB, and what follows it would be lost.
    """
    if len(text) <= _BULK:
        return text
    return _ASIDE.sub(lambda found: "" if len(found[0]) > _BULK else found[0], _EMBEDDED.sub("data:,", text))


def _unless_lost(root: Element | None, text: str) -> Element | None:
    """The tree, or where it lost most of the text (elements nested thousands deep) one with the bare text."""
    bare = _TAG.sub(" ", _UNSEEN.sub(" ", text))
    body = root.find("body") if root is not None else None
    kept = "".join(body.itertext()) if body is not None else ""
    if 2 * len("".join(kept.split())) >= len("".join(bare.split())):
        return root
    flat = etree.Element("html")
    etree.SubElement(etree.SubElement(flat, "body"), "p").text = html.unescape(bare).translate(_NO_CONTROLS)
    return flat


def _parse(text: str, *, recover: bool) -> Element | None:
    parser = etree.XMLParser(
        encoding="utf-8",
        resolve_entities=False,
        no_network=True,
        load_dtd=False,
        huge_tree=False,
        recover=recover,
        remove_comments=True,
        remove_pis=True,
    )
    try:
        return etree.fromstring(text.encode("utf-8", "replace"), parser)
    except (etree.XMLSyntaxError, ValueError):
        return None


def _prepare(text: str, notes: list[str]) -> str:
    """Take out the declaration and the document type, and put characters for named references.

    The document type goes, and with it every external or nested entity; plain short ones of its own are put in here,
    up to a limit, so that no document can grow. What is odd about it is added to `notes`.
    """
    plain = text.lstrip("\ufeff")
    if (declared := _DECLARATION.match(plain)) and "1.1" in declared[0]:
        notes.append("is of a version of XML that books do not use (1.1)")
    text, controls = _CONTROL.subn("", _DECLARATION.sub("", plain, count=1))
    if controls:
        notes.append(f"has {controls} control characters; they were left out")
    own: dict[str, str] = {}
    if found := _DOCTYPE.search(text[:200_000]):
        subset = found["subset"] or ""
        own = dict.fromkeys(_DECLARED.findall(subset), "")  # external, nested and long ones count for nothing
        own |= {name: first or second for name, first, second in _ENTITY.findall(subset)}
        text = text[: found.start()] + text[found.end() :]
    if "&" not in text:
        return text
    budget = _EXPANSION_LIMIT
    unknown: set[str] = set()

    def character(match: "re.Match[str]") -> str:
        nonlocal budget
        name = match[1]
        if name in _XML_ENTITIES:
            return match[0]
        if name in own:
            budget -= len(own[name])
            unknown.update([name] if not own[name] else [])
            return own[name] if budget >= 0 else ""
        known = html.entities.html5.get(f"{name};")
        if known is None:
            unknown.add(name)
            return f"&amp;{name};"
        return known.replace("&", "&amp;").replace("<", "&lt;")

    text = _REFERENCE.sub(character, text)
    if unknown:
        notes.append(f"uses characters that it does not define ({', '.join(sorted(unknown)[:3])})")
    text = _UNENDED.sub(lambda match: html.entities.html5.get(match[1], match[0]).translate(_ESCAPED), text)
    text, bare = _BARE.subn("&amp;", text)
    if bare:
        notes.append("has ampersands that stand for themselves")
    return text
