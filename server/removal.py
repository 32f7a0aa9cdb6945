"""What goes when a person deletes: the audio of a book, or the book with all that belongs to it. Everything blocks."""

import shutil
from pathlib import Path
from typing import Final

from server.config import Settings
from server.errors import DiskFull, LecternError, NotFound, StoreError
from server.intake import free_name, put_aside
from server.library.catalog import Catalog
from server.library.files import FileTable
from server.render.counting import count_chapter
from server.render.files import make_folder, write_error
from server.render.lexicon.files import BOOK_FILE
from server.render.store import Store

REMOVED: Final = "removed"  # folder beside the store that deleted books' EPUBs are moved to


def remove_audio(store: Store, catalog: Catalog, book: str) -> int:
    """Take the audio of a book away; gives the bytes freed. Nothing of it is rendered until somebody listens again.

    Raises StoreError when that is done, but a damaged chapter cannot be counted.
    """
    freed = store.delete_audio(book, pause=True)  # before the rows: a full disk has room for them then
    catalog.pause(book)
    catalog.weigh(book, store.renditions.beside(book))
    damaged: list[tuple[int, LecternError]] = []
    for chapter in store.book(book).chapters:
        try:
            count_chapter(store, catalog, book, chapter.number)
        except (NotFound, StoreError) as error:
            catalog.uncount(book, chapter.number)
            damaged.append((chapter.number, error))
    if damaged:
        numbers = ", ".join(str(number) for number, _ in damaged)
        raise StoreError(f"All its audio is deleted, but chapter {numbers} cannot be read: {damaged[0][1]}")
    return freed


def remove_book(settings: Settings, store: Store, catalog: Catalog, files: FileTable, book: str) -> tuple[int, bool]:
    """Take a book away; gives the bytes freed, and whether anything of it was put aside in `REMOVED`.

    Raises Conflict where its file may not be moved; then all of it stays.
    """
    # The EPUB goes first: while it lies in the library folder, the next scan would bring the book back.
    folder, freed = settings.data / REMOVED, 0
    own = [path for path in (*files.paths_of(book), store.book_folder(book) / BOOK_FILE) if path.exists()]
    try:
        _put_aside(own, folder, book)
    except DiskFull:
        freed = store.delete_audio(book, pause=True)  # that makes room to put it aside
        _put_aside(own, folder, book)
    # The rows last: on a full disk they cannot change before this made room. Those of no book go at the next start.
    freed += store.delete_book(book)
    catalog.remove(book)
    return freed, bool(own)


def _put_aside(own: list[Path], folder: Path, book: str) -> None:
    """Put aside what is a person's own, where it is not yet. Raises Conflict, StoreError."""
    for path in own:
        if not path.exists():
            continue
        if path.name != BOOK_FILE:
            put_aside(path, folder)
            continue
        try:  # somebody's handwork: it lies beside the EPUB that it was made for
            make_folder(folder)
            shutil.move(path, free_name(folder / f"{book}-{BOOK_FILE}"))  # a copy would need room
        except OSError as error:
            raise write_error(folder, error) from error
