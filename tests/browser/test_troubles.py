"""The server dies while somebody listens, and comes back: what is here plays on, the rest follows, no place is lost."""

import signal
from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Page, expect

from server.render.records import BookRecord
from tests.browser.conftest import open_page
from tests.browser.prepared import put_walk, store_in
from tests.browser.test_places import House, until
from tests.browser.test_player import heard, open_book, play, wait_for

pytestmark = pytest.mark.browser

# To shortly before the end of what has been fetched: what lies between need not be listened to.
ON = """(audio) => {
  audio.currentTime = audio.buffered.end(audio.buffered.length - 1) - 4;
}"""


@pytest.fixture(scope="module")
def walked(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[House, BookRecord]]:
    folder = tmp_path_factory.mktemp("troubles")
    record = put_walk(store_in(folder), folder, lines=7)
    house = House(folder)
    house.start()
    yield house, record
    house.end(signal.SIGTERM)


@pytest.fixture
def page(chromium: Browser) -> Iterator[Page]:
    yield from open_page(chromium, "phone")


def test_a_killed_server_is_outlived_and_what_was_heard_meanwhile_is_kept(
    page: Page, walked: tuple[House, BookRecord]
) -> None:
    house, record = walked
    open_book(page, house, record.id)
    play(page)
    wait_for(page, lambda now: now["word"] >= 0 and now["time_s"] > 1)
    house.end(signal.SIGKILL)
    page.locator("audio").evaluate(ON)
    began = wait_for(page, lambda now: now["state"] == "playing" and now["time_s"] > 20)
    dry = wait_for(page, lambda now: now["state"] == "loading" and now["time_s"] > began["time_s"])
    expect(page.locator(".reader-note")).to_contain_text("Trying again")
    expect(page.get_by_role("button", name="Pause")).to_be_visible()
    house.start()
    again = wait_for(page, lambda now: now["state"] == "playing" and now["time_s"] > dry["time_s"])
    assert again["chapter"] >= dry["chapter"]
    page.get_by_role("button", name="Pause").click()
    stopped = heard(page)
    until(lambda: house.place(record.id) == (stopped["chapter"], stopped["sentence"]))
