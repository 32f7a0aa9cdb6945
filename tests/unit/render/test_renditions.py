"""Another voice beside the one that plays: nothing is lost, the place stays, and going back costs nothing."""

import hashlib
import os
import shutil
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from server.errors import BadRequest, Conflict, NotFound
from server.render.choices import Sound
from server.render.records import BookRecord, Place
from server.render.store import Store
from server.render.verify import Tally, verify
from tests.fakes.synthetic import ENGINE, TEXTS, book, chapter, put, render
from tests.parity.store_reader import check

WHEN = datetime(2026, 8, 1, 12, 0, tzinfo=UTC)
HEART = Sound(voice="af_heart", bitrate=48_000)
EMMA = Sound(voice="bf_emma", bitrate=48_000)
MIXED = Sound(voice="af_heart*0.6+af_bella*0.4", speed=1.1, bitrate=32_000)
CHANGED = (*TEXTS[:2], "Nobody moved, and somebody said why.", *TEXTS[3:])


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return Store(tmp_path / "store")


@pytest.fixture
def record(store: Store, tmp_path: Path) -> BookRecord:
    """A book with all of chapter 2 rendered, and a place in it."""
    record = put(store, tmp_path)
    render(store, record, 2)
    sentence = store.chapter(record.id, 2).sentences[3].id
    store.save_place(record.id, Place(chapter=2, sentence=sentence, word=1, updated=WHEN))
    return record


def turn(store: Store, record: BookRecord, sound: Sound) -> BookRecord:
    return store.renditions.turn_to(record.id, sound, ENGINE)


def files(folder: Path) -> dict[str, bytes]:
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def whole(store: Store) -> bool:
    return [*verify(store, Tally())] == [] == check(store.root)


def test_another_voice_is_written_beside_and_going_back_costs_nothing(store: Store, record: BookRecord) -> None:
    old = store.rendition_folder(record.id, record.rendition)
    before, place = files(old), store.place(record.id)
    turned = turn(store, record, EMMA)
    assert (turned.voice, turned.rendition != record.rendition) == ("bf_emma", True)
    index = store.chapter(record.id, 2)
    assert (index.voice, index.rendition, index.has_audio) == ("bf_emma", turned.rendition, False)
    assert [entry.id for entry in index.sentences] == [
        entry.id for entry in store.chapter(record.id, 2, record.rendition).sentences
    ]
    assert (files(old), store.place(record.id)) == (before, place)
    assert whole(store)
    render(store, turned, 2, {index.sentences[0].id})
    heard = files(store.rendition_folder(record.id, turned.rendition))
    assert turn(store, record, HEART) == record
    assert files(old) == before  # byte for byte, the indexes too
    assert whole(store)
    assert turn(store, record, EMMA).rendition == turned.rendition
    assert files(store.rendition_folder(record.id, turned.rendition)) == heard
    assert store.place(record.id) == place


def test_a_voice_of_which_nothing_is_rendered_leaves_nothing_behind(store: Store, record: BookRecord) -> None:
    for sound in (EMMA, MIXED, HEART):
        turn(store, record, sound)
    assert [kept.record.voice for kept in store.renditions.of(record.id)] == ["af_heart"]
    assert len([*store.book_folder(record.id).glob("*/rendition.json")]) == 1


def test_the_list_tells_what_is_there_and_what_it_weighs(store: Store, record: BookRecord) -> None:
    turned = turn(store, record, MIXED)
    render(store, turned, 2, {store.chapter(record.id, 2).sentences[0].id})
    plays, other = store.renditions.of(record.id)
    assert (plays.record.voice, plays.record.speed, plays.record.bitrate) == (MIXED.voice, 1.1, 32_000)
    assert (plays.plays, plays.current, plays.rendered) == (True, True, 1)
    assert (other.plays, other.current, other.rendered) == (False, True, 7)
    assert other.bytes == other.freed_bytes > plays.bytes > 0
    assert other.samples == store.chapter(record.id, 2, record.rendition).samples_total
    store.turn_chapter(record.id, 2, False)  # it is not read any more: the chapter that is has no audio
    assert [kept.rendered for kept in store.renditions.of(record.id)] == [0, 0]


