"""Chromium hears in files, chapter and fragments exactly what the index says, in step."""

import base64
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from playwright.sync_api import Browser, Page

from server.render.aac import decode
from server.render.index import ChapterIndex
from server.render.records import BookRecord
from server.render.store import Store
from server.render.stream import open_chapter_file, open_run
from tests.fakes.synthetic import put, render

pytestmark = pytest.mark.browser

DECODE = """async (data) => {
  const bytes = Uint8Array.from(atob(data), (c) => c.charCodeAt(0));
  const context = new OfflineAudioContext(1, 24000, 24000);
  const audio = await context.decodeAudioData(bytes.buffer);
  const samples = new Uint8Array(audio.getChannelData(0).slice().buffer);
  let text = "";
  for (let i = 0; i < samples.length; i += 32768) text += String.fromCharCode(...samples.subarray(i, i + 32768));
  return btoa(text);
}"""
APPEND = """async (pieces) => {
  const bytes = (data) => Uint8Array.from(atob(data), (c) => c.charCodeAt(0));
  const media = new MediaSource();
  const audio = new Audio(URL.createObjectURL(media));
  await new Promise((done) => media.addEventListener("sourceopen", done, { once: true }));
  const buffer = media.addSourceBuffer('audio/mp4; codecs="mp4a.40.2"');
  for (const piece of pieces) {
    await new Promise((done, fail) => {
      buffer.onupdateend = done;
      buffer.onerror = () => fail(new Error("the browser refused a fragment"));
      buffer.appendBuffer(bytes(piece));
    });
  }
  const ranges = [];
  for (let i = 0; i < buffer.buffered.length; i++) ranges.push([buffer.buffered.start(i), buffer.buffered.end(i)]);
  return ranges;
}"""


@pytest.fixture
def blank(chromium: Browser) -> Iterator[Page]:
    page = chromium.new_page()
    yield page
    page.close()


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> tuple[Store, BookRecord, ChapterIndex]:
    folder: Path = tmp_path_factory.mktemp("streams")
    store = Store(folder / "store")
    record = put(store, folder)
    return store, record, render(store, record, 2)


def heard(page: Page, data: bytes) -> NDArray[np.float32]:
    return np.frombuffer(base64.b64decode(page.evaluate(DECODE, base64.b64encode(data).decode())), np.float32)


def error_db(one: NDArray[np.float32], other: NDArray[np.float32]) -> float:
    return 20 * float(np.log10(np.abs(one - other).max() + 1e-12))


def test_files_and_chapter_have_the_samples_the_index_says(blank: Page, made: tuple[Store, BookRecord, Any]) -> None:
    store, record, index = made
    file = open_chapter_file(store, record.id, 2)
    whole = heard(blank, file.read(0, file.size))
    assert len(whole) == index.samples_total
    at = 0
    for entry in index.sentences:
        data = store.sentence_path(record.id, 2, entry.id).read_bytes()
        alone = heard(blank, data)
        assert len(alone) == entry.samples
        assert error_db(alone, decode(data)) < -80
        assert error_db(alone, whole[at : at + len(alone)]) < -80
        at += entry.length_samples


def test_fragments_and_segments_fill_the_time_line_without_holes(
    blank: Page, made: tuple[Store, BookRecord, Any]
) -> None:
    store, record, index = made
    run = open_run(store, record.id, 2)
    segments = [run.segment(number) for number in range(run.segments)]
    sentences = [run.sentence_segment(entry.id) for entry in index.sentences]
    for pieces in (segments, sentences):
        ranges = blank.evaluate(APPEND, [base64.b64encode(one).decode() for one in (run.init_segment(), *pieces)])
        assert len(ranges) == 1
        assert ranges[0] == pytest.approx([0, index.samples_total / 24_000], abs=1e-4)
