"""A long chapter's journal: what is added is read back, whatever was cut short, and costs no more than it is long."""

import itertools
import json
import shutil
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from server.errors import StoreError
from server.render import files, journal
from server.render.index import ChapterIndex, SentenceEntry, Word
from server.render.journal import journal_of
from server.render.layout import sentence_file
from server.render.records import BookRecord
from server.render.store import Store
from server.render.verify import Tally, verify
from tests.fakes.synthetic import chapter, put
from tests.parity.store_reader import read_chapter

MANY = 300  # sentences: an index that is worth a journal


def texts(count: int) -> list[str]:
    return [f"This is the sentence number {number}, which is about as long as most." for number in range(count)]


def rendered(entry: SentenceEntry, number: int = 1) -> SentenceEntry:
    """The entry with audio fields of a usual length; there is no file."""
    words = tuple(
        Word(start=1_024 + 900 * at, end=1_900 + 900 * at, char_start=at, char_end=at + 1) for at in range(16)
    )
    return SentenceEntry(
        **entry.without_audio().model_dump(exclude_none=True),
        file=sentence_file(number, entry.id),
        sha256="ab" * 32,
        bytes=30_000,
        samples=1_024 * 140,
        speech_start=1_024,
        speech_end=142_000,
        gap_after_samples=0,
        data_offset=900,
        au_sizes=(200,) * 141,
        words=words,
        gate=(),
        provenance="0123456789abcdef",
        seed=7,
    )


def add(store: Store, record: BookRecord, ids: slice) -> ChapterIndex:
    entries = store.chapter(record.id, 1).sentences[ids]
    return store.add_audio(
        record.id, record.rendition, 1, map(rendered, entries), codec_config=b"\x13\x08", silence=b"\x01\x18"
    )


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return Store(tmp_path / "store")


@pytest.fixture
def record(store: Store, tmp_path: Path) -> BookRecord:
    return put(store, tmp_path, [chapter(1, texts(MANY))])


@pytest.fixture
def path(store: Store, record: BookRecord) -> Path:
    return store.chapter_path(record.id, 1)


def anew(store: Store, record: BookRecord) -> ChapterIndex:
    """The chapter as somebody reads it who has not read it before."""
    return Store(store.root).chapter(record.id, 1)


def test_a_pass_adds_a_line_and_leaves_the_index(store: Store, record: BookRecord, path: Path) -> None:
    before = path.read_bytes()
    reader = Store(store.root)
    for at in range(0, 12, 3):
        written = add(store, record, slice(at, at + 3))
        assert reader.chapter(record.id, 1) == written == store.chapter(record.id, 1) == anew(store, record)
    assert path.read_bytes() == before
    lines = journal_of(path).read_bytes().splitlines()
    assert len(lines) == 4 and all(len(line) < 8_000 for line in lines)
    assert written.revision == 5 and sum(entry.rendered for entry in written.sentences) == 12
    assert written.samples_total == 12 * 1_024 * 140 and written.codec_config == "1308"
    assert read_chapter(path)["revision"] == 5


def test_what_is_settled_is_one_file(store: Store, record: BookRecord, path: Path) -> None:
    add(store, record, slice(0, 5))
    done = add(store, record, slice(5, None))
    assert done.complete and not journal_of(path).exists()
    assert anew(store, record) == done
    # Sentences that are rendered again are added one by one as well.
    ids = [entry.id for entry in done.sentences[:9]]
    store.render_again(record.id, 1, ids, "asked")
    add(store, record, slice(0, 2))
    assert len(journal_of(path).read_bytes().splitlines()) == 2
    last = add(store, record, slice(2, 9))
    assert not journal_of(path).exists() and anew(store, record) == last