def test_one_that_does_not_play_can_be_deleted_and_no_other(store: Store, record: BookRecord) -> None:
    turned = turn(store, record, EMMA)
    render(store, turned, 2)
    weight = store.renditions.of(record.id)[1].freed_bytes
    with pytest.raises(Conflict, match="what plays"):
        store.renditions.remove(record.id, turned.rendition)
    with pytest.raises(NotFound):
        store.renditions.remove(record.id, "nothing")
    assert store.renditions.remove(record.id, record.rendition) >= weight > 0
    assert [kept.record.id for kept in store.renditions.of(record.id)] == [turned.rendition]
    assert whole(store)
    again = turn(store, record, HEART)  # then it is rendered anew
    assert again.rendition == record.rendition and not store.chapter(record.id, 2).has_audio


def test_deleting_the_audio_of_a_book_deletes_every_voice(store: Store, record: BookRecord) -> None:
    render(store, turn(store, record, EMMA), 2)
    size = sum(path.stat().st_size for path in store.root.rglob("*.m4a"))
    assert store.delete_audio(record.id) >= size
    assert not [*store.root.rglob("*.m4a")]
    assert store.book(record.id).voice == "bf_emma" and whole(store)


def test_a_voice_of_another_language_is_refused_and_changes_nothing(store: Store, record: BookRecord) -> None:
    before = files(store.root)
    with pytest.raises(BadRequest, match="ff_siwis speaks French"):
        turn(store, record, Sound(voice="ff_siwis", bitrate=48_000))
    assert files(store.root) == before


def test_chapters_turned_on_and_off_stay_so_in_every_voice(store: Store, record: BookRecord) -> None:
    turn(store, record, EMMA)
    store.turn_chapter(record.id, 1, True)
    store.turn_chapter(record.id, 3, False)
    turn(store, record, HEART)
    assert [store.chapter(record.id, number).enabled for number in (1, 2, 3)] == [True, True, False]
    assert store.chapter(record.id, 2).complete and whole(store)


def test_what_a_voice_could_not_say_is_not_tried_again_for_coming_back(store: Store, record: BookRecord) -> None:
    index = store.chapter(record.id, 3)
    failed = index.sentences[1].model_copy(update={"failed": "It would not be said."})
    store.add_audio(record.id, index.rendition, 3, [failed])
    turn(store, record, EMMA)
    assert store.chapter(record.id, 3).sentences[1].failed is None
    store.turn_chapter(record.id, 3, False)  # so that its index is another
    turn(store, record, HEART)
    assert store.chapter(record.id, 3).sentences[1].failed == "It would not be said."


def put_again(store: Store, folder: Path, texts: tuple[str, ...] = TEXTS, title: str | None = None) -> BookRecord:
    """The book's file read anew, by a household whose voice for new books is another."""
    source = folder / "again.epub"
    made = book(source, [chapter(1, TEXTS[:2], enabled=False), chapter(2, texts), chapter(3, TEXTS[::-1])])
    source.write_text(f"{texts} {title}")
    return store.put_book(
        replace(made, title=title or made.title),
        source=source,
        voice="bm_george",
        engine=ENGINE,
        bitrate=48_000,
        added=WHEN,
    )


def test_the_voice_that_was_chosen_stays_when_the_file_is_read_anew(
    store: Store, record: BookRecord, tmp_path: Path
) -> None:
    turn(store, record, EMMA)  # of which nothing is rendered yet
    assert put_again(store, tmp_path, title="A Long Walk").voice == "bf_emma"
    turn(store, record, HEART)
    assert store.chapter(record.id, 2).complete
    store.delete_audio(record.id)
    turn(store, record, MIXED)
    assert put_again(store, tmp_path, CHANGED).voice == MIXED.voice  # of no voice anything is rendered
    assert whole(store)


def test_another_edition_keeps_what_every_voice_has_of_it(store: Store, record: BookRecord, tmp_path: Path) -> None:
    turned = turn(store, record, EMMA)
    render(store, turned, 3)
    new = put_again(store, tmp_path, CHANGED)
    assert (new.voice, store.edition(record.id)) == ("bf_emma", 1)
    assert store.chapter(record.id, 3).complete and not store.chapter(record.id, 2).has_audio
    back = turn(store, record, HEART)
    assert (store.edition(record.id), back.rendition != record.rendition) == (1, True)
    index = store.chapter(record.id, 2)
    assert [entry.text for entry in index.sentences if not entry.rendered] == [CHANGED[2]]
    kept = {one.record.id: one for one in store.renditions.of(record.id)}
    assert [(one.current, one.record.voice) for one in kept.values()] == [
        (True, "af_heart"), (True, "bf_emma"), (False, "af_heart"), (False, "bf_emma"),
    ]  # fmt: skip
    old = kept[record.rendition]
    assert old.freed_bytes == 0 < old.bytes  # chapter 3 has the one sentence that chapter 2 lost
    store.renditions.remove(record.id, old.record.id)
    assert whole(store)
    place = store.place(record.id)
    assert place is not None and (place.chapter, place.edition) == (2, 1)
    assert whole(store)


