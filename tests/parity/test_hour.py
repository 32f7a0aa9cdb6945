"""A chapter of an hour, joined from its files: not a sample too many, and no seam that could be heard."""

from pathlib import Path

import numpy as np
import pytest

from server.render.aac import decode
from server.render.index import SAMPLE_RATE
from server.render.store import Store
from server.render.stream import open_chapter_file, open_run
from tests.fakes.hour import Samples, compare, decoded, heard_alone, put_long, voices

pytestmark = pytest.mark.parity

HOUR_S = 3_600
JOIN_ERROR_DB = -80.0
OVERHEAD_BYTES = 1_100


@pytest.mark.parametrize("bitrate", [32_000, 48_000, 64_000])
def test_an_hour_is_its_files_sample_by_sample(tmp_path: Path, bitrate: int) -> None:
    sentences = voices(24, bitrate)
    store = Store(tmp_path / "store")
    record = put_long(store, tmp_path, sentences, HOUR_S, bitrate)
    index = store.chapter(record.id, 1)
    assert HOUR_S <= index.samples_total / SAMPLE_RATE < HOUR_S + 10

    run = open_run(store, record.id, 1)
    hls = run.init_segment() + b"".join(run.segment(number) for number in range(run.segments))
    file = open_chapter_file(store, record.id, 1)
    for stream in (hls, file.read(0, file.size)):
        found = compare(decoded(stream), heard_alone(sentences, index))
        assert found.heard == found.expected == index.samples_total
        assert found.worst_db < JOIN_ERROR_DB
    # The last sentence, an hour later, is still where it was said, to the sample.
    last = decode(run.init_segment() + run.sentence_segment(index.sentences[-1].id))
    assert lag(last, sentences[(len(index.sentences) - 1) % len(sentences)].pcm) == 0


def lag(heard: Samples, said: Samples) -> int:
    """By how many samples what is heard is late."""
    size = 1 << (len(heard) + len(said)).bit_length()
    product = np.fft.irfft(np.fft.rfft(heard, size) * np.conj(np.fft.rfft(said, size)), size)
    at = int(np.argmax(product))
    return at if at < size // 2 else at - size


@pytest.mark.parametrize("bitrate", [32_000, 48_000, 64_000])
def test_a_file_is_little_more_than_its_sound(bitrate: int) -> None:
    for one in voices(6, bitrate):
        assert len(one.file.data) - sum(one.file.au_sizes) < OVERHEAD_BYTES


def test_a_stream_that_is_late_by_one_sample_is_seen() -> None:
    noise: Samples = np.random.default_rng(0).standard_normal(50_000, np.float32) * np.float32(0.1)
    whole = compare([noise], [noise[:3], noise[3:40_000], noise[40_000:]])
    assert (whole.heard, whole.expected) == (50_000, 50_000) and whole.worst_db < -200
    late = compare([np.zeros(1, np.float32), noise], [noise])
    assert late.heard == late.expected + 1 and late.worst_db > JOIN_ERROR_DB
    assert lag(np.concatenate([np.zeros(7, np.float32), noise]), noise) == 7
