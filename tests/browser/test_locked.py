"""In a pocket the voice goes on: no timer, no frame, hardly an event, and three chapters end. `benchmarks/locked.py` is
the same for half an hour."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect

from server.render.records import BookRecord
from tests.browser import pocket
from tests.browser.conftest import SIZES, Daemon
from tests.browser.prepared import put_walk, serving, store_in
from tests.browser.test_places import until
from tests.browser.test_player import play, wait_for

pytestmark = [pytest.mark.browser, pytest.mark.alone]

SPEED = 3  # so that more is heard than had been fetched ahead
EVERY_MS = 2_000


@pytest.fixture(scope="module")
def long_walk(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Daemon, BookRecord]]:
    folder: Path = tmp_path_factory.mktemp("long-walk")
    record = put_walk(store_in(folder), folder, lines=6)
    with serving(folder) as daemon:
        yield daemon, record


def test_a_locked_page_plays_through_three_chapters(chromium: Browser, long_walk: tuple[Daemon, BookRecord]) -> None:
    daemon, record = long_walk
    context = chromium.new_context(viewport=SIZES["phone"], has_touch=True)  # type: ignore[arg-type]
    context.set_default_timeout(90_000)
    pocket.prepare(context)
    page = context.new_page()
    page.add_init_script(f"localStorage.setItem('lectern.speed', '{SPEED}')")
    page.goto(f"{daemon.url}/#/book/{record.id}")
    page.wait_for_selector(".sentence.spoken")
    play(page)
    audio = page.locator("audio")
    expect(page.locator(".word.lit")).to_have_count(1)
    pocket.lock(page, EVERY_MS)
    until(lambda: bool(audio.evaluate("(audio) => audio.ended")))
    told = pocket.events(page)
    assert [one for one in told if one[0] in ("waiting", "error", "emptied") and one[2] > 0] == []
    end_s = float(audio.evaluate("(audio) => audio.currentTime"))
    pocket.unlock(page)
    now = wait_for(page, lambda now: now["chapter"] == len(record.chapters) and now["state"] == "ended")
    last = daemon.get(f"/books/{record.id}/chapters/{len(record.chapters)}")["sentences"][-1]
    assert now["sentence"] == last["id"]
    assert end_s > 75, "longer than what is fetched ahead"
    context.close()
