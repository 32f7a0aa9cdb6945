"""The sweep takes away what crashes leave, and nothing that a person, or another program, put there."""

import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from server.library.editions import Spot
from server.render import files, fitting, journal
from server.render.holding import swept
from server.render.records import BookRecord
from server.render.store import Store
from server.render.verify import Tally, verify
from tests.fakes.synthetic import TEXTS, chapter, put, render


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return Store(tmp_path / "store")


@pytest.fixture
def record(store: Store, tmp_path: Path) -> BookRecord:
    return put(store, tmp_path, [chapter(1, TEXTS[:3]), chapter(2, TEXTS[3:])])


@pytest.mark.parametrize(
    "made",
    ["bookmarks.json", "place.json", "choices.json", "overrides.txt", "places/owner.jsonl", "acf46c919874/notes.txt"],
)
def test_what_a_person_made_keeps_a_folder_without_its_record(store: Store, record: BookRecord, made: str) -> None:
    folder = store.book_folder(record.id)
    (folder / made).parent.mkdir(exist_ok=True)
    (folder / made).write_text("by hand")
    (folder / "book.json").unlink()
    assert Store(store.root).sweep() == []
    assert (folder / made).read_text() == "by hand" and store.chapter(record.id, 1, record.rendition).sentences
    (fault,) = verify(Store(store.root), Tally())
    assert (fault.book, fault.way, made in fault.what) == (record.id, "reread", True)


def test_the_book_that_is_added_again_finds_what_a_person_made(
    store: Store, record: BookRecord, tmp_path: Path
) -> None:
    sentence = store.chapter(record.id, 2).sentences[1].id
    store.bookmarks.add(record.id, Spot(2, sentence), 0, "mine", record.added)
    (store.book_folder(record.id) / "book.json").unlink()
    again = Store(store.root)
    again.sweep()
    put(again, tmp_path, [chapter(1, TEXTS[:3]), chapter(2, TEXTS[3:])])
    assert [mark.note for mark in again.bookmarks.of(record.id)] == ["mine"]


def test_what_is_none_of_ours_is_left_alone(store: Store, record: BookRecord, tmp_path: Path) -> None:
    index = render(store, record, 1)
    books = store.root / "books"
    foreign = [
        books / "notes.txt",
        books / "@eaDir" / "thumb.jpg",
        books / "lost+found" / "x",
        books / "photos" / "chapter-0001.json",
        store.chapter_path(record.id, 1).with_suffix("") / "._a-1.m4a",
        store.chapter_path(record.id, 1).with_suffix("") / "@eaDir" / "a.m4a",
    ]
    for path in foreign:
        path.parent.mkdir(exist_ok=True)
        path.write_text("x")
    (books / "fedcba9876543210").symlink_to(tmp_path / "a disk that is not there")
    assert Store(store.root).sweep() == []
    assert all(path.exists() for path in foreign) and (books / "fedcba9876543210").is_symlink()
    assert store.chapter(record.id, 1) == index
    assert [(one.path, one.way) for one in verify(store, Tally())] == [("books/fedcba9876543210", "ask")]


def test_an_import_that_was_cut_short_goes(store: Store, record: BookRecord) -> None:
    (store.book_folder(record.id) / "book.json").unlink()
    assert Store(store.root).sweep() == [store.book_folder(record.id)]
    assert not store.book_folder(record.id).exists()


def test_a_book_that_is_linked_from_another_disk_can_be_deleted(
    store: Store, record: BookRecord, tmp_path: Path
) -> None:
    render(store, record, 1)
    folder, other = store.book_folder(record.id), tmp_path / "another disk"
    shutil.move(folder, other)
    folder.symlink_to(other)
    assert swept(store.root).chapter(record.id, 1).has_audio
    assert Store(store.root).delete_book(record.id) == 0
    assert not folder.is_symlink() and (other / "book.json").exists()
    assert [path.name for path in (store.root / "books").iterdir()] == []


@pytest.mark.parametrize("name", [".deleted-0123456789abcdef", "0123456789abcdef/.deleted-r"])
def test_a_link_that_is_left_of_a_deletion_goes(store: Store, record: BookRecord, tmp_path: Path, name: str) -> None:
    other = tmp_path / "another disk"
    other.mkdir()
    (other / "kept").write_text("x")
    left = store.root / "books" / name.replace("0123456789abcdef/", f"{record.id}/")
    left.symlink_to(other)
    assert Store(store.root).sweep() == [left]
    assert not left.is_symlink() and (other / "kept").exists()


