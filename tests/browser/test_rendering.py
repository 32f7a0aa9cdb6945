"""When and how much is rendered, said on the dashboard."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browser.conftest import Daemon, Start, open_page

pytestmark = pytest.mark.browser
ALL_DAY = (("00:00", "12:00"), ("12:00", "00:00"))


@pytest.fixture
def house(start: Start) -> Daemon:
    return start(0.05)


@pytest.fixture
def dashboard(house: Daemon, chromium: Browser, size: str) -> Iterator[Page]:
    for page in open_page(chromium, size):
        page.goto(f"{house.url}/dashboard")
        yield page


def test_quiet_hours_are_set_and_rendering_waits(dashboard: Page, house: Daemon, epub: Path) -> None:
    card = dashboard.locator("rendering-rules")
    expect(card).to_contain_text("At any time")
    card.get_by_text("Change when and how much").click()
    save = card.get_by_role("button", name="Save")
    expect(save).to_be_disabled()
    for at, (start, end) in enumerate(ALL_DAY):
        card.get_by_role("button", name="Quiet hours", exact=True).press("Enter")
        card.get_by_label("Quiet from").nth(at).fill(start)
        card.get_by_label("Quiet until").nth(at).fill(end)
    card.get_by_label("Warn when the audio takes more than").fill("much")
    save.click()
    expect(card.get_by_role("alert")).to_contain_text("“much” is no number")
    card.get_by_label("Warn when the audio takes more than").fill("1,5")
    save.click()
    expect(card).to_contain_text("Saved.")
    expect(card).to_contain_text("Rests 00:00–12:00 and 12:00–00:00")
    kept = house.get("/rendering")
    assert (len(kept["quiet"]), kept["cap_bytes"]) == (2, 1_500_000_000)

    book = house.add(epub)
    now = dashboard.locator("worker-now")
    expect(now).to_have_attribute("data-state", "waiting")
    expect(now).to_contain_text("Quiet hours all day long.")
    assert house.get(f"/books/{book}")["sentences"]["rendered"] == 0

    for _ in ALL_DAY:
        card.get_by_label("Take these quiet hours away").first.click()
    save.click()
    expect(card).to_contain_text("At any time")
    expect(now).not_to_have_attribute("data-state", "waiting")
    expect(dashboard.locator(".book-row .note")).not_to_have_text(re.compile("^0 of"))
    house.delete(book)


def test_how_much_of_a_book_is_rendered_is_chosen_in_its_details(dashboard: Page, house: Daemon, epub: Path) -> None:
    book = house.add(epub)
    row = dashboard.locator(".book-row")
    expect(row).to_have_count(1)
    row.get_by_role("button", name="About").click()
    policy = dashboard.locator("book-policy")
    expect(policy.get_by_label("As for every book: all of it")).to_be_checked()
    policy.get_by_label("Nothing for now").check()
    expect(policy.get_by_label("Nothing for now")).to_be_checked()
    dashboard.wait_for_function(f"fetch('/api/v1/books/{book}').then(r => r.json()).then(b => b.render === 'paused')")
    expect(row.locator(".note")).to_contain_text("not rendered for now")
    policy.get_by_label("As for every book").check()
    dashboard.wait_for_function(f"fetch('/api/v1/books/{book}').then(r => r.json()).then(b => !b.render_chosen)")
    expect(row.locator(".note")).not_to_contain_text("not rendered for now")
    house.delete(book)
