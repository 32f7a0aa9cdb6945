"""When and how much is rendered, said on the dashboard."""

import re
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from server.render.houserules import HouseFile, HouseRules, QuietHours
from tests.browser.conftest import Daemon, Start, open_page
from tests.browser.prepared import store_in
from tests.fakes.synthetic import ENGINE, chapter
from tests.fakes.synthetic import book as book_of

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


def test_rendering_is_paused_and_goes_on_with_one_key(dashboard: Page, house: Daemon, epub: Path) -> None:
    card, now = dashboard.locator("rendering-rules"), dashboard.locator("worker-now")
    card.get_by_role("button", name="Pause rendering").press("Enter")
    expect(card).to_contain_text("Paused: only those who listen are served")
    book = house.add(epub)
    expect(now).to_contain_text("Rendering is paused.")
    assert house.get(f"/books/{book}")["sentences"]["rendered"] == 0
    on = card.get_by_role("button", name="Go on rendering")
    expect(on).to_be_focused()
    on.press("Enter")
    expect(dashboard.locator(".book-row .note")).not_to_have_text(re.compile("^0 of"))
    assert house.get("/rendering")["paused"] is False
    house.delete(book)


def test_how_much_of_a_book_is_rendered_is_chosen_in_its_details(dashboard: Page, house: Daemon, epub: Path) -> None:
    book = house.add(epub)
    row = dashboard.locator(".book-row")
    expect(row).to_have_count(1)
    row.get_by_role("button", name="Voice and chapters").click()
    policy = dashboard.locator("book-policy")
    expect(policy.get_by_label("As for every book: all of it")).to_be_checked()
    policy.get_by_label("Nothing for now").check()
    expect(policy.get_by_label("Nothing for now")).to_be_checked()
    dashboard.wait_for_function(f"fetch('/api/v1/books/{book}').then(r => r.json()).then(b => b.render === 'paused')")
    expect(row.locator(".note")).to_contain_text("not rendered for now")
    policy.get_by_label("As for every book").check()
    dashboard.wait_for_function(f"fetch('/api/v1/books/{book}').then(r => r.json()).then(b => !b.render_chosen)")
    expect(row.locator(".note")).not_to_contain_text("not rendered for now")
    policy.get_by_role("button", name="Render it first").click()
    expect(policy.get_by_role("status")).to_have_text("It comes first from now on.")
    assert house.get("/queue")["by_hand"] == 1
    house.delete(book)


@pytest.fixture
def waiting(start: Start, tmp_path: Path) -> Daemon:
    """Five books, A to E, of which nothing is rendered: it is quiet all day long."""
    store = store_in(tmp_path)
    for number, name in enumerate("ABCDE"):
        source = tmp_path / f"{name}.epub"
        made = replace(book_of(source, [chapter(1, [f"This is Book {name}."])]), title=f"Book {name}", cover=None)
        made = replace(made, id=f"{number:016x}", identifiers=(f"urn:{name}",))
        added = datetime(2026, 1, 1, tzinfo=UTC) + timedelta(hours=number)
        store.put_book(made, source=source, voice="af_heart", engine=ENGINE, bitrate=48_000, added=added)
    quiet = tuple(QuietHours(start=start, end=end) for start, end in ALL_DAY)
    HouseFile(store.root).write(HouseRules(quiet=quiet), None)
    return start(0.05, store.root)


def test_books_are_put_in_order_by_keys_by_buttons_and_by_dragging(
    waiting: Daemon, chromium: Browser, size: str
) -> None:
    def turns() -> list[str]:
        return [one["title"][-1] for one in waiting.get("/queue")["books"] if one["turn"]]

    for page in open_page(chromium, size):
        page.goto(f"{waiting.url}/dashboard")
        card = page.locator("queue-list")
        names = card.locator(".name")
        expect(names).to_have_text([f"Book {name}" for name in "ABCDE"])
        usual = card.get_by_role("button", name="The usual order")
        expect(usual).to_be_hidden()

        third = card.get_by_role("button", name="Move “Book C” in line")
        for _ in range(3):  # once more than there is room
            third.press("ArrowUp")
        expect(names).to_have_text([f"Book {name}" for name in "CABDE"])
        expect(third).to_be_focused()
        expect(card.get_by_role("status")).to_have_text("“Book C” is number 1 of 5 in line.")
        expect(card).to_contain_text("2 books stand in your order.")
        assert turns() == ["C", "A"]
        third.press("Enter")
        card.get_by_role("button", name="Later").click()
        expect(names).to_have_text([f"Book {name}" for name in "ACBDE"])
        expect(card.get_by_role("status")).to_have_text("“Book C” is number 2 of 5 in line.")

        from_box = card.get_by_role("button", name="Move “Book D” in line").bounding_box()
        to_box = names.first.bounding_box()
        assert from_box is not None and to_box is not None
        page.mouse.move(from_box["x"] + 20, from_box["y"] + 20)
        page.mouse.down()
        page.mouse.move(from_box["x"] + 20, from_box["y"] - 10, steps=3)
        page.mouse.move(from_box["x"] + 20, to_box["y"], steps=5)
        expect(names).to_have_text([f"Book {name}" for name in "DACBE"])
        assert turns() == ["A", "C"]  # no other before it is let go of
        page.mouse.up()
        expect(card).to_contain_text("3 books stand in your order.")
        assert turns() == ["D", "A", "C"]

        usual.click()
        expect(names).to_have_text([f"Book {name}" for name in "ABCDE"])
        expect(usual).to_be_hidden()
        expect(card.get_by_role("button", name="Move “Book A” in line")).to_be_focused()
        assert turns() == []
