"""A shelf of more books than fit on a page: found, searched, narrowed; and what is said when nobody answers."""

import os
import re
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browser.conftest import ROOT, Daemon, open_page
from tests.browser.prepared import store_in
from tests.fakes.synthetic import ENGINE, book, chapter, put

BOOKS = 65  # more than the shelf shows at first

pytestmark = pytest.mark.browser


@pytest.fixture(scope="module")
def stocked(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Daemon]:
    """Books of a sentence each, and one of twenty in a series; their render is slow."""
    folder = tmp_path_factory.mktemp("house")
    store = store_in(folder)
    for number in range(BOOKS):
        source = folder / f"{number}.epub"
        made = replace(
            book(source, [chapter(1, [f"This is Book {number:02}."])]), title=f"Book {number:02}", cover=None
        )
        if number == 3:
            lessons = [f"Lesson {lesson} begins, and the tutor says nothing." for lesson in range(1, 21)]
            made = replace(
                made, title="Émile, part 03", series="Childhoods", series_index=3.0, chapters=(chapter(1, lessons),)
            )
        made = replace(made, id=f"{number:016x}", identifiers=(f"urn:{number}",))
        added = datetime(2026, 1, 1, tzinfo=UTC) + timedelta(hours=number)
        store.put_book(made, source=source, voice="af_heart", engine=ENGINE, bitrate=48_000, added=added)
    port = free_port()
    with serve(folder, port, pass_s=5) as process:
        yield Daemon(f"http://127.0.0.1:{port}", folder)
        assert process.poll() is None


@pytest.fixture
def window(chromium: Browser, stocked: Daemon) -> Iterator[Page]:
    for window in open_page(chromium, "phone"):
        window.goto(f"{stocked.url}/")
        expect(window.locator(".on-shelf").first).to_be_visible()
        yield window


def test_a_long_shelf_grows_as_it_is_scrolled_and_is_searched(window: Page, stocked: Daemon) -> None:
    books = window.locator(".on-shelf")
    expect(window.get_by_role("heading", name="Your books")).to_be_visible()
    expect(books.first).to_contain_text(f"Book {BOOKS - 1}")
    books.last.scroll_into_view_if_needed()
    expect(books).to_have_count(BOOKS)
    find = window.get_by_role("searchbox", name="Find books and passages")
    find.fill("emile")
    expect(books).to_have_count(1)
    expect(books).to_contain_text("Childhoods 3")
    expect(window.get_by_role("heading", name="1 book found")).to_be_visible()
    expect(find).to_be_focused()
    find.fill("nowhere")
    expect(window.get_by_text("No book has “nowhere”")).to_be_visible()
    expect(window.get_by_text("Nothing in the text has “nowhere”")).to_be_visible()
    find.fill("")
    order = window.get_by_role("combobox", name="Order")
    order.select_option("series")
    expect(window.get_by_role("heading", name="Childhoods")).to_be_visible()
    expect(window.locator(".series-group").first.locator(".on-shelf")).to_contain_text("Book 3")
    order.select_option("title")
    expect(books.first).to_contain_text("Book 00")
    books.first.click()
    expect(window.locator(".sentence").first).to_contain_text("This is Book 00.")
    window.go_back()
    expect(window.locator(".on-shelf").first).to_contain_text("Book 00")
    window.goto(f"{stocked.url}/dashboard")
    rows = window.locator("library-list .book-row")
    expect(rows).to_have_count(60)
    window.get_by_role("button", name="Show more").click()
    expect(rows).to_have_count(BOOKS)


def test_a_passage_is_found_opened_where_it_stands_and_gone_back_from(window: Page, stocked: Daemon) -> None:
    emile = stocked.get("/books?q=emile")["books"][0]["id"]
    sentences = stocked.get(f"/books/{emile}/chapters/1")["sentences"]
    find = window.get_by_role("searchbox", name="Find books and passages")
    find.fill("tutor says")
    expect(window.get_by_role("heading", name="In the text: 20 passages")).to_be_visible()
    find.fill("lesson 12")
    hit = window.get_by_role("link", name="Émile, part 03")
    expect(hit).to_have_count(1)
    expect(hit.locator("mark")).to_have_text(["Lesson", "12"])
    hit.click()
    spoken = window.locator(".sentence.spoken")
    expect(spoken).to_have_text(sentences[11]["text"])
    expect(spoken).to_be_in_viewport()
    window.get_by_role("button", name="Back to where you were").click()
    expect(spoken).to_have_text(sentences[0]["text"])
    window.reload()  # the address does not lead there again
    expect(spoken).to_have_text(sentences[0]["text"])
    window.go_back()
    expect(find).to_have_value("lesson 12")
    expect(hit).to_be_visible()


