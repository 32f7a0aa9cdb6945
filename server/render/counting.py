"""Counts what the index files hold into the database, so that a shelf or a plan opens no file."""

import contextlib
import logging
import os
import threading
from collections import defaultdict
from typing import Final

from server.errors import LecternError, NotFound, StoreError
from server.library.catalog import Catalog
from server.library.ears import Waiting
from server.library.shelf import folded
from server.library.sort_keys import names_sort, title_sort
from server.render.index import ChapterIndex
from server.render.kinship import relate
from server.render.layout import chapter_name
from server.render.lead import measure
from server.render.progress import keep_readings
from server.render.records import BookRecord, Place
from server.render.store import Store
from server.tables import BookRow, ChapterRow, PlaceRow

log = logging.getLogger(__name__)

# Held from reading an index to writing its row: of two who count at once, the one that read first must not write last.
_COUNTING: Final = threading.RLock()


def count_chapter(store: Store, catalog: Catalog, book: str, number: int) -> ChapterRow:
    """Read one chapter index and keep its counters. Raises NotFound, StoreError."""
    with _COUNTING:
        stamp = _stamp(store, book, number)
        index = store.chapter(book, number)
        row = counters(index, stamp)
        catalog.count(row)
        catalog.ears.keep(book, {number: waiting(index)})
    with contextlib.suppress(LecternError):  # another chapter is damaged, or the book is going: it is told elsewhere
        measure(store, catalog, book)
    return row


def counters(index: ChapterIndex, stamp: str) -> ChapterRow:
    rendered = [entry for entry in index.sentences if entry.rendered]
    return ChapterRow(
        book=index.book,
        number=index.chapter,
        title=index.title,
        enabled=index.enabled,
        rule=index.rule,
        sentences=len(index.sentences),
        characters=sum(len(entry.text) for entry in index.sentences),
        rendered=len(rendered),
        rendered_characters=sum(len(entry.text) for entry in rendered),
        # Another program's chapter is not added to: nothing of it waits.
        failed=sum(entry.failed is not None or not (entry.rendered or index.joinable) for entry in index.sentences),
        again=sum(entry.again is not None for entry in index.sentences),
        audio_samples=sum(entry.length_samples for entry in rendered),
        audio_bytes=sum(entry.bytes or 0 for entry in rendered),
        stamp=stamp,
    )


def waiting(index: ChapterIndex) -> Waiting:
    """The sentences of a chapter that somebody should listen to."""
    return {
        entry.id: (entry.ears, entry.complained)
        for entry in index.sentences
        if entry.ears is not None and entry.ears != "accepted"
    }


def book_row(record: BookRecord, stamp: str, *, sample: bool = False) -> BookRow:
    """The row of a book, as the record with this stamp tells of it."""
    shown = record.model_copy(
        update={"chapters": (), "warnings": (), "before": None, "contributors": None, "description": None}
    )
    series = folded(record.series or "")
    return BookRow(
        id=record.id,
        title=record.title,
        authors="\n".join(record.authors),
        voice=record.voice,
        rendition=record.rendition,
        sample=sample,
        added=record.added,
        shown=shown.to_json(),
        stamp=stamp,
        title_key=folded(record.title_sort or title_sort(record.title, record.language)),
        author_key=folded(record.author_sort or names_sort(record.authors) or ""),
        series_key=f"{series} {record.series_index or 0:010.2f}" if series else "",
        folded=folded(" ".join([record.title, record.subtitle or "", *record.authors, record.series or ""])),
    )


def put_rows(store: Store, catalog: Catalog, record: BookRecord, *, sample: bool = False) -> bool:
    """Make the rows of a stored book; gives whether the database did not know it. Raises StoreError."""
    row = book_row(record, book_stamp(store, record.id), sample=sample)
    row.beside_bytes = store.renditions.beside(record.id)
    chapters, ears = [], {}
    for chapter in record.chapters:
        stamp = _stamp(store, record.id, chapter.number)
        index = store.chapter(record.id, chapter.number)
        chapters.append(counters(index, stamp))
        ears[chapter.number] = waiting(index)
    new = catalog.put(row, chapters)
    catalog.ears.keep(record.id, ears, whole=True)
    relate(catalog.relations, record)
    if (place := store.place(record.id)) is not None:
        catalog.move_place(place_row(record.id, place))
    keep_readings(store, catalog, record.id)
    if new:
        with contextlib.suppress(StoreError):  # it is told where the choices are asked for
            choices = store.choices(record.id)
            catalog.choose(record.id, choices.render or "")
            catalog.put_turns({record.id: choices.turn})
    measure(store, catalog, record.id)
    return new


