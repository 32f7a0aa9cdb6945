"""A book that is read anew: what is the same keeps its audio and its place, what is new waits to be rendered."""

import hashlib
import os
import shutil
from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest

from server.db import Database
from server.library.catalog import Catalog
from server.library.editions import Spot
from server.library.model import Chapter
from server.render.counting import recount
from server.render.index import ChapterIndex
from server.render.records import BookRecord, Place
from server.render.store import Store
from tests.fakes.synthetic import ENGINE, TEXTS, book, chapter, put, render
from tests.parity.store_reader import check

WHEN = datetime(2026, 8, 1, 12, 0, tzinfo=UTC)
CHANGED = (*TEXTS[:2], "Nobody moved, and somebody said why.", *TEXTS[3:])


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return Store(tmp_path / "store")


@pytest.fixture
def record(store: Store, tmp_path: Path) -> BookRecord:
    return put(store, tmp_path)


def renew(
    store: Store, record: BookRecord, folder: Path, chapters: Sequence[Chapter], content: str = "corrected"
) -> BookRecord:
    """Put another edition of the book in."""
    source = folder / "corrected.epub"
    made = book(source, chapters)
    source.write_text(content)
    assert made.id == record.id
    return store.put_book(made, source=source, voice="bm_george", engine=ENGINE, bitrate=48_000, added=WHEN)


def sounds(store: Store, index: ChapterIndex) -> dict[str, bytes]:
    """Text of each rendered sentence → its file."""
    folder = store.rendition_folder(index.book, index.rendition)
    return {entry.text: (folder / entry.file).read_bytes() for entry in index.sentences if entry.file}


