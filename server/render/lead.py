"""How much audio is ready from a place on without a gap, measured in the indexes and kept in the book's row."""

import contextlib

from server.errors import LecternError
from server.library.catalog import Catalog, Shelved
from server.library.policy import WHOLE
from server.render.index import ChapterIndex
from server.render.queue import Focus, place_of
from server.render.store import Store
from server.tables import ChapterRow, PlaceRow


def measure(store: Store, catalog: Catalog, book: str) -> None:
    """Keep what is ready from the listener's place on, and of the first chapter. Raises NotFound, StoreError."""
    shelved = catalog.book(book)
    opening = WHOLE if shelved.first is None else _ready(store, shelved.first, None)
    catalog.keep_lead(book, lead=lead(store, shelved, place_of(shelved)), opening=WHOLE if opening is None else opening)


def keep_place(store: Store, catalog: Catalog, place: PlaceRow) -> None:
    """Keep the listener's place in the rows; the book counts as opened. Raises NotFound."""
    catalog.set_place(place)
    with contextlib.suppress(LecternError):  # a damaged chapter keeps nobody from having a place
        measure(store, catalog, place.book)


def lead(store: Store, shelved: Shelved, at: Focus | None) -> int:
    """Samples that are ready from `at` on (None: the beginning) up to the first sentence without audio.

    `WHOLE` where there is none to the end of the book. Opens two indexes at most. Raises NotFound, StoreError.
    """
    total = 0
    for chapter in shelved.chapters:
        here = at is not None and chapter.number == at.chapter
        if (at is not None and chapter.number < at.chapter) or not (chapter.enabled or here):
            continue
        if not here and chapter.rendered + chapter.failed >= chapter.sentences:
            total += chapter.audio_samples
            continue
        index = store.chapter(shelved.book.id, chapter.number)
        ready, whole = _run(index, at.sentence if here and at is not None else None)
        total += ready
        if not whole:
            return total
    return WHOLE


def _ready(store: Store, chapter: ChapterRow, start: str | None) -> int | None:
    """Samples of a chapter that are ready without a gap; None where nothing of it is missing."""
    if chapter.rendered + chapter.failed >= chapter.sentences:
        return None
    ready, whole = _run(store.chapter(chapter.book, chapter.number), start)
    return None if whole else ready


def _run(index: ChapterIndex, start: str | None) -> tuple[int, bool]:
    """(samples ready from `start` on, whether that is up to the end); a sentence that it has not is its beginning."""
    ids = [entry.id for entry in index.sentences]
    total = 0
    for entry in index.sentences[ids.index(start) if start in ids else 0 :]:
        if entry.rendered:
            total += entry.length_samples
        elif entry.failed is None:
            return total, False
    return total, True