def test_a_line_that_was_cut_short_is_none(store: Store, record: BookRecord, path: Path) -> None:
    first = add(store, record, slice(0, 3))
    second = add(store, record, slice(3, 6))
    whole = journal_of(path).read_bytes()
    last = whole.splitlines(keepends=True)[-1]
    for length in (1, len(last) // 2, len(last) - 1):
        journal_of(path).write_bytes(whole[: -len(last)] + last[:length])
        assert anew(store, record) == first
    again = add(Store(store.root), record, slice(3, 6))
    assert again == second == anew(store, record)
    assert journal_of(path).read_bytes() == whole


def test_an_index_that_has_it_all_leaves_an_old_journal_without_meaning(
    store: Store, record: BookRecord, path: Path, tmp_path: Path
) -> None:
    add(store, record, slice(0, 6))
    kept = shutil.copy(journal_of(path), tmp_path / "kept")
    saved = store.save_chapter(store.chapter(record.id, 1))
    shutil.copy(kept, journal_of(path))  # as a crash right after the index was written leaves it
    assert anew(store, record) == saved
    later = add(Store(store.root), record, slice(6, 9))
    assert anew(store, record) == later and sum(entry.rendered for entry in later.sentences) == 9


def test_a_crash_at_any_step_leaves_what_was_or_what_was_meant(
    store: Store, record: BookRecord, path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = add(store, record, slice(0, 4))
    changes: list[tuple[str, Callable[[Store], object]]] = [
        ("a line", lambda one: add(one, record, slice(4, 8))),
        ("one file", lambda one: one.save_chapter(one.chapter(record.id, 1))),
        ("the end", lambda one: add(one, record, slice(4, None))),
    ]
    kept = {file: file.read_bytes() for file in (path, journal_of(path))}
    for what, change in changes:
        for fatal in itertools.count():
            for file, data in kept.items():
                file.write_bytes(data)
            with monkeypatch.context() as patched:
                _deadly(patched, fatal)
                crashed = False
                try:
                    change(Store(store.root))
                except KeyboardInterrupt:
                    crashed = True
            now = anew(store, record)
            if now.revision == before.revision:
                assert now == before, (what, fatal)
            else:
                assert now.revision == before.revision + 1 and now == now.totals(), (what, fatal)
            if not crashed:
                break
        assert fatal >= 1, what  # it did come between two steps


def _deadly(patched: pytest.MonkeyPatch, fatal: int) -> None:
    """Have the process end before call number `fatal` of what changes the disk."""
    calls = itertools.count()

    def wrap(real: Callable[..., Any]) -> Callable[..., Any]:
        def step(*args: Any, **named: Any) -> Any:
            if next(calls) == fatal:
                raise KeyboardInterrupt
            return real(*args, **named)

        return step

    for owner, name in (
        (files, "sync_file"),
        (files, "sync_folder"),
        (journal, "sync_file"),
        (journal, "sync_folder"),
        (Path, "replace"),
        (Path, "unlink"),
    ):
        patched.setattr(owner, name, wrap(getattr(owner, name)))


def test_a_reader_never_sees_a_moment_that_was_not(store: Store, record: BookRecord, path: Path) -> None:
    seen: list[tuple[int, int]] = []
    done = threading.Event()

    def read() -> None:
        while not done.is_set():
            index = anew(store, record)
            seen.append((index.revision, sum(entry.rendered for entry in index.sentences)))

    reader = threading.Thread(target=read)
    reader.start()
    written = {1: 0}
    for at in range(0, 120, 2):
        index = add(store, record, slice(at, at + 2))
        written[index.revision] = at + 2
        if at % 10 == 0:
            index = store.save_chapter(index)
            written[index.revision] = at + 2
    done.set()
    reader.join()
    assert len(seen) > 5
    assert all(written[revision] == count for revision, count in seen)
    assert seen == sorted(seen)


@pytest.mark.parametrize("longer", [False, True])
def test_a_journal_that_gets_the_inode_of_the_one_before_is_read_from_its_beginning(
    store: Store, record: BookRecord, path: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, longer: bool
) -> None:
    reader, number = Store(store.root), iter(range(0, MANY, 2))
    add(store, record, slice(0, 4))
    # Its second name keeps the inode, which the disk gives to the next journal as it may do by itself.
    inode = tmp_path / "inode"
    inode.hardlink_to(journal_of(path))
    with monkeypatch.context() as patched:

        def write(target: Path, data: bytes) -> None:
            files.write_atomically(target, data)
            assert reader.chapter(record.id, 1).revision == 3  # of the new index, beside the old journal

        patched.setattr(journal, "write_atomically", write)
        store.save_chapter(store.chapter(record.id, 1))
    assert reader.at_hand(record.id, 1) is not None
    for _ in range(5 if longer else 1):
        at = next(number) + 4
        written = add(store, record, slice(at, at + 2))
    inode.write_bytes(journal_of(path).read_bytes())
    inode.replace(journal_of(path))
    assert reader.at_hand(record.id, 1) is None
    assert reader.chapter(record.id, 1) == written == anew(store, record)
    assert reader.at_hand(record.id, 1) == written
    later = reader.change_sentence(record.id, 1, written.sentences[0].id, lambda one: one.model_copy(update=NOTED))
    assert anew(store, record).sentences[1:] == written.sentences[1:] and later == anew(store, record).sentences[0]


NOTED = {"ears": "accepted"}


def test_a_journal_that_was_taken_away_or_put_back_is_noticed(
    store: Store, record: BookRecord, path: Path, tmp_path: Path
) -> None:
    first = anew(store, record)
    second = add(store, record, slice(0, 2))
    kept = journal_of(path).read_bytes()
    add(store, record, slice(2, 4))
    journal_of(path).write_bytes(kept)
    assert store.at_hand(record.id, 1) is None and store.chapter(record.id, 1) == second
    journal_of(path).unlink()
    assert store.at_hand(record.id, 1) is None and store.chapter(record.id, 1) == first


def test_another_text_s_journal_is_not_called_damaged(
    store: Store, record: BookRecord, path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    reader = Store(store.root)
    assert not reader.chapter(record.id, 1).has_audio
    real = journal._with_journal

    def late(held: Any, of: Path) -> Any:
        monkeypatch.setattr(journal, "_with_journal", real)
        # Between the look at the index and that at the journal the book becomes another one, and is rendered.
        put(store, tmp_path, [chapter(1, [f"New: {text}" for text in texts(MANY)])])
        add(store, store.book(record.id), slice(0, 2))
        return real(held, of)

    monkeypatch.setattr(journal, "_with_journal", late)
    seen = reader.chapter(record.id, 1)
    assert seen == anew(store, record) and seen.has_audio and journal_of(path).exists()


def test_a_damaged_line_is_named(store: Store, record: BookRecord, path: Path) -> None:
    add(store, record, slice(0, 2))
    journal_of(path).write_bytes(journal_of(path).read_bytes() + b'{"revision":9}\n')
    with pytest.raises(StoreError, match=r"chapter-0001\.jsonl is damaged.*remove it"):
        anew(store, record)
    assert any("chapter-0001" in fault.path for fault in verify(store, Tally()))


def test_the_journal_of_a_lost_index_goes(store: Store, record: BookRecord, path: Path, tmp_path: Path) -> None:
    add(store, record, slice(0, 2))
    path.unlink()
    assert any("journal of an index" in fault.what for fault in verify(store, Tally()))
    store.sweep()
    assert not journal_of(path).exists()
    put(store, tmp_path, [chapter(1, texts(MANY))])
    assert not anew(store, record).has_audio


def test_bytes_written_do_not_grow_with_the_square(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def cost(count: int) -> int:
        store = Store(tmp_path / f"{count}")
        record = put(store, tmp_path, [chapter(1, texts(count))])
        written = 0

        def whole(path: Path, data: bytes) -> None:
            nonlocal written
            written += len(data)
            files.write_atomically(path, data)

        def line(path: Path, data: bytes, real: Callable[[Path, bytes], None] = journal._append) -> None:
            nonlocal written
            written += len(data)
            real(path, data)

        with monkeypatch.context() as patched:
            patched.setattr(journal, "write_atomically", whole)
            patched.setattr(journal, "_append", line)
            patched.setattr("server.render.journal.sync_file", lambda _handle: None)
            for at in range(0, count, 4):
                add(store, record, slice(at, at + 4))
        assert anew(store, record).complete
        return written

    assert cost(1_200) < 4 * 1.5 * cost(300)


def test_a_thousand_sentences_stay_under_a_megabyte_and_a_half(store: Store, tmp_path: Path) -> None:
    record = put(store, tmp_path, [chapter(1, texts(1_000))])
    add(store, record, slice(None))
    assert store.chapter_path(record.id, 1).stat().st_size < 1_500_000


def test_an_index_of_format_1_is_read_and_written_anew(store: Store, record: BookRecord, path: Path) -> None:
    index = add(store, record, slice(None))
    old = read_chapter(path)  # words with their names, as format 1 wrote them
    old["format"] = 1
    path.write_text(json.dumps(old) + "\n")
    (store.root / "store.json").write_text('{"format":1,"sample_rate":24000}\n')
    assert anew(store, record) == index
    Store(store.root).sweep()
    assert (store.root / "store.json").read_text() == '{"format":2,"sample_rate":24000}\n'


def test_an_index_of_format_1_gets_no_journal(store: Store, record: BookRecord, path: Path) -> None:
    add(store, record, slice(0, 200))
    index = store.save_chapter(store.chapter(record.id, 1))
    path.write_text(path.read_text().replace('{"format":2,', '{"format":1,', 1))
    (store.root / "store.json").write_text('{"format":1,"sample_rate":24000}\n')
    later = Store(store.root).render_again(record.id, 1, [index.sentences[0].id], "asked")
    assert later == 1 and not journal_of(path).exists()
    assert path.read_text().startswith('{"format":2,')
    assert (store.root / "store.json").read_text().startswith('{"format":2,')
