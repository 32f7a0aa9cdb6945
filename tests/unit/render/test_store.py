"""The store keeps what it was given, through repeats, deletions and kills."""

import errno
import hashlib
import os
import signal
import subprocess
import sys
import threading
import time
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest

from server.errors import NotFound, StoreError
from server.render.files import write_atomically, write_error
from server.render.index import Engine, SentenceEntry
from server.render.records import BookRecord, Place
from server.render.store import Store
from tests.fakes.synthetic import ENGINE, TEXTS, book, chapter, put, render


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return Store(tmp_path / "store")


@pytest.fixture
def record(store: Store, tmp_path: Path) -> BookRecord:
    return put(store, tmp_path)


def files(root: Path) -> dict[str, str]:
    """Every file under `root` and the hash of its bytes."""
    found = {}
    for path in sorted(root.rglob("*")):
        if path.is_file() and path.name not in (".lock", ".swept.json"):
            found[path.relative_to(root).as_posix()] = hashlib.sha256(path.read_bytes()).hexdigest()
    return found


def failed(entry: SentenceEntry) -> SentenceEntry:
    return SentenceEntry(**entry.without_audio().model_dump(exclude_none=True), failed="It could not be spoken.")


class TestBooks:
    def test_a_book_can_be_read_before_anything_is_rendered(self, store: Store, record: BookRecord) -> None:
        assert store.books() == [record.id]
        assert store.book(record.id) == record
        assert [one.number for one in record.chapters] == [1, 2, 3]
        index = store.chapter(record.id, 2)
        assert [entry.text for entry in index.sentences] == list(TEXTS)
        assert (index.revision, index.complete, index.samples_total) == (1, False, 0)
        assert record.source.sha256.startswith(record.id)
        cover = store.cover_path(record.id)
        assert cover is not None and cover.read_bytes() == b"\xff\xd8not really"

    def test_putting_it_again_changes_nothing(self, store: Store, record: BookRecord, tmp_path: Path) -> None:
        render(store, record, 2)
        before = files(store.root)
        assert put(Store(store.root), tmp_path) == record
        assert files(store.root) == before

    def test_putting_it_again_completes_what_a_crash_left_out(
        self, store: Store, record: BookRecord, tmp_path: Path
    ) -> None:
        before = files(store.root)
        for path in (store.chapter_path(record.id, 3), store.book_folder(record.id) / "book.json"):
            path.unlink()
        assert store.books() == []
        put(store, tmp_path)
        assert files(store.root) == before

    def test_the_text_follows_the_reader_until_there_is_audio(
        self, store: Store, record: BookRecord, tmp_path: Path
    ) -> None:
        put(store, tmp_path, [chapter(1), chapter(2, ("Anew.",))])
        assert [entry.text for entry in store.chapter(record.id, 2).sentences] == ["Anew."]
        assert store.chapter(record.id, 2).revision == 2
        assert store.book(record.id).rendition == record.rendition
        assert not store.chapter_path(record.id, 3).exists()

    def test_another_engine_takes_over_only_while_nothing_is_rendered(
        self, store: Store, record: BookRecord, tmp_path: Path
    ) -> None:
        def put_with(weights: str) -> BookRecord:
            return store.put_book(
                book(tmp_path / "walk.epub"),
                source=tmp_path / "walk.epub",
                voice="bm_george",
                engine=Engine(name="synthetic", version="1", weights=weights),
                bitrate=48_000,
                added=datetime(2027, 1, 1, tzinfo=UTC),
            )

        second = put_with("1111")
        assert second.rendition != record.rendition and second.added == record.added
        assert not store.rendition_folder(record.id, record.rendition).exists()
        render(store, second, 2)
        assert put_with("2222") == second
        assert store.rendition(record.id).engine.weights == "1111"

    def test_an_unpacked_epub_is_a_source_too(self, store: Store, tmp_path: Path) -> None:
        folder = tmp_path / "folder.epub"
        folder.mkdir()
        (folder / "mimetype").write_text("application/epub+zip")
        made = book(tmp_path / "walk.epub")
        record = store.put_book(made, source=folder, voice="v", engine=ENGINE, bitrate=48_000, added=datetime.now(UTC))
        assert record.source.bytes == 20

    @pytest.mark.parametrize("name", ["", "..", "a/b", "../x", ".hidden", "a" * 65, "é", "a\n", "con.txt"])
    def test_a_stranger_s_name_never_becomes_a_path(self, store: Store, record: BookRecord, name: str) -> None:
        for ask in (
            lambda: store.book(name),
            lambda: store.chapter(record.id, 2, name or ".."),
            lambda: store.write_sentence(record.id, record.rendition, 2, name, b""),
        ):
            with pytest.raises(NotFound):
                ask()

    def test_what_is_not_there_is_not_found(self, store: Store, record: BookRecord) -> None:
        sid = store.chapter(record.id, 2).sentences[0].id
        for ask in (
            lambda: store.book("0000000000000000"),
            lambda: store.chapter(record.id, 9),
            lambda: store.sentence_path(record.id, 2, "nothing-1"),
            lambda: store.sentence_path(record.id, 2, sid),
        ):
            with pytest.raises(NotFound):
                ask()


