"""The player in Chromium, against the daemon: what is lit is what is heard, and places stay kept."""

import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browser.conftest import Daemon, Start, open_page

pytestmark = pytest.mark.browser

RATE_HZ = 24_000
HEARD = """() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => {
  const lit = document.querySelector(".word.lit");
  const spoken = document.querySelector(".sentence.spoken");
  done({
    time_s: document.querySelector("audio").currentTime,
    sentence: spoken && spoken.dataset.sentence,
    word: lit ? Number(lit.dataset.word) : -1,
    chapter: Number(document.querySelector("book-reader").dataset.chapter),
    state: document.querySelector("book-reader").dataset.state,
  });
})))"""


def open_book(page: Page, daemon: Daemon, book: str) -> None:
    page.goto(f"{daemon.url}/#/book/{book}")
    page.wait_for_selector(".sentence.spoken")


def play(page: Page) -> None:
    page.get_by_role("button", name="Play").click()
    page.wait_for_selector("book-reader[data-playing]")


def heard(page: Page) -> dict[str, Any]:
    found: dict[str, Any] = page.evaluate(HEARD)
    return found


def wait_for(page: Page, what: Callable[[dict[str, Any]], bool], seconds: float = 90) -> dict[str, Any]:
    end = time.monotonic() + seconds
    while not what(now := heard(page)):
        assert time.monotonic() < end, now
        page.wait_for_timeout(100)
    return now


def error_s(index: dict[str, Any], now: dict[str, Any]) -> float:
    """How far the audio is outside the lit word's span, on the time line of a chapter played from its start."""
    start = 0
    for entry in index["sentences"]:
        if entry["id"] == now["sentence"]:
            words = entry["words"]
            length = entry["samples"] + entry["gap_after_samples"]
            first = words[now["word"]][0] if now["word"] >= 0 else 0
            end = words[now["word"] + 1][0] if now["word"] + 1 < len(words) else length
            at = now["time_s"] * RATE_HZ - start
            return float(max(0.0, first - at, at - end) / RATE_HZ)
        start += entry["samples"] + entry["gap_after_samples"]
    raise AssertionError(f"sentence {now['sentence']} is not in the chapter")


@pytest.fixture
def fresh(daemon: Daemon, book: str, page: Page) -> Page:
    """A page with the book open at the beginning of chapter 1."""
    first = daemon.get(f"/books/{book}/chapters/1")["sentences"][0]["id"]
    open_book(page, daemon, book)
    page.evaluate(
        """([book, sentence]) => fetch(`/api/v1/books/${book}/position`, {
             method: "PUT", headers: {"content-type": "application/json"},
             body: JSON.stringify({chapter: 1, sentence, word: 0, reason: "jump"}),
           })""",
        [book, first],
    )
    page.reload()
    page.wait_for_selector(".sentence.spoken")
    return page


def test_the_lit_word_follows_the_audio(fresh: Page, daemon: Daemon, book: str) -> None:
    index = daemon.get(f"/books/{book}/chapters/1")
    play(fresh)
    errors, words = [], set()
    for _ in range(40):
        fresh.wait_for_timeout(130)
        now = heard(fresh)
        errors.append(error_s(index, now))
        words.add((now["sentence"], now["word"]))
    assert sorted(errors)[37] <= 0.05, sorted(errors)[-5:]
    assert len(words) > 8


def test_a_tap_on_a_word_lands_on_it(fresh: Page) -> None:
    play(fresh)
    word = fresh.locator("chapter-text p.paragraph").nth(1).locator(".word").nth(5)
    sentence = word.evaluate("(word) => word.closest('[data-sentence]').dataset.sentence")
    number = int(word.get_attribute("data-word") or -1)
    word.click()
    now = wait_for(fresh, lambda now: now["sentence"] == sentence and now["state"] == "playing")
    assert number <= now["word"] <= number + 2
    # Back to before the stream began, which is no longer or was never in the buffer.
    fresh.locator("chapter-text h2 .word").first.click()
    wait_for(fresh, lambda now: now["word"] in (-1, 0) and now["state"] == "playing" and now["time_s"] < 2)


def test_the_voice_runs_on_into_the_next_chapter(fresh: Page) -> None:
    fresh.locator(".scrubber").evaluate("(bar) => { bar.value = bar.max - 2; bar.dispatchEvent(new Event('change')); }")
    play(fresh)
    before = heard(fresh)
    assert before["chapter"] == 1
    after = wait_for(fresh, lambda now: now["chapter"] == 2 and now["word"] >= 0)
    assert after["time_s"] > before["time_s"], "the same stream went on"
    expect(fresh.locator(".reader-head .chapter")).not_to_be_empty()


def test_a_place_is_kept_to_the_word_and_never_one_that_nobody_moved_to(fresh: Page, daemon: Daemon, book: str) -> None:
    saved: list[str] = []
    fresh.on("request", lambda asked: saved.append(asked.url) if asked.method == "PUT" else None)
    fresh.reload()
    fresh.wait_for_selector(".sentence.spoken")
    fresh.wait_for_timeout(800)
    assert saved == []
    play(fresh)
    wait_for(fresh, lambda now: now["time_s"] > 4)
    fresh.get_by_role("button", name="Pause").click()
    place = heard(fresh)
    fresh.wait_for_timeout(500)
    kept = daemon.get(f"/books/{book}/position")
    assert (kept["sentence"], kept["word"]) == (place["sentence"], max(0, place["word"]))
    fresh.reload()
    fresh.wait_for_selector(".sentence.spoken")
    again = heard(fresh)
    assert (again["sentence"], max(0, again["word"])) == (place["sentence"], max(0, place["word"]))


