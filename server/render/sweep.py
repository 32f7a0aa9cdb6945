"""What a crash may leave in the store, taken away at the next start."""

import logging
import os
import re
from collections.abc import Iterable, Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from server.errors import LecternError
from server.render.about import clear
from server.render.edition import settle_place
from server.render.files import TEMPORARY, WriteLock
from server.render.fitting import Known, is_leftover, listing
from server.render.index import SAFE_NAME, ChapterIndex, SentenceEntry
from server.render.layout import BOOK_ID, DELETED
from server.render.removing import remove_all
from server.render.turning import redo_choices

if TYPE_CHECKING:
    from server.render.store import Store

log = logging.getLogger(__name__)

# What an import writes, from the folder of its book. Whatever else is there, a person or another program made.
_IMPORTED = re.compile(
    r"cover\.(jpg|png|gif|webp)|thumbnail\.jpg|coverage\.json|"
    rf"{SAFE_NAME.pattern}/(rendition\.json|chapter-\d{{4,}}\.jsonl?)"
)


def sweep(store: "Store", writing: WriteLock) -> list[Path]:
    """Remove temporary files, half-deleted folders and orphans from `store`; give the paths that went.

    The lock is held for a book's few small files, and for a chapter in which something does not fit: others write
    meanwhile, and a hundred books take a while to look at.
    """
    removed: list[Path] = []
    known = Known(store.root)
    with writing:
        if (store.root / "store.json").exists():
            store.mark()
        removed += _take_away(store.root, ("", "lexicon/", "listening/*/", "books/"))
    for folder in sorted((store.root / "books").glob("[!.]*")):
        # What is wrong with one book's folder keeps no other from being rendered.
        try:
            with writing:
                there = _settle_book(store, folder, removed)
            for path in sorted(folder.glob("*/chapter-*.json")) if there else ():
                if not known.fits(path):
                    with writing:
                        removed += _sweep_chapter(store, path)
                    known.fits(path)
        except (OSError, LecternError) as error:
            log.warning("%s is left as it is: %s", folder, error)
    with writing:
        known.keep()
    if removed:
        log.info("swept %d leftovers from %s", len(removed), store.root)
    return removed


def _take_away(folder: Path, depths: Iterable[str]) -> Iterator[Path]:
    """Remove what crashes left in a folder and in those below it; gives what went."""
    for depth in depths:
        for path in [*folder.glob(f"{depth}.*{TEMPORARY}"), *folder.glob(f"{depth}{DELETED}*")]:
            try:
                remove_all(path)
            except OSError as error:
                log.warning("%s is left: %s", path, error)
            else:
                yield path


def _settle_book(store: "Store", folder: Path, removed: list[Path]) -> bool:
    """All of a book but its chapters, with the store's lock held; whether it is one. Raises OSError."""
    if SAFE_NAME.fullmatch(folder.name) is None or not folder.is_dir():
        return False  # none of ours, or on a disk that is not there
    if not (folder / "book.json").exists():
        if (kept := not_imported(folder)) is not None:
            log.warning("%s has no book.json, but has %s; it is left alone", folder, kept)
        else:
            removed += [*_take_away(folder, ("", "*/", "*/*/")), folder]
            remove_all(folder)  # the import was cut short; it is done again from the EPUB
        return False
    removed += _take_away(folder, ("", "*/"))
    for finish in (
        store.renditions.redo,
        partial(redo_choices, store),
        partial(settle_place, store),
        partial(clear, store),
        store.places.settle,
        store.bookmarks.settle,
    ):
        try:
            finish(folder.name)
        except LecternError as error:
            log.warning("what was chosen for %s is left as it is: %s", folder, error)
    for path in sorted(folder.glob("*/chapter-*.jsonl")):
        if not path.with_suffix(".json").exists():  # it adds to an index that was lost
            remove_all(path)
            removed.append(path)
    return True


def _sweep_chapter(store: "Store", path: Path) -> list[Path]:
    """Make index and files agree: files nobody names go, entries without their whole file go back to text."""
    try:
        index = store.chapter(path.parent.parent.name, int(path.stem.removeprefix("chapter-")), path.parent.name)
    except (LecternError, ValueError) as error:
        log.warning("%s is left alone: %s", path, error)
        return []
    removed = [*_take_away(path.with_suffix(""), ("",))]
    sizes = listing(path) or {}
    broken, lost = _unlike(index, sizes)
    if (broken or lost) and not index.joinable and any(f in sizes for one in index.sentences for f in one.files):
        # They are not added to here. What is odd of them may play, and what is gone may be in a backup.
        log.warning("%d files of %s, which another program made, are not as it says", len(broken) + len(lost), path)
        broken, lost = [], []
    if broken:
        log.warning("%d sentences of %s have lost their audio and are rendered again", len(broken), path)
    if broken or lost:
        mended = {entry.id: entry.model_copy(update={"earlier": None}) for entry in lost}
        mended |= {entry.id: entry.without_audio() for entry in broken}
        index = store.save_chapter(index.with_entries(mended.values()))
    whole = {file for entry in index.sentences for file in entry.files}
    orphans = [path.parent / file for file in sorted(sizes.keys() - whole)]
    for file in orphans:
        remove_all(file)
    return removed + orphans


def _unlike(index: ChapterIndex, sizes: Mapping[str, int]) -> tuple[list[SentenceEntry], list[SentenceEntry]]:
    """Sentences whose file, and those whose earlier one, is not there with the bytes that it should have."""
    made, lost = [], []
    for entry in index.sentences:
        if entry.file is not None and sizes.get(entry.file) != entry.bytes:
            made.append(entry)
        if entry.earlier is not None and sizes.get(entry.earlier.file) != entry.earlier.bytes:
            lost.append(entry)
    return made, lost


def not_imported(folder: Path) -> str | None:
    """What makes a folder without book.json more than an import that was cut short; None where nothing does.

    Raises OSError where that cannot be told.
    """
    if BOOK_ID.fullmatch(folder.name) is None:
        return "another name than a book"
    if folder.is_symlink():
        return "its files elsewhere"
    for parent, folders, files in os.walk(folder, onerror=_raise):
        links = [name for name in folders if (Path(parent) / name).is_symlink()]
        for path in (Path(parent) / name for name in sorted([*links, *files])):
            if not is_leftover(path.name) and _IMPORTED.fullmatch(name := path.relative_to(folder).as_posix()) is None:
                return name
    return None


def _raise(error: OSError) -> None:
    raise error