class TestAudio:
    def test_an_index_knows_its_totals_and_grows_its_revision(self, store: Store, record: BookRecord) -> None:
        ids = [entry.id for entry in store.chapter(record.id, 2).sentences]
        first = render(store, record, 2, ids[:3])
        assert (first.complete, first.revision) == (False, 2)
        assert first.samples_total == sum((e.samples or 0) + (e.gap_after_samples or 0) for e in first.sentences[:3])
        last = render(store, record, 2, ids[3:])
        assert (last.complete, last.revision) == (True, 3)
        assert Store(store.root).chapter(record.id, 2) == last

    def test_a_chapter_is_complete_with_a_sentence_given_up_on(self, store: Store, record: BookRecord) -> None:
        index = store.chapter(record.id, 2)
        render(store, record, 2, [entry.id for entry in index.sentences[1:]])
        assert store.add_audio(record.id, record.rendition, 2, [failed(index.sentences[0])]).complete

    def test_two_threads_lose_nothing(self, store: Store, record: BookRecord) -> None:
        entries = store.chapter(record.id, 2).sentences

        def give_up(some: tuple[SentenceEntry, ...]) -> None:
            for entry in some:
                store.add_audio(record.id, record.rendition, 2, [failed(entry)])

        threads = [threading.Thread(target=give_up, args=(entries[k::3],)) for k in range(3)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        index = store.chapter(record.id, 2)
        assert index.complete and index.revision == 1 + len(entries)

    def test_another_process_s_change_is_seen(self, store: Store, record: BookRecord) -> None:
        assert store.chapter(record.id, 2).revision == 1
        render(Store(store.root), record, 2)
        assert store.chapter(record.id, 2).complete

    def test_an_unknown_sentence_is_refused(self, store: Store, record: BookRecord) -> None:
        entry = store.chapter(record.id, 3).sentences[0].model_copy(update={"id": "other-1"})
        with pytest.raises(NotFound, match="other-1"):
            store.add_audio(record.id, record.rendition, 2, [entry])

    def test_deleting_the_audio_leaves_text_and_place(self, store: Store, record: BookRecord) -> None:
        texts = [entry.text for entry in render(store, record, 2).sentences]
        place = Place(chapter=2, sentence="8d1f0a2b3c4d-1", word=3, updated=datetime(2026, 7, 2, tzinfo=UTC))
        store.save_place(record.id, place)
        weight = sum(path.stat().st_size for path in store.root.rglob("*.m4a"))
        assert store.delete_audio(record.id) == weight > 0
        index = store.chapter(record.id, 2)
        assert [entry.text for entry in index.sentences] == texts
        assert not index.has_audio and not index.complete and index.samples_total == 0
        assert index.revision == 3  # a reader that holds revision 2 learns of it
        assert not list(store.root.rglob("*.m4a"))
        assert store.place(record.id) == place
        assert store.delete_audio(record.id) == 0

    def test_deleting_a_book_leaves_nothing_of_it(self, store: Store, record: BookRecord) -> None:
        render(store, record, 2)
        assert store.delete_book(record.id) > 0
        assert store.books() == [] and list((store.root / "books").iterdir()) == []
        with pytest.raises(NotFound):
            store.delete_book(record.id)

    def test_there_is_no_place_before_the_first_time(self, store: Store, record: BookRecord) -> None:
        assert store.place(record.id) is None


class TestTwoProcesses:
    """The daemon imports, deletes and keeps places while the render process adds audio."""

    PROGRAM = (
        "import sys; from pathlib import Path; from server.render.store import Store;"
        "from tests.fakes.synthetic import render;"
        "store = Store(Path(sys.argv[1])); record = store.book(sys.argv[2]); print('ready', flush=True);"
        "sids = [e.id for e in store.chapter(record.id, 2).sentences];"
        "[(store.sweep(), render(store, record, 2, [sid])) for sid in sids]"
    )

    def test_a_sweep_leaves_what_another_process_is_writing(
        self, store: Store, record: BookRecord, tmp_path: Path
    ) -> None:
        command = [sys.executable, "-c", self.PROGRAM, str(store.root), record.id]
        place = Place(chapter=2, sentence="8d1f0a2b3c4d-1", updated=datetime(2026, 7, 2, tzinfo=UTC))
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
            assert process.stdout is not None and process.stdout.readline() == "ready\n"
            rounds = 0
            while process.poll() is None:
                folder = tmp_path / str(rounds % 3)
                folder.mkdir(exist_ok=True)
                other = book(folder / "other.epub", [chapter(1), chapter(2)])
                store.save_place(record.id, place)
                source = folder / "other.epub"
                other = replace(other, id=f"{rounds:016x}")
                added = datetime(2026, 7, 1, tzinfo=UTC)
                put_in = store.put_book(other, source=source, voice="v", engine=ENGINE, bitrate=48_000, added=added)
                assert [store.chapter(put_in.id, n).chapter for n in (1, 2)] == [1, 2]
                rounds += 1
            assert process.returncode == 0
        assert store.chapter(record.id, 2).complete
        assert len(store.books()) == 1 + rounds

    def test_the_lock_goes_with_the_process_that_held_it(self, store: Store, record: BookRecord) -> None:
        program = (
            "import sys, time; from pathlib import Path; from server.render.files import WriteLock\n"
            "with WriteLock(Path(sys.argv[1])): print('held', flush=True); time.sleep(60)"
        )
        command = [sys.executable, "-c", program, str(store.root / ".lock")]
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
            assert process.stdout is not None and process.stdout.readline() == "held\n"
            waiting = threading.Thread(target=store.save_book, args=(record,))
            waiting.start()
            waiting.join(0.2)
            assert waiting.is_alive()
            process.kill()
            waiting.join(10)
            assert not waiting.is_alive()


class TestWhatIsDamaged:
    @pytest.mark.parametrize("content", [b"", b"{", b"{}", b'{"format":3}', b"\xff\xfe"])
    def test_a_damaged_index_is_named(self, store: Store, record: BookRecord, content: bytes) -> None:
        path = store.chapter_path(record.id, 2)
        path.write_bytes(content)
        with pytest.raises(StoreError, match=path.name):
            store.chapter(record.id, 2)
        assert store.chapter(record.id, 3).chapter == 3

    def test_a_store_of_a_later_format_is_left_alone(self, store: Store, record: BookRecord) -> None:
        (store.root / "store.json").write_text('{"format":3,"sample_rate":24000}')
        with pytest.raises(StoreError, match="update Lectern"):
            Store(store.root)

    def test_a_folder_that_cannot_be_written_is_named(self, tmp_path: Path) -> None:
        (tmp_path / "file").write_bytes(b"")
        with pytest.raises(StoreError, match="could not be written"):
            write_atomically(tmp_path / "file" / "x.json", b"{}")

    def test_a_full_disk_is_told_as_such(self) -> None:
        told = str(write_error(Path("a.json"), OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))))
        assert "disk is full" in told and "Free some space" in told

    def test_a_write_that_is_cut_short_leaves_the_old_file_and_nothing_else(self, tmp_path: Path) -> None:
        program = (
            "import resource, signal, sys; from pathlib import Path;"
            "from server.errors import StoreError; from server.render.files import write_atomically;"
            "signal.signal(signal.SIGXFSZ, signal.SIG_IGN);"
            "resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000));"
            "write_atomically(Path(sys.argv[1]), b'x' * 2000)"
        )
        path = tmp_path / "a.json"
        path.write_bytes(b"old")
        ran = subprocess.run([sys.executable, "-c", program, str(path)], capture_output=True, text=True, check=False)
        assert "StoreError" in ran.stderr and "could not be written" in ran.stderr
        assert files(tmp_path) == {"a.json": hashlib.sha256(b"old").hexdigest()}


