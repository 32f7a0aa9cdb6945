"""What a crash may leave in the store, taken away at the next start."""

import logging
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from server.errors import LecternError
from server.render.edition import settle_place
from server.render.files import TEMPORARY
from server.render.index import ChapterIndex
from server.render.layout import DELETED
from server.render.turning import redo_choices

if TYPE_CHECKING:
    from server.render.store import Store

log = logging.getLogger(__name__)


def sweep(store: "Store") -> list[Path]:
    """Remove temporary files, half-deleted folders and orphans from `store`; give the paths that went."""
    removed: list[Path] = []
    for path in list(_leftovers(store.root)):
        _remove(path)
        removed.append(path)
    for folder in sorted((store.root / "books").glob("[!.]*")):
        removed += _sweep_book(store, folder)
    if removed:
        log.info("swept %d leftovers from %s", len(removed), store.root)
    return removed


def _leftovers(root: Path) -> Iterator[Path]:
    for depth in ("", "lexicon/", "books/", "books/*/", "books/*/*/", "books/*/*/*/"):
        yield from root.glob(f"{depth}.*{TEMPORARY}")
        yield from root.glob(f"{depth}{DELETED}*")


def _sweep_book(store: "Store", folder: Path) -> list[Path]:
    if not (folder / "book.json").exists():
        if any(folder.glob("*/*/*.m4a")):
            log.warning("%s has audio but no book.json; it is left alone", folder)
            return []
        _remove(folder)  # the import was cut short; it is done again from the EPUB
        return [folder]
    removed = []
    for finish in (redo_choices, settle_place):
        try:
            finish(store, folder.name)
        except LecternError as error:
            log.warning("what was chosen for %s is left as it is: %s", folder, error)
    for path in sorted(folder.glob("*/chapter-*.json")):
        try:
            index = store.chapter(folder.name, int(path.stem.removeprefix("chapter-")), path.parent.name)
        except (LecternError, ValueError) as error:
            log.warning("%s is left alone: %s", path, error)
            continue
        removed += _sweep_chapter(store, path, index)
    return removed


def _sweep_chapter(store: "Store", path: Path, index: ChapterIndex) -> list[Path]:
    """Make index and files agree: files nobody names go, entries without their whole file go back to text."""
    sizes = {file: file.stat().st_size for file in path.with_suffix("").glob("*.m4a")}
    known = {path.parent / entry.file: entry for entry in index.sentences if entry.file is not None}
    broken = [entry for file, entry in known.items() if sizes.get(file) != entry.bytes]
    if broken:
        log.warning("%d sentences of %s have lost their audio and are rendered again", len(broken), path)
        store.save_chapter(index.with_entries(entry.without_audio() for entry in broken))
    whole = {file for file, entry in known.items() if sizes.get(file) == entry.bytes}
    orphans = sorted(sizes.keys() - whole)
    for file in orphans:
        _remove(file)
    return orphans


def _remove(path: Path) -> None:
    if path.is_dir():
        shutil.rmtree(path)
    else:
        path.unlink(missing_ok=True)
