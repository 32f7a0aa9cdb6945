"""A file into a book, or a refusal with its reason. Nothing outside the file is read."""

import re
import zipfile
from collections.abc import Sequence
from functools import partial
from pathlib import Path

from server.errors import BookRefused
from server.library import languages
from server.library.blocks import Page, read_page
from server.library.chapters import Part, make_chapters
from server.library.container import Container, FileMissingError, FileUnreadableError, resolve
from server.library.covers import find_cover
from server.library.epub import Publication, open_publication
from server.library.figures import with_figures
from server.library.identity import book_id
from server.library.markup import parse_document
from server.library.model import Book, Notes, Refused
from server.library.oddities import of_container
from server.library.package import find_package, mend
from server.library.pictures import measure
from server.library.refusals import (
    damaged_zip,
    kind_of,
    not_a_package,
    nothing_to_read,
    refuse_if_protected,
)
from server.library.single import read_single
from server.library.sort_keys import title_sort
from server.library.style import Sheets
from server.library.toc import Entry

_MAX_WARNINGS = 50


def read_book(path: Path, language: str | None = None, notes: Notes = "skipped") -> Book:
    """Read a file, or an EPUB as a folder; `language` counts for more than what the book says that it is in.

    `notes` says what becomes of its foot- and endnotes.

    Raises BookRefused for what is none, is protected or has no text.
    """
    kind = kind_of(path)
    identity = book_id(path)
    stem = _title_from(path)
    if kind != "epub":
        return read_single(path, kind, stem, identity, language, notes)
    try:
        with Container(path) as container:
            if container.find("word/document.xml") and find_package(container) is None:
                return read_single(path, "word", stem, identity, language, notes, container)
            return _read(container, identity, stem, language, notes)
    except (zipfile.BadZipFile, zipfile.LargeZipFile, NotImplementedError) as error:
        raise damaged_zip(path.name, error) from error


def _read(container: Container, identity: str, fallback_title: str, language: str | None, notes: Notes) -> Book:
    refuse_if_protected(container)
    found = find_package(container)
    if found is None:
        raise not_a_package(container)
    path, remarks = found
    try:
        mended = mend(container, path)
    except (FileMissingError, FileUnreadableError) as error:
        raise damaged_zip(container.label, error) from error
    if mended is None:
        raise not_a_package(container)
    publication = open_publication(container, mended, fallback_title)
    publication.warnings[:0] = [*of_container(container), *remarks]
    metadata = publication.metadata
    parts, refused = _read_pages(container, publication)
    _warn_of_files(container, publication)
    entries = _entries(container, parts, publication)
    chapters = make_chapters(parts, entries, publication.title, language or metadata.language, notes)
    if not chapters or _is_pictures(parts, publication):
        raise _no_text(container, parts, publication, refused)
    if remark := languages.remark(metadata.language, language):
        publication.warnings.insert(0, remark)
    cover = find_cover(container, publication)
    chapters = with_figures(container, chapters, measure)
    return Book(
        id=identity,
        title=publication.title,
        subtitle=metadata.subtitle,
        authors=metadata.authors,
        language=metadata.language,
        chapters=tuple(chapters),
        cover=cover.data if cover else None,
        cover_type=cover.media_type if cover else None,
        thumbnail=cover.thumbnail if cover else None,
        warnings=tuple(dict.fromkeys(publication.warnings))[:_MAX_WARNINGS],
        identifiers=metadata.identifiers,
        read_as=language,
        series=publication.series,
        series_index=publication.series_index,
        refused=tuple(refused),
        contributors=metadata.contributors,
        publisher=metadata.publisher,
        published=metadata.published,
        description=metadata.description,
        title_sort=metadata.title_sort or title_sort(publication.title, metadata.language),
        author_sort=metadata.author_sort,
    )


