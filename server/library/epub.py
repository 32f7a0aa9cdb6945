"""An opened EPUB: metadata, reading order, contents and landmarks. The only reader that uses EbookLib.

EbookLib gives up on a book for one missing stylesheet or a contents page that it cannot follow, and holds every file
in memory; so it is handed the package document mended (package.py) and no files. Contents and text are read here.
"""

import io
import re
import zipfile
from dataclasses import dataclass, field

from ebooklib import epub

from server.library.container import Container, FileMissingError, FileUnreadableError, resolve
from server.library.markup import parse_document, parse_xml, tag
from server.library.metadata import Metadata, metadata_of
from server.library.oddities import mistyped, of_contents, unread
from server.library.package import Item, Mended
from server.library.series import series_of
from server.library.toc import Entry, Landmark, read_nav, read_ncx

_TEXT_TYPES = frozenset(
    """application/xhtml+xml text/html application/html+xml text/x-oeb1-document application/x-dtbook+xml
    image/svg+xml application/xml text/xml""".split()
)


@dataclass(frozen=True, slots=True)
class SpineItem:
    """A content document in reading order."""

    path: str
    linear: bool
    nav: bool = False


@dataclass(slots=True)
class Publication:
    """What the package says of the book; all paths are in the container."""

    path: str
    title: str
    metadata: Metadata
    series: str | None
    series_index: float | None
    items: dict[str, Item]
    spine: list[SpineItem]
    toc: list[Entry] = field(default_factory=list)
    landmarks: list[Landmark] = field(default_factory=list)
    cover_id: str = ""
    pictures: int = 0  # entries of the reading order that are images
    warnings: list[str] = field(default_factory=list)


class _PackageReader(epub.EpubReader):  # type: ignore[misc]
    """EbookLib's reader over one package document; whatever else it asks for is empty."""

    def __init__(self, package: bytes) -> None:
        empty = io.BytesIO()
        zipfile.ZipFile(empty, "w").close()
        super().__init__(empty, {"ignore_ncx": True})
        self._package = package

    def read_file(self, name: str) -> bytes:
        if name == "META-INF/container.xml":
            return (
                b'<container xmlns="urn:oasis:names:tc:opendocument:xmlns:container"><rootfiles>'
                b'<rootfile full-path="p.opf" media-type="application/oebps-package+xml"/></rootfiles></container>'
            )
        return self._package if name == "p.opf" else b""


def open_publication(container: Container, mended: Mended, fallback_title: str) -> Publication:
    """Read the mended package and the contents that it leads to; `fallback_title` is for a book without one."""
    book = _PackageReader(mended.xml).load()
    metadata = metadata_of(book)
    series, series_index = series_of(book.get_metadata("OPF", "meta"))
    publication = Publication(
        path=mended.path,
        title=metadata.title or fallback_title,
        metadata=metadata,
        series=series,
        series_index=series_index,
        items=mended.items,
        spine=[],
        cover_id=_cover_id(book),
        warnings=list(mended.warnings),
    )
    publication.spine = _spine(container, book, mended, publication.warnings)
    publication.pictures = sum(mended.items[name].media_type.startswith("image/") for name, _ in book.spine)
    if not publication.spine and mended.broken_spine:
        publication.spine = [SpineItem(item.path, True) for item in mended.items.values() if _is_page(item)]
        publication.warnings.append("The book's reading order leads nowhere; its files are read as they are listed.")
    for reference in book.guide:
        if target := resolve(mended.path, reference["href"] or ""):
            publication.landmarks.append(Landmark((reference["type"] or "").lower(), *target))
    _read_contents(container, mended, publication)
    publication.warnings += unread(_left_out(container, publication))
    return publication


