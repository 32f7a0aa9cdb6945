"""Audio, or a book, deleted: on a full disk, with a damaged chapter, and when the machine stops meanwhile."""

import contextlib
import errno
import os
from pathlib import Path

import pytest

from server.config import Settings
from server.db import Database
from server.errors import DiskFull, StoreError
from server.library.catalog import Catalog
from server.library.files import FileTable
from server.removal import REMOVED, remove_audio, remove_book
from server.render import carry, files
from server.render.counting import put_rows, recount
from server.render.lexicon.files import BOOK_FILE
from server.render.records import BookRecord
from server.render.store import Store
from server.render.verify import Tally, verify
from tests.fakes.synthetic import TEXTS, chapter, put, render
from tests.unit.render.test_edition import renew


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return Store(tmp_path / "data" / "store")


@pytest.fixture
def record(store: Store, tmp_path: Path) -> BookRecord:
    made = put(store, tmp_path, [chapter(1, TEXTS[:2]), chapter(2), chapter(3, TEXTS[::-1])])
    for number in (1, 2, 3):
        render(store, made, number)
    return made


@pytest.fixture
def catalog(store: Store, record: BookRecord, tmp_path: Path) -> Catalog:
    made = Catalog(Database(tmp_path / "data" / "lectern.db"))
    put_rows(store, made, record)
    return made


def audio(store: Store) -> list[Path]:
    return sorted(store.root.rglob("*.m4a"))


@pytest.fixture
def full(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    """A disk that has no room before three files of audio are gone."""
    most = len(audio(store)) - 3
    real = files.sync_file

    def sync(handle: int) -> None:
        if len(audio(store)) > most:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        real(handle)

    monkeypatch.setattr(files, "sync_file", sync)


class TestAFullDisk:
    def test_is_freed_by_deleting_the_audio(
        self, store: Store, record: BookRecord, catalog: Catalog, full: None
    ) -> None:
        weight = sum(path.stat().st_size for path in audio(store))
        with pytest.raises(DiskFull):
            store.change_choices(record.id, notes="end")
        assert remove_audio(store, catalog, record.id) == weight > 0
        assert audio(store) == [] and store.choices(record.id).paused
        assert not any(store.chapter(record.id, number).has_audio for number in (1, 2, 3))
        assert catalog.book(record.id).book.paused and list(verify(store, Tally())) == []

    def test_is_freed_by_deleting_a_book_and_its_rules_stay(
        self, store: Store, record: BookRecord, catalog: Catalog, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        (store.book_folder(record.id) / BOOK_FILE).write_text("colonel = kernel\n")
        forget = catalog.remove

        def remove(book: str) -> list[str]:
            if audio(store):
                raise DiskFull("The disk is full.")
            return forget(book)

        monkeypatch.setattr(catalog, "remove", remove)
        settings = Settings(data=tmp_path / "data", library=tmp_path)
        _, moved = remove_book(settings, store, catalog, FileTable(tmp_path, catalog.database), record.id)
        assert moved and store.books() == [] and catalog.ids() == []
        assert [path.read_text() for path in (tmp_path / "data" / REMOVED).iterdir()] == ["colonel = kernel\n"]

    def test_with_no_room_to_put_the_rules_aside_the_audio_goes_first(
        self, store: Store, record: BookRecord, catalog: Catalog, tmp_path: Path, full: None
    ) -> None:
        (store.book_folder(record.id) / BOOK_FILE).write_text("colonel = kernel\n")
        settings = Settings(data=tmp_path / "data", library=tmp_path)
        remove_book(settings, store, catalog, FileTable(tmp_path, catalog.database), record.id)
        assert store.books() == [] and len(list((tmp_path / "data" / REMOVED).iterdir())) == 1


def test_a_damaged_chapter_keeps_nothing_from_being_deleted_and_is_told(
    store: Store, record: BookRecord, catalog: Catalog
) -> None:
    store.chapter_path(record.id, 2).write_text("{")
    with pytest.raises(StoreError, match="All its audio is deleted, but chapter 2 cannot be read"):
        remove_audio(store, catalog, record.id)
    assert audio(store) == [] and store.choices(record.id).paused
    assert [row.rendered for row in catalog.book(record.id).chapters] == [0, 0, 0]


class Crash(BaseException):
    pass


@pytest.mark.parametrize("fatal", [1, 2, 3, 5, 6])
def test_a_crash_at_any_step_leaves_it_paused_or_whole(
    store: Store, record: BookRecord, catalog: Catalog, monkeypatch: pytest.MonkeyPatch, fatal: int
) -> None:
    whole, count = audio(store), 0

    def deadly(name: str) -> None:
        real = getattr(Path, name)

        def step(self: Path, *args: object) -> object:
            nonlocal count
            count += 1
            if count == fatal:
                raise Crash
            return real(self, *args)

        monkeypatch.setattr(Path, name, step)

    for name in ("rename", "replace"):
        deadly(name)
    with contextlib.suppress(Crash):
        remove_audio(store, catalog, record.id)
    monkeypatch.undo()
    again = Store(store.root)
    again.sweep()
    recount(again, catalog)
    assert list(verify(again, Tally())) == []
    assert catalog.book(record.id).book.paused == bool(again.choices(record.id).paused)
    assert again.choices(record.id).paused or audio(again) == whole
    remove_audio(again, catalog, record.id)
    assert audio(again) == []


def test_what_is_left_of_an_edition_that_was_cut_short_is_a_rendition_and_goes_with_the_rest(
    store: Store, record: BookRecord, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    real, count = carry._link, 0

    def link(source: Path, path: Path) -> None:
        nonlocal count
        count += 1
        if count == 5:
            raise Crash
        real(source, path)

    monkeypatch.setattr(carry, "_link", link)
    with pytest.raises(Crash):
        renew(store, record, tmp_path, [chapter(1, TEXTS[:2]), chapter(2, (*TEXTS, "One more.")), chapter(3)])
    kept = store.renditions.of(record.id)
    assert [(one.plays, one.bytes > 0) for one in kept] == [(True, True), (False, True)]
    # One of an older version, which wrote its record last.
    (store.rendition_folder(record.id, kept[1].record.id) / "rendition.json").unlink()
    assert any("rendition.json" in fault.what for fault in verify(store, Tally()))
    store.delete_audio(record.id)
    assert audio(store) == []