def test_passages_that_were_found_stay_when_more_cannot_be_had(window: Page) -> None:
    window.get_by_role("searchbox", name="Find books and passages").fill("this is")
    hits = window.locator("search-hits .hit")
    expect(hits).to_have_count(20)
    window.route("**/api/v1/search?*offset=20*", lambda route: route.abort())
    window.get_by_role("button", name="Show more passages").click()
    expect(window.get_by_role("heading", name="The text cannot be searched now.")).to_be_visible()
    expect(hits).to_have_count(20)
    window.unroute("**/api/v1/search?*offset=20*")
    more = window.locator("search-hits").get_by_role("button")
    for count in (40, 60, BOOKS - 1):
        more.click()
        expect(hits).to_have_count(count)
    expect(more).to_be_hidden()
    texts = hits.locator(".text").all_inner_texts()
    assert len(set(texts)) == BOOKS - 1


def test_how_far_one_is_shows_and_narrows_the_shelf(window: Page, stocked: Daemon) -> None:
    emile = stocked.get("/books?q=emile")["books"][0]["id"]
    sentences = stocked.get(f"/books/{emile}/chapters/1")["sentences"]
    put = """([book, sentence]) => fetch(`/api/v1/books/${book}/position`, {method: "PUT",
      headers: {"content-type": "application/json"}, body: JSON.stringify({chapter: 1, sentence, reason: "jump"})})"""
    window.evaluate(put, [emile, sentences[10]["id"]])
    hero = window.locator(".hero")
    expect(hero).to_contain_text("Émile, part 03")
    expect(hero).to_contain_text(" left")
    # It was on the shelf before, at its beginning.
    expect(hero.locator(".meter")).to_have_attribute("style", re.compile(r"--share: ?0\.[45]"))
    books = window.locator(".on-shelf")
    chips = window.get_by_role("group", name="Which books")
    chips.get_by_role("button", name="In progress").click()
    expect(books).to_have_count(1)
    expect(hero).to_have_count(0)
    chips.get_by_role("button", name="Finished").click()
    expect(window.get_by_text("You have finished no book yet.")).to_be_visible()
    window.evaluate(put, [emile, sentences[-1]["id"]])
    expect(books).to_have_count(1)
    expect(books).to_contain_text("Finished")
    chips.get_by_role("button", name="New").click()
    expect(window.get_by_role("heading", name=f"{BOOKS - 1} books")).to_be_visible()


def test_a_server_that_ends_or_sleeps_is_told_and_the_page_goes_on_when_it_is_back(
    chromium: Browser, tmp_path: Path
) -> None:
    store = store_in(tmp_path)
    made = put(store, tmp_path, [chapter(1, ["This is all."])])
    port = free_port()
    url = f"http://127.0.0.1:{port}"
    for window in open_page(chromium, "phone"):
        line = window.locator("trouble-line")
        with serve(tmp_path, port):
            window.goto(f"{url}/")
            expect(window.locator(".on-shelf")).to_have_count(1)
        expect(line).to_contain_text("Lectern has stopped on this computer.")
        window.goto(f"{url}/#/book/{made.id}")
        expect(window.get_by_role("button", name="Try again")).to_be_visible()
        with serve(tmp_path, port) as process:
            expect(window.locator(".sentence.spoken")).to_have_text("This is all.")
            expect(line).not_to_contain_text("stopped")
            process.send_signal(signal.SIGSTOP)  # takes connections and says nothing, as one that falls asleep
            window.evaluate("dispatchEvent(new Event('online'))")  # looked at anew without waiting for it
            expect(line).to_contain_text("Start it again.")
            process.send_signal(signal.SIGCONT)
            expect(line).not_to_contain_text("Start it again.")  # by itself
            expect(line.locator("button")).to_be_hidden()


def free_port() -> int:
    """A port that nobody has."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return int(free.getsockname()[1])


@contextmanager
def serve(folder: Path, port: int, pass_s: float = 0) -> Iterator[subprocess.Popen[str]]:
    """A daemon on this port, until the block is left."""
    environ = {"LECTERN_DATA": str(folder / "data"), "LECTERN_LIBRARY": str(folder / "library")}
    environ |= {"LECTERN_PORT": str(port), "LECTERN_TEST_PASS_S": str(pass_s)}
    process = subprocess.Popen(
        [sys.executable, "-m", "tests.browser.daemon"],
        cwd=ROOT,
        env=os.environ | environ,
        stdout=subprocess.PIPE,
        text=True,
    )
    try:
        assert process.stdout is not None and process.stdout.readline().strip() == "ready"
        yield process
    finally:
        process.send_signal(signal.SIGCONT)
        process.terminate()
        process.wait(60)
