"""Chapters turned on and off by a person, and the notes put where they want them: the choices of a book."""

from typing import TYPE_CHECKING

from server.errors import NotFound
from server.render.choices import CHOSEN, ChapterChoice
from server.render.coverage import CoverageRecord
from server.render.index import ChapterIndex

if TYPE_CHECKING:
    from server.render.store import Store


def turn_chapter(store: "Store", book: str, number: int, enabled: bool) -> ChapterIndex:
    """Have a chapter read, or not; give its index. Its audio stays whichever it is. Called with the store's lock held.

    Raises NotFound, StoreError.
    """
    record, index, choices = store.book(book), store.chapter(book, number), store.choices(book)
    if not index.sentences:
        raise NotFound(f"Chapter {number} has no text that could be read.")
    first = index.sentences[0].id
    known = next((one for one in choices.chapters if one.is_of(number, index.title, first)), None)
    rule = known.rule if known is not None else index.rule  # what the reader says, whatever was chosen since
    choice = ChapterChoice(number=number, title=index.title, sentence=first, enabled=enabled, rule=rule)
    off = None if enabled else rule or CHOSEN
    # The choice first: the others are made from it again, should this be cut short.
    store.save_choices(book, choices.turned(choice))
    if (index.enabled, index.rule) != (enabled, off):
        index = store.save_chapter(index.model_copy(update={"enabled": enabled, "rule": off}))
    chapters = tuple(
        one.model_copy(update={"enabled": enabled, "rule": off}) if one.number == number else one
        for one in record.chapters
    )
    if chapters != record.chapters:
        store.save_book(record.model_copy(update={"chapters": chapters}))
    if (ledger := store.coverage(book)) is not None:
        store.save_coverage(_turned(ledger, number, off))
    return index


def redo_choices(store: "Store", book: str) -> None:
    """Finish what was cut short of `turn_chapter`."""
    listed = {chapter.number: chapter.enabled for chapter in store.book(book).chapters}
    for choice in store.choices(book).chapters:
        # book.json is written after the index: where it agrees, no index need be read. A chapter that it does not
        # list is of another edition.
        if listed.get(choice.number, choice.enabled) == choice.enabled:
            continue
        index = store.chapter(book, choice.number)
        begins = index.sentences and index.sentences[0].id == choice.sentence
        if begins:
            turn_chapter(store, book, choice.number, choice.enabled)


def _turned(ledger: CoverageRecord, number: int, rule: str | None) -> CoverageRecord:
    chapters = tuple(one.model_copy(update={"rule": rule}) if one.number == number else one for one in ledger.chapters)
    return ledger.model_copy(update={"chapters": chapters})