def _spine(container: Container, book: epub.EpubBook, mended: Mended, warnings: list[str]) -> list[SpineItem]:
    """Documents in reading order, each once, even where the manifest has it under several names."""
    found: dict[str | None, SpineItem] = {}
    odd: list[str] = []
    for name, linear in book.spine:
        item = _readable(container, mended.items, name)
        if item is not None:
            place = container.find(item.path) or item.path
            odd += [item.media_type] * (item.media_type not in _TEXT_TYPES)
            found.setdefault(place, SpineItem(item.path, linear != "no", "nav" in item.properties))
    warnings += mistyped(odd)
    return list(found.values())


def _left_out(container: Container, publication: Publication) -> list[str]:
    """Pages that are listed, are there and are read nowhere: neither in order nor in the place of another file."""
    read = {container.find(item.path) for item in publication.spine}
    read |= {container.find(mark.path) for mark in publication.landmarks if mark.kind in ("cover", "toc")}
    instead = {item.fallback for item in publication.items.values()}
    return [
        item.path
        for item in publication.items.values()
        if _is_page(item) and item.id not in instead and (place := container.find(item.path)) and place not in read
    ]


def _is_page(item: Item) -> bool:
    return item.media_type in _TEXT_TYPES and item.media_type != "image/svg+xml" and "nav" not in item.properties


def _readable(container: Container, items: dict[str, Item], name: str) -> Item | None:
    """The item, or the fallback of it, that is text; by its content where the manifest's type says nothing."""
    seen: set[str] = set()
    while name in items and name not in seen:
        seen.add(name)
        item = items[name]
        if item.media_type in _TEXT_TYPES or (not item.fallback and _looks_like_text(container, item)):
            return item
        name = item.fallback
    return None


def _looks_like_text(container: Container, item: Item) -> bool:
    if (
        item.media_type.startswith(("image/", "audio/", "video/", "text/css", "font/"))
        or container.find(item.path) is None
    ):
        return False
    try:
        return re.search(rb"<(?:\w+:)?(?:html|body|p|div)\b", container.read(item.path)[:4096]) is not None
    except (FileMissingError, FileUnreadableError):
        return False


def _cover_id(book: epub.EpubBook) -> str:
    for _, attributes in book.get_metadata("OPF", "meta"):
        if attributes.get("name") == "cover" and attributes.get("content"):
            return str(attributes["content"])
    return ""


def _read_contents(container: Container, mended: Mended, publication: Publication) -> None:
    """Fill in the table of contents and the landmarks: the navigation document, else the NCX."""
    for item in mended.items.values():
        if "nav" not in item.properties:
            continue
        root = _parse(container, item.path, publication.warnings)
        if root is not None:
            publication.toc, marks = read_nav(root, item.path)
            publication.landmarks += marks
            publication.warnings += of_contents(publication.toc, root)
        if publication.toc:
            return
    if mended.toc_id in mended.items and not _is_ncx(mended.items[mended.toc_id]):
        publication.warnings.append(f"The reading order names {mended.toc_id[:60]!r} as its contents, which it is not.")
    candidates = [mended.items[mended.toc_id]] if mended.toc_id in mended.items else []
    candidates += [item for item in mended.items.values() if item.media_type == "application/x-dtbncx+xml"]
    candidates += [item for item in mended.items.values() if item.path.lower().endswith(".ncx")]
    for item in candidates:
        try:
            root = parse_xml(container.read(item.path))
        except (FileMissingError, FileUnreadableError):
            continue
        if root is not None and tag(root) == "ncx" and (entries := read_ncx(root, item.path)):
            publication.toc = entries
            return
    publication.warnings.append("The book has no table of contents; its chapters were found by their headings.")


def _is_ncx(item: Item) -> bool:
    return item.media_type == "application/x-dtbncx+xml" or item.path.lower().endswith(".ncx")


def _parse(container: Container, path: str, warnings: list[str]) -> object | None:
    try:
        root, notes = parse_document(container.read(path))
    except (FileMissingError, FileUnreadableError):
        return None
    warnings += [f"{path[:120]} {note}." for note in notes]
    return root
