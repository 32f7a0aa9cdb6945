"""The place in Chromium, against the daemon: two devices, a server that goes away, jumps undone, bookmarks."""

import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Locator, Page, expect

from tests.browser.conftest import ROOT, SIZES, Daemon, open_page
from tests.browser.test_player import heard, open_book, play, wait_for

pytestmark = pytest.mark.browser


class House(Daemon):
    """A daemon that can be killed and started again where it was."""

    def __init__(self, folder: Path) -> None:
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = int(free.getsockname()[1])
        super().__init__(f"http://127.0.0.1:{self.port}", folder)
        self.process: subprocess.Popen[str] | None = None

    def start(self) -> None:
        environ = {"LECTERN_DATA": str(self.folder / "data"), "LECTERN_LIBRARY": str(self.folder / "library")}
        self.process = subprocess.Popen(
            [sys.executable, "-m", "tests.browser.daemon"],
            cwd=ROOT,
            env=os.environ | environ | {"LECTERN_PORT": str(self.port)},
            stdout=subprocess.PIPE,
            text=True,
        )
        assert self.process.stdout is not None and self.process.stdout.readline().strip() == "ready"

    def end(self, how: signal.Signals) -> None:
        if self.process is not None:
            self.process.send_signal(how)
            self.process.wait(60)
            self.process = None

    def ask(self, method: str, path: str, body: dict[str, Any] | None = None) -> None:
        data = None if body is None else json.dumps(body).encode()
        headers = {"content-type": "application/json"}
        request = urllib.request.Request(f"{self.url}/api/v1{path}", data=data, headers=headers, method=method)
        with urllib.request.urlopen(request, timeout=30):
            pass

    def sentences(self, book: str, chapter: int) -> list[dict[str, Any]]:
        found: list[dict[str, Any]] = self.get(f"/books/{book}/chapters/{chapter}")["sentences"]
        return found

    def place(self, book: str) -> tuple[int, str]:
        found = self.get(f"/books/{book}/position")
        return found["chapter"], found["sentence"]


@pytest.fixture(scope="module")
def house(tmp_path_factory: pytest.TempPathFactory, rendered: Path) -> Iterator[House]:
    made = House(tmp_path_factory.mktemp("places"))
    shutil.copytree(rendered, made.folder / "data" / "store")
    made.start()
    yield made
    made.end(signal.SIGTERM)


@pytest.fixture(scope="module")
def shelved(house: House, epub: Path) -> str:
    made = house.add(epub)
    house.wait_until_rendered(made)
    return made


@pytest.fixture
def book(house: House, shelved: str) -> str:
    """The book at its beginning, without bookmarks; no device of the test was there yet."""
    first = house.sentences(shelved, 1)[0]["id"]
    house.ask("PUT", f"/books/{shelved}/position", {"chapter": 1, "sentence": first, "reason": "jump"})
    for mark in house.get(f"/books/{shelved}/bookmarks")["bookmarks"]:
        house.ask("DELETE", f"/books/{shelved}/bookmarks/{mark['id']}")
    return shelved


@pytest.fixture
def desk(house: House, chromium: Browser) -> Iterator[Page]:
    yield from open_page(chromium, "desk")


@pytest.fixture
def phone(house: House, chromium: Browser) -> Iterator[Page]:
    yield from open_page(chromium, "phone")


def tap(page: Page, sentence: str) -> None:
    page.locator(f'[data-sentence="{sentence}"] .word').first.click()
    wait_for(page, lambda now: now["sentence"] == sentence)


def until(what: Callable[[], bool], seconds: float = 90) -> None:
    end = time.monotonic() + seconds
    while not what():
        assert time.monotonic() < end
        time.sleep(0.05)


def jumps(house: House, book: str) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = house.get(f"/books/{book}/position/jumps")["jumps"]
    return found


def sheet(page: Page, name: str, opener: str) -> Locator:
    page.get_by_role("button", name="Chapters", exact=True).press("Enter")
    page.get_by_role("dialog", name="Chapters").get_by_role("button", name=opener).press("Enter")
    dialog = page.get_by_role("dialog", name=name)
    expect(dialog).to_be_visible()
    return dialog