def test_a_kept_word_is_where_it_begins_and_not_its_sentence(fresh: Page, daemon: Daemon, book: str) -> None:
    sentences = daemon.get(f"/books/{book}/chapters/1")["sentences"]
    long = max(sentences, key=lambda sentence: len(sentence["words"]))
    word = len(long["words"]) - 4
    fresh.evaluate(
        """([book, sentence, word]) => fetch(`/api/v1/books/${book}/position`, {
             method: "PUT", headers: {"content-type": "application/json"},
             body: JSON.stringify({chapter: 1, sentence, word}),
           })""",
        [book, long["id"], word],
    )
    for _ in range(3):  # what went wrong depended on whether the audio or the event came first
        fresh.reload()
        fresh.wait_for_selector(".sentence.spoken")
        fresh.evaluate(
            """() => {
                 const audio = document.querySelector("audio");
                 window.heardFrom = new Promise((done) => audio.addEventListener("timeupdate", () => {
                   if (!audio.paused && audio.readyState > 2) done(audio.currentTime);
                 }));
               }"""
        )
        play(fresh)
        assert fresh.evaluate("window.heardFrom") >= long["words"][word][0] / RATE_HZ - 0.001


def test_keys_steer(fresh: Page) -> None:
    fresh.keyboard.press(" ")
    fresh.wait_for_selector("book-reader[data-playing]")
    first = heard(fresh)["sentence"]
    fresh.keyboard.press("j")
    second = wait_for(fresh, lambda now: now["sentence"] != first)["sentence"]
    fresh.keyboard.press("k")
    wait_for(fresh, lambda now: now["sentence"] == first)
    fresh.keyboard.press("ArrowRight")
    wait_for(fresh, lambda now: now["sentence"] not in (first, second))
    fresh.keyboard.press("]")
    assert fresh.locator("audio").evaluate("(audio) => audio.playbackRate") == 1.1
    fresh.keyboard.press("[")
    fresh.keyboard.press(" ")
    fresh.wait_for_selector("book-reader[data-state=paused]")


def test_following_yields_to_the_reader_and_comes_back(fresh: Page) -> None:
    play(fresh)
    fresh.mouse.move(700, 400)
    fresh.mouse.wheel(0, 4_000)
    button = fresh.get_by_role("button", name="Back to the voice")
    expect(button).to_be_visible()
    top = fresh.evaluate("scrollY")
    fresh.wait_for_timeout(1_500)
    assert fresh.evaluate("scrollY") == top
    button.click()
    expect(button).to_be_hidden()
    expect(fresh.locator(".sentence.spoken")).to_be_in_viewport()


def test_the_shelf_leads_back_into_the_book(fresh: Page, daemon: Daemon) -> None:
    fresh.goto(f"{daemon.url}/")
    fresh.locator(".hero").click()
    fresh.wait_for_selector(".sentence.spoken")
    fresh.get_by_role("button", name="Chapters", exact=True).click()
    expect(fresh.get_by_role("dialog", name="Chapters").locator("li")).not_to_have_count(0)


@pytest.fixture
def behind(start: Start, epub: Path, chromium: Browser) -> Iterator[tuple[Page, Daemon, str]]:
    """A page and a daemon whose render is slow, with a book just added."""
    daemon = start(0.5)
    book = daemon.add(epub)
    for page in open_page(chromium, "phone"):
        yield page, daemon, book


def test_ahead_of_the_render_it_waits_says_so_and_goes_on_by_itself(behind: tuple[Page, Daemon, str]) -> None:
    page, daemon, book = behind
    page.goto(f"{daemon.url}/#/book/{book}")
    page.wait_for_selector(".sentence.spoken")
    page.get_by_role("button", name="Play").click()
    page.get_by_role("button", name="Chapters", exact=True).click()
    page.locator(".chapter-row:enabled").last.click()
    page.wait_for_selector("book-reader[data-state=waiting]")
    expect(page.locator(".reader-note")).to_contain_text("Rendering this passage")
    wait_for(page, lambda now: now["state"] == "playing" and now["word"] >= 0, 60)
    expect(page.locator(".reader-note")).to_be_empty()
    assert daemon.get(f"/books/{book}")["sentences"]["rendered"] < daemon.get(f"/books/{book}")["sentences"]["total"]


def test_the_sleep_timer_stops_where_the_chapter_ends_and_the_voice_goes_on_from_there(
    fresh: Page, daemon: Daemon, book: str
) -> None:
    last = daemon.get(f"/books/{book}/chapters/1")["sentences"][-1]["id"]
    fresh.locator(f'[data-sentence="{last}"] .word').first.click()
    wait_for(fresh, lambda now: now["sentence"] == last)
    button = fresh.get_by_role("button", name="Sleep timer")
    button.press("Enter")
    sheet = fresh.get_by_role("dialog", name="Sleep timer")
    expect(sheet.get_by_role("status")).to_have_text("Stop by itself")
    sheet.get_by_role("button", name="End of the chapter", exact=True).press("Enter")
    expect(sheet).to_be_hidden()
    expect(fresh.get_by_role("button", name="Sleep timer, to the end of the chapter")).to_be_visible()
    if heard(fresh)["state"] != "playing":
        play(fresh)
    fresh.wait_for_selector('book-reader[data-chapter="2"][data-state="paused"]', timeout=120_000)
    stopped = heard(fresh)
    expect(fresh.get_by_role("button", name="Sleep timer", exact=True)).to_be_visible()
    assert stopped["sentence"] == daemon.get(f"/books/{book}/chapters/2")["sentences"][0]["id"]
    play(fresh)
    wait_for(fresh, lambda now: now["chapter"] == 2 and now["time_s"] > stopped["time_s"])