class TestSweep:
    def test_a_clean_store_is_left_as_it_is(self, store: Store, record: BookRecord) -> None:
        render(store, record, 2)
        before = files(store.root)
        assert store.sweep() == []
        assert files(store.root) == before

    def test_leftovers_go_and_nothing_else(self, store: Store, record: BookRecord) -> None:
        render(store, record, 2)
        before = files(store.root)
        chapter_folder = store.chapter_path(record.id, 2).with_suffix("")
        leftovers = [
            store.root / ".store.json.1-0.tmp",
            store.book_folder(record.id) / ".book.json.77-3.tmp",
            chapter_folder / ".abc-1.m4a.12-4.tmp",
            store.root / "books" / ".deleted-0123" / "book.json",
            store.root / "books" / "0123456789abcdef" / "r" / "chapter-0001.json",
        ]
        for path in leftovers:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(b"half")
        orphan = store.write_sentence(record.id, record.rendition, 2, "never-1", b"never made it into the index")
        removed = store.sweep()
        assert orphan in removed and len(removed) == 6
        assert files(store.root) == before

    def test_a_sentence_that_lost_its_file_goes_back_to_text(self, store: Store, record: BookRecord) -> None:
        index = render(store, record, 2)
        store.sentence_path(record.id, 2, index.sentences[0].id).unlink()
        store.sentence_path(record.id, 2, index.sentences[1].id).write_bytes(b"cut short")
        store.sweep()
        after = store.chapter(record.id, 2)
        assert [entry.rendered for entry in after.sentences] == [False, False, True, True, True, True, True]
        assert not after.complete and after.revision == index.revision + 1

    def test_what_cannot_be_read_is_not_thrown_away(self, store: Store, record: BookRecord) -> None:
        render(store, record, 2)
        store.chapter_path(record.id, 2).write_bytes(b"{")
        before = files(store.root)
        assert store.sweep() == []
        (store.book_folder(record.id) / "book.json").unlink()
        assert store.sweep() == []
        assert len(files(store.root)) == len(before) - 1