def test_a_folder_that_may_not_be_entered_keeps_no_other_from_being_swept(
    store: Store, record: BookRecord, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    # The superuser may enter every folder: so the look at one is refused here, not by the disk.
    shut = store.root / "books" / "0123456789abcdef"
    shut.mkdir()
    orphan = store.write_sentence(record.id, record.rendition, 1, "never-1", b"x")
    real = Path.exists

    def exists(path: Path) -> bool:
        if shut in path.parents:
            raise PermissionError(13, "Permission denied", str(path))
        return real(path)

    monkeypatch.setattr(Path, "exists", exists)
    swept(store.root)
    assert not real(orphan) and real(shut)
    assert [(one.path, one.way) for one in verify(store, Tally())] == [(f"books/{shut.name}", "ask")]
    assert any(shut.name in line.getMessage() and "Permission denied" in line.getMessage() for line in caplog.records)


class TestWhatFits:
    """The sweep at a start reads what does not fit, and lets others write meanwhile."""

    @pytest.fixture
    def read(self, monkeypatch: pytest.MonkeyPatch) -> list[str]:
        """Names of the index files that were read: whole, or only what they name."""
        found: list[str] = []
        for owner, name, prefix in ((journal, "read_record", "whole "), (fitting, "_named", "")):
            real: Callable[..., Any] = getattr(owner, name)

            def spy(path: Path, *rest: Any, real: Callable[..., Any] = real, prefix: str = prefix) -> Any:
                found.append(prefix + path.stem)
                return real(path, *rest)

            monkeypatch.setattr(owner, name, spy)
        return found

    def test_a_chapter_that_fits_is_not_opened_and_at_the_next_start_not_read(
        self, store: Store, record: BookRecord, read: list[str]
    ) -> None:
        render(store, record, 1)
        read.clear()
        assert Store(store.root).sweep() == [] and read == ["chapter-0001", "chapter-0002"]
        read.clear()
        assert Store(store.root).sweep() == [] and read == []
        render(store, record, 2)
        read.clear()
        assert Store(store.root).sweep() == [] and read == ["chapter-0002"]

    @pytest.mark.parametrize("damage", ["shorter", "gone", "more", "unfinished", "index", "folder"])
    def test_what_fitted_before_and_does_not_now_is_swept(
        self, store: Store, record: BookRecord, read: list[str], damage: str
    ) -> None:
        before = render(store, record, 1)
        Store(store.root).sweep()
        path = store.sentence_path(record.id, 1, before.sentences[1].id)
        match damage:
            case "shorter":
                path.write_bytes(path.read_bytes()[:-1])
            case "gone":
                path.unlink()
            case "more":
                path.with_stem("never-1").write_bytes(b"x")
            case "unfinished":
                path.with_name(f".{path.name}.1-1.tmp").write_bytes(b"x")
            case "index":
                index = before.with_entries([before.sentences[1].without_audio()])
                store.chapter_path(record.id, 1).write_text(index.totals().to_json())
            case "folder":
                shutil.rmtree(path.parent)
        read.clear()
        again = Store(store.root)
        again.sweep()
        lost = {"shorter": 1, "gone": 1, "index": 1, "folder": 3}.get(damage, 0)
        assert sum(not entry.rendered for entry in again.chapter(record.id, 1).sentences) == lost
        assert "whole chapter-0001" in read and "whole chapter-0002" not in read
        assert [*verify(again, Tally())] == []

    def test_a_journal_is_read_with_its_index(
        self, store: Store, tmp_path: Path, read: list[str], monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(journal, "SMALL_BYTES", 0)
        record = put(store, tmp_path, [chapter(1, TEXTS * 3)])
        render(store, record, 1, [store.chapter(record.id, 1).sentences[0].id])
        assert journal.journal_of(store.chapter_path(record.id, 1)).exists()
        read.clear()
        assert Store(store.root).sweep() == [] and read == ["chapter-0001"]

    @pytest.mark.parametrize("kept", ["", "{", "[1]", '{"a":1}', '{"books/x":["y"]}'])
    def test_what_was_found_before_may_be_lost(self, store: Store, record: BookRecord, kept: str) -> None:
        index = render(store, record, 1)
        (store.root / ".swept.json").write_text(kept)
        assert Store(store.root).sweep() == [] and store.chapter(record.id, 1) == index

    def test_others_write_while_chapters_are_looked_at(
        self, store: Store, record: BookRecord, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        render(store, record, 1)
        real = fitting._named
        saved: list[object] = []

        def slow(path: Path) -> dict[str, int] | None:
            # As the daemon does, in another process: the lock is free.
            mark = Store(store.root).bookmarks.add(record.id, Spot(1, first.id), 0, None, record.added)
            saved.append(mark)
            return real(path)

        first = store.chapter(record.id, 1).sentences[0]
        monkeypatch.setattr(files, "_LOCK_S", 0.0)
        monkeypatch.setattr(fitting, "_named", slow)
        Store(store.root).sweep()
        assert len(saved) == 2

    def test_a_disk_that_is_not_there_loses_no_chapter(self, store: Store, record: BookRecord, tmp_path: Path) -> None:
        index = render(store, record, 1)
        folder, other = store.chapter_path(record.id, 1).with_suffix(""), tmp_path / "another disk"
        shutil.move(folder, other)
        folder.symlink_to(other)
        assert Store(store.root).sweep() == []
        shutil.move(other, tmp_path / "taken out")
        assert Store(store.root).sweep() == []
        assert Store(store.root).chapter(record.id, 1) == index
