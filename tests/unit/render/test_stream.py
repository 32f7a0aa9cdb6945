"""Streams decode to the files they are made of, sample for sample."""

import io
import random
from pathlib import Path

import av
import numpy as np
import pytest
from numpy.typing import NDArray

from server.errors import Conflict, LecternError, NotFound, StoreError
from server.render.aac import decode
from server.render.index import ChapterIndex, SentenceEntry
from server.render.records import BookRecord
from server.render.store import Store
from server.render.stream import SEGMENT_UNITS, Run, open_chapter_file, open_run
from tests.fakes.synthetic import TEXTS, chapter, put, render


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return Store(tmp_path / "store")


@pytest.fixture
def record(store: Store, tmp_path: Path) -> BookRecord:
    return put(store, tmp_path)


def files_in_a_row(store: Store, record: BookRecord, index: ChapterIndex, first: int = 0) -> NDArray[np.float32]:
    """What the time line should sound like: every file decoded alone, zeros between."""
    parts = []
    for entry in index.sentences[first:]:
        parts.append(decode(store.sentence_path(record.id, index.chapter, entry.id).read_bytes()))
        parts.append(np.zeros(entry.gap_after_samples or 0, np.float32))
    return np.concatenate(parts)


def whole(run: Run) -> NDArray[np.float32]:
    return decode(run.init_segment() + b"".join(run.segment(k) for k in range(run.segments)))


def test_segments_decode_to_the_files_end_to_end(store: Store, record: BookRecord) -> None:
    index = render(store, record, 2)
    run = open_run(store, record.id, 2)
    expected = files_in_a_row(store, record, index)
    assert run.segments > 2
    assert run.length_samples == index.samples_total == len(expected)
    np.testing.assert_array_equal(whole(run), expected)


def test_a_run_may_start_at_any_sentence(store: Store, record: BookRecord) -> None:
    index = render(store, record, 2)
    for first in range(1, len(index.sentences)):
        run = open_run(store, record.id, 2, index.sentences[first].id)
        np.testing.assert_array_equal(whole(run), files_in_a_row(store, record, index, first))


def test_sentence_fragments_in_a_row_are_the_stream(store: Store, record: BookRecord) -> None:
    index = render(store, record, 2)
    run = open_run(store, record.id, 2)
    fragments = [run.sentence_segment(entry.id) for entry in index.sentences]
    np.testing.assert_array_equal(
        decode(run.init_segment() + b"".join(fragments)), files_in_a_row(store, record, index)
    )


def test_a_fragment_stands_at_its_place_on_the_time_line(store: Store, record: BookRecord) -> None:
    index = render(store, record, 2)
    run = open_run(store, record.id, 2, index.sentences[1].id)
    data = run.init_segment() + run.sentence_segment(index.sentences[3].id)
    with av.open(io.BytesIO(data)) as container:
        first = next(container.demux(audio=0))
    assert first.pts == sum(entry.length_samples for entry in index.sentences[1:3])
    assert first.time_base is not None and first.time_base.denominator == 24_000


def test_the_playlist_grows_and_what_was_published_stays(store: Store, record: BookRecord) -> None:
    ids = [entry.id for entry in store.chapter(record.id, 2).sentences]
    published: list[bytes] = []
    for count in range(1, len(ids)):
        render(store, record, 2, ids[:count])
        run = open_run(store, record.id, 2)
        assert "EVENT" in run.playlist() and "ENDLIST" not in run.playlist()
        assert run.segments == run.track.units // SEGMENT_UNITS
        segments = [run.segment(k) for k in range(run.segments)]
        assert segments[: len(published)] == published
        published = segments
    render(store, record, 2)
    run = open_run(store, record.id, 2)
    assert run.playlist().rstrip().endswith("#EXT-X-ENDLIST") and "VOD" in run.playlist()
    assert [run.segment(k) for k in range(len(published))] == published
    assert run.ready


def test_the_playlist_names_every_segment_with_its_length(store: Store, record: BookRecord) -> None:
    index = render(store, record, 2)
    run = open_run(store, record.id, 2)
    lines = run.playlist().splitlines()
    lengths = [float(line[8:-1]) for line in lines if line.startswith("#EXTINF:")]
    assert lengths[:-1] == [6.016] * (run.segments - 1)
    assert sum(lengths) == pytest.approx(index.samples_total / 24_000, abs=1e-4)
    assert [line for line in lines if line.endswith(".m4s")] == [f"seg-{k}.m4s" for k in range(run.segments)]
    target = next(int(line.split(":")[1]) for line in lines if "TARGETDURATION" in line)
    assert all(round(length) <= target for length in lengths)


