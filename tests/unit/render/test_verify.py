"""Every kind of damage to a store is found, what can be mended is, and a whole store has no fault."""

import json
import os
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest

from server.cli import main
from server.render.aac import decode, encode
from server.render.files import write_atomically
from server.render.holding import writer_lock
from server.render.index import ChapterIndex, SentenceEntry
from server.render.mending import mend
from server.render.records import BookRecord, Place
from server.render.store import Store
from server.render.verify import Fault, Tally, _Verifier, verify
from tests.fakes.synthetic import TEXTS, chapter, keep, put, render


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return Store(tmp_path / "data" / "store")


@pytest.fixture
def record(store: Store, tmp_path: Path) -> BookRecord:
    made = put(store, tmp_path, [chapter(1, TEXTS[:2], enabled=False), chapter(2), chapter(3, TEXTS[::-1])])
    render(store, made, 2)
    return made


def faults(store: Store, *, sound: bool = False) -> list[Fault]:
    return list(verify(Store(store.root), Tally(), decode=(lambda data: len(decode(data))) if sound else None))


def audio(store: Store, record: BookRecord) -> Path:
    return store.sentence_path(record.id, 2, store.chapter(record.id, 2).sentences[3].id)


def test_a_whole_store_has_no_fault(store: Store, record: BookRecord) -> None:
    tally = Tally()
    assert list(verify(store, tally, decode=lambda data: len(decode(data)))) == []
    assert (tally.books, tally.chapters, tally.sentences, tally.rendered) == (1, 3, 16, 7)
    assert tally.bytes == sum(path.stat().st_size for path in store.root.glob("books/*/*/*/*.m4a"))


