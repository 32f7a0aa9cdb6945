"""The package document, mended into one that EbookLib reads: what it lists twice or wrongly is put right."""

import html
from collections.abc import Iterator
from dataclasses import dataclass, field

from lxml import etree

from server.errors import BookRefused
from server.library.container import Container, FileMissingError, FileUnreadableError, climbs_out, resolve
from server.library.markup import Element, attribute, parse_xml, tag
from server.library.oddities import of_package

_OPF = "http://www.idpf.org/2007/opf"
_DC = "http://purl.org/dc/elements/1.1/"
_PACKAGE_TYPE = "application/oebps-package+xml"
_EXTENSIONS = {
    "xhtml": "application/xhtml+xml",
    "html": "application/xhtml+xml",
    "htm": "application/xhtml+xml",
    "xml": "application/xml",
    "svg": "image/svg+xml",
    "ncx": "application/x-dtbncx+xml",
    "jpg": "image/jpeg",
    "jpeg": "image/jpeg",
    "png": "image/png",
    "gif": "image/gif",
    "webp": "image/webp",
}


@dataclass(frozen=True, slots=True)
class Item:
    """A file that the manifest lists; `path` is in the container."""

    id: str
    path: str
    media_type: str
    properties: frozenset[str]
    fallback: str


@dataclass(slots=True)
class Mended:
    """A package document as clean XML, with what EbookLib does not keep."""

    path: str
    xml: bytes
    items: dict[str, Item] = field(default_factory=dict)
    toc_id: str = ""
    broken_spine: bool = False  # the reading order names things, and none of them is listed
    warnings: list[str] = field(default_factory=list)


def find_package(container: Container) -> tuple[str, list[str]] | None:
    """(container path of the package document, warnings); None when there is none.

    Raises BookRefused where the container names one outside itself.
    """
    try:
        root = parse_xml(container.read("META-INF/container.xml"))
    except (FileMissingError, FileUnreadableError):
        root = None
    files = [element for element in root.iter() if tag(element) == "rootfile"] if root is not None else []
    if any(climbs_out(attribute(element, "full-path")) for element in files):
        raise BookRefused(
            "damaged",
            f"{container.label} points outside itself for its package document; it is damaged or made to harm, "
            "so get it from elsewhere.",
        )
    # Several packages are several renditions: the first is the default one.
    for typed in (True, False):
        for element in files:
            path = resolve("", attribute(element, "full-path"))
            if (attribute(element, "media-type") == _PACKAGE_TYPE) is not typed or not path or not path[0]:
                continue
            if (found := container.find(path[0])) and (typed or found.lower().endswith((".opf", ".xml"))):
                note = [] if typed else ["META-INF/container.xml gives the package document a wrong type."]
                return path[0], note
    loose = sorted((name.count("/"), name) for name in container.names if name.lower().endswith(".opf"))
    if loose:
        return loose[0][1], ["META-INF/container.xml does not lead to the package document; it was found by its name."]
    return None


def mend(container: Container, path: str) -> Mended | None:
    """The package document at `path`, mended; None when there is nothing of a package in it."""
    data = container.read(path)
    root = parse_xml(data)
    if root is None or not any(tag(element) in ("manifest", "spine") for element in root.iter()):
        return None
    mended = Mended(path, b"", warnings=of_package(data, root, path))
    package = etree.Element(f"{{{_OPF}}}package", nsmap={None: _OPF, "dc": _DC})
    package.set("version", attribute(root, "version") or "2.0")
    _mend_metadata(root, etree.SubElement(package, f"{{{_OPF}}}metadata"))
    _mend_manifest(root, etree.SubElement(package, f"{{{_OPF}}}manifest"), mended)
    _mend_spine(root, etree.SubElement(package, f"{{{_OPF}}}spine"), mended)
    guide = etree.SubElement(package, f"{{{_OPF}}}guide")
    for reference in _children(root, "guide", "reference"):
        kept = {key: attribute(reference, key) for key in ("type", "title", "href")}
        etree.SubElement(guide, f"{{{_OPF}}}reference", kept)
    mended.xml = etree.tostring(package, encoding="utf-8", xml_declaration=True)
    return mended


def _children(root: Element, parent: str, child: str) -> Iterator[Element]:
    for section in root.iter():
        if tag(section) == parent:
            yield from (element for element in section.iter() if tag(element) == child)


def _mend_metadata(root: Element, target: Element) -> None:
    for section in (element for element in root.iter() if tag(element) == "metadata"):
        for element in section.iter():
            name = tag(element)
            text = _markup_of(element) if name == "description" else " ".join("".join(element.itertext()).split())
            if name == "meta":
                kept = {str(key): str(value) for key, value in element.attrib.items() if "}" not in str(key)}
                etree.SubElement(target, f"{{{_OPF}}}meta", kept).text = text
            elif name in (
                "title",
                "creator",
                "language",
                "identifier",
                "publisher",
                "date",
                "description",
                "contributor",
            ):
                kept = {
                    key: value
                    for key in ("id", "role", "file-as", "scheme", "event")
                    if (value := attribute(element, key))
                }
                etree.SubElement(target, f"{{{_DC}}}{name}", kept).text = text


def _markup_of(element: Element) -> str:
    """Text of a description with its lines; with its markup, where somebody left that unescaped."""
    inner = (html.escape(element.text or "", quote=False),)
    children = (etree.tostring(child, encoding="unicode") for child in element)
    return "".join((*inner, *children)) if len(element) else element.text or ""


def _mend_manifest(root: Element, target: Element, mended: Mended) -> None:
    for element in _children(root, "manifest", "item"):
        name, href = attribute(element, "id").strip(), attribute(element, "href").strip()
        place = resolve(mended.path, href)
        if not name or not href:
            mended.warnings.append("The package lists a file without a name; it was left out.")
            continue
        if place is None or name in mended.items:
            continue
        kind = attribute(element, "media-type").strip().lower()
        guess = _EXTENSIONS.get(place[0].rpartition(".")[2].lower(), "")
        if kind in ("", "application/octet-stream", "text/plain"):
            kind = guess or kind
        properties = frozenset(attribute(element, "properties").split())
        mended.items[name] = Item(name, place[0], kind, properties, attribute(element, "fallback"))
        # No properties and no ncx for EbookLib: it would fail on a contents page that it cannot follow.
        etree.SubElement(target, f"{{{_OPF}}}item", {"id": name, "href": href, "media-type": kind or "unknown"})


def _mend_spine(root: Element, target: Element, mended: Mended) -> None:
    seen: set[str] = set()
    unknown = 0
    for section in (element for element in root.iter() if tag(element) == "spine"):
        mended.toc_id = attribute(section, "toc") or mended.toc_id
    for element in _children(root, "spine", "itemref"):
        name = attribute(element, "idref").strip()
        if name not in mended.items:
            unknown += 1
            mended.warnings.append(f"The reading order names {name[:60]!r}, which the package does not list.")
        elif name in seen:
            mended.warnings.append(f"The reading order names {name[:60]!r} twice; it is read once.")
        else:
            seen.add(name)
            kept = {"idref": name, "linear": attribute(element, "linear").strip().lower() or "yes"}
            etree.SubElement(target, f"{{{_OPF}}}itemref", kept)
    mended.broken_spine = unknown > 0 and not seen
