"""Voices heard against each other: a switch lands on the same word, opinions stay, names can be hidden, and pairs."""

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browser.conftest import ROOT, Daemon, Start, open_page
from tests.browser.test_accessible import faults

pytestmark = pytest.mark.browser

# What is started: when, from which second of the sound, and how long that is. And what was lit when a key went down.
RECORD = """
  window.started = []; window.pressed = [];
  const start = AudioBufferSourceNode.prototype.start;
  AudioBufferSourceNode.prototype.start = function (when, from_s) {
    window.started.push({ at_ms: performance.now(), from_s, whole_s: this.buffer.duration });
    return start.call(this, when, from_s);
  };
  addEventListener("keydown", () => {
    const words = [...document.querySelectorAll("passage-text .word")];
    window.pressed.push({ at_ms: performance.now(), word: words.findIndex((one) => one.matches(".lit")) });
  }, true);
"""


@pytest.fixture(scope="module")
def house(start: Start, rendered: Path, epub: Path, tmp_path_factory: pytest.TempPathFactory) -> Daemon:
    """With all of the sample rendered, on a Mac with system voices."""
    command = tmp_path_factory.mktemp("mac") / "say"
    command.write_text(f'#!/bin/sh\ncd "{ROOT}" && exec "{sys.executable}" -m tests.fakes.say "$@"\n')
    command.chmod(0o755)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("LECTERN_TEST_SAY", str(command))
        made = start(0, rendered)
    made.wait_until_rendered(made.add(epub))
    return made


@pytest.fixture
def window(house: Daemon, chromium: Browser) -> Iterator[Page]:
    yield from _recording(chromium, "desk")


@pytest.fixture
def hand(house: Daemon, chromium: Browser) -> Iterator[Page]:
    yield from _recording(chromium, "phone")


def _recording(chromium: Browser, size: str) -> Iterator[Page]:
    for page in open_page(chromium, size):
        page.add_init_script(RECORD)
        yield page


def open_audition(page: Page, house: Daemon) -> None:
    page.goto(f"{house.url}/dashboard#/audition")
    expect(page.locator(".cast-row[data-state=ready]")).to_have_count(4)


def take(page: Page, house: Daemon, voice: str, text: str) -> list[dict[str, Any]]:
    """The words of a voice on a text, as the server tells them."""
    reply = page.request.post(f"{house.url}/api/v1/audition/takes", data={"text": text, "voice": voice})
    words: list[dict[str, Any]] = reply.json()["words"]
    return words


def test_a_number_key_goes_on_at_the_same_word_in_another_voice(window: Page, house: Daemon) -> None:
    open_audition(window, house)
    window.get_by_label("Add a voice").select_option(label="Daniel")
    expect(window.locator(".cast-row[data-state=ready]")).to_have_count(5)
    expect(window.locator(".cast-row").last).to_contain_text("words are not timed")
    text = window.locator("passage-text").evaluate("one => one.text")
    quick, slow = take(window, house, "say:Daniel", text), take(window, house, "af_heart", text)
    assert abs(quick[10]["start_s"] - slow[10]["start_s"]) > 0.5  # the same second is another place
    window.locator("passage-text .word").nth(4).click()
    landed = []
    for number in (5, 1, 5, 2):
        lit = window.evaluate("() => window.started.length")
        expect(window.locator("passage-text .word.lit")).to_have_count(1)
        window.wait_for_timeout(350)
        window.keyboard.press(str(number))
        window.wait_for_function("n => window.started.length > n", arg=lit)
        words = quick if number == 5 else slow
        from_s = window.evaluate("() => window.started.at(-1).from_s")
        at = next(k for k, word in enumerate(words) if word["end_s"] > from_s)
        landed.append((window.evaluate("() => window.pressed.at(-1).word"), at))
    assert all(abs(lit - at) <= 1 for lit, at in landed), landed
    assert [number for number, _ in landed] == sorted(number for number, _ in landed)  # it never went back
    expect(window.locator(".turn[aria-pressed=true] kbd")).to_have_text("2")
    window.keyboard.press("Space")
    expect(window.get_by_role("button", name="Play", exact=True)).to_be_visible()
    window.keyboard.press("ArrowRight")
    expect(window.get_by_role("button", name="Pause", exact=True)).to_be_visible()


