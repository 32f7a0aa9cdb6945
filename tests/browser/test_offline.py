"""Downloads in Chromium: a book is kept, read and played without the server, and no page mixes two versions."""

import base64
import json
import re
import shutil
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from playwright.sync_api import Browser, BrowserContext, Error, Page, Route, expect

from server.api.web import WEB
from server.render.aac import decode
from tests.browser.conftest import SIZES, Daemon
from tests.browser.prepared import put_walk, serving, store_in

pytestmark = pytest.mark.browser

RATE_HZ = 24_000
BYTES = """async ([url, range]) => {
  const answer = await fetch(url, range ? { headers: { range } } : {});
  const bytes = new Uint8Array(await answer.arrayBuffer());
  let text = "";
  for (let i = 0; i < bytes.length; i += 8192) text += String.fromCharCode(...bytes.subarray(i, i + 8192));
  return [answer.status, Object.fromEntries(answer.headers), btoa(text)];
}"""
RUNS = """async () => {
  const { app, bookId } = document.querySelector("book-reader");
  const rows = app.downloads.of(bookId)?.book.chapters_list ?? [];
  const runs = [];
  for (const { number } of rows) runs.push(app.downloads.run(bookId, await app.api.chapter(bookId, number)));
  return runs.map((run) => run && { url: run.url, chapters: run.chapters, starts: run.starts_samples });
}"""
KEPT = """async () => {
  const found = {};
  for (const name of await caches.keys()) {
    if (name.startsWith("lectern-shell")) continue;
    if (!(await caches.has(name))) continue; // it went meanwhile, and to open it would make it
    found[name] = (await (await caches.open(name)).keys()).map((key) => new URL(key.url).pathname);
  }
  return found;
}"""
NOW = """() => {
  const reader = document.querySelector("book-reader");
  const audio = document.querySelector("audio");
  const lit = document.querySelector(".word.lit");
  const spoken = document.querySelector(".sentence.spoken");
  return { chapter: Number(reader.dataset.chapter), src: audio.src, time_s: audio.currentTime, paused: audio.paused,
           sentence: spoken?.dataset.sentence, word: lit ? Number(lit.dataset.word) : -1 };
}"""
TEXT = "async (address) => (await fetch(address)).text()"


@dataclass
class Walk:
    """A daemon with four short rendered chapters, whose pages come from a folder of their own."""

    daemon: Daemon
    book: str
    web: Path


@pytest.fixture(scope="module")
def walk(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Walk]:
    folder = tmp_path_factory.mktemp("walk")
    web = shutil.copytree(WEB, folder / "web")
    record = put_walk(store_in(folder), folder / "data" / "book")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("LECTERN_TEST_WEB", str(web))
        with serving(folder) as daemon:
            yield Walk(daemon, record.id, web)


@contextmanager
def a_phone(chromium: Browser) -> Iterator[BrowserContext]:
    context = chromium.new_context(viewport=SIZES["phone"], has_touch=True)  # type: ignore[arg-type]
    context.set_default_timeout(90_000)
    yield context
    context.close()


def until(page: Page, script: str, what: Any = True, argument: Any = None) -> None:
    """Ask until the answer is `what`; the content policy forbids Playwright's own way of waiting for it."""
    end = time.monotonic() + 90
    found: Any = None
    while time.monotonic() < end:
        with suppress(Error):  # the page begins anew just now
            if (found := page.evaluate(script, argument)) == what:
                return
        page.wait_for_timeout(50)
    raise AssertionError(f"still {found}, not {what}")


def open_walk(page: Page, walk: Walk) -> None:
    page.goto(f"{walk.daemon.url}/#/book/{walk.book}")
    page.wait_for_selector(".sentence.spoken")
    until(page, "() => Boolean(navigator.serviceWorker.controller)")


def show_downloads(page: Page) -> None:
    page.get_by_role("button", name="Chapters", exact=True).click()
    page.get_by_role("button", name="Downloads").click()
    page.wait_for_selector("download-sheet dialog[open]")


@pytest.fixture(scope="module")
def kept(chromium: Browser, walk: Walk) -> Iterator[Page]:
    """A phone on which the whole book was downloaded, with the sheet of downloads closed."""
    with a_phone(chromium) as context:
        page = context.new_page()
        open_walk(page, walk)
        show_downloads(page)
        page.get_by_role("button", name=re.compile("Whole book")).click()
        expect(page.get_by_role("status").filter(has_text="on this device")).to_contain_text("The whole book")
        page.keyboard.press("Escape")
        yield page


def test_the_player_arrives_in_less_than_150_kb(kept: Page) -> None:
    arrived = kept.evaluate(
        """() => performance.getEntries().filter((one) => one.entryType === "navigation" || /\\/web\\//.test(one.name))
                 .map((one) => [one.name, one.transferSize])"""
    )
    assert len(arrived) > 50
    assert 50_000 < sum(size for _, size in arrived) < 150_000, arrived


