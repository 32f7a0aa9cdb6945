"""What a player that has an older index is told."""

from pathlib import Path

import pytest

from server.api.history import History
from server.render.index import ChapterIndex
from server.render.store import Store
from tests.fakes.synthetic import put, render


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return Store(tmp_path / "store")


def told(history: History, index: ChapterIndex, since: int) -> list[str] | None:
    entries = history.since(index, since)
    return None if entries is None else [entry.id for entry in entries]


def test_only_what_changed_is_told(store: Store, tmp_path: Path) -> None:
    record = put(store, tmp_path)
    text = store.chapter(record.id, 2)
    ids = [entry.id for entry in text.sentences]
    history = History(text)
    first = render(store, record, 2, ids[:2])
    assert told(history, first, text.revision) == ids[:2]
    second = render(Store(store.root), record, 2, ids[4:5])
    fresh = Store(store.root).chapter(record.id, 2)  # read anew: all its objects are others
    assert told(history, fresh, first.revision) == ids[4:5]
    assert told(history, fresh, text.revision) == [*ids[:2], ids[4]]
    assert told(history, fresh, second.revision) == []


def test_what_cannot_be_told_is_not(store: Store, tmp_path: Path) -> None:
    record = put(store, tmp_path)
    index = render(store, record, 2, [store.chapter(record.id, 2).sentences[0].id])
    history = History(index)
    assert told(history, index, index.revision - 1) is None  # before it began
    assert told(history, index, index.revision + 1) is None  # of a book that was deleted and added again
    off = store.turn_chapter(record.id, 2, False)
    assert told(history, off, index.revision) is None  # not only sentences changed
    more = render(store, record, 2)
    assert told(history, more, off.revision) is not None
    assert told(history, index, off.revision) is None  # somebody read it a moment earlier
