"""Counts what the index files hold into the database, so that a shelf or a plan opens no file."""

import logging

from server.errors import LecternError, NotFound
from server.library.catalog import Catalog
from server.render.index import BookRecord, ChapterIndex, Place
from server.render.store import Store
from server.tables import BookRow, ChapterRow, PlaceRow

log = logging.getLogger(__name__)


def count_chapter(store: Store, catalog: Catalog, book: str, number: int) -> ChapterRow:
    """Read one chapter index and keep its counters. Raises NotFound, StoreError."""
    stamp = _stamp(store, book, number)
    row = counters(store.chapter(book, number), stamp)
    catalog.count(row)
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
        failed=sum(entry.failed is not None for entry in index.sentences),
        audio_samples=sum(entry.length_samples for entry in rendered),
        audio_bytes=sum(entry.bytes or 0 for entry in rendered),
        stamp=stamp,
    )


def put_rows(store: Store, catalog: Catalog, record: BookRecord, *, sample: bool = False) -> bool:
    """Make the rows of a stored book; gives whether the database did not know it. Raises StoreError."""
    row = BookRow(
        id=record.id,
        title=record.title,
        authors="\n".join(record.authors),
        voice=record.voice,
        rendition=record.rendition,
        sample=sample,
        added=record.added,
    )
    chapters = [
        counters(store.chapter(record.id, chapter.number), _stamp(store, record.id, chapter.number))
        for chapter in record.chapters
    ]
    return catalog.put(row, chapters)


def recount(store: Store, catalog: Catalog) -> None:
    """Make the rows agree with the store: counters after a crash, books the database does not know, and places."""
    known, stamps = set(catalog.ids()), catalog.stamps()
    for book in store.books():
        try:
            record = store.book(book)
            if book not in known:
                put_rows(store, catalog, record)
                if (place := store.place(book)) is not None:
                    catalog.set_place(place_row(book, place))
                continue
            for chapter in record.chapters:
                if stamps.get((book, chapter.number)) != _stamp(store, book, chapter.number):
                    count_chapter(store, catalog, book, chapter.number)
        except LecternError as error:
            # One damaged book must not keep the others from being read.
            log.error("a book of the store cannot be read: %s", error)
    for book in known - set(store.books()):
        catalog.remove(book)


def place_row(book: str, place: Place) -> PlaceRow:
    return PlaceRow(
        book=book,
        chapter=place.chapter,
        sentence=place.sentence,
        word=place.word,
        device=place.device or "",
        updated=place.updated,
    )


def _stamp(store: Store, book: str, number: int) -> str:
    try:
        stat = store.chapter_path(book, number).stat()
    except OSError as error:  # taken out of the store by hand
        raise NotFound(f"Book {book} has no chapter {number}.") from error
    return f"{stat.st_size}-{stat.st_mtime_ns}"
