"""Where parts of the store meet: another program's audio, bookmarks, voices and editions in one book."""

import shutil
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

import pytest
from pydantic import ValidationError

from server.db import Database
from server.errors import Conflict
from server.library.catalog import Catalog
from server.library.editions import Spot
from server.render import journal
from server.render.choices import Sound
from server.render.counting import counters, put_rows, recount
from server.render.ears import Taken, accepted, sounds_wrong
from server.render.index import PRIMING_SAMPLES, SentenceEntry
from server.render.mending import mend
from server.render.store import Store
from server.render.verify import Fault, Tally, verify
from tests.fakes.other import PRIMING, put_other
from tests.fakes.synthetic import ENGINE, TEXTS, chapter, put, render
from tests.parity.store_reader import check

WHEN = datetime(2026, 8, 1, 12, 0, tzinfo=UTC)


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return Store(tmp_path / "store")


def test_what_is_rendered_beside_another_program_s_audio_is_ours(store: Store, tmp_path: Path) -> None:
    record, _ = put_other(store, tmp_path)
    number = next(c.number for c in record.chapters if store.chapter(record.id, c.number).has_audio)
    assert store.chapter(record.id, number).priming == PRIMING
    turned = store.renditions.turn_to(record.id, Sound(voice="bf_emma", bitrate=48_000), ENGINE)
    render(store, turned, number)
    assert Store(store.root).chapter(record.id, number).priming == PRIMING_SAMPLES
    assert check(store.root) == [] == [*verify(store, Tally())]
    back = store.renditions.turn_to(record.id, Sound(voice=record.voice, bitrate=48_000), ENGINE)
    assert back.rendition == record.rendition and store.chapter(record.id, number).priming == PRIMING


def test_audio_of_another_program_that_was_deleted_is_rendered_as_ours(store: Store, tmp_path: Path) -> None:
    record, _ = put_other(store, tmp_path)
    number = next(c.number for c in record.chapters if store.chapter(record.id, c.number).has_audio)
    store.delete_audio(record.id)
    render(store, record, number)
    assert Store(store.root).chapter(record.id, number).priming == PRIMING_SAMPLES
    assert check(store.root) == [] == [*verify(store, Tally())]


def _swept(store: Store) -> None:
    store.sweep()


def _mended(store: Store) -> None:
    for fault in [*verify(store, Tally())]:
        assert mend(store, fault)


@pytest.mark.parametrize("look", [_swept, _mended])
def test_another_program_s_chapter_that_lost_all_its_audio_is_rendered_as_ours(
    store: Store, tmp_path: Path, look: Callable[[Store], None]
) -> None:
    record, _ = put_other(store, tmp_path)
    shutil.rmtree(store.chapter_path(record.id, 1).with_suffix(""))
    look(Store(store.root))
    index = Store(store.root).chapter(record.id, 1)
    assert (index.has_audio, index.priming, index.codec_config) == (False, PRIMING_SAMPLES, None)
    render(Store(store.root), record, 1)
    assert Store(store.root).chapter(record.id, 1).complete
    assert check(store.root) == [] == [*verify(store, Tally())]