def test_stars_and_a_note_follow_the_voice_into_a_book_of_ones_own(hand: Page, house: Daemon) -> None:
    open_audition(hand, house)
    row = hand.locator(".cast-row").first
    row.get_by_role("button", name="4 stars").click()
    expect(row.get_by_role("button", name="4 stars")).to_have_attribute("aria-pressed", "true")
    expect(row.get_by_role("button", name="4 stars")).to_be_focused()
    row.get_by_label("Note on").fill("Warm.")
    row.get_by_label("Note on").press("Tab")
    hand.get_by_role("button", name="From a book …").click()
    expect(hand.get_by_label("Chapter", exact=True).locator("option").nth(1)).to_be_attached()
    expect(hand.locator(".cast-row").first.get_by_label("Note on")).to_have_value("Warm.")
    expect(hand.locator(".cast-row[data-state=ready]")).to_have_count(4)
    asked: list[str] = []
    hand.on("request", lambda sent: asked.append(sent.url) if "/renditions/" in sent.url else None)
    hand.locator("passage-text .word").nth(2).tap()
    expect(hand.locator("passage-text .word.lit")).to_have_count(1)
    assert faults(hand) == []
    told = json.loads((house.folder / "data" / "audition.json").read_text())
    assert told["voices"]["af_heart"] == {"stars": 4, "note": "Warm.", "favourite": False}
    assert hand.evaluate("document.documentElement.scrollWidth <= innerWidth")


def test_names_are_hidden_until_the_best_is_chosen(window: Page, house: Daemon) -> None:
    open_audition(window, house)
    window.get_by_label("Hide the names").check()
    expect(window.locator(".cast-row .name").first).to_have_text("Voice A")
    expect(window.locator("voice-cast")).not_to_contain_text("Heart")
    best = window.get_by_role("button", name="This is the best")
    best.first.click()
    expect(window.locator(".result")).to_have_text("Hear at least two of them first.")
    window.keyboard.press("1")
    window.keyboard.press("2")
    best.nth(1).click()
    expect(window.locator(".result .lead")).to_contain_text("best.")
    expect(window.locator(".result .scores li")).to_have_count(2)
    assert faults(window) == []
    kept = house.get("/audition")["blind"]
    assert sorted((one["won"], one["heard"]) for one in kept) == [(0, 1), (1, 1)]
    window.get_by_role("button", name="Another round").click()
    expect(window.locator(".result")).to_be_empty()


def test_question_or_statement_is_counted_by_how_it_is_built(window: Page, house: Daemon) -> None:
    window.goto(f"{house.url}/dashboard#/audition")
    window.get_by_role("link", name="Question or statement?").click()
    expect(window.get_by_role("button", name="Question Q")).to_be_disabled()
    window.get_by_role("button", name="Hear it").click()
    expect(window.get_by_role("button", name="Question Q")).to_be_enabled()
    window.keyboard.press("q")
    expect(window.locator(".said-of")).to_contain_text("“")
    told = window.locator(".said-of").inner_text()
    right = "?" in told
    assert told.startswith("Right." if right else "No.")
    expect(window.locator(".pair-scores li").last).to_contain_text(f"{int(right)} of 1")
    (score,) = house.get("/audition")["pairs"]
    assert (score["voice"], score["right"], score["asked"]) == ("af_heart", int(right), 1)
    expect(window.get_by_role("button", name="Next N")).to_be_focused()
    assert faults(window) == []
    window.keyboard.press("n")
    expect(window.locator(".said-of")).to_be_empty()


def test_every_voice_is_heard_on_ones_own_book_and_liked(hand: Page, house: Daemon) -> None:
    hand.goto(f"{house.url}/dashboard#/voices")
    expect(hand.get_by_label("Text to hear them with")).not_to_have_value("")
    hand.get_by_role("button", name="Hear Emma").click()
    expect(hand.locator(".hear-voice[data-state=playing]")).to_have_attribute("data-voice", "bf_emma")
    expect(hand.locator(".sample")).to_be_visible()
    assert faults(hand) == []
    hand.get_by_role("button", name="Emma is a favourite").click()
    expect(hand.locator(".gallery .card").first.get_by_role("heading")).to_have_text("Favourites")
    expect(hand.get_by_role("button", name="Emma is a favourite").first).to_be_focused()
    hand.get_by_label("Voice for new books").select_option(value="bf_emma")
    expect(hand.get_by_text("New books are read by Emma.")).to_be_visible()
    assert house.get("/audition")["voice"] == "bf_emma"
    assert hand.evaluate("document.documentElement.scrollWidth <= innerWidth")
