"""Journals of places: what moves a place and what does not, what can be undone, and what a crash leaves."""

import itertools
import json
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from server.db import Database
from server.errors import Conflict, DiskFull, NotFound
from server.library.catalog import Catalog
from server.render import places
from server.render.counting import recount
from server.render.files import write_atomically
from server.render.index import SAMPLE_RATE
from server.render.places import OWNER, Outcome
from server.render.reconcile import Report, Told
from server.render.records import BookRecord, Place
from server.render.store import Store
from server.render.verify import Tally, verify
from tests.fakes.synthetic import TEXTS, chapter, put
from tests.parity.store_reader import check
from tests.unit.render.test_edition import renew

START = datetime(2026, 8, 1, 12, 0, tzinfo=UTC)
LONG = [f"Sentence number {k} of a long chapter." for k in range(120)]


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return Store(tmp_path / "store")


@pytest.fixture
def record(store: Store, tmp_path: Path) -> BookRecord:
    """A book whose first chapter is off, and whose other two have 120 sentences each."""
    made = put(store, tmp_path)
    chapters = [chapter(1, TEXTS[:2], enabled=False), chapter(2, LONG), chapter(3, LONG[::-1])]
    return renew(store, made, tmp_path, chapters, "long")


class Listener:
    """One device of a person; its counter grows by itself."""

    def __init__(self, store: Store, book: str, device: str | None, person: str = OWNER) -> None:
        self.store, self.book, self.device, self.person = store, book, device, person
        self.counter = 0

    def at(self, chapter: int, at: int, minute: float, reason: Told | None = "played", word: int = 0) -> Outcome:
        self.counter += 1
        counter = self.counter if self.device is not None else None
        return self.store.places.report(self.book, self.person, self.told(chapter, at, minute, reason, word, counter))

    def told(
        self, chapter: int, at: int, minute: float, reason: Told | None, word: int = 0, counter: int | None = None
    ) -> Report:
        sentence = self.store.chapter(self.book, chapter).sentences[at].id
        return Report(chapter, sentence, word, START + timedelta(minutes=minute), self.device, counter, reason)


@pytest.fixture
def phone(store: Store, record: BookRecord) -> Listener:
    return Listener(store, record.id, "phone")


@pytest.fixture
def tablet(store: Store, record: BookRecord) -> Listener:
    return Listener(store, record.id, "tablet")


def spot(store: Store, book: str, person: str = OWNER) -> tuple[int, int]:
    """Chapter and number of the sentence where a person is."""
    now = store.places.now(book, person)
    assert now is not None
    return now.chapter, store.chapter(book, now.chapter).position(now.sentence)


def journal(store: Store, book: str, person: str = OWNER) -> Path:
    return store.book_folder(book) / "places" / f"{person}.jsonl"


class TestMoving:
    def test_listening_moves_the_place_and_leaves_nothing_to_undo(self, phone: Listener, store: Store) -> None:
        for step in range(6):
            assert phone.at(2, step * 2, step * 0.2).unapplied is None
        assert spot(store, phone.book) == (2, 10)
        assert store.places.jumps(phone.book) == []
        kept = store.place(phone.book)
        assert kept is not None and kept.device == "phone"

    def test_running_into_the_next_chapter_is_listening(self, phone: Listener, store: Store) -> None:
        phone.at(2, 118, 0)
        phone.at(3, 1, 0.2)
        assert store.places.jumps(phone.book) == []

    def test_an_unexplained_jump_to_zero_is_refused_and_told(
        self, phone: Listener, store: Store, caplog: pytest.LogCaptureFixture
    ) -> None:
        phone.at(3, 50, 0)
        for reason in ("played", None):
            with pytest.raises(Conflict, match="beginning"):
                phone.at(2, 0, 1, reason)
        assert spot(store, phone.book) == (3, 50)
        assert "nobody asked for" in caplog.text and "long chapter" not in caplog.text
        phone.at(2, 0, 2, "jump")
        assert spot(store, phone.book) == (2, 0)

    def test_beginning_anew_near_the_beginning_is_nothing_odd(self, phone: Listener, store: Store) -> None:
        phone.at(2, 2, 0)
        phone.at(2, 0, 0.1)
        assert spot(store, phone.book) == (2, 0)

    def test_a_client_that_says_nothing_is_believed_and_can_be_undone(self, store: Store, record: BookRecord) -> None:
        old = Listener(store, record.id, None)
        old.at(2, 5, 0, None)
        old.at(3, 80, 1, None)
        assert spot(store, record.id) == (3, 80)
        (jump,) = store.places.jumps(record.id)
        assert jump.arrived.reason == "moved"
        assert store.chapter(record.id, 2).position(jump.left.sentence) == 5