def flip(path: Path) -> None:
    data = bytearray(path.read_bytes())
    data[len(data) // 2] ^= 1
    path.write_bytes(bytes(data))


def change(path: Path, **fields: object) -> None:
    path.write_text(json.dumps({**json.loads(path.read_text()), **fields}) + "\n")


def chapter_json(store: Store, record: BookRecord) -> Path:
    return store.chapter_path(record.id, 2)


Damage = Callable[[Store, BookRecord], object]
DAMAGES: dict[str, tuple[Damage, str, str]] = {
    "a bit": (lambda s, r: flip(audio(s, r)), "its hash is another", "render"),
    "half a file": (lambda s, r: audio(s, r).write_bytes(audio(s, r).read_bytes()[:99]), "99 bytes instead", "render"),
    "no file": (lambda s, r: audio(s, r).unlink(), "cannot be read", "render"),
    "an orphan": (lambda s, r: (audio(s, r).parent / "aaaa-1.m4a").write_bytes(b"x"), "no index names", "remove"),
    "an unfinished file": (
        lambda s, r: (audio(s, r).parent / ".a.1-2.tmp").write_bytes(b"x"),
        "never finished",
        "remove",
    ),
    "totals": (lambda s, r: change(chapter_json(s, r), samples_total=1024), "wrong totals", "render"),
    "an index of another": (lambda s, r: change(chapter_json(s, r), chapter=3), "another chapter", "ask"),
    "an index that is none": (lambda s, r: chapter_json(s, r).write_text("{"), "is damaged", "ask"),
    "a lost index": (lambda s, r: s.chapter_path(r.id, 3).unlink(), "is missing", "reread"),
    "a lost cover": (lambda s, r: (s.book_folder(r.id) / "cover.jpg").unlink(), "is missing", "reread"),
    "a record that is none": (lambda s, r: (s.book_folder(r.id) / "book.json").write_text("[]"), "damaged", "ask"),
    "no record": (lambda s, r: (s.book_folder(r.id) / "book.json").unlink(), "no book.json", "reread"),
    "a lost rendition": (
        lambda s, r: (s.rendition_folder(r.id, r.rendition) / "rendition.json").unlink(),
        "is missing, and it is what plays",
        "reread",
    ),
    "a ledger that is none": (lambda s, r: (s.book_folder(r.id) / "coverage.json").write_text(""), "damaged", "reread"),
    "bookmarks of somebody that are none": (
        lambda s, r: write_atomically(s.book_folder(r.id) / "bookmarks" / "0123456789ab.json", b"{"),
        "damaged",
        "ask",
    ),
    "a place that is none": (lambda s, r: (s.book_folder(r.id) / "place.json").write_text("{}"), "damaged", "ask"),
    "a line of a place that is none": (
        lambda s, r: write_atomically(s.book_folder(r.id) / "places" / "owner.jsonl", b"{}\n"),
        "1 lines that cannot be understood",
        "ask",
    ),
    "choices that are none": (lambda s, r: (s.book_folder(r.id) / "choices.json").write_text("{"), "damaged", "ask"),
    "a rendition that is none": (
        lambda s, r: (s.rendition_folder(r.id, r.rendition) / "rendition.json").write_text("{"),
        "damaged",
        "ask",
    ),
}


@pytest.mark.parametrize("name", DAMAGES)
def test_damage_is_found_and_named(store: Store, record: BookRecord, name: str) -> None:
    damage, said, way = DAMAGES[name]
    damage(store, record)
    found = faults(store)
    assert [(said in fault.what, fault.way) for fault in found] == [(True, way)], found
    assert (store.root / found[0].path).parent.exists()


@pytest.mark.parametrize("name", [name for name, (_, _, way) in DAMAGES.items() if way in ("render", "remove")])
def test_what_can_be_mended_is(store: Store, record: BookRecord, name: str) -> None:
    DAMAGES[name][0](store, record)
    before = store.chapter(record.id, 2)
    for fault in faults(store):
        assert mend(store, fault)
    assert faults(store) == []
    after: ChapterIndex = Store(store.root).chapter(record.id, 2)
    lost = [entry.id for entry in after.sentences if not entry.rendered]
    assert len(lost) == (1 if DAMAGES[name][2] == "render" and name != "totals" else 0)
    # The other sentences keep their audio.
    assert [e for e in after.sentences if e.id not in lost] == [e for e in before.sentences if e.id not in lost]


@pytest.mark.parametrize("name", [name for name, (_, _, way) in DAMAGES.items() if way == "reread"])
def test_reading_the_file_again_mends_what_it_is_said_to(
    store: Store, record: BookRecord, tmp_path: Path, name: str
) -> None:
    before = store.chapter(record.id, 2)
    chapters = [chapter(1, TEXTS[:2], enabled=False), chapter(2), chapter(3, TEXTS[::-1])]
    DAMAGES[name][0](store, record)
    again = Store(store.root)
    put(again, tmp_path, chapters)
    assert faults(store) == []
    assert again.chapter(record.id, 2).sentences == before.sentences


def test_an_index_of_a_rendered_chapter_that_was_lost_costs_that_chapter_alone(
    store: Store, record: BookRecord, tmp_path: Path
) -> None:
    render(store, record, 3)
    whole = store.chapter(record.id, 3)
    chapter_json(store, record).unlink()
    again = Store(store.root)
    after = put(again, tmp_path, [chapter(1, TEXTS[:2], enabled=False), chapter(2), chapter(3, TEXTS[::-1])])
    assert after.rendition == record.rendition and again.chapter(record.id, 3) == whole
    assert [entry.text for entry in again.chapter(record.id, 2).sentences] == list(TEXTS)
    again.sweep()
    assert faults(store) == []


def test_sound_that_is_not_what_the_index_says_is_found_by_decoding(store: Store, record: BookRecord) -> None:
    """A file whose hash was made to fit: only decoding tells."""
    index = store.chapter(record.id, 2)
    entries = [
        entry.model_copy(update={"samples": (entry.samples or 0) + 1024, "au_sizes": (0, *(entry.au_sizes or ()))})
        for entry in index.sentences[:1]
    ]
    store.save_chapter(index.with_entries(entries))
    assert faults(store) == []
    assert ["decodes to" in fault.what for fault in faults(store, sound=True)] == [True]


def test_nothing_that_is_not_ours_to_mend_is_touched(store: Store, record: BookRecord) -> None:
    chapter_json(store, record).write_text("{")
    (fault,) = faults(store)
    assert not mend(store, fault) and chapter_json(store, record).read_text() == "{"


class TestBesideARunningServer:
    """What a server writes while it is looked at is no fault, and what is one is still found."""

    def test_what_is_rendered_meanwhile_is_none(
        self, store: Store, record: BookRecord, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        real = _Verifier._chapter

        def late(self: _Verifier, path: Path, index: ChapterIndex, number: int) -> Iterator[Fault]:
            yield from real(self, path, index, number)
            if number == 3:  # its index is read, and the folder's files are listed next
                render(store, record, 3)

        monkeypatch.setattr(_Verifier, "_chapter", late)
        assert faults(store) == [] and store.chapter(record.id, 3).complete
        monkeypatch.setattr("server.render.verify._is_new", lambda path, _since: not path.exists())
        assert faults(store) == []

    def test_what_is_rendered_again_meanwhile_is_none(
        self, store: Store, record: BookRecord, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        real = _Verifier._sentence

        def late(self: _Verifier, path: Path, entry: SentenceEntry, index: ChapterIndex) -> str | None:
            if entry.id == index.sentences[3].id and entry == store.chapter(record.id, 2).sentences[3]:
                made = encode(np.zeros(4_096, np.float32), 48_000)
                again = keep(store, index, entry, made, (1_024, 2_048), 0, take="0badcafe")
                store.add_audio(record.id, index.rendition, 2, [again])
            return real(self, path, entry, index)

        monkeypatch.setattr(_Verifier, "_sentence", late)
        assert faults(store) == []

    def test_what_a_pass_in_flight_wrote_is_none(self, store: Store, record: BookRecord) -> None:
        audio(store, record).with_stem("never-1").write_bytes(b"x")
        audio(store, record).with_name(".a.m4a.1-2.tmp").write_bytes(b"x")
        with writer_lock(store.root):
            assert faults(store) == []
            audio(store, record).with_stem("older-1").write_bytes(b"x")
            os.utime(audio(store, record).with_stem("older-1"), (1.8e9, 1.7e9))
            (fault,) = faults(store)
            assert fault.path.endswith("older-1.m4a")
        assert len(faults(store)) == 3


class TestCommand:
    @pytest.fixture(autouse=True)
    def _data(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("LECTERN_DATA", str(tmp_path / "data"))
        monkeypatch.setenv("LECTERN_LIBRARY", str(tmp_path / "library"))

    def test_it_says_that_all_is_well(self, record: BookRecord, capsys: pytest.CaptureFixture[str]) -> None:
        assert main(["verify"]) == 0
        assert "1 book in 1 rendition, 3 chapters (0 journals), 7 sentences with audio" in capsys.readouterr().out

    def test_it_names_what_is_wrong_and_mends_it(
        self, store: Store, record: BookRecord, capsys: pytest.CaptureFixture[str]
    ) -> None:
        flip(audio(store, record))
        assert main(["verify"]) == 1
        assert "its hash is another" in capsys.readouterr().out
        assert main(["verify", "--mend", "--json"]) == 0
        (fault,) = json.loads(capsys.readouterr().out)["faults"]
        assert (fault["mended"], fault["chapter"], fault["book"]) == (True, 2, record.id)
        assert main(["verify", "--sound"]) == 0

    def test_the_database_is_made_anew(
        self, store: Store, record: BookRecord, capsys: pytest.CaptureFixture[str], tmp_path: Path
    ) -> None:
        sentence = store.chapter(record.id, 2).sentences[3].id
        store.save_place(record.id, Place(chapter=2, sentence=sentence, word=1, updated=record.added))
        (tmp_path / "data" / "lectern.db").write_bytes(b"no database at all")
        assert main(["rebuild", "--json"]) == 0
        assert json.loads(capsys.readouterr().out) == {"books": 1, "places": 1}
        assert main(["rebuild"]) == 0
        assert "1 book, 1 place" in capsys.readouterr().out
