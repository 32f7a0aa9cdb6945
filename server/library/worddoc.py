"""A Word document (.docx) as a sheet: mammoth makes HTML of its styles, its properties say whose it is."""

import io
import re
from xml.parsers.expat import ExpatError

import mammoth

from server.errors import BookRefused
from server.library.container import Container, FileMissingError, FileUnreadableError
from server.library.languages import tag_of
from server.library.markup import Element, attribute, parse_document, parse_xml, tag
from server.library.metadata import plain_date
from server.library.plain import plain_text
from server.library.sheet import Sheet
from server.library.tongue import tongue_of
from server.library.webpage import mark_headings
from server.library.wordxml import HIDDEN_STYLE, mended_zip

_MAX_TEXT_BYTES = 64 << 20  # of XML; a novel has 10 MB at most
_STYLES = f"""
r.{HIDDEN_STYLE} => span.{HIDDEN_STYLE}
p[style-name='Title'] => h1.title:fresh
p[style-name='Subtitle'] => p.subtitle:fresh
p[style-name='Quote'] => blockquote > p:fresh
p[style-name='Intense Quote'] => blockquote > p:fresh
p[style-name='Block Text'] => blockquote > p:fresh
p[style-name='Caption'] => figcaption:fresh
p[style-name='TOC Heading'] => nav > p:fresh
p[style-name^='toc '] => nav > p:fresh
p[style-name^='TOC '] => nav > p:fresh
p[style-name='endnote text'] => p:fresh
p[style-name='footnote text'] => p:fresh
r[style-name='footnote reference'] =>
r[style-name='endnote reference'] =>
"""
# Names that Word gives by itself.
_NO_TITLE = re.compile(
    r"(?:microsoft word\b.*|document ?\d*|untitled.*|\[.*\]|title|.*\.(?:docx?|dotx?|rtf|txt))", re.IGNORECASE
)
_NO_AUTHOR = re.compile(r"(?:user|admin(?:istrator)?|owner|author|microsoft.*|windows.*|unknown)", re.IGNORECASE)

# What mammoth raises for XML that is not what it looks for.
_BAD = (
    ExpatError, ValueError, KeyError, AttributeError, TypeError, IndexError, SyntaxError, OSError, RecursionError,
)  # fmt: skip


def read_word(container: Container, stem: str) -> Sheet:
    """The sheet of the Word document that is opened in `container`. Raises BookRefused for a damaged one."""
    parts = _harmless_parts(container)
    try:
        made = mammoth.convert_to_html(
            io.BytesIO(mended_zip(parts)),
            style_map=_STYLES,
            include_embedded_style_map=False,
            convert_image=mammoth.images.img_element(lambda image: {"src": ""}),
        )
    except _BAD as error:
        raise BookRefused(
            "damaged", f"{container.label} is a Word document that is damaged; open it in Word and save it again."
        ) from error
    root, _ = parse_document(f"<html><body>{made.value}</body></html>".encode())
    if root is None:
        raise BookRefused("damaged", f"{container.label} is a Word document that cannot be understood; save it again.")
    _name_notes(root)
    _hide(root)
    mark_headings(root)
    return _sheet(root, container, stem)


def _sheet(root: Element, container: Container, stem: str) -> Sheet:
    said = _properties(container)
    first = [" ".join("".join(e.itertext()).split()) for e in root.iter() if tag(e) == "h1"]
    title = said.get("title", "")
    if not title or _NO_TITLE.fullmatch(title):
        title = first[0] if len(first) == 1 else ""
    creator = said.get("creator", "")
    names = [name.strip() for name in creator.split(";") if name.strip() and not _NO_AUTHOR.fullmatch(name.strip())]
    return Sheet(
        root,
        title=title[:300] or stem,
        authors=tuple(names[:20]),
        language=tag_of(said.get("language", "")) or tongue_of(" ".join(root.itertext())),
        publisher=said.get("publisher"),
        published=plain_date(said["issued"]) if "issued" in said else None,
        description=plain_text(said.get("description", "")),
    )


def _properties(container: Container) -> dict[str, str]:
    """Title, creator and the like, as the document's core properties have them."""
    try:
        root = parse_xml(container.read("docProps/core.xml"))
    except (FileMissingError, FileUnreadableError):
        return {}
    if root is None:
        return {}
    return {tag(element): text for element in root.iter() if (text := " ".join((element.text or "").split()))}


def _name_notes(root: Element) -> None:
    """Say of mammoth's notes that they are notes: marks in the text, and the list of them at its end."""
    for element in root.iter():
        name = attribute(element, "id")
        if tag(element) == "a" and name.startswith(("footnote-ref-", "endnote-ref-")):
            element.set("role", "doc-noteref")
        elif tag(element) == "a" and attribute(element, "href").startswith(("#footnote-ref-", "#endnote-ref-")):
            element.set("role", "doc-backlink")
        elif tag(element) == "li" and name.startswith(("footnote-", "endnote-")):
            element.set("role", "doc-footnote" if name.startswith("foot") else "doc-endnote")


def _hide(root: Element) -> None:
    """Keep silent what the writer hid."""
    for element in root.iter():
        if attribute(element, "class") == HIDDEN_STYLE:
            element.set("hidden", "hidden")


def _harmless_parts(container: Container) -> dict[str, bytes]:
    """The document's XML by path. Raises BookRefused where it is too much, or has entities: Word writes none."""
    parts: dict[str, bytes] = {}
    total = 0
    for name in container.names:
        if not name.lower().endswith((".xml", ".rels")):
            continue
        try:
            data = container.read(name)
        except (FileMissingError, FileUnreadableError):
            continue
        parts[name] = data
        total += len(data)
        if b"<!DOCTYPE" in data or b"<!ENTITY" in data or "<!DOCTYPE".encode("utf-16-le") in data:
            raise BookRefused(
                "damaged", f"{container.label} is no Word document that Word wrote; get it from elsewhere."
            )
        if total > _MAX_TEXT_BYTES:
            raise BookRefused("too-large", f"{container.label} holds more text than a book; split it.")
    return parts