def recount(store: Store, catalog: Catalog) -> None:
    """Make the rows agree with the store: counters after a crash, books the database does not know, and places.

    Opens only files that have changed.
    """
    there, known, related = store.books(), catalog.records(), catalog.relations.known()
    chapters: dict[str, dict[int, str]] = defaultdict(dict)
    for (book, number), stamp in catalog.stamps().items():
        chapters[book][number] = stamp
    for book in there:
        try:
            _finish(store, book)
            if book not in known:
                put_rows(store, catalog, store.book(book))
                if (place := store.place(book)) is not None:
                    catalog.set_place(place_row(book, place))
                continue
            stamp, rendition = known[book]
            if stamp != book_stamp(store, book) or book not in related:
                record = renew(store, catalog, book)
                rendition = record.rendition
                if {chapter.number for chapter in record.chapters} != chapters[book].keys():
                    put_rows(store, catalog, record)
                    continue
            now = _stamps(store, book, rendition)
            for number, stamp in chapters[book].items():
                if stamp != now.get(f"{chapter_name(number)}.json"):
                    _count_again(store, catalog, book, number)
        except LecternError as error:
            # One damaged book must not keep the others from being read.
            log.error("a book of the store cannot be read: %s", error)
    for book in known.keys() - set(there):
        catalog.remove(book)
    _agree_on_choices(store, catalog)
    for book in catalog.to_weigh():
        with contextlib.suppress(LecternError):  # told above
            catalog.weigh(book, store.renditions.beside(book))
    for book in catalog.unmeasured():
        with contextlib.suppress(LecternError):  # told above
            keep_readings(store, catalog, book)
            measure(store, catalog, book)


def _finish(store: Store, book: str) -> None:
    """Finish a change of voice or name that was cut short; damaged choices keep no book from the shelf."""
    try:
        if (store.book_folder(book) / "choices.json").exists():
            store.renditions.redo(book)
            if store.choices(book).about is not None or store.book(book).own is not None:
                store.retell(book)
    except StoreError as error:
        log.error("what was chosen for a book is left as it is: %s", error)


def _agree_on_choices(store: Store, catalog: Catalog) -> None:
    """Have the rows say which books wait for a listener, and which in line they are, as the store does."""
    paused, turns, other = catalog.paused(), catalog.turns(), dict[str, int | None]()
    for book in catalog.ids():
        with contextlib.suppress(LecternError):  # told above
            choices = store.choices(book)
            if (wanted := bool(choices.paused)) != (book in paused):
                (catalog.pause if wanted else catalog.resume)(book)
            if choices.turn != turns.get(book):
                other[book] = choices.turn
    if other:
        catalog.put_turns(other)


def _count_again(store: Store, catalog: Catalog, book: str, number: int) -> None:
    try:
        count_chapter(store, catalog, book, number)
    except LecternError as error:  # the book's other chapters are counted all the same
        log.error("a chapter of the store cannot be read: %s", error)


def renew(store: Store, catalog: Catalog, book: str) -> BookRecord:
    """Read a book's record and keep what it tells. Raises NotFound, StoreError."""
    stamp = book_stamp(store, book)
    record = store.book(book)
    catalog.renew(book_row(record, stamp))
    relate(catalog.relations, record)
    return record


def place_row(book: str, place: Place) -> PlaceRow:
    return PlaceRow(
        book=book,
        chapter=place.chapter,
        sentence=place.sentence,
        word=place.word,
        device=place.device or "",
        updated=place.updated,
    )


def book_stamp(store: Store, book: str) -> str:
    """Which version of a book's record there is; empty where there is none."""
    try:
        stat = (store.book_folder(book) / "book.json").stat()
    except OSError:
        return ""
    return f"{stat.st_size}-{stat.st_mtime_ns}-{stat.st_ino}"


def _stamp(store: Store, book: str, number: int) -> str:
    try:
        path, journal = store.chapter_files(book, number)
        added = None
        with contextlib.suppress(FileNotFoundError):
            added = journal.stat()
        return _version(path.stat(), added)
    except OSError as error:  # taken out of the store by hand
        raise NotFound(f"Book {book} has no chapter {number}.") from error


def _stamps(store: Store, book: str, rendition: str) -> dict[str, str]:
    """File name → which version of it there is, of all chapters of a book at once. Raises NotFound."""
    try:
        with os.scandir(store.rendition_folder(book, rendition)) as entries:
            found = {entry.name: entry.stat() for entry in entries if entry.name.endswith((".json", ".jsonl"))}
            return {name: _version(stat, found.get(f"{name}l")) for name, stat in found.items()}
    except OSError as error:
        raise NotFound(f"Book {book} has no rendition {rendition}.") from error


def _version(index: os.stat_result, journal: os.stat_result | None) -> str:
    version = f"{index.st_size}-{index.st_mtime_ns}"
    return version if journal is None else f"{version}+{journal.st_size}-{journal.st_mtime_ns}"
