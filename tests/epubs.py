"""Small EPUBs made by hand, as files: a dictionary of documents and a line for each thing that a test bends."""

import html
import zipfile
from collections.abc import Mapping, Sequence
from pathlib import Path

CONTAINER = """<?xml version="1.0"?>
<container version="1.0" xmlns="urn:oasis:names:tc:opendocument:xmlns:container"><rootfiles>
<rootfile full-path="{path}" media-type="application/oebps-package+xml"/></rootfiles></container>"""
XHTML = 'xmlns="http://www.w3.org/1999/xhtml" xmlns:epub="http://www.idpf.org/2007/ops"'


def page(body: str, title: str = "") -> str:
    """A content document."""
    return (
        f'<?xml version="1.0" encoding="utf-8"?>\n<!DOCTYPE html>\n<html {XHTML} lang="en">'
        f"<head><title>{html.escape(title)}</title></head><body>{body}</body></html>"
    )


def nav(entries: Sequence[tuple[str, str]], extra: str = "") -> str:
    """A navigation document with (label, href) entries; `extra` is put after the table of contents."""
    lines = "".join(f'<li><a href="{href}">{html.escape(label)}</a></li>' for label, href in entries)
    return page(f'<nav epub:type="toc"><ol>{lines}</ol></nav>{extra}')


def ncx(entries: Sequence[tuple[str, str]]) -> str:
    """An NCX file with (label, href) entries."""
    points = "".join(
        f'<navPoint id="n{i}" playOrder="{i}"><navLabel><text>{html.escape(label)}</text></navLabel>'
        f'<content src="{href}"/></navPoint>'
        for i, (label, href) in enumerate(entries, start=1)
    )
    return f'<ncx xmlns="http://www.daisy.org/z3986/2005/ncx/" version="2005-1"><navMap>{points}</navMap></ncx>'


def build_epub(
    path: Path,
    pages: Mapping[str, str],
    *,
    toc: Sequence[tuple[str, str]] | None = None,
    title: str = "A Small Book",
    metadata: str = "<dc:creator>A. Nobody</dc:creator>",
    language: str = "en",
    identifier: str = "urn:isbn:9780000000000",
    manifest: str = "",
    spine: str | None = None,
    guide: str = "",
    files: Mapping[str, str | bytes] | None = None,
    nav_extra: str = "",
    opf: str = "OEBPS/content.opf",
    version: str = "3.0",
) -> Path:
    """Write an EPUB with `pages` (name beside the package document → body or whole document) in reading order.

    `toc` None leaves the navigation out; `version` "2.0" writes an NCX instead of a nav. `files` adds to or replaces
    entries by their full name; `manifest`, `guide` and `metadata` add XML; `spine` replaces the itemrefs.
    """
    folder = opf.rpartition("/")[0]
    place = f"{folder}/" if folder else ""
    items = [f'<item id="p{i}" href="{name}" media-type="application/xhtml+xml"/>' for i, name in enumerate(pages)]
    entries: dict[str, str | bytes] = {"META-INF/container.xml": CONTAINER.format(path=opf)}
    for name, body in pages.items():
        entries[f"{place}{name}"] = body if body.lstrip().startswith("<?xml") or "<html" in body else page(body)
    spine_toc = ""
    if toc is not None and version.startswith("3"):
        items.append('<item id="nav" href="nav.xhtml" media-type="application/xhtml+xml" properties="nav"/>')
        entries[f"{place}nav.xhtml"] = nav(toc, nav_extra)
    elif toc is not None:
        items.append('<item id="ncx" href="toc.ncx" media-type="application/x-dtbncx+xml"/>')
        entries[f"{place}toc.ncx"] = ncx(toc)
        spine_toc = ' toc="ncx"'
    itemrefs = "".join(f'<itemref idref="p{i}"/>' for i in range(len(pages))) if spine is None else spine
    entries[opf] = (
        f'<package xmlns="http://www.idpf.org/2007/opf" version="{version}" unique-identifier="id">'
        f'<metadata xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:opf="http://www.idpf.org/2007/opf">'
        f'<dc:identifier id="id">{identifier}</dc:identifier><dc:title>{html.escape(title)}</dc:title>'
        f"<dc:language>{language}</dc:language>{metadata}</metadata>"
        f"<manifest>{''.join(items)}{manifest}</manifest><spine{spine_toc}>{itemrefs}</spine><guide>{guide}</guide></package>"
    )
    entries.update(files or {})
    write_zip(path, entries)
    return path


def write_zip(path: Path, entries: Mapping[str, str | bytes], *, mimetype: bool = True) -> None:
    """A ZIP of `entries`, with the mimetype in front as EPUB wants it."""
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as target:
        if mimetype:
            target.writestr("mimetype", "application/epub+zip", compress_type=zipfile.ZIP_STORED)
        for name, data in entries.items():
            target.writestr(name, data)