def test_a_text_that_changes_while_the_new_voice_says_nothing_yet_loses_nothing_of_the_old(
    store: Store, record: BookRecord, tmp_path: Path
) -> None:
    sound = {path.read_bytes() for path in store.root.rglob("*.m4a")}
    (store.book_folder(record.id) / "place.json").unlink()
    turn(store, record, EMMA)
    put_again(store, tmp_path, CHANGED)
    store.sweep()
    assert {path.read_bytes() for path in store.root.rglob("*.m4a")} == sound
    turn(store, record, HEART)
    assert sum(entry.rendered for entry in store.chapter(record.id, 2).sentences) == 6


def test_a_rule_that_changes_a_sentence_changes_it_in_every_voice(store: Store, record: BookRecord) -> None:
    turned = turn(store, record, EMMA)
    render(store, turned, 2)
    sid = store.chapter(record.id, 2).sentences[0].id
    assert store.render_again(record.id, 2, {sid}, "rule") == 1
    store.renditions.render_again(record.id, {2: {sid}}, "rule")
    turn(store, record, HEART)
    assert [entry.again for entry in store.chapter(record.id, 2).sentences][:2] == ["rule", None]
    assert store.chapter(record.id, 2).sentences[0].rendered  # the old one plays until then


def test_a_sentence_rendered_again_keeps_its_file_when_its_book_is_read_anew(
    store: Store, record: BookRecord, tmp_path: Path
) -> None:
    """Its file has more of a name than that of the first time."""
    index = store.chapter(record.id, 2)
    entry = index.sentences[0]
    data = (store.rendition_folder(record.id, index.rendition) / str(entry.file)).read_bytes()
    path = store.write_sentence(record.id, index.rendition, 2, entry.id, data, take="01234567")
    file = path.relative_to(store.rendition_folder(record.id, index.rendition)).as_posix()
    store.add_audio(record.id, index.rendition, 2, [entry.model_copy(update={"file": file})])
    put_again(store, tmp_path, title="A Long Walk")
    assert store.chapter(record.id, 2).sentences[0].file == file and whole(store)
    turn(store, record, EMMA)
    store.turn_chapter(record.id, 1, True)
    turn(store, record, HEART)
    assert store.chapter(record.id, 2).sentences[0].file == file and whole(store)


class Cut(BaseException):
    """The power went."""


def cut_at(patch: pytest.MonkeyPatch, step: int) -> None:
    """Have the power go before the `step`th name that is given to a file or a folder."""
    left = step

    def cut(owner: Any, name: str) -> None:
        work = getattr(owner, name)

        def run(*given: Any) -> Any:
            nonlocal left
            left -= 1
            if left == 0:
                raise Cut
            return work(*given)

        patch.setattr(owner, name, run)

    for owner, name in ((Path, "replace"), (Path, "rename"), (os, "link")):
        cut(owner, name)


@pytest.mark.parametrize("rendered", [False, True])
def test_a_change_that_was_cut_short_is_finished_by_the_next_start(
    store: Store, record: BookRecord, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, rendered: bool
) -> None:
    if rendered:  # and of an earlier edition, so that there is audio to take along
        render(store, turn(store, record, EMMA), 2)
        turn(store, record, HEART)
        put_again(store, tmp_path, CHANGED)
    start = files(store.root)
    for step in range(1, 40):
        shutil.rmtree(store.root)
        for name, data in start.items():
            (path := store.root / name).parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(data)
        store = Store(store.root)
        heard = {hashlib.sha256(data).hexdigest() for name, data in start.items() if name.endswith(".m4a")}
        with monkeypatch.context() as patch:
            cut_at(patch, step)
            try:
                turn(store, record, EMMA)
            except Cut:
                pass
            else:
                break
        store = Store(store.root)
        store.sweep()
        meant = store.choices(record.id).sound == EMMA
        assert store.book(record.id).voice == ("bf_emma" if meant else "af_heart")
        assert whole(store)
        left = {hashlib.sha256(path.read_bytes()).hexdigest() for path in store.root.rglob("*.m4a")}
        assert left == heard
        turn(store, record, HEART)
        assert sum(entry.rendered for entry in store.chapter(record.id, 2).sentences) == (6 if rendered else 7)
    else:
        raise AssertionError("it never came to its end")
    assert step > 4 and whole(store)
