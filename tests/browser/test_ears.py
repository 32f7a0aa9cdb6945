"""What sounds wrong: one tap in the player, and a list on the dashboard, in Chromium against the daemon."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browser.conftest import Daemon, Start, open_page
from tests.browser.test_player import heard, open_book, play, wait_for

pytestmark = pytest.mark.browser


@pytest.fixture(scope="module")
def house(start: Start, rendered: Path) -> Daemon:
    return start(0, rendered)


@pytest.fixture(scope="module")
def shelved(house: Daemon, epub: Path) -> str:
    made = house.add(epub)
    house.wait_until_rendered(made)
    return made


@pytest.fixture
def window(house: Daemon, chromium: Browser, size: str) -> Iterator[Page]:
    yield from open_page(chromium, size)


def test_one_tap_says_that_it_sounds_wrong_and_the_voice_goes_on(window: Page, house: Daemon, shelved: str) -> None:
    open_book(window, house, shelved)
    play(window)
    now = wait_for(window, lambda now: now["time_s"] > 0.3)
    window.get_by_role("button", name="This sounds wrong").click()
    told = window.locator("sounds-wrong [role=status]")
    expect(told).to_contain_text("Noted: it waits on the dashboard")
    waiting = house.get("/ears")["items"]
    assert len(waiting) == 1 and waiting[0]["state"] == "listener"
    wait_for(window, lambda later: later["time_s"] > now["time_s"] + 0.5)
    assert heard(window)["state"] == "playing"
    window.get_by_role("button", name="Take that back").press("Enter")
    expect(told).to_contain_text("Taken back.")
    assert house.get("/ears")["total"] == 0


def complain(page: Page, house: Daemon, book: str, at: int, note: str = "") -> str:
    """Say of a sentence of the first chapter that is read that it sounds wrong; gives its text."""
    number = next(one["number"] for one in house.get(f"/books/{book}")["chapters_list"] if one["enabled"])
    entry = house.get(f"/books/{book}/chapters/{number}")["sentences"][at]
    address = f"{house.url}/api/v1/books/{book}/chapters/{number}/sentences/{entry['id']}/ears"
    assert page.request.post(address, data={"state": "wrong", "note": note}).ok
    return str(entry["text"])


def test_the_list_is_listened_to_and_done_with(window: Page, house: Daemon, shelved: str) -> None:
    first, second = (complain(window, house, shelved, at, note) for at, note in ((1, "It hums."), (2, "")))
    window.goto(f"{house.url}/dashboard")
    rows = window.locator("ears-list .row")
    expect(rows).to_have_count(2)
    row = rows.filter(has=window.locator(".it", has_text=first))
    expect(row).to_contain_text("Somebody said that it sounds wrong. “It hums.”")
    row.get_by_role("button", name="Play the sentence").click()
    expect(row.locator(".it.lit")).to_have_count(1)
    row.get_by_role("button", name="Render it again").click()
    expect(row).to_contain_text("It was rendered again. Listen whether it is good now.", timeout=120_000)
    row.get_by_role("button", name="Put the earlier one back").click()
    expect(row).to_contain_text("Somebody said that it sounds wrong.")
    row.get_by_role("button", name="It is good").press("Enter")
    expect(rows).to_have_count(1)
    rows.filter(has=window.locator(".it", has_text=second)).get_by_role("button", name="It is good").click()
    expect(window.locator("ears-list")).to_be_empty()


def test_a_word_is_said_otherwise_and_taken_back(window: Page, house: Daemon, shelved: str) -> None:
    complain(window, house, shelved, 1)
    window.goto(f"{house.url}/dashboard")
    row = window.locator("ears-list .row")
    row.get_by_role("button", name="Say a word otherwise").click()
    form = row.locator("say-otherwise")
    expect(form.get_by_label("Say it like")).to_be_focused()
    form.get_by_label("Say it like").fill("tuh-MAH-toh")
    form.get_by_role("button", name="Try it").click()
    expect(form.get_by_role("status")).to_contain_text("of this book would be said so", timeout=120_000)
    form.get_by_role("button", name="Use it in this book").click()
    expect(form.get_by_role("status")).to_contain_text("From now on it is said so.", timeout=120_000)
    assert "tuh-MAH-toh" in house.get(f"/books/{shelved}/lexicon")["text"]
    form.get_by_role("button", name="Undo").click()
    expect(form.get_by_role("status")).to_contain_text("It is said as before.")
    assert house.get(f"/books/{shelved}/lexicon")["text"] == ""
    row.get_by_role("button", name="Say a word otherwise").click()
    expect(form).to_have_count(0)
    row.get_by_role("button", name="It is good").click()
    expect(window.locator("ears-list")).to_be_empty()
