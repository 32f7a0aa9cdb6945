"""The whole path in Chromium with the real voice: drop an EPUB, play it, watch the words, tap one."""

import shutil
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page

from tests.browser.conftest import open_page
from tests.browser.test_player import HEARD, RATE_HZ
from tests.e2e.house import House
from tests.epubs import build_epub

pytestmark = [pytest.mark.browser, pytest.mark.speech, pytest.mark.timeout(600)]

WORD_ERROR_S = 0.05
CHAPTER = "<h1>The Kettle</h1><p>The kettle sang in the small kitchen. “Don’t touch it,” said Ada.</p>"


@pytest.fixture(scope="module")
def house(tmp_path_factory: pytest.TempPathFactory, models: Path) -> Iterator[House]:
    made = House(tmp_path_factory.mktemp("house"), models)
    made.start()
    yield made
    made.stop()


@pytest.fixture
def page(chromium: Browser, house: House) -> Iterator[Page]:
    yield from open_page(chromium, "phone")


def test_a_dropped_book_plays_with_its_words_lit_and_goes_where_it_is_tapped(
    page: Page, house: House, tmp_path: Path
) -> None:
    shutil.copy(
        build_epub(tmp_path / "kettle.epub", {"one.xhtml": CHAPTER}, toc=[("The Kettle", "one.xhtml")]), house.library
    )
    book = house.until(house.books, "the book is on the shelf")[0]
    page.goto(f"{house.url}/")
    page.get_by_role("link", name=book["title"]).first.click()
    page.wait_for_selector(".sentence.spoken")
    page.get_by_role("button", name="Play").click()
    # It begins while the rest is being rendered, and goes on by itself.
    page.wait_for_selector("book-reader[data-playing]", timeout=240_000)

    house.until(lambda: house.rendered(book["id"]) == book["sentences"]["total"], "the book is rendered")
    index = house.chapter(book["id"], 1)
    page.wait_for_selector("book-reader[data-state='ended']", timeout=120_000)
    last = index["sentences"][-1]
    target = page.locator(f"[data-sentence='{last['id']}'] .word").nth(2)
    target.click()
    page.get_by_role("button", name="Play").click()
    page.wait_for_selector("book-reader[data-playing]")

    looked = set()
    end = time.monotonic() + 20
    while time.monotonic() < end and len(looked) < 2:
        now = page.evaluate(HEARD)
        if now["sentence"] == last["id"] and now["word"] >= 0 and now["state"] == "playing":
            assert now["word"] >= 2, "it began before the word that was tapped"
            # The stream was started at this sentence: its time line is the sentence's own.
            word = last["words"][now["word"]]
            at = now["time_s"]
            following = last["words"][now["word"] + 1 :]
            until = following[0][0] if following else last["samples"] + last["gap_after_samples"]
            error = max(0.0, word[0] / RATE_HZ - at, at - until / RATE_HZ)
            assert error <= WORD_ERROR_S, (now, word)
            looked.add(now["word"])
        page.wait_for_timeout(60)
    assert len(looked) >= 2, "the lit word did not follow the voice"
