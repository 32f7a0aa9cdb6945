"""The dashboard in Chromium, against the daemon: add, refuse, watch, delete."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browser.conftest import Daemon, Start, open_page
from tests.epubs import build_epub

pytestmark = pytest.mark.browser


@pytest.fixture(scope="module")
def house(start: Start) -> Daemon:
    return start(0.05)


@pytest.fixture
def dashboard(house: Daemon, chromium: Browser, size: str) -> Iterator[Page]:
    for page in open_page(chromium, size):
        page.goto(f"{house.url}/dashboard")
        yield page


def test_an_empty_house_says_where_books_go(dashboard: Page, house: Daemon) -> None:
    expect(dashboard.get_by_text("No books yet.")).to_be_visible()
    expect(dashboard.locator("book-adder code")).to_have_text(str(house.folder / "library"))
    expect(dashboard.locator("phone-address .steps li").last).to_contain_text("Point the phone’s camera at the code")


def test_a_gpu_that_computes_wrong_is_told_of(
    start: Start, chromium: Browser, size: str, epub: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LECTERN_TEST_COMPUTE", "cpu")
    house = start(0.05)
    for page in open_page(chromium, size):
        page.goto(f"{house.url}/dashboard")
        warning = page.locator("worker-now .warning")
        expect(page.get_by_text("No books yet.")).to_be_visible()
        expect(warning).to_be_hidden()
        house.add(epub)
        expect(warning).to_have_text(
            "The GPU computes wrong numbers. Lectern computes on the CPU instead, which is slower."
        )
    assert house.get("/status")["worker"]["device"]


def test_a_file_that_is_no_book_is_refused_in_a_sentence(dashboard: Page, tmp_path: Path) -> None:
    (bad := tmp_path / "letter.epub").write_text("Dear Anna, this is a letter.")
    dashboard.set_input_files("#choose-files", bad)
    refusal = dashboard.locator("refusal-list .row", has_text="letter.epub")
    expect(refusal).to_have_count(1)
    expect(refusal).to_contain_text(".")
    expect(dashboard.locator(".uploads li")).to_have_count(0)
    refusal.get_by_role("button").click()
    expect(refusal).to_have_count(0)


def test_a_book_in_a_language_that_nobody_speaks_can_be_read_as_english(
    dashboard: Page, house: Daemon, tmp_path: Path
) -> None:
    title = f"Der Schnee {tmp_path.name}"  # each size of window has its own
    book = build_epub(tmp_path / "schnee.epub", {"a.xhtml": "<p>It snows.</p>"}, title=title, language="de")
    dashboard.set_input_files("#choose-files", book)
    row = dashboard.locator(".uploads li", has_text="schnee.epub")
    expect(row).to_contain_text("is in German")
    row.get_by_role("button", name="Read it as English").click()
    expect(dashboard.locator("library-list .row", has_text=title)).to_have_count(1)
    expect(dashboard.locator("refusal-list .row", has_text="schnee.epub")).to_have_count(0)
    for shelved in house.get("/books")["books"]:  # the shelf is everybody's
        house.delete(shelved["id"])


def test_a_book_is_added_rendered_and_deleted_in_two_steps(dashboard: Page, house: Daemon, epub: Path) -> None:
    dashboard.set_input_files("#choose-files", epub)
    row = dashboard.locator(".book-row")
    expect(row).to_have_count(1, timeout=120_000)
    added = dashboard.locator(".uploads")
    expect(added).to_contain_text("Added")
    expect(added.get_by_role("link", name="Listen to it")).to_have_attribute("href", re.compile("^/#/book/"))
    expect(row.locator(".note")).to_contain_text("min", timeout=120_000)

    row.get_by_role("button", name="Delete").click()
    dialog = dashboard.get_by_role("dialog")
    dialog.get_by_role("button", name="Keep everything").click()
    expect(dialog).to_be_hidden()

    row.get_by_role("button", name="Delete").click()
    dialog.get_by_role("button", name="Delete the audio").click()
    expect(row.locator(".note")).to_contain_text("when somebody listens")
    assert house.get("/books")["books"][0]["sentences"]["rendered"] == 0

    row.get_by_role("button", name="Delete").click()
    dialog.get_by_role("button", name="Delete the book and its audio").click()
    expect(row).to_have_count(0)
    assert house.get("/books")["books"] == []