class TestStale:
    def test_a_report_that_comes_twice_or_late_counts_once(self, phone: Listener, store: Store) -> None:
        first = phone.told(2, 10, 0, "played", counter=1)
        second = phone.told(2, 12, 0.1, "played", counter=2)
        for report in (first, second):
            store.places.report(phone.book, OWNER, report)
        for report in (first, second):
            assert store.places.report(phone.book, OWNER, report).unapplied == "stale"
        assert spot(store, phone.book) == (2, 12)
        assert len(journal(store, phone.book).read_text().splitlines()) == 2

    def test_without_a_counter_the_time_decides(self, phone: Listener, store: Store) -> None:
        store.places.report(phone.book, OWNER, phone.told(2, 12, 5, "played"))
        assert store.places.report(phone.book, OWNER, phone.told(2, 10, 4, "jump")).unapplied == "stale"

    def test_an_offline_queue_does_not_undo_what_another_device_did_since(
        self, phone: Listener, tablet: Listener, store: Store
    ) -> None:
        phone.at(2, 10, 0)
        tablet.at(2, 11, 60)
        tablet.at(3, 90, 70, "jump")
        for step in range(3):  # what the phone did on the train, told when it is home
            done = phone.at(2, 12 + step, 30 + step)
            assert (done.unapplied, done.now.device, done.own.device) == ("older", "tablet", "phone")
        assert phone.at(3, 5, 40, "jump").unapplied == "older"
        assert spot(store, phone.book) == (3, 90)

    def test_an_offline_queue_alone_is_applied_in_its_order(self, phone: Listener, store: Store) -> None:
        phone.at(2, 10, 0)
        for step in range(4):
            assert phone.at(2, 20 + step, 30 + step).unapplied is None
        assert spot(store, phone.book) == (2, 23)


class TestTwoDevices:
    def test_a_device_that_was_left_behind_asks_before_it_moves_the_place(
        self, phone: Listener, tablet: Listener, store: Store
    ) -> None:
        tablet.at(2, 3, 0)
        phone.at(2, 4, 1)
        phone.at(3, 60, 20, "jump")
        done = tablet.at(2, 5, 30)
        assert done.unapplied == "elsewhere" and done.now.device == "phone"
        own = store.places.of_device(phone.book, OWNER, "tablet")
        assert own is not None and store.chapter(phone.book, 2).position(own.sentence) == 5
        assert spot(store, phone.book) == (3, 60)
        assert tablet.at(2, 6, 31, "stay").unapplied is None
        assert spot(store, phone.book) == (2, 6)

    def test_a_device_that_goes_on_where_the_other_stopped_is_not_asked(
        self, phone: Listener, tablet: Listener, store: Store
    ) -> None:
        phone.at(2, 40, 0)
        assert tablet.at(2, 41, 600).unapplied is None
        assert spot(store, phone.book) == (2, 41)

    def test_people_do_not_share_a_place(self, phone: Listener, store: Store) -> None:
        anna = Listener(store, phone.book, "phone", "anna")
        phone.at(2, 40, 0)
        anna.at(3, 7, 1)
        assert spot(store, phone.book) == (2, 40)
        assert spot(store, phone.book, "anna") == (3, 7)
        kept = store.place(phone.book)
        assert kept is not None and kept.chapter == 2


