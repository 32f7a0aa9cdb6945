"""Chromium hears an hour of a chapter as its files one by one: over HTTP, without a sample more or less."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page

from server.render.index import SAMPLE_RATE, ChapterIndex
from tests.browser.prepared import serving, store_in
from tests.fakes.hour import Said, put_long, voices

pytestmark = pytest.mark.browser

HOUR_S = 3_600
BITRATE = 48_000
# Everything is compared in the page: an hour is 350 MB of samples.
COMPARE = """async ({ base, stream, starts, files, total }) => {
  const context = new OfflineAudioContext(1, 24000, 24000);
  const get = async (path) => {
    const answer = await fetch(base + path);
    if (!answer.ok) throw new Error(`${path} is answered ${answer.status}`);
    return new Uint8Array(await answer.arrayBuffer());
  };
  const decode = async (bytes) => (await context.decodeAudioData(bytes.buffer)).getChannelData(0);
  const alone = [];
  for (const file of files) alone.push(await decode(await get(file)));
  const differ = (heard) => {
    let worst = 0;
    let at = 0;
    starts.forEach((start, number) => {
      for (; at < start; at++) worst = Math.max(worst, Math.abs(heard[at]));
      for (const sample of alone[number % alone.length]) worst = Math.max(worst, Math.abs(heard[at++] - sample));
    });
    for (; at < total; at++) worst = Math.max(worst, Math.abs(heard[at]));
    return { samples: heard.length, db: 20 * Math.log10(Math.max(worst, 1e-12)) };
  };
  const list = new TextDecoder().decode(await get(`${stream}playlist.m3u8`));
  const names = list.split("\\n").filter((line) => line && !line.startsWith("#"));
  const parts = [];
  for (const name of ["init.mp4", ...names]) parts.push(await get(stream + name));
  const hls = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  parts.reduce((offset, part) => (hls.set(part, offset), offset + part.length), 0);
  return { chapter: differ(await decode(await get("chapter.m4a"))), hls: differ(await decode(hls)) };
}"""


@pytest.fixture(scope="module")
def hour(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[str, ChapterIndex, list[Said]]]:
    """A daemon with a chapter of an hour: its address, the index and the sentences that are said in turn."""
    folder: Path = tmp_path_factory.mktemp("hour")
    sentences = voices(12, BITRATE)
    store = store_in(folder)
    record = put_long(store, folder, sentences, HOUR_S, BITRATE)
    with serving(folder) as daemon:
        base = f"{daemon.url}/api/v1/books/{record.id}/chapters/1/"
        yield base, store.chapter(record.id, 1), sentences


def test_an_hour_does_not_drift(chromium: Browser, hour: tuple[str, ChapterIndex, list[Said]]) -> None:
    base, index, sentences = hour
    assert index.samples_total > HOUR_S * SAMPLE_RATE
    starts, at = [], 0
    for entry in index.sentences:
        starts.append(at)
        at += entry.length_samples
    page: Page = chromium.new_page()
    page.set_default_timeout(300_000)
    page.goto(base.partition("/api/")[0])
    asked: dict[str, Any] = {
        "base": base,
        "stream": f"stream/{index.sentences[0].id}/",
        "starts": starts,
        "files": [f"sentences/{entry.id}.m4a" for entry in index.sentences[: len(sentences)]],
        "total": index.samples_total,
    }
    found = page.evaluate(COMPARE, asked)
    page.close()
    for stream in found.values():
        assert stream["samples"] == index.samples_total
        assert stream["db"] < -80