def _read_pages(container: Container, publication: Publication) -> tuple[list[Part], list[Refused]]:
    """(pages in reading order, those that could not be read)."""
    kinds: dict[str | None, list[str]] = {}
    for mark in publication.landmarks:
        if not mark.fragment:
            kinds.setdefault(container.find(mark.path), []).append(mark.kind)
    parts: list[Part] = []
    refused: list[Refused] = []
    sheets = Sheets(partial(_read_or_none, container))
    for item in publication.spine:
        name = container.find(item.path)
        page = _read_one(container, item.path, publication.warnings, sheets)
        if page is None:
            refused.append(Refused(item.path, publication.warnings[-1]))
            continue
        own = kinds.get(name, [])
        parts.append(Part(page, item.path, item.linear, tuple([*own, "toc"] if item.nav else own)))
    return parts, refused


def _read_or_none(container: Container, path: str) -> bytes | None:
    try:
        return container.read(path)
    except (FileMissingError, FileUnreadableError):
        return None


def _read_one(
    container: Container, path: str, warnings: list[str], sheets: Sheets, *, framed: bool = False
) -> Page | None:
    try:
        data = container.read(path)
    except FileMissingError:
        warnings.append(f"{path[:120]} is listed in the book but is not in it.")
        return None
    except FileUnreadableError as error:
        warnings.append(f"{path[:120]} is damaged and was left out ({error}).")
        return None
    root, notes = parse_document(data)
    if root is None:
        warnings.append(f"{path[:120]} could not be understood and was left out.")
        return None
    warnings += [f"{path[:120]} {note}." for note in notes]
    doc = container.find(path) or path
    page = read_page(root, doc, sheets.hidden(root, doc))
    return page if page.blocks or framed else _framed(container, page, warnings, sheets)


def _framed(container: Container, page: Page, warnings: list[str], sheets: Sheets) -> Page:
    """The page that a page without text shows in a frame; the page itself where there is none."""
    for source in page.frames:
        target = resolve(page.doc, source)
        if target and target[0] != page.doc and container.find(target[0]):
            shown = _read_one(container, target[0], warnings, sheets, framed=True)
            if shown is not None and shown.blocks:
                shown.skipped += page.skipped
                shown.pictures += page.pictures
                return shown
    return page


def _entries(container: Container, parts: Sequence[Part], publication: Publication) -> list[tuple[int, Entry]]:
    """Entries of the table of contents with the part that each leads to; a warning for those that lead nowhere."""
    places = {container.find(part.path): index for index, part in reversed(list(enumerate(parts)))}
    entries = []
    lost = 0
    for entry in publication.toc:
        index = places.get(container.find(entry.path))
        if index is None:
            lost += 1
            continue
        entries.append((index, entry))
    if lost:
        publication.warnings.append(f"{lost} of the {len(publication.toc)} entries in the contents lead to no page.")
    return entries


def _is_pictures(parts: Sequence[Part], publication: Publication) -> bool:
    """Whether the pages are pictures, and the only text is the list of them."""
    return publication.pictures > 0 and all(block.matter == "toc" for part in parts for block in part.page.blocks)


def _no_text(
    container: Container, parts: Sequence[Part], publication: Publication, refused: Sequence[Refused]
) -> BookRefused:
    pictures = any(part.page.images for part in parts) or any(
        item.media_type.startswith("image/") for item in publication.items.values()
    )
    return nothing_to_read(container.label, has_images=pictures and bool(parts), missing=len(refused))


def _warn_of_files(container: Container, publication: Publication) -> None:
    missing = [item.path for item in publication.items.values() if container.find(item.path) is None]
    if missing:
        lists = "file that the book lists is" if len(missing) == 1 else "files that the book lists are"
        publication.warnings.append(f"{len(missing)} {lists} not in it, such as {missing[0][:120]}.")
    if container.misnamed:
        publication.warnings.append(
            f"{container.misnamed[0][:120]} is named otherwise inside the ZIP than in its list."
        )
    if container.renamed:
        publication.warnings.append(f"{container.renamed[0][:120]} was found under a name that is written differently.")


def _title_from(path: Path) -> str:
    name = path.stem if path.is_file() else path.name.removesuffix(".epub")
    return " ".join(re.sub(r"[_\s]+", " ", name).split()) or "Untitled"