def test_a_tap_back_to_the_beginning_is_saved_and_can_be_undone(house: House, book: str, desk: Page) -> None:
    first, far = (house.sentences(book, 1)[at]["id"] for at in (0, 6))
    open_book(desk, house, book)
    tap(desk, far)
    until(lambda: house.place(book) == (1, far))
    tap(desk, first)
    until(lambda: house.place(book) == (1, first))
    assert house.get(f"/books/{book}/position")["reason"] == "jump"
    back = desk.get_by_role("button", name="Back to where you were")
    back.press("Enter")
    wait_for(desk, lambda now: now["sentence"] == far)
    until(lambda: house.place(book) == (1, far))
    expect(back).to_be_hidden()
    assert heard(desk)["state"] == "paused"
    # And from the list, that last jump, too.
    dialog = sheet(desk, "Where you were", "Where you were")
    rows = dialog.get_by_role("listitem")
    expect(rows.first.get_by_role("button")).to_be_focused()
    desk.keyboard.press("Enter")
    wait_for(desk, lambda now: now["sentence"] == first)
    until(lambda: house.place(book) == (1, first))
    assert jumps(house, book)[0]["reason"] == "undo"
    expect(dialog).to_be_hidden()
    expect(desk.get_by_role("button", name="Chapters", exact=True)).to_be_focused()


def test_short_steps_are_no_jumps(house: House, book: str, desk: Page) -> None:
    sentences = house.sentences(book, 1)
    open_book(desk, house, book)
    tap(desk, sentences[4]["id"])
    until(lambda: house.place(book)[1] == sentences[4]["id"])
    before = jumps(house, book)
    expect(desk.get_by_role("button", name="Back to where you were")).to_be_visible()
    desk.reload()
    desk.wait_for_selector(".sentence.spoken")
    for _ in range(3):
        desk.keyboard.press("j")
    desk.keyboard.press(" ")
    desk.wait_for_selector("book-reader[data-playing]")
    desk.keyboard.press(" ")
    until(lambda: house.place(book)[1] == sentences[7]["id"])
    expect(desk.get_by_role("button", name="Back to where you were")).to_be_hidden()
    assert jumps(house, book) == before


def test_a_device_that_was_left_behind_is_asked(house: House, book: str, desk: Page, phone: Page) -> None:
    near, far = house.sentences(book, 1)[2]["id"], house.sentences(book, 3)[4]
    open_book(desk, house, book)
    tap(desk, near)
    until(lambda: house.place(book) == (1, near))
    # The phone begins where the desk was, without a question, and goes on elsewhere.
    open_book(phone, house, book)
    assert heard(phone)["sentence"] == near
    expect(phone.locator("other-place .card")).to_be_hidden()
    phone.get_by_role("button", name="Chapters", exact=True).click()
    phone.locator(".chapter-row:enabled").last.click()
    wait_for(phone, lambda now: now["chapter"] == 3)
    tap(phone, far["id"])
    # The desk is told, stays where it is, and is told once more when it is opened anew.
    card = desk.get_by_role("region", name="Another device")
    expect(card).to_contain_text(far["text"][:20])
    title = next(one["title"] for one in house.get(f"/books/{book}")["chapters_list"] if one["number"] == 3)
    expect(card).to_contain_text(title)
    expect(card).to_contain_text("just now")
    assert heard(desk)["sentence"] == near
    desk.reload()
    desk.wait_for_selector(".sentence.spoken")
    expect(card).to_be_visible()
    assert heard(desk)["sentence"] == near
    card.get_by_role("button", name="Go there").press("Enter")
    wait_for(desk, lambda now: (now["chapter"], now["sentence"]) == (3, far["id"]))
    expect(card).to_be_hidden()
    expect(desk.get_by_role("button", name="Play")).to_be_focused()
    desk.reload()
    desk.wait_for_selector(".sentence.spoken")
    assert heard(desk)["sentence"] == far["id"]
    expect(card).to_be_hidden()
    # Now the desk goes back, and the phone stays.
    desk.get_by_role("button", name="Chapters", exact=True).click()
    desk.locator(".chapter-row:enabled").first.click()
    until(lambda: house.place(book)[0] == 1)
    asked = phone.get_by_role("region", name="Another device")
    asked.get_by_role("button", name="Stay here").tap()
    expect(asked).to_be_hidden()
    until(lambda: house.place(book) == (3, far["id"]))
    assert house.get(f"/books/{book}/position")["reason"] == "stay"


def test_a_playing_device_goes_on_where_it_is_and_asks(house: House, book: str, desk: Page, phone: Page) -> None:
    last = house.sentences(book, 3)[2]["id"]
    open_book(desk, house, book)
    tap(desk, house.sentences(book, 1)[1]["id"])
    until(lambda: house.place(book)[0] == 1)
    open_book(phone, house, book)
    phone.get_by_role("button", name="Chapters", exact=True).click()
    phone.locator(".chapter-row:enabled").last.click()
    wait_for(phone, lambda now: now["chapter"] == 3)
    tap(phone, last)
    card = desk.get_by_role("region", name="Another device")
    expect(card).to_be_visible()
    play(desk)
    begun = heard(desk)["time_s"]
    wait_for(desk, lambda now: now["time_s"] > begun + 1)
    desk.keyboard.press(" ")  # which tells the place, and is answered that somebody must choose
    expect(card).to_be_visible()
    assert heard(desk)["chapter"] == 1
    assert house.place(book) == (3, last)