def test_chapters_in_a_row_are_one_file_exact_to_the_sample(kept: Page, walk: Walk) -> None:
    runs = kept.evaluate(RUNS)
    assert [run["chapters"] for run in runs] == [[1, 2, 3, 4]] * 4
    assert len({run["url"] for run in runs}) == 1
    chapters = [walk.daemon.get(f"/books/{walk.book}/chapters/{number}") for number in (1, 2, 3, 4)]
    lengths = [sum(s["samples"] + s["gap_after_samples"] for s in chapter["sentences"]) for chapter in chapters]
    assert runs[0]["starts"] == [sum(lengths[:number]) for number in range(4)]
    status, headers, data = kept.evaluate(BYTES, [runs[0]["url"], None])
    assert (status, headers["content-type"]) == (200, "audio/mp4")
    whole = decode(base64.b64decode(data))
    assert len(whole) == sum(lengths)
    for number, start in enumerate(runs[0]["starts"], 1):
        path = f"/api/v1/books/{walk.book}/chapters/{number}/chapter.m4a"
        alone = decode(base64.b64decode(kept.evaluate(BYTES, [path, None])[2]))
        # The first access unit overlaps with what was decoded before it; from then on it is the same sound.
        np.testing.assert_allclose(whole[start + 1024 : start + len(alone)], alone[1024:], atol=1e-4)


def test_the_file_answers_in_ranges(kept: Page) -> None:
    url = kept.evaluate(RUNS)[0]["url"]
    whole = base64.b64decode(kept.evaluate(BYTES, [url, None])[2])
    size = len(whole)
    for asked, status, start, end in [
        ("bytes=0-1", 206, 0, 2),
        ("bytes=1000-", 206, 1000, size),
        ("bytes=-7", 206, size - 7, size),
        (f"bytes=5-{size + 99}", 206, 5, size),
        ("bytes=9-3", 200, 0, size),
        ("bytes=0-1,4-5", 200, 0, size),
        (f"bytes={size}-", 416, 0, 0),
        ("bytes=-0", 416, 0, 0),
    ]:
        answered, headers, data = kept.evaluate(BYTES, [url, asked])
        assert (answered, base64.b64decode(data)) == (status, whole[start:end]), asked
        if status == 206:
            assert headers["content-range"] == f"bytes {start}-{end - 1}/{size}"
            assert headers["content-length"] == str(end - start)
        if status == 416:
            assert headers["content-range"] == f"bytes */{size}"
    assert kept.evaluate(BYTES, [url.replace("run-1", "run-9"), None])[0] == 404


def test_without_the_server_it_is_read_played_and_the_place_is_told_later(kept: Page, walk: Walk) -> None:
    starts = kept.evaluate(RUNS)[0]["starts"]
    kept.context.set_offline(True)
    kept.reload()
    kept.wait_for_selector(".sentence.spoken")
    kept.get_by_role("button", name="Play", exact=True).click()
    kept.wait_for_selector("book-reader[data-playing]")
    src = kept.evaluate(NOW)["src"]
    assert "/kept/" in src
    # Over a boundary: the sound runs on, nothing is loaded anew, the text turns its page.
    kept.evaluate("(at) => { document.querySelector('audio').currentTime = at; }", starts[1] / RATE_HZ - 1)
    until(kept, "() => document.querySelector('book-reader').dataset.chapter", "2")
    until(kept, "() => Boolean(document.querySelector('.word.lit'))")
    kept.get_by_role("button", name="Pause").click()
    kept.wait_for_timeout(300)
    now = kept.evaluate(NOW)
    assert (now["chapter"], now["src"]) == (2, src)
    index = walk.daemon.get(f"/books/{walk.book}/chapters/2")
    at = starts[1]
    for entry in index["sentences"]:
        if entry["id"] == now["sentence"]:
            break
        at += entry["samples"] + entry["gap_after_samples"]
    inside = round(now["time_s"] * RATE_HZ) - at
    first = entry["words"][now["word"]][0]
    following = (
        entry["words"][now["word"] + 1][0] if now["word"] + 1 < len(entry["words"]) else entry["samples"] + 10**6
    )
    assert first - 1 <= inside <= following + 1
    # Closed and opened again, still without the server: the place is where it was.
    kept.goto(f"{walk.daemon.url}/#/")
    expect(kept.get_by_role("status").filter(has_text="books on this device")).to_be_visible()
    expect(kept.locator(".on-shelf")).to_have_count(1)
    kept.goto(f"{walk.daemon.url}/#/book/{walk.book}")
    kept.reload()
    kept.wait_for_selector(".sentence.spoken")
    assert kept.evaluate(NOW)["sentence"] == now["sentence"]
    kept.context.set_offline(False)
    end = time.monotonic() + 90
    while (told := place(walk)) != (2, now["sentence"]):
        assert time.monotonic() < end, told
        kept.wait_for_timeout(200)


