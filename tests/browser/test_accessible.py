"""No screen of player and dashboard has a fault that axe knows, in light and in dark, on a phone and at a desk."""

from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import axe_playwright_python
import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browser.conftest import Daemon, open_page

pytestmark = pytest.mark.browser

AXE = (Path(axe_playwright_python.__file__).parent / "axe.min.js").read_text()
RUN = """async () => {
  const rules = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"];
  const { violations } = await axe.run(document, { runOnly: rules, resultTypes: ["violations"] });
  return violations.map(({ id, help, nodes }) => `${id}: ${help}: ${nodes.map((node) => node.html).join(" | ")}`);
}"""


def shelf(page: Page, daemon: Daemon, book: str) -> None:
    page.goto(f"{daemon.url}/")
    expect(page.get_by_role("heading", name="Your books")).to_be_visible()


def reader(page: Page, daemon: Daemon, book: str) -> None:
    page.goto(f"{daemon.url}/#/book/{book}")
    page.wait_for_selector(".sentence.spoken")


def sheet(opener: str, dialog: str) -> Callable[[Page, Daemon, str], None]:
    """A screen that lies over the reader."""

    def show(page: Page, daemon: Daemon, book: str) -> None:
        reader(page, daemon, book)
        page.get_by_role("button", name=opener, exact=True).click()
        expect(page.get_by_role("dialog", name=dialog)).to_be_visible()

    return show


def lists(opener: str) -> Callable[[Page, Daemon, str], None]:
    """A list that the dialog with the chapters leads to."""

    def show(page: Page, daemon: Daemon, book: str) -> None:
        sheet("Chapters", "Chapters")(page, daemon, book)
        page.get_by_role("button", name=opener, exact=True).click()
        expect(page.get_by_role("dialog", name=opener)).to_be_visible()

    return show


def found(page: Page, daemon: Daemon, book: str) -> None:
    reader(page, daemon, book)
    page.keyboard.press("f")
    page.get_by_role("searchbox", name="Find in this book").fill("the")
    expect(page.get_by_role("dialog", name="Find in this book").locator("mark").first).to_be_visible()


def nowhere(page: Page, daemon: Daemon, book: str) -> None:
    page.goto(f"{daemon.url}/#/book/0000000000000000")
    expect(page.get_by_role("alert")).to_be_visible()


def dashboard(page: Page, daemon: Daemon, book: str) -> None:
    page.goto(f"{daemon.url}/dashboard")
    page.wait_for_selector("library-list .book-row")


def details(page: Page, daemon: Daemon, book: str) -> None:
    dashboard(page, daemon, book)
    page.get_by_role("button", name="Voice and chapters of ").first.click()
    expect(page.get_by_role("dialog")).to_be_visible()


def insight(page: Page, daemon: Daemon, book: str) -> None:
    hour = {"at": datetime.now(UTC).isoformat(), "audio_s": 90, "work_s": 60}
    page.route("**/api/v1/speed", lambda route: route.fulfill(json={"days": 30, "hours": [hour]}))
    page.goto(f"{daemon.url}/dashboard#/insight")
    page.wait_for_selector("sentence-plots .wave")
    expect(page.locator("render-speed, insight-page").get_by_text("Looking …")).to_have_count(0)


def house(page: Page, daemon: Daemon, book: str) -> None:
    page.goto(f"{daemon.url}/dashboard#/settings")
    page.wait_for_selector("setting-row")
    expect(page.get_by_role("heading", name="About")).to_be_visible()


def address(path: str) -> Callable[[Page, Daemon, str], None]:
    def show(page: Page, daemon: Daemon, book: str) -> None:
        page.goto(daemon.url + path)
        expect(page.get_by_role("heading").first).to_be_visible()

    return show


SCREENS = {
    "shelf": shelf,
    "reader": reader,
    "chapters": sheet("Chapters", "Chapters"),
    "settings": sheet("Text and sound settings", "Text and sound"),
    "sleep": sheet("Sleep timer", "Sleep timer"),
    "bookmarks": lists("Bookmarks"),
    "jumps": lists("Where you were"),
    "find": found,
    "nowhere": nowhere,
    "dashboard": dashboard,
    "details": details,
    "insight": insight,
    "house": house,
    "api": address("/docs"),
    "enter": address("/enter"),
}


def faults(page: Page) -> list[str]:
    """What axe finds on the page as it is now."""
    if not page.evaluate("'axe' in window"):
        page.evaluate(AXE)
    page.wait_for_timeout(400)  # what fades in has no contrast yet
    found: list[Any] = page.evaluate(RUN)
    return [str(one) for one in found]


WIDE = ("shelf", "reader", "dashboard")  # what is laid out otherwise at a desk


@pytest.mark.parametrize(("screen", "size"), [*((one, "phone") for one in SCREENS), *((one, "desk") for one in WIDE)])
def test_axe_finds_no_fault(chromium: Browser, daemon: Daemon, book: str, screen: str, size: str) -> None:
    for page in open_page(chromium, size):
        page.emulate_media(color_scheme="light", reduced_motion="reduce")
        SCREENS[screen](page, daemon, book)
        light = faults(page)
        page.emulate_media(color_scheme="dark", reduced_motion="reduce")
        assert (light, faults(page)) == ([], [])