class TestCorrected:
    @pytest.fixture
    def before(self, store: Store, record: BookRecord) -> ChapterIndex:
        render(store, record, 2)
        return render(store, record, 3)

    def test_one_sentence_is_to_be_rendered_and_all_others_keep_their_audio(
        self, store: Store, record: BookRecord, tmp_path: Path, before: ChapterIndex
    ) -> None:
        heard = sounds(store, store.chapter(record.id, 2))
        new = renew(
            store,
            record,
            tmp_path,
            [chapter(1, TEXTS[:2], enabled=False), chapter(2, CHANGED), chapter(3, TEXTS[::-1])],
        )
        index = store.chapter(record.id, 2)
        assert [entry.text for entry in index.sentences if not entry.rendered] == [CHANGED[2]]
        assert sounds(store, index) == {text: heard[text] for text in CHANGED if text != CHANGED[2]}
        assert store.chapter(record.id, 3).complete
        assert (new.id, new.voice, new.added) == (record.id, "af_heart", record.added)
        assert new.rendition != record.rendition and index.revision > 2
        assert check(store.root) == []

    def test_it_tells_what_changed(
        self, store: Store, record: BookRecord, tmp_path: Path, before: ChapterIndex
    ) -> None:
        new = renew(
            store,
            record,
            tmp_path,
            [chapter(1, TEXTS[:2], enabled=False), chapter(2, CHANGED), chapter(3, TEXTS[::-1])],
        )
        assert new.before is not None
        (change,) = new.before
        assert (change.kept, change.new, change.gone) == (13, 1, 1)
        assert [(one.number, one.new, one.gone) for one in change.chapters] == [(2, 1, 1)]
        assert (change.source, change.rendition) == (record.source, record.rendition)
        assert new.source.name == "corrected.epub"

    def test_chapters_that_moved_take_their_audio_along(
        self, store: Store, record: BookRecord, tmp_path: Path, before: ChapterIndex
    ) -> None:
        heard = sounds(store, before)
        preface = chapter(1, ("Preface", "This is new."))
        new = renew(
            store,
            record,
            tmp_path,
            [preface, chapter(2, TEXTS[:2], enabled=False), chapter(3), chapter(4, TEXTS[::-1])],
        )
        assert sounds(store, store.chapter(record.id, 4)) == heard
        assert store.chapter(record.id, 3).complete and not store.chapter(record.id, 1).has_audio
        assert [one.number for one in new.before[0].chapters] == [1]  # type: ignore[index]
        assert check(store.root) == []

    def test_a_text_that_came_more_often_keeps_its_sound_whichever_of_them_had_it(
        self, store: Store, tmp_path: Path
    ) -> None:
        texts = ("The Gate", "No.", "She waited.", "No.", "She went.")
        record = put(store, tmp_path, [chapter(1, texts)])
        index = store.chapter(record.id, 1)
        render(store, record, 1, {index.sentences[0].id, index.sentences[3].id})
        renew(store, record, tmp_path, [chapter(1, ("The Gate", "No.", "She waited.", "She stayed."))])
        assert [entry.rendered for entry in store.chapter(record.id, 1).sentences] == [True, True, False, False]

    def test_what_was_rendered_costs_no_space_twice_and_is_there_when_the_old_edition_comes_back(
        self, store: Store, record: BookRecord, tmp_path: Path, before: ChapterIndex
    ) -> None:
        first = [chapter(1, TEXTS[:2], enabled=False), chapter(2), chapter(3, TEXTS[::-1])]
        heard = sounds(store, store.chapter(record.id, 2))
        new = renew(store, record, tmp_path, [*first[:1], chapter(2, CHANGED), first[2]])
        kept = store.rendition_folder(record.id, new.rendition) / "chapter-0003"
        assert {path.stat().st_nlink for path in kept.glob("*.m4a")} == {2}
        back = renew(store, record, tmp_path, first, "as it was")
        assert store.chapter(record.id, 2).complete and sounds(store, store.chapter(record.id, 2)) == heard
        assert len(back.before or ()) == 2
        assert len({record.rendition, new.rendition, back.rendition}) == 3

    def test_deleting_the_audio_frees_each_file_once(
        self, store: Store, record: BookRecord, tmp_path: Path, before: ChapterIndex
    ) -> None:
        renew(store, record, tmp_path, [chapter(1), chapter(2, CHANGED), chapter(3, TEXTS[::-1])])
        audio = {path.stat().st_ino: path.stat().st_size for path in store.book_folder(record.id).glob("*/*/*.m4a")}
        indexes = sum(p.stat().st_size for p in store.rendition_folder(record.id, record.rendition).glob("*.json"))
        assert store.delete_audio(record.id) == sum(audio.values()) + indexes
        assert list(store.book_folder(record.id).glob("*/*/*.m4a")) == []

    def test_the_pause_is_that_of_the_new_surroundings(
        self, store: Store, record: BookRecord, tmp_path: Path, before: ChapterIndex
    ) -> None:
        gaps = {entry.text: entry.gap_after_samples for entry in store.chapter(record.id, 2).sentences}
        renew(store, record, tmp_path, [chapter(1, TEXTS[:2], enabled=False), chapter(2, TEXTS[:4])])
        index = store.chapter(record.id, 2)
        now = {entry.text: entry.gap_after_samples or 0 for entry in index.sentences}
        assert now[TEXTS[0]] == gaps[TEXTS[0]] and now[TEXTS[1]] == gaps[TEXTS[1]]
        # It stood before a paragraph; now it ends the chapter.
        assert now[TEXTS[3]] > (gaps[TEXTS[3]] or 0)

    def test_a_file_that_is_lost_is_rendered_again(
        self, store: Store, record: BookRecord, tmp_path: Path, before: ChapterIndex
    ) -> None:
        entry = store.chapter(record.id, 3).sentences[1]
        store.sentence_path(record.id, 3, entry.id).unlink()
        renew(
            store,
            record,
            tmp_path,
            [chapter(1, TEXTS[:2], enabled=False), chapter(2, CHANGED), chapter(3, TEXTS[::-1])],
        )
        assert [one.id for one in store.chapter(record.id, 3).sentences if not one.rendered] == [entry.id]
        # Only the edition that lost it misses it.
        assert check(store.root) == [f"{record.id}/chapter-0003.json: {entry.id}: its file is missing"]

    def test_a_change_that_was_cut_short_is_made_whole(
        self, store: Store, record: BookRecord, tmp_path: Path, before: ChapterIndex, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        chapters = [chapter(1, TEXTS[:2], enabled=False), chapter(2, CHANGED), chapter(3, TEXTS[::-1])]
        with monkeypatch.context() as patch:
            patch.setattr(Store, "save_book", lambda *_: (_ for _ in ()).throw(KeyboardInterrupt))
            with pytest.raises(KeyboardInterrupt):
                renew(store, record, tmp_path, chapters)
        assert store.book(record.id) == record and store.chapter(record.id, 2).complete
        assert check(store.root) == []
        renew(store, record, tmp_path, chapters)
        assert not store.chapter(record.id, 2).complete and check(store.root) == []

    def test_a_file_that_only_calls_itself_otherwise_changes_no_audio(
        self, store: Store, record: BookRecord, tmp_path: Path, before: ChapterIndex
    ) -> None:
        new = renew(
            store, record, tmp_path, [chapter(1, TEXTS[:2], enabled=False), chapter(2), chapter(3, TEXTS[::-1])]
        )
        assert new.rendition == record.rendition and store.chapter(record.id, 3) == before
        assert new.before is not None and (new.before[0].new, new.before[0].gone) == (0, 0)
        assert new.source.sha256 == hashlib.sha256(b"corrected").hexdigest()


class TestPlaceOf:
    def keep(self, store: Store, record: BookRecord, number: int, at: int, word: int = 1) -> None:
        entry = store.chapter(record.id, number).sentences[at]
        store.save_place(record.id, Place(chapter=number, sentence=entry.id, word=word, updated=WHEN))

    def test_it_goes_with_its_sentence(self, store: Store, record: BookRecord, tmp_path: Path) -> None:
        render(store, record, 3)
        self.keep(store, record, 3, 4)
        renew(
            store, record, tmp_path, [chapter(1, ("Preface", "New.")), chapter(2), chapter(3), chapter(4, TEXTS[::-1])]
        )
        place = store.place(record.id)
        assert place is not None
        assert (place.chapter, place.word, place.updated) == (4, 1, WHEN)
        assert store.chapter(record.id, 4).sentences[4].id == place.sentence

    def test_it_moves_before_anything_is_rendered_too(self, store: Store, tmp_path: Path) -> None:
        record = put(store, tmp_path, [chapter(1)])
        self.keep(store, record, 1, 3)
        renew(store, record, tmp_path, [chapter(1, ("Preface", "New.")), chapter(2, TEXTS[:2]), chapter(3, TEXTS[2:])])
        place = store.place(record.id)
        assert place is not None and (place.chapter, place.word) == (3, 1)

    def test_a_changed_sentence_is_heard_from_its_beginning(
        self, store: Store, record: BookRecord, tmp_path: Path
    ) -> None:
        render(store, record, 2)
        self.keep(store, record, 2, 2, word=5)
        renew(
            store,
            record,
            tmp_path,
            [chapter(1, TEXTS[:2], enabled=False), chapter(2, CHANGED), chapter(3, TEXTS[::-1])],
        )
        place = store.place(record.id)
        assert place is not None and (place.chapter, place.word) == (2, 0)
        assert place.sentence == store.chapter(record.id, 2).sentences[2].id

    def test_a_device_that_knows_the_old_edition_only_is_understood(
        self, store: Store, record: BookRecord, tmp_path: Path
    ) -> None:
        render(store, record, 3)
        entry = store.chapter(record.id, 3).sentences[2]
        moved = [chapter(1, ("Preface", "New.")), chapter(2), chapter(3), chapter(4, TEXTS[::-1])]
        renew(store, record, tmp_path, moved)
        assert store.edition(record.id) == 1
        assert store.locate(record.id, 3, entry.id, 0) == (4, entry.id)
        # Without a word of which edition it means, what is there now counts.
        assert store.locate(record.id, 3, entry.id) == (3, entry.id)
        assert store.locate(record.id, 2, moved[1].sentences[0].id, 1) == (2, moved[1].sentences[0].id)
        assert store.locate(record.id, 9, entry.id) is None
        store.delete_audio(record.id)  # with the texts of earlier editions
        assert store.locate(record.id, 3, entry.id, 0) == (3, entry.id)
        assert store.locate(record.id, 3, "0123456789ab-1") is None

    def test_a_change_that_was_cut_short_before_the_place_was_moved_is_finished_at_the_next_start(
        self, store: Store, record: BookRecord, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        render(store, record, 3)
        self.keep(store, record, 3, 4)
        with monkeypatch.context() as patch:
            patch.setattr(Store, "save_place", lambda *_: (_ for _ in ()).throw(KeyboardInterrupt))
            with pytest.raises(KeyboardInterrupt):
                renew(store, record, tmp_path, [chapter(1, ("Preface", "New.")), chapter(2), chapter(3, TEXTS[::-1])])
        store = Store(store.root)
        store.sweep()
        place = store.place(record.id)
        assert place is not None and (place.chapter, place.edition, place.word) == (3, 1, 1)

    def test_a_place_kept_while_another_edition_came_is_in_that(
        self, store: Store, record: BookRecord, tmp_path: Path
    ) -> None:
        render(store, record, 3)
        entry = store.chapter(record.id, 3).sentences[4]
        renew(
            store, record, tmp_path, [chapter(1, ("Preface", "New.")), chapter(2), chapter(3), chapter(4, TEXTS[::-1])]
        )
        kept = store.save_place(record.id, Place(chapter=3, sentence=entry.id, word=1, updated=WHEN))
        assert (kept.chapter, kept.sentence, kept.word, kept.edition) == (4, entry.id, 1, 1)
        assert store.place(record.id) == kept


class TestCutShort:
    """Whatever step of it a crash leaves undone."""

    @pytest.mark.parametrize("spoken", [False, True], ids=["silent", "spoken"])
    @pytest.mark.parametrize("chapters", [1, 2, 4])
    def test_an_edition_is_there_after_the_next_try(
        self, store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, chapters: int, spoken: bool
    ) -> None:
        record = put(store, tmp_path)
        if spoken:
            render(store, record, 2)
        texts = [TEXTS[:2], CHANGED, TEXTS[::-1], ("More", "And more.")][:chapters]
        later = [chapter(number, text) for number, text in enumerate(texts, 1)]
        crashes = 0
        for step in range(0, 80, 4 if spoken else 1):
            root = tmp_path / f"store {step}"
            shutil.copytree(store.root, root)
            tried = Store(root)
            with monkeypatch.context() as patch:
                left = [step]
                for name in ("replace", "unlink", "rename", "link", "mkdir"):
                    fail_after(patch, os, name, left)
                try:
                    renew(tried, record, tmp_path, later)
                    done = True
                except KeyboardInterrupt:
                    done = False
            crashes += not done
            tried = Store(root)
            tried.sweep()
            assert check(root) == []
            renewed = renew(tried, record, tmp_path, later)
            assert [one.sentences for one in renewed.chapters] == [len(text) for text in texts]
            assert check(root) == []
            if done:
                break
        assert done and crashes >= 3


def fail_after(patch: pytest.MonkeyPatch, module: object, name: str, left: list[int]) -> None:
    """Have a function end the process, as far as the store can tell, when `left` calls of all such were made."""
    real = getattr(module, name)

    def failing(*given: object, **named: object) -> object:
        left[0] -= 1
        if left[0] < 0:
            raise KeyboardInterrupt
        return real(*given, **named)

    patch.setattr(module, name, failing)


class TestTitlesAlone:
    def test_they_are_changed_where_they_stand(self, store: Store, record: BookRecord, tmp_path: Path) -> None:
        render(store, record, 2)
        kept = store.chapter(record.id, 2)
        named = replace(chapter(2), title="The Gate")
        new = renew(store, record, tmp_path, [chapter(1, TEXTS[:2], enabled=False), named, chapter(3, TEXTS[::-1])])
        index = store.chapter(record.id, 2)
        assert index.title == "The Gate" and new.rendition == record.rendition
        assert index.sentences == kept.sentences and index.revision == kept.revision + 1


@pytest.mark.parametrize(
    ("person", "file"), [("owner", "bookmarks.json"), ("0123456789ab", "bookmarks/0123456789ab.json")]
)
def test_damaged_bookmarks_keep_no_edition_from_being_read_and_are_kept(
    store: Store, record: BookRecord, tmp_path: Path, person: str, file: str
) -> None:
    sentence = store.chapter(record.id, 2).sentences[3].id
    store.bookmarks.add(record.id, Spot(2, sentence), 0, None, WHEN, person)
    path = store.book_folder(record.id) / file
    for number in ("", "-2"):
        path.write_text("{")
        chapters = [chapter(1, TEXTS[:2]), chapter(2, (*CHANGED, f"More{number}.")), chapter(3)]
        renew(store, record, tmp_path, chapters, f"corrected{number}")
        assert store.bookmarks.of(record.id, person) == () and not path.exists()
        assert path.with_name(f"{path.name}.damaged{number}").read_text() == "{"
        store.bookmarks.add(record.id, Spot(2, sentence), 0, None, WHEN, person)


def test_damaged_choices_keep_no_book_from_the_shelf(store: Store, record: BookRecord, tmp_path: Path) -> None:
    (store.book_folder(record.id) / "choices.json").write_text("{")
    catalog = Catalog(Database(tmp_path / "lectern.db"))
    recount(store, catalog)
    assert len(catalog.book(record.id).chapters) == 3
