"""Where people are in their books, put into rows for the shelf."""

import contextlib
import logging

from server.errors import LecternError, NotFound
from server.library.catalog import Catalog
from server.render.reconcile import PlaceEntry
from server.render.store import Store
from server.tables import ReadingRow

log = logging.getLogger(__name__)


def keep_reading(store: Store, catalog: Catalog, person: str, place: PlaceEntry) -> None:
    """Keep a person's place in the rows. Raises NotFound, StoreError."""
    catalog.set_reading(reading_row(store, person, place))


def keep_readings(store: Store, catalog: Catalog, book: str) -> None:
    """Keep the place of everybody in a book. Raises NotFound, StoreError."""
    rows = []
    for person in store.places.people(book):
        try:
            if (place := store.places.now(book, person)) is not None:
                rows.append(reading_row(store, person, place))
        except LecternError as error:  # one damaged journal hides nobody else's place
            log.error("a place is not shown on the shelf: %s", error)
    catalog.put_readings(book, rows)


def reading_row(store: Store, person: str, place: PlaceEntry) -> ReadingRow:
    ordinal = 0
    with contextlib.suppress(NotFound, KeyError):  # a chapter that is gone: the book's edition is about to change
        ordinal = store.chapter(place.book, place.chapter).position(place.sentence)
    return ReadingRow(
        person=person,
        book=place.book,
        chapter=place.chapter,
        sentence=place.sentence,
        word=place.word,
        device=place.device or "",
        ordinal=ordinal,
        updated=place.time,
    )