def test_kills_at_any_moment_lose_at_most_the_sentence_in_flight(
    store: Store, record: BookRecord, tmp_path: Path
) -> None:
    """A process renders one sentence after the other and is killed again and again; what it said was done stays."""
    program = (
        "import sys; from pathlib import Path; from server.render.store import Store;"
        "from tests.fakes.synthetic import render;"
        "store = Store(Path(sys.argv[1])); record = store.book(store.books()[0]);"
        "waiting = [e.id for e in store.chapter(record.id, 2).sentences if not e.rendered];"
        "[(render(store, record, 2, [sid]), print(sid, flush=True)) for sid in waiting]"
    )
    done: set[str] = set()
    for attempt in range(5):
        with subprocess.Popen(
            [sys.executable, "-c", program, str(store.root)], stdout=subprocess.PIPE, text=True
        ) as process:
            assert process.stdout is not None
            for line in process.stdout:
                done.add(line.strip())
                time.sleep(0.003 * attempt)  # another moment every time
                os.kill(process.pid, signal.SIGKILL)
        fresh = Store(store.root)
        fresh.sweep()
        index = fresh.chapter(record.id, 2)
        rendered = {entry.id for entry in index.sentences if entry.rendered}
        assert done <= rendered
        for entry in index.sentences:
            if entry.rendered:
                data = fresh.sentence_path(record.id, 2, entry.id).read_bytes()
                assert hashlib.sha256(data).hexdigest() == entry.sha256
        names = {path.name for path in fresh.chapter_path(record.id, 2).with_suffix("").iterdir()}
        assert names == {f"{sid}.m4a" for sid in rendered}
        if index.complete:
            break
    render(store, record, 2)
    undisturbed = Store(tmp_path / "other")
    render(undisturbed, put(undisturbed, tmp_path), 2)
    killed, calm = store.chapter(record.id, 2), undisturbed.chapter(record.id, 2)
    assert killed.model_copy(update={"revision": 0}) == calm.model_copy(update={"revision": 0})
