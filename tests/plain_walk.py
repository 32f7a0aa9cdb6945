"""An independent reader of EPUBs for comparison: zipfile and lxml, and none of the code that it checks.

It takes the reading order from elsewhere, and of each document all text that is in its body, with the alternatives of
its pictures. It leaves nothing out but comments, scripts and styles, and adds nothing.
"""

import html.entities
import re
import unicodedata
import zipfile
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import lxml.html
from lxml import etree

_REFERENCE = re.compile(rb"&([A-Za-z][A-Za-z0-9]*);")
_DOCTYPE = re.compile(rb"<!DOCTYPE[^\[>]*(\[.*?\]\s*)?>", re.DOTALL | re.IGNORECASE)
_EMPTY = re.compile(rb"<(?!area|base|br|col|embed|hr|img|input|link|meta|param|source|track|wbr)(\w+)([^<>]*?)/>")
_SILENT = frozenset(["script", "style", "head", "title", "template"])


class Walked:
    """What the documents of a book hold: characters that are not white space, letters and digits one by one."""

    def __init__(self) -> None:
        self.characters = 0
        self.letters: Counter[str] = Counter()
        self.unread: list[str] = []  # documents that were not there or are no markup
        self.commas = 0  # at most so many may be put between the cells of tables
        self.spoken_for = 0  # characters that may be said in place of formulas

    def add(self, text: str | None) -> None:
        for char in text or "":
            if not char.isspace():
                self.characters += 1
        self.letters.update(letters(text or ""))


def letters(text: str) -> Counter[str]:
    """Letters and digits of a text, the raised and lowered ones as plain ones."""
    return Counter(char for char in unicodedata.normalize("NFKC", text).casefold() if char.isalnum())


def walk(path: Path, spine: Iterable[str]) -> Walked:
    """All text of the documents `spine` of the EPUB at `path`, each once however often it is listed."""
    found = Walked()
    with zipfile.ZipFile(path) as container:
        names = {_key(name): name for name in reversed(container.namelist())}
        for document in dict.fromkeys(spine):
            name = names.get(_key(document)) or names.get(_key(unquote(document)))
            body = _body(container.read(name)) if name else None
            if body is None:
                found.unread.append(document)
            else:
                _add(found, body)
    return found


def _key(name: str) -> str:
    return unicodedata.normalize("NFC", name.replace("\\", "/")).casefold()


def _body(data: bytes) -> Any:
    """The body of a document, its root where that has none; None for what is no markup."""
    if not data.strip():
        return None
    data = _utf8(data)
    for attempt in (data, _plain_xml(data)):
        try:
            root = etree.fromstring(
                attempt, etree.XMLParser(resolve_entities="internal", no_network=True, huge_tree=True)
            )
            if any(isinstance(node, etree._Entity) for node in root.iter()):
                continue
        except etree.XMLSyntaxError:
            continue
        return next((e for e in root.iter() if _name(e) == "body"), root)
    try:
        root = lxml.html.document_fromstring(
            _EMPTY.sub(rb"<\1\2></\1>", data), parser=lxml.html.HTMLParser(encoding="utf-8")
        )
    except (etree.ParserError, etree.XMLSyntaxError, ValueError):
        return None
    return next((e for e in root.iter() if _name(e) == "body"), root)


def _utf8(data: bytes) -> bytes:
    """A document as UTF-8 that says so, from UTF-8, marked UTF-16 or else Windows-1252; without control characters."""
    for encoding in ("utf-16" if data[:2] in (b"\xff\xfe", b"\xfe\xff") else "utf-8", "cp1252"):
        try:
            text = data.decode(encoding)
            break
        except UnicodeDecodeError:
            text = data.decode("latin-1")
    text = re.sub(r"^\ufeff?\s*<\?xml.*?\?>", "", text, count=1, flags=re.DOTALL)
    return (
        b'<?xml version="1.0" encoding="utf-8"?>'
        + "".join(c for c in text if (c >= " " and c not in "\ufffe\uffff") or c in "\t\r\n").encode()
    )


def _plain_xml(data: bytes) -> bytes:
    """A document without its document type, and with the characters that HTML names."""

    def character(match: "re.Match[bytes]") -> bytes:
        name = match[1].decode()
        known = html.entities.html5.get(f"{name};")
        if known is None or name in ("amp", "lt", "gt", "quot", "apos"):
            return match[0]
        return "".join(f"&#{ord(char)};" for char in known).encode()

    return _REFERENCE.sub(character, _DOCTYPE.sub(b"", data, count=1))


def _add(found: Walked, body: Any) -> None:
    for silent, element in _elements(body):
        name = _name(element)
        if not silent and name:
            found.add(element.text)
            if name in ("img", "image"):
                found.add(element.get("alt"))
            found.commas += name in ("td", "th")
            if name == "math":
                said = element.get("alttext") or "".join(element.itertext())
                found.spoken_for += len(said)
        if element is not body and not _is_silent(element.getparent(), body):
            found.add(element.tail)


def _elements(body: Any) -> Iterator[tuple[bool, Any]]:
    for element in body.iter():
        yield _is_silent(element, body), element


def _is_silent(element: Any, body: Any) -> bool:
    while element is not None:
        if _name(element) in _SILENT and not any(_name(outer) == "svg" for outer in element.iterancestors()):
            return True
        if element is body:
            return False
        element = element.getparent()
    return False


def _name(element: Any) -> str:
    return etree.QName(element).localname.lower() if isinstance(element.tag, str) else ""
