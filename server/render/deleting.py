"""A book's audio taken away, also where that is what makes room on a full disk, and where part of the book is damaged.

Audio is taken out of an index before its files go. Only where the disk has no room for that index its files go first:
a crash in between leaves entries without files, which the next start takes back to text.
"""

import logging
from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING

from server.errors import DiskFull, NotFound, StoreError
from server.render.layout import chapter_name

if TYPE_CHECKING:
    from server.render.store import Store

log = logging.getLogger(__name__)


def delete_audio(store: "Store", book: str, *, pause: bool) -> int:
    """Take the audio of every rendition away; gives the bytes freed. Called with the store's lock held.

    `pause` is kept first: else a crash would have all of it rendered again. A chapter whose index is damaged loses its
    audio too. Raises NotFound, StoreError.
    """
    record = store.book(book)
    folder, freed = store.book_folder(book), 0
    waiting: list[Callable[[], object]] = [partial(store.change_choices, book, paused=True)] if pause else []
    _try(waiting)
    # Whatever has chapters is a rendition, also one that a crash left without a record.
    for other in sorted({path.parent for path in folder.glob("[!.]*/chapter-*")}):
        if other.name != record.rendition:
            freed += store.remove(other)
            _try(waiting)
    playing = folder / record.rendition
    audio = {path.name for path in playing.glob("chapter-*") if path.is_dir()}
    for name in sorted({chapter_name(chapter.number) for chapter in record.chapters} | audio):
        if (playing / f"{name}.json").exists():
            waiting.append(partial(_to_text, store, book, int(name.removeprefix("chapter-"))))
            _try(waiting)
        freed += store.remove(playing / name)
        _try(waiting)
    for late in waiting:
        late()  # tells that there is still no room
    return freed


def _try(waiting: list[Callable[[], object]]) -> None:
    """Do what is waiting, in order, up to what the disk has no room for yet."""
    while waiting:
        try:
            waiting[0]()
        except DiskFull:
            return
        waiting.pop(0)


def _to_text(store: "Store", book: str, number: int) -> None:
    try:
        index = store.chapter(book, number)
    except (NotFound, StoreError) as error:
        log.warning("the audio of a damaged chapter is deleted with the rest: %s", error)
        return
    if any(sentence.rendered or sentence.failed is not None for sentence in index.sentences):
        store.save_chapter(index.without_audio())