def place(walk: Walk) -> tuple[int, str] | None:
    try:
        told = walk.daemon.get(f"/books/{walk.book}/position")
    except OSError:
        return None
    return told["chapter"], told["sentence"]


def test_what_is_taken_away_is_gone_and_the_rest_still_plays(kept: Page, walk: Walk) -> None:
    open_walk(kept, walk)
    show_downloads(kept)
    kept.locator("download-sheet [data-chapter='2'] button").click()
    until(
        kept,
        f"async () => ({RUNS})().then((runs) => runs.map((run) => run?.chapters ?? null))",
        [[1], None, [3, 4], [3, 4]],
    )
    paths = kept.evaluate(KEPT)[f"lectern-book-{walk.book}"]
    assert not [path for path in paths if path.startswith(f"/kept/{walk.book}/2-") or "chapter-2" in path]
    for run in kept.evaluate(RUNS):
        assert run is None or len(decode(base64.b64decode(kept.evaluate(BYTES, [run["url"], None])[2]))) > 0
    kept.get_by_role("button", name="Remove all").click()
    until(kept, KEPT, {"lectern-kept": []})
    expect(kept.get_by_role("status").filter(has_text="Nothing of this book")).to_be_visible()
    kept.keyboard.press("Escape")


def test_a_download_that_breaks_off_says_so_and_goes_on(kept: Page, walk: Walk) -> None:
    open_walk(kept, walk)
    show_downloads(kept)

    def refuse(route: Route) -> None:
        route.fulfill(status=503, content_type="application/problem+json", body=json.dumps({"detail": "Not now."}))

    kept.route("**/chapter.m4a", refuse)
    kept.locator("download-sheet [data-chapter='3'] button").click()
    expect(kept.get_by_role("alert").filter(has_text="Not now.")).to_be_visible()
    kept.unroute("**/chapter.m4a")
    kept.evaluate("() => document.querySelector('book-reader').app.downloads.go()")
    expect(kept.locator("download-sheet [data-chapter='3']")).to_have_attribute("data-act", "remove")
    expect(kept.locator("download-sheet [role=alert]")).to_be_hidden()
    assert [run and run["chapters"] for run in kept.evaluate(RUNS)] == [None, None, [3], None]
    kept.keyboard.press("Escape")


def test_chromium_finds_nothing_that_speaks_against_installing_it(kept: Page) -> None:
    asked = kept.context.new_cdp_session(kept)
    assert asked.send("Page.getAppManifest")["errors"] == []
    found = asked.send("Page.getInstallabilityErrors")["installabilityErrors"]
    assert [one["errorId"] for one in found if one["errorId"] != "in-incognito"] == []


def test_a_page_never_gets_files_of_another_version(kept: Page, walk: Walk) -> None:
    address, module = "/web/lib/dom.js", walk.web / "lib" / "dom.js"
    before = module.read_text()
    open_walk(kept, walk)
    kept.get_by_role("button", name="Play", exact=True).click()
    kept.wait_for_selector("book-reader[data-playing]")
    try:
        module.write_text(f"{before}// newer\n")
        kept.evaluate("async () => { await (await navigator.serviceWorker.getRegistration()).update(); }")
        until(kept, "async () => Boolean((await navigator.serviceWorker.getRegistration()).waiting)")
        assert "// newer" not in kept.evaluate(TEXT, address)
        assert kept.evaluate("() => !document.querySelector('audio').paused")
        note = kept.get_by_text("A new version of Lectern is ready.")
        expect(note).to_be_hidden()  # not while somebody reads
        kept.goto(f"{walk.daemon.url}/#/")
        expect(note).to_be_visible()
        other = kept.context.new_page()
        other.goto(f"{walk.daemon.url}/dashboard")
        assert other.evaluate(TEXT, address).endswith("// newer\n")  # as the server has it
        other.close()
        kept.get_by_role("button", name="Use it now").click()
        until(kept, "async () => (await caches.keys()).filter((name) => name.startsWith('lectern-shell')).length", 1)
        kept.wait_for_selector(".on-shelf")
        assert kept.evaluate(TEXT, address).endswith("// newer\n")
    finally:
        module.write_text(before)


def test_where_nothing_can_be_kept_the_page_says_why(chromium: Browser, walk: Walk) -> None:
    with a_phone(chromium) as context:
        page = context.new_page()
        page.add_init_script("Object.defineProperty(globalThis, 'isSecureContext', { value: false });")
        page.goto(f"{walk.daemon.url}/#/book/{walk.book}")
        page.wait_for_selector(".sentence.spoken")
        show_downloads(page)
        expect(page.get_by_role("status").filter(has_text="https://")).to_be_visible()
        expect(page.get_by_role("button", name=re.compile("Whole book"))).to_be_hidden()
