"""The player plays what another renderer made: no hole between sentences, each word where its index says."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page

from tests.browser.conftest import Daemon, open_page
from tests.browser.prepared import serving, store_in
from tests.browser.test_player import error_s, open_book, play, wait_for
from tests.fakes.other import put_other

pytestmark = pytest.mark.browser

NEAR_S = 0.2  # a busy machine draws late


@pytest.fixture
def foreign(chromium: Browser, tmp_path: Path) -> Iterator[tuple[Page, Daemon, str]]:
    """A page before a book that another renderer has rendered."""
    record, _ = put_other(store_in(tmp_path), tmp_path)
    with serving(tmp_path) as daemon:
        pages = open_page(chromium, "desk")
        yield next(pages), daemon, record.id
        next(pages, None)


def test_sentences_follow_each_other_without_a_hole(foreign: tuple[Page, Daemon, str]) -> None:
    page, daemon, book = foreign
    index = daemon.get(f"/books/{book}/chapters/1")
    assert "silence" not in index and index["priming"] == 2_112
    open_book(page, daemon, book)
    play(page)
    last = index["sentences"][-1]["id"]
    seen = set()
    while (now := wait_for(page, lambda now: now["word"] >= 0 and now["state"] == "playing"))["sentence"] != last:
        assert error_s(index, now) < NEAR_S, now
        seen.add(now["sentence"])
    assert len(seen) == len(index["sentences"]) - 1
    ranges = page.locator("audio").evaluate(
        "({ buffered }) => Array.from({ length: buffered.length }, (_, i) => [buffered.start(i), buffered.end(i)])"
    )
    assert len(ranges) == 1
    assert ranges[0] == pytest.approx([0, index["samples_total"] / 24_000], abs=0.05)