def test_text_that_another_program_left_without_audio_is_rendered_as_ours(
    store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(journal, "SMALL_BYTES", 0)  # a short chapter gets a journal too
    record, _ = put_other(store, tmp_path)
    path = store.chapter_path(record.id, 1)
    index = store.chapter(record.id, 1).without_audio().model_copy(update={"priming": PRIMING})
    path.write_text(index.to_json())
    render(Store(store.root), record, 1, [index.sentences[0].id])
    again = Store(store.root).chapter(record.id, 1)
    assert (again.priming, again.sentences[0].rendered) == (PRIMING_SAMPLES, True)
    assert check(store.root) == []


@pytest.mark.parametrize("damage", ["longer", "missing"])
def test_what_is_odd_in_another_program_s_chapter_is_a_person_s_to_mend(
    store: Store, tmp_path: Path, damage: str
) -> None:
    record, made = put_other(store, tmp_path)
    path = store.sentence_path(record.id, 1, list(made)[1])
    path.write_bytes(path.read_bytes() + b"\0") if damage == "longer" else path.unlink()
    index, there = store.chapter(record.id, 1), path.exists()
    (fault,) = verify(store, Tally())
    assert fault.way == "ask" and not mend(store, fault)
    assert Store(store.root).sweep() == []
    assert (Store(store.root).chapter(record.id, 1), path.exists()) == (index, there)


def test_bookmarks_of_a_text_without_audio_follow_it(store: Store, tmp_path: Path) -> None:
    record = put(store, tmp_path, [chapter(1, TEXTS)])
    sentence = store.chapter(record.id, 1).sentences[3].id
    store.bookmarks.add(record.id, Spot(1, sentence), 1, None, WHEN)
    put(store, tmp_path, [chapter(1, ("Preface", "It is new.")), chapter(2, TEXTS)])
    (mark,) = Store(store.root).bookmarks.of(record.id)
    assert (mark.chapter, mark.sentence, mark.word) == (2, sentence, 1)


def test_bookmarks_outlive_the_edition_that_they_were_set_in(store: Store, tmp_path: Path) -> None:
    record = put(store, tmp_path, [chapter(1, TEXTS)])
    render(store, record, 1)
    sentence = store.chapter(record.id, 1).sentences[3].id
    store.bookmarks.add(record.id, Spot(1, sentence), 1, None, WHEN)
    put(store, tmp_path, [chapter(1, ("Preface", "It is new.")), chapter(2, TEXTS)])
    store.remove(store.rendition_folder(record.id, record.rendition))
    (mark,) = store.bookmarks.of(record.id)
    assert (mark.chapter, mark.sentence) == (2, sentence)
    path = store.book_folder(record.id) / "bookmarks.json"
    before = path.stat().st_ino
    store.bookmarks.of(record.id)
    assert path.stat().st_ino == before  # nothing is written to look at them


def test_a_voice_that_was_chosen_is_turned_to_before_anything_is_counted(store: Store, tmp_path: Path) -> None:
    record = put(store, tmp_path, [chapter(1, TEXTS)])
    render(store, record, 1)
    catalog = Catalog(Database(tmp_path / "lectern.db"))
    recount(store, catalog)
    assert catalog.book(record.id).chapters[0].rendered == len(TEXTS)
    store.change_choices(record.id, sound=Sound(voice="bf_emma", bitrate=48_000))  # and here the power goes
    recount(Store(store.root), catalog)
    assert store.book(record.id).voice == "bf_emma"
    assert catalog.book(record.id).chapters[0].rendered == 0


def test_a_complaint_goes_with_its_chapter(store: Store, tmp_path: Path) -> None:
    record = put(store, tmp_path, [chapter(1, TEXTS), chapter(2, TEXTS[::-1])])
    for number in (1, 2):
        render(store, record, number)
    entry = store.chapter(record.id, 2).sentences[2]
    store.change_sentence(record.id, 2, entry.id, lambda one: sounds_wrong(one, None, WHEN))
    catalog = Catalog(Database(tmp_path / "lectern.db"))
    put_rows(store, catalog, store.book(record.id))
    assert catalog.ears.count() == 1
    put(store, tmp_path, [chapter(1, TEXTS)])
    put_rows(store, catalog, store.book(record.id))
    assert catalog.ears.count() == 0


def test_a_take_before_that_is_mended_is_forgotten(store: Store, tmp_path: Path) -> None:
    record = put(store, tmp_path, [chapter(1, TEXTS)])
    index = render(store, record, 1)
    entry = index.sentences[1]
    other = index.sentences[2]
    audio = {name: getattr(other, name) for name in SentenceEntry.model_fields if name in TAKEN}
    earlier = {**audio, "file": entry.file.replace(".m4a", "-00000000.m4a") if entry.file else ""}
    (store.rendition_folder(record.id, record.rendition) / earlier["file"]).write_bytes(b"not what it was")
    kept = SentenceEntry.model_validate({**entry.model_dump(exclude_none=True), "earlier": earlier})
    store.save_chapter(index.with_entries([kept]))
    faults: list[Fault] = [*verify(store, Tally())]
    assert faults and all(mend(store, fault) for fault in faults)
    assert store.chapter(record.id, 1).sentences[1].earlier is None
    assert [*verify(store, Tally())] == []


TAKEN = (
    "sha256", "bytes", "samples", "speech_start", "speech_end", "gap_after_samples", "data_offset", "au_sizes", "words",
    "gate", "provenance", "seed",
)  # fmt: skip


@pytest.mark.parametrize("name", ["../../other.m4a", "/etc/passwd", "chapter-0001/../../x.m4a", "chapter-0001/.x.m4a"])
def test_an_index_names_only_files_of_its_chapters(store: Store, tmp_path: Path, name: str) -> None:
    record = put(store, tmp_path, [chapter(1, TEXTS)])
    entry = render(store, record, 1).sentences[0]
    with pytest.raises(ValidationError):
        SentenceEntry.model_validate({**entry.model_dump(exclude_none=True), "file": name})


def test_what_was_found_good_meanwhile_is_not_replaced(store: Store, tmp_path: Path) -> None:
    record = put(store, tmp_path, [chapter(1, TEXTS)])
    entry = render(store, record, 1).sentences[1]
    store.change_sentence(record.id, 1, entry.id, lambda one: sounds_wrong(one, None, WHEN))
    store.render_again(record.id, 1, [entry.id], "ears")
    begun = store.chapter(record.id, 1)  # a pass begins
    store.change_sentence(record.id, 1, entry.id, accepted)
    path = store.write_sentence(record.id, record.rendition, 1, entry.id, b"another take", take="0badcafe")
    other = begun.sentences[2]
    fields = {name: getattr(other, name) for name in TAKEN}
    made = SentenceEntry.model_validate(
        {
            **begun.sentences[1].without_audio().model_dump(exclude_none=True),
            **fields,
            "file": f"chapter-0001/{path.name}",
            "words": (),
        }
    )
    taken = Taken(begun.sentences[1], made)
    store.add_takes(record.id, record.rendition, 1, [taken], codec_config=b"\x13", silence=b"\x01")
    now = store.chapter(record.id, 1).sentences[1]
    assert (now.sha256, now.ears, now.again) == (entry.sha256, "accepted", None)
    assert not path.exists()


def test_another_program_s_chapter_is_not_asked_for_more(store: Store, tmp_path: Path) -> None:
    record, _ = put_other(store, tmp_path)
    number = next(c.number for c in record.chapters if store.chapter(record.id, c.number).has_audio)
    index = store.chapter(record.id, number)
    assert store.render_again(record.id, number, [entry.id for entry in index.sentences], "rule") == 0
    heard = next(entry for entry in index.sentences if entry.rendered)
    with pytest.raises(Conflict, match="another program"):
        store.change_sentence(record.id, number, heard.id, lambda one: one.model_copy(update={"again": "ears"}))
    assert store.chapter(record.id, number) == index
    row = counters(index, "")
    assert row.sentences == row.rendered + row.failed