def test_a_sentence_given_up_on_takes_no_time_and_does_not_end_the_run(store: Store, record: BookRecord) -> None:
    index = store.chapter(record.id, 2)
    lost = index.sentences[2]
    render(store, record, 2, [entry.id for entry in index.sentences if entry.id != lost.id])
    failed = SentenceEntry(**lost.model_dump(exclude_none=True), failed="It could not be spoken.")
    index = store.add_audio(record.id, index.rendition, 2, [failed])
    assert index.complete
    run = open_run(store, record.id, 2)
    assert run.ended and run.length_samples == index.samples_total
    assert len(run.track.items) == len(index.sentences) - 1
    assert open_run(store, record.id, 2, lost.id).track.items == run.track.items[2:]
    assert len(decode(open_chapter_file(store, record.id, 2).read(0, 1 << 30))) == index.samples_total


def test_a_run_follows_into_the_next_chapter_that_is_read(store: Store, tmp_path: Path) -> None:
    record = put(store, tmp_path, [chapter(1), chapter(2, enabled=False), chapter(3, TEXTS[::-1])])
    first, third = render(store, record, 1), render(store, record, 3)
    assert open_run(store, record.id, 1).length_samples == first.samples_total
    run = open_run(store, record.id, 1, follow=True)
    expected = [files_in_a_row(store, record, index) for index in (first, third)]
    np.testing.assert_array_equal(whole(run), np.concatenate(expected))
    again = run.sentence_segment(third.sentences[0].id, chapter=3)
    assert again != run.sentence_segment(third.sentences[0].id, chapter=1)


def test_a_run_waits_for_a_chapter_before_it_goes_past_it(store: Store, tmp_path: Path) -> None:
    record = put(store, tmp_path, [chapter(1, TEXTS[:3]), chapter(2), chapter(3)])
    render(store, record, 1)
    render(store, record, 3)
    run = open_run(store, record.id, 1, follow=True)
    assert not run.ended and {item.chapter for item in run.track.items} == {1}


@pytest.mark.parametrize("damage", ["cut", "lost"])
def test_a_run_ends_before_a_chapter_that_is_damaged(store: Store, tmp_path: Path, damage: str) -> None:
    record = put(store, tmp_path, [chapter(1, TEXTS[:2]), chapter(2, TEXTS[:3]), chapter(3, TEXTS[:4])])
    for number in (1, 2, 3):
        render(store, record, number)
    path = store.chapter_path(record.id, 3)
    path.write_text("{") if damage == "cut" else path.unlink()
    again = Store(store.root)
    run = open_run(again, record.id, 1, follow=True)
    assert run.ended and [item.chapter for item in run.track.items] == [1, 1, 2, 2, 2]
    with pytest.raises(LecternError):
        open_run(again, record.id, 3, follow=True)


def test_the_chapter_file_is_the_files_end_to_end(store: Store, record: BookRecord) -> None:
    index = render(store, record, 2)
    file = open_chapter_file(store, record.id, 2)
    data = file.read(0, file.size)
    assert len(data) == file.size
    np.testing.assert_array_equal(decode(data), files_in_a_row(store, record, index))


def test_any_range_of_the_chapter_file_is_that_range_of_the_whole(store: Store, record: BookRecord) -> None:
    render(store, record, 2)
    file = open_chapter_file(store, record.id, 2)
    data = file.read(0, file.size)
    choose = random.Random(1)
    edges = [0, 1, len(file.header) - 1, len(file.header), file.size - 1, file.size, file.size + 10]
    spans = [(a, b) for a in edges for b in edges if a <= b]
    spans += [tuple(sorted((choose.randrange(file.size), choose.randrange(file.size)))) for _ in range(300)]
    for start, end in spans:
        assert file.read(start, end) == data[start:end], (start, end)


def test_the_chapter_file_waits_until_the_chapter_is_complete(store: Store, record: BookRecord) -> None:
    with pytest.raises(Conflict):
        open_chapter_file(store, record.id, 2)
    render(store, record, 2)
    tag = open_chapter_file(store, record.id, 2).etag
    assert tag == open_chapter_file(store, record.id, 2).etag
    render(store, record, 3)
    assert tag != open_chapter_file(store, record.id, 3).etag


def test_what_is_not_there_is_named(store: Store, record: BookRecord) -> None:
    index = store.chapter(record.id, 2)
    run = open_run(store, record.id, 2)
    assert run.segments == 0 and not run.ready
    for ask in (run.init_segment, lambda: run.segment(0), lambda: run.sentence_segment(index.sentences[0].id)):
        with pytest.raises(NotFound):
            ask()
    with pytest.raises(NotFound, match="no sentence"):
        open_run(store, record.id, 2, "nothing-1")
    with pytest.raises(NotFound):
        open_run(store, record.id, 9)


def test_a_file_that_was_cut_short_is_reported(store: Store, record: BookRecord) -> None:
    index = render(store, record, 2)
    path = store.sentence_path(record.id, 2, index.sentences[1].id)
    path.write_bytes(path.read_bytes()[:-20])
    run = open_run(store, record.id, 2)
    with pytest.raises(StoreError, match="shorter"):
        run.sentence_segment(index.sentences[1].id)