class TestClocks:
    """The clock of the machine was two hours ahead, and has been put right."""

    @pytest.fixture(autouse=True)
    def ahead(self, phone: Listener) -> None:
        phone.at(2, 40, 120)

    @pytest.mark.parametrize("device", ["phone", "tablet", None])
    def test_what_is_said_now_counts(self, store: Store, phone: Listener, device: str | None) -> None:
        now = replace(phone.told(3, 60, 0, "jump"), device=device, received=START)
        assert store.places.report(phone.book, OWNER, now).unapplied is None
        assert spot(store, phone.book) == (3, 60)

    def test_what_was_made_before_and_is_said_late_does_not(self, store: Store, tablet: Listener) -> None:
        late = replace(tablet.told(3, 60, 60, "jump"), received=START + timedelta(minutes=180))
        assert store.places.report(tablet.book, OWNER, late).unapplied == "older"


class TestStatistics:
    def test_one_damaged_file_costs_only_itself_and_no_place(self, store: Store, phone: Listener) -> None:
        steps = [phone.at(2, step, step) for step in range(8)]
        heard = store.listening.heard
        for person in (OWNER, "anna"):
            heard(person, steps[0].now, steps[1].now, 50.0)
        store.listening.flush()
        (damaged,) = store.root.glob("listening/anna/*.json")
        damaged.write_text("{")
        assert [fault.path for fault in verify(store, Tally())] == [damaged.relative_to(store.root).as_posix()]
        for before, after in itertools.pairwise(steps[1:]):
            for person in (OWNER, "anna"):
                assert heard(person, before.now, after.now, 50.0) == 50 * SAMPLE_RATE
        store.listening.flush()
        assert self.samples(store, OWNER) == 7 * 50 * SAMPLE_RATE
        assert self.samples(store, "anna") == 6 * 50 * SAMPLE_RATE
        assert damaged.with_name(damaged.name + ".damaged").read_text() == "{"
        assert [fault.path.endswith(".damaged") for fault in verify(store, Tally())] == [True]

    def test_what_cannot_be_written_is_counted_once_when_it_can(
        self, store: Store, phone: Listener, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        first, second = phone.at(2, 0, 0).now, phone.at(2, 1, 1).now

        def full(path: Path, data: bytes) -> None:
            if path.parent.name == "anna":
                raise DiskFull("The disk is full.")
            write_atomically(path, data)

        monkeypatch.setattr("server.render.listening.write_atomically", full)
        for _ in range(3):
            for person in (OWNER, "anna"):
                store.listening.heard(person, first, second, 60.0)
        with pytest.raises(DiskFull):
            store.listening.flush()
        assert self.samples(store, OWNER) == 180 * SAMPLE_RATE
        monkeypatch.undo()
        assert self.samples(store, "anna") == 180 * SAMPLE_RATE
        assert self.samples(Store(store.root), OWNER) == 180 * SAMPLE_RATE

    def samples(self, store: Store, person: str) -> int:
        days = store.listening.between(person, START.date() - timedelta(days=1), START.date() + timedelta(days=1))
        return sum(day.samples for day in days)


class TestUndo:
    def test_every_jump_can_be_gone_back_from_and_that_too(self, phone: Listener, store: Store) -> None:
        phone.at(2, 10, 0)
        phone.at(3, 60, 1, "jump")
        phone.at(3, 61, 1.1)
        phone.at(2, 90, 2, "jump")
        latest, first = store.places.jumps(phone.book)
        assert (latest.left.chapter, latest.arrived.chapter) == (3, 2)
        back = store.places.back(phone.book, OWNER, first.arrived.entry, phone.told(2, 0, 3, None))
        assert (back.now.reason, spot(store, phone.book)) == ("undo", (2, 10))
        again = store.places.jumps(phone.book)[0]
        store.places.back(phone.book, OWNER, again.arrived.entry, phone.told(2, 0, 4, None))
        assert spot(store, phone.book) == (2, 90)

    def test_to_the_very_beginning_too(self, phone: Listener, store: Store) -> None:
        phone.at(2, 0, 0)
        phone.at(3, 60, 1, "jump")
        (jump,) = store.places.jumps(phone.book)
        store.places.back(phone.book, OWNER, jump.arrived.entry, phone.told(2, 0, 2, None))
        assert spot(store, phone.book) == (2, 0)

    def test_an_unknown_jump_is_told(self, phone: Listener, store: Store) -> None:
        phone.at(2, 10, 0)
        with pytest.raises(NotFound, match="list again"):
            store.places.back(phone.book, OWNER, 1, phone.told(2, 0, 1, None))

    def test_a_long_journal_is_folded_and_forgets_no_recent_jump(
        self, phone: Listener, store: Store, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(places, "FOLD_LINES", 40)
        phone.at(3, 100, 0)
        phone.at(2, 5, 1, "jump")
        for step in range(70):
            phone.at(2, 5 + step % 20, 2 + step / 5, "played" if step % 20 else "jump")
        assert len(journal(store, phone.book).read_text().splitlines()) < 40
        jumps = store.places.jumps(phone.book)
        assert (jumps[-1].left.chapter, jumps[-1].arrived.chapter) == (3, 2)
        assert store.places.report(phone.book, OWNER, phone.told(2, 1, 90, "jump", counter=3)).unapplied == "stale"
        assert check(store.root) == []


class TestFiles:
    def test_lines_are_as_the_format_says(self, phone: Listener, store: Store) -> None:
        phone.at(2, 3, 0, word=2)
        (line,) = map(json.loads, journal(store, phone.book).read_text().splitlines())
        entry = store.chapter(phone.book, 2).sentences[3].id
        told = {"entry": 1, "book": phone.book, "chapter": 2, "sentence": entry, "word": 2, "device": "phone"}
        assert {**told, "time": "2026-08-01T12:00:00Z", "counter": 1, "reason": "played"} == line
        assert check(store.root) == []

    def test_what_was_heard_is_as_the_format_says(self, phone: Listener, store: Store) -> None:
        first, second = phone.at(2, 3, 0).now, phone.at(2, 4, 0.5).now
        assert store.listening.heard(OWNER, first, second, 12.0) == 12 * SAMPLE_RATE
        store.listening.flush()
        (path,) = store.root.glob("listening/owner/*.json")
        (day,) = json.loads(path.read_text())["days"]
        assert (day["samples"], day["book"]) == (12 * SAMPLE_RATE, phone.book) and day["title"]
        assert check(store.root) == []

    @pytest.mark.parametrize("cut", [1, 7, 60])
    def test_a_torn_last_line_costs_that_line(self, phone: Listener, store: Store, cut: int) -> None:
        phone.at(2, 3, 0)
        phone.at(2, 4, 0.1)
        path = journal(store, phone.book)
        path.write_bytes(path.read_bytes()[:-cut])
        (store.book_folder(phone.book) / "place.json").unlink()
        assert spot(store, phone.book) == (2, 3)
        phone.at(2, 5, 0.2)
        assert spot(store, phone.book) == (2, 5)
        assert [json.loads(line)["chapter"] for line in path.read_text().splitlines()] == [2, 2]

    def test_a_line_that_is_no_line_costs_that_line(self, phone: Listener, store: Store) -> None:
        phone.at(2, 3, 0)
        path = journal(store, phone.book)
        path.write_bytes(b"\xff nonsense\n" + path.read_bytes() + b'{"entry":0}\n')
        assert spot(store, phone.book) == (2, 3)
        phone.at(2, 4, 0.1)
        assert spot(store, phone.book) == (2, 4)

    def test_lines_and_fields_of_a_newer_version_are_kept_when_the_journal_is_folded(
        self, phone: Listener, store: Store, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(places, "FOLD_LINES", 10)
        phone.at(3, 100, 0)
        phone.at(2, 5, 1, "jump")
        path = journal(store, phone.book)
        first, second = (json.loads(line) for line in path.read_text().splitlines())
        newer = {**second, "entry": 3, "reason": "told by a watch"}
        path.write_text("".join(json.dumps({**line, "speed": 1.25}) + "\n" for line in (first, newer, second)))
        assert spot(store, phone.book) == (2, 5)
        for step in range(20):
            phone.at(2, 6 + step, 2 + step / 5)
        lines = [json.loads(line) for line in path.read_text().splitlines()]
        assert len(lines) < 14 and lines[:3] == [{**line, "speed": 1.25} for line in (first, newer, second)]
        numbers = [line["entry"] for line in lines]
        assert len(set(numbers)) == len(numbers)

    def test_the_place_of_an_older_version_is_where_the_journal_begins(
        self, store: Store, record: BookRecord, phone: Listener
    ) -> None:
        sentence = store.chapter(record.id, 3).sentences[40].id
        store.save_place(record.id, Place(chapter=3, sentence=sentence, updated=START))
        assert spot(store, record.id) == (3, 40)
        phone.at(2, 30, 1, "jump")
        (jump,) = store.places.jumps(record.id)
        assert jump.left.sentence == sentence

    def test_what_an_older_version_wrote_since_counts(self, store: Store, phone: Listener) -> None:
        phone.at(2, 10, 0)
        sentence = store.chapter(phone.book, 3).sentences[40].id
        store.save_place(phone.book, Place(chapter=3, sentence=sentence, updated=START + timedelta(hours=1)))
        assert spot(store, phone.book) == (3, 40)

    def test_a_crash_between_the_two_files_is_mended_at_the_next_start(self, store: Store, phone: Listener) -> None:
        phone.at(2, 10, 0)
        path = store.book_folder(phone.book) / "place.json"
        before = path.read_bytes()
        phone.at(2, 12, 0.1)
        path.write_bytes(before)
        assert spot(store, phone.book) == (2, 12)
        Store(store.root).sweep()
        kept = store.place(phone.book)
        assert kept is not None and store.chapter(phone.book, 2).position(kept.sentence) == 12

    def test_a_damaged_place_is_written_anew_from_the_journal(
        self, store: Store, record: BookRecord, phone: Listener, tmp_path: Path
    ) -> None:
        phone.at(2, 10, 0)
        path = store.book_folder(phone.book) / "place.json"
        path.write_text("")
        assert spot(store, phone.book) == (2, 10)
        assert [fault.path for fault in verify(store, Tally())] == [path.relative_to(store.root).as_posix()]
        catalog = Catalog(Database(tmp_path / "lectern.db"))
        recount(store, catalog)
        assert catalog.ids() == [phone.book]
        renew(store, record, tmp_path, [chapter(1, TEXTS[:2]), chapter(2, [*LONG, "More."]), chapter(3, LONG)], "more")
        kept = store.place(phone.book)
        assert kept is not None and store.chapter(phone.book, 2).position(kept.sentence) == 10
        path.write_text("{")
        assert phone.at(2, 11, 1).unapplied is None and store.place(phone.book) is not None

    @pytest.mark.parametrize("fold", [400, 2])
    def test_a_crash_between_the_two_files_after_the_clock_was_put_back_loses_nothing(
        self, store: Store, phone: Listener, monkeypatch: pytest.MonkeyPatch, fold: int
    ) -> None:
        monkeypatch.setattr(places, "FOLD_LINES", fold)
        for step in range(3):
            phone.at(2, 10 + step, 120)  # a clock that was two hours ahead
        path = store.book_folder(phone.book) / "place.json"
        before = path.read_bytes()
        phone.at(2, 20, 0)
        path.write_bytes(before)
        assert spot(store, phone.book) == (2, 20)
        Store(store.root).sweep()
        kept = store.place(phone.book)
        assert kept is not None and store.chapter(phone.book, 2).position(kept.sentence) == 20

    @pytest.mark.parametrize("person", ["../owner", ".x", "a/b", "", "a" * 65])
    def test_no_name_leads_out_of_the_folder(self, store: Store, record: BookRecord, person: str) -> None:
        with pytest.raises(NotFound):
            Listener(store, record.id, "phone", person).at(2, 1, 0)


def test_another_edition_takes_every_journal_along(
    store: Store, record: BookRecord, phone: Listener, tmp_path: Path
) -> None:
    anna = Listener(store, record.id, "radio", "anna")
    for listener in (phone, anna):
        listener.at(2, 10, 0)
        listener.at(3, 60, 1, "jump", word=3)
    longer = ["It begins otherwise now.", *LONG[:60], *LONG[61:]]
    renew(store, record, tmp_path, [chapter(1, longer), chapter(2, LONG[::-1])], "corrected again")
    for person in (OWNER, "anna"):
        now = store.places.now(record.id, person)
        assert now is not None and (now.chapter, now.word, now.edition) == (2, 3, store.edition(record.id))
        assert store.chapter(record.id, 2).sentences[60].id == now.sentence
        (jump,) = store.places.jumps(record.id, person)
        assert store.chapter(record.id, 1).sentences[11].id == jump.left.sentence
    assert check(store.root) == []