def test_what_a_sleeping_server_missed_is_told_when_it_is_back(house: House, book: str, desk: Page) -> None:
    sentences = house.sentences(book, 1)
    open_book(desk, house, book)
    tap(desk, sentences[1]["id"])
    until(lambda: house.place(book) == (1, sentences[1]["id"]))
    house.end(signal.SIGKILL)
    tap(desk, sentences[5]["id"])
    desk.wait_for_timeout(600)
    desk.goto("about:blank")  # the page is gone, too
    house.start()
    assert house.place(book) == (1, sentences[1]["id"])
    desk.goto(f"{house.url}/")  # the next start, on the shelf
    until(lambda: house.place(book) == (1, sentences[5]["id"]))
    assert jumps(house, book)[0]["reason"] == "jump"
    # With the page open it is told by itself.
    open_book(desk, house, book)
    assert heard(desk)["sentence"] == sentences[5]["id"]
    house.end(signal.SIGKILL)
    tap(desk, sentences[3]["id"])
    desk.wait_for_timeout(600)
    house.start()
    until(lambda: house.place(book) == (1, sentences[3]["id"]))


def test_what_waited_is_not_put_over_something_newer(house: House, book: str, desk: Page, phone: Page) -> None:
    sentences, newer = house.sentences(book, 1), house.sentences(book, 2)[1]["id"]
    open_book(desk, house, book)
    tap(desk, sentences[1]["id"])
    until(lambda: house.place(book)[1] == sentences[1]["id"])
    desk.context.set_offline(True)
    tap(desk, sentences[6]["id"])
    desk.wait_for_timeout(600)
    open_book(phone, house, book)
    phone.get_by_role("button", name="Chapters", exact=True).click()
    phone.locator(".chapter-row:enabled").nth(1).click()
    wait_for(phone, lambda now: now["chapter"] == 2)
    tap(phone, newer)
    until(lambda: house.place(book) == (2, newer))
    desk.context.set_offline(False)
    card = desk.get_by_role("region", name="Another device")
    expect(card).to_be_visible(timeout=30_000)
    assert heard(desk)["sentence"] == sentences[6]["id"]
    assert house.place(book) == (2, newer)


@pytest.mark.parametrize("size", list(SIZES))
def test_bookmarks(house: House, book: str, chromium: Browser, size: str) -> None:
    sentences = house.sentences(book, 1)
    for page in open_page(chromium, size):
        open_book(page, house, book)
        dialog = sheet(page, "Bookmarks", "Bookmarks")
        expect(dialog).to_contain_text("No bookmarks yet.")
        page.keyboard.press("Escape")
        for at in (5, 2):
            tap(page, sentences[at]["id"])
            page.keyboard.press("b")
            expect(page.locator("book-marks .brief [role=status]")).to_contain_text("Bookmarked:")
        expect(page.locator(".sentence.marked")).to_have_count(2)
        page.get_by_role("button", name="Take that back").press("Enter")
        expect(page.locator(".sentence.marked")).to_have_count(1)
        page.get_by_role("button", name="Put it back").press("Enter")
        expect(page.locator(".sentence.marked")).to_have_count(2)
        page.get_by_role("button", name="Bookmark this sentence").click()
        page.get_by_role("button", name="Add a note").click()
        note = dialog.get_by_role("textbox", name="Note")
        expect(note).to_be_focused()
        note.fill("Ask her.")
        dialog.get_by_role("button", name="Save").press("Enter")
        rows = dialog.get_by_role("listitem")
        expect(rows).to_have_count(2)
        expect(rows.first).to_contain_text("Ask her.")  # by place, not by when it was set
        expect(rows.first.get_by_role("button", name="Change the note")).to_be_focused()
        assert [one["note"] for one in house.get(f"/books/{book}/bookmarks")["bookmarks"]] == ["Ask her.", None]
        rows.first.get_by_role("button", name="Remove the bookmark").press("Enter")
        until(lambda: len(house.get(f"/books/{book}/bookmarks")["bookmarks"]) == 1)
        undo = dialog.get_by_role("button", name="Undo")
        expect(undo).to_be_focused()
        undo.press("Enter")
        expect(rows.first).to_contain_text("Ask her.")
        until(lambda: len(house.get(f"/books/{book}/bookmarks")["bookmarks"]) == 2)
        rows.last.locator(".spot").press("Enter")
        wait_for(page, lambda now: now["sentence"] == sentences[5]["id"])
        expect(dialog).to_be_hidden()
        # All at one moment: some of them go away by themselves.
        sizes = page.locator("book-reader .round, .pill").evaluate_all(
            "all => all.map(one => one.getBoundingClientRect()).filter(box => box.width > 0)"
            ".map(box => Math.min(box.width, box.height))"
        )
        assert sizes and min(sizes) >= 44
