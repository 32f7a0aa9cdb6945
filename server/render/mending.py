"""What `lectern verify --mend` does about the faults that it found."""

from typing import TYPE_CHECKING

from server.render.verify import Fault

if TYPE_CHECKING:
    from server.render.store import Store


def mend(store: "Store", fault: Fault) -> bool:
    """Mend what can be: a sentence goes back to text and is rendered again, what nobody knows is taken away.

    Gives whether it was. Only while nothing else writes to the store. Raises StoreError.
    """
    if fault.way == "remove":
        if fault.book is not None and fault.chapter is not None and fault.sentence is not None:  # a take before
            index = store.chapter(fault.book, fault.chapter, fault.rendition)
            entries = [one.model_copy(update={"earlier": None}) for one in index.sentences if one.id == fault.sentence]
            store.save_chapter(index.with_entries(entries))
        (store.root / fault.path).unlink(missing_ok=True)
        return True
    if fault.way != "render" or fault.book is None or fault.chapter is None:
        return False
    index = store.chapter(fault.book, fault.chapter, fault.rendition)
    entries = [entry.without_audio() for entry in index.sentences if entry.id == fault.sentence]
    store.save_chapter(index.with_entries(entries))
    if fault.sentence is not None:
        (store.root / fault.path).unlink(missing_ok=True)
    return True
