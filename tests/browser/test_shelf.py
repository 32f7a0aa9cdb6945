"""A shelf of more books than fit on a page, in a browser."""

from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect

from tests.browser.conftest import Daemon, open_page
from tests.epubs import build_epub, page

BOOKS = 65  # more than the shelf shows at first

pytestmark = pytest.mark.browser


@pytest.fixture
def stocked(start: Callable[[float], Daemon], tmp_path: Path) -> Daemon:
    daemon = start(5.0)
    for number in range(BOOKS):
        title = f"Émile, part {number:02}" if number == 3 else f"Book {number:02}"
        daemon.add(build_epub(tmp_path / f"{number}.epub", {"c.xhtml": page(f"<p>This is {title}.</p>")}, title=title))
    return daemon


def test_a_long_shelf_grows_as_it_is_scrolled_and_is_searched(stocked: Daemon, chromium: Browser) -> None:
    for window in open_page(chromium, "phone"):
        window.goto(f"{stocked.url}/")
        books = window.locator(".on-shelf")
        expect(window.get_by_role("heading", name="Your books")).to_be_visible()
        expect(books.first).to_contain_text(f"Book {BOOKS - 1}")
        books.last.scroll_into_view_if_needed()
        expect(books).to_have_count(BOOKS)
        find = window.get_by_role("searchbox", name="Find books")
        find.fill("emile")
        expect(books).to_have_count(1)
        expect(window.get_by_role("heading", name="1 book found")).to_be_visible()
        expect(find).to_be_focused()
        find.fill("nowhere")
        expect(window.get_by_text("No book has “nowhere”")).to_be_visible()
        find.fill("")
        window.get_by_role("combobox", name="Order").select_option("title")
        expect(books.first).to_contain_text("Book 00")
        books.first.click()
        expect(window.locator(".sentence").first).to_contain_text("This is Book 00.")
        window.go_back()
        expect(window.locator(".on-shelf").first).to_be_visible()
        window.goto(f"{stocked.url}/dashboard")
        rows = window.locator("library-list .book-row")
        expect(rows).to_have_count(60)
        window.get_by_role("button", name="Show more").click()
        expect(rows).to_have_count(BOOKS)
