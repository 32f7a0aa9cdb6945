"""How the text looks, what can be done with a word, and how the voice is steered, in Chromium."""

import io
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from PIL import Image
from playwright.sync_api import Browser, Locator, Page, expect

from tests.browser.conftest import Daemon, open_page
from tests.browser.test_player import open_book, play, wait_for
from tests.epubs import build_epub

pytestmark = pytest.mark.browser

SELECT = """(word) => {
  const range = document.createRange();
  range.selectNodeContents(word);
  getSelection().removeAllRanges();
  getSelection().addRange(range);
}"""
# What the page tells the system to steer it by, and what it does to the sound.
LISTEN_IN = """() => {
  window.handlers = {};
  window.told = 0;
  const set = MediaSession.prototype.setActionHandler;
  MediaSession.prototype.setActionHandler = function (action, handler) {
    window.handlers[action] = handler;
    window.told += 1;
    set.call(this, action, handler);
  };
  window.graphs = 0;
  const source = AudioContext.prototype.createMediaElementSource;
  AudioContext.prototype.createMediaElementSource = function (audio) {
    window.graphs += 1;
    return source.call(this, audio);
  };
}"""
DRAWING = """<svg xmlns="http://www.w3.org/2000/svg" width="240" height="120"><style>circle { fill: teal }</style>
<circle cx="120" cy="60" r="50"/><script>alert(1)</script></svg>"""
PAGE = """
<h1>The Gate</h1>
<p>It rained all day, and nobody came to the gate.</p>
<figure><img src="gate.png" alt="Gate"/></figure>
<p>שלום לכולם.</p>
<p><img src="map.svg" alt="Map"/></p>
<ul><li>One.</li><li>Two.</li></ul>
<p>It stopped<a epub:type="noteref" href="#n1">1</a>.</p>
<aside epub:type="footnote" id="n1"><p>Rain is wet.</p></aside>
<p><img src="gone.png" alt="Gone"/></p>
"""


@pytest.fixture
def steered(page: Page, daemon: Daemon, book: str) -> Page:
    """The book open in a page that tells what it tells the system."""
    page.add_init_script(f"({LISTEN_IN})()")
    open_book(page, daemon, book)
    return page


@pytest.fixture
def phone(chromium: Browser) -> Iterator[Page]:
    yield from open_page(chromium, "phone")


def settings(page: Page) -> Locator:
    page.get_by_role("button", name="Text and sound settings").click()
    return page.get_by_role("dialog", name="Text and sound")


def choose(sheet: Locator, group: str, value: str) -> None:
    button = sheet.get_by_role("group", name=group, exact=True).get_by_role("button", name=value, exact=True)
    button.click()
    expect(button).to_have_attribute("aria-pressed", "true")


def style(page: Page, selector: str, name: str) -> str:
    return str(page.locator(selector).first.evaluate("(it, name) => getComputedStyle(it)[name]", name))


def test_the_text_wears_what_its_reader_chose_and_keeps_it(page: Page, daemon: Daemon, book: str) -> None:
    open_book(page, daemon, book)
    before = {name: style(page, "chapter-text", name) for name in ("color", "fontFamily", "fontSize", "lineHeight")}
    sheet = settings(page)
    choose(sheet, "Colours", "Dark")
    choose(sheet, "Letters", "Sans")
    choose(sheet, "Right edge", "Even")
    sheet.get_by_label("Size", exact=True).fill("28")
    sheet.get_by_label("Space between lines").fill("2")
    for _ in range(2):  # and again after a reload
        after = {name: style(page, "chapter-text", name) for name in before}
        assert not {name for name in before if before[name] == after[name]}
        assert style(page, "chapter-text p.paragraph", "textAlign") == "justify"
        assert style(page, "html", "backgroundColor") == "rgb(23, 21, 18)"
        expect(page.locator('meta[name="theme-color"]').first).to_have_attribute("content", "#171512")
        page.reload()
        page.wait_for_selector(".sentence.spoken")
    settings(page).get_by_role("button", name="All as it was at first").click()
    assert {name: style(page, "chapter-text", name) for name in before} == before


def test_a_selected_word_has_a_menu(page: Page, daemon: Daemon, book: str) -> None:
    open_book(page, daemon, book)
    word = page.locator("chapter-text p.paragraph").nth(2).locator(".word").nth(4)
    menu = page.get_by_role("dialog", name="Selected text")
    sentence = str(word.evaluate("(word) => word.closest('[data-sentence]').dataset.sentence"))
    word.evaluate(SELECT)
    expect(menu).to_contain_text(str(word.text_content()))
    menu.get_by_role("button", name="Bookmark").click()
    expect(menu).to_be_hidden()
    expect(page.locator(f'.marked[data-sentence="{sentence}"]')).to_be_visible()
    mark = daemon.get(f"/books/{book}/bookmarks")["bookmarks"][-1]
    assert (mark["sentence"], mark["word"]) == (sentence, int(word.get_attribute("data-word") or -1))
    page.get_by_role("button", name="Take that back").click()

    word.evaluate(SELECT)
    menu.get_by_role("button", name="Look up").click()
    links = menu.get_by_role("link")
    expect(links).to_have_count(3)
    for link in links.all():
        assert (link.get_attribute("target"), link.get_attribute("rel")) == ("_blank", "noopener noreferrer")
    menu.get_by_role("button", name="Close").click()

    word.evaluate(SELECT)
    menu.get_by_role("button", name="Say it otherwise").click()
    form = page.get_by_role("dialog", name="Pronunciation")
    expect(form.get_by_label("Word")).to_have_value(str(word.text_content()).strip(",.“”"))
    form.get_by_role("button", name="Close").click()

    word.evaluate(SELECT)
    menu.get_by_role("button", name="Sounds wrong").click()
    expect(page.locator("sounds-wrong")).to_contain_text("Noted")
    page.get_by_role("button", name="Take that back").click()
    expect(page.locator("sounds-wrong")).to_contain_text("Taken back")


def test_the_tap_that_puts_the_menu_away_moves_nothing_and_the_next_does(page: Page, daemon: Daemon, book: str) -> None:
    open_book(page, daemon, book)
    words = page.locator("chapter-text p.paragraph").nth(1).locator(".word")
    menu = page.get_by_role("dialog", name="Selected text")
    here = page.locator(".sentence.spoken").get_attribute("data-sentence")
    words.nth(3).evaluate(SELECT)
    expect(menu).to_be_visible()
    words.nth(5).click()
    expect(menu).to_be_hidden()
    assert page.locator(".sentence.spoken").get_attribute("data-sentence") == here
    words.nth(3).evaluate(SELECT)
    there = str(words.nth(3).evaluate("(word) => word.closest('[data-sentence]').dataset.sentence"))
    menu.get_by_role("button", name="Go there").click()
    expect(page.locator(f'.spoken[data-sentence="{there}"]')).to_be_visible()

    choose(settings(page), "A tap on a word", "Opens its menu")
    page.keyboard.press("Escape")
    words.nth(0).click()
    expect(menu).to_contain_text(str(words.nth(0).text_content()))
    expect(words.nth(0)).to_have_class("word chosen")
    page.get_by_role("button", name="Chapters", exact=True).focus()
    page.keyboard.press("Escape")  # wherever the focus is
    expect(menu).to_be_hidden()


def test_keys_reach_everything_and_tell_of_themselves(page: Page, daemon: Daemon, book: str) -> None:
    open_book(page, daemon, book)
    first = page.locator("book-reader").get_attribute("data-chapter")
    page.keyboard.press("n")
    expect(page.locator("book-reader")).not_to_have_attribute("data-chapter", str(first))
    page.keyboard.press("p")
    expect(page.locator("book-reader")).to_have_attribute("data-chapter", str(first))
    page.keyboard.press("?")
    keys = page.get_by_role("dialog", name="Keys")
    expect(keys).to_contain_text("Sentence before")
    page.keyboard.press("n")  # not while something lies over the text
    page.keyboard.press("?")
    expect(keys).to_be_hidden()
    expect(page.locator("book-reader")).to_have_attribute("data-chapter", str(first))
    size = style(page, "chapter-text", "fontSize")
    page.keyboard.press("+")
    assert style(page, "chapter-text", "fontSize") > size
    page.keyboard.press("m")
    expect(page.get_by_role("button", name="Go there")).to_be_focused()
    page.keyboard.press("Escape")
    page.keyboard.press("c")
    expect(page.get_by_role("dialog", name="Chapters")).to_be_visible()


def test_a_passage_is_found_in_the_open_book_and_gone_back_from(page: Page, daemon: Daemon, book: str) -> None:
    open_book(page, daemon, book)
    spoken = page.locator(".sentence.spoken")
    here = str(spoken.get_attribute("data-sentence"))
    page.keyboard.press("f")
    find = page.get_by_role("searchbox", name="Find in this book")
    expect(find).to_be_focused()
    find.fill("lamp")
    hits = page.locator("book-search .hit")
    expect(page.get_by_role("heading", name="In this book: 4 passages")).to_be_visible()
    page.keyboard.press("ArrowDown")
    expect(hits.first).to_be_focused()
    text = hits.nth(3).locator(".text").inner_text()
    hits.nth(3).press("Enter")
    expect(find).to_be_hidden()
    expect(spoken).to_have_text(text)
    expect(spoken).to_be_in_viewport()
    page.get_by_role("button", name="Back to where you were").click()
    expect(spoken).to_have_attribute("data-sentence", here)
    page.get_by_role("button", name="Chapters", exact=True).click()
    page.locator("chapter-list").get_by_role("button", name="Find in this book").click()
    expect(hits).to_have_count(4)  # as it was left
    expect(hits.nth(3)).to_have_attribute("aria-current", "true")
    page.route("**/api/v1/search?*", lambda route: route.abort())
    find.fill("harbour")
    expect(page.get_by_role("heading", name="The text cannot be searched now.")).to_contain_text("does not answer")


def test_a_phone_steps_by_what_was_chosen(phone: Page, daemon: Daemon, book: str) -> None:
    open_book(phone, daemon, book)
    sentence, chapter = (
        phone.get_by_role("button", name=f"Next {what}", exact=True) for what in ("sentence", "chapter")
    )
    expect(sentence).to_be_visible()
    expect(chapter).to_be_hidden()
    sheet = settings(phone)
    choose(sheet, "Outer buttons", "Chapter")
    choose(sheet, "Skip back", "5 s")
    sheet.get_by_role("button", name="Close").click()
    expect(sentence).to_be_hidden()
    expect(phone.get_by_role("button", name="Back 5 seconds")).to_be_visible()
    first = phone.locator("book-reader").get_attribute("data-chapter")
    chapter.click()
    expect(phone.locator("book-reader")).not_to_have_attribute("data-chapter", str(first))
    wide = "() => document.documentElement.scrollWidth > innerWidth"
    assert not phone.evaluate(wide)


def test_the_system_steers_also_after_a_call(steered: Page) -> None:
    play(steered)
    steered.wait_for_function("() => Boolean(window.handlers.nexttrack && window.handlers.seekforward)")
    before = steered.evaluate("window.told")
    steered.evaluate("document.querySelector('audio').pause()")  # as a call does
    steered.wait_for_selector("book-reader[data-state=paused]")
    steered.wait_for_function("(before) => window.told > before", arg=before)
    steered.evaluate("window.handlers.play()")
    steered.wait_for_selector("book-reader[data-playing]")
    first = steered.locator("book-reader").get_attribute("data-chapter")
    steered.evaluate("window.handlers.nexttrack()")
    now = wait_for(steered, lambda now: str(now["chapter"]) != first and now["state"] == "playing")
    told: dict[str, Any] = steered.evaluate(
        "() => ({ title: navigator.mediaSession.metadata.title, album: navigator.mediaSession.metadata.album })"
    )
    assert told["title"] and told["album"]
    steered.evaluate("window.handlers.seekto({ seekTime: 0 })")
    wait_for(steered, lambda later: later["chapter"] == now["chapter"] and later["word"] in (-1, 0, 1))


def test_pauses_are_scaled_and_the_words_keep_their_speed(steered: Page) -> None:
    choose(settings(steered), "Pauses", "Short")
    steered.keyboard.press("Escape")
    steered.evaluate(
        """() => {
             window.rates = new Set();
             const audio = document.querySelector("audio");
             audio.addEventListener("ratechange", () => window.rates.add(audio.playbackRate));
           }"""
    )
    play(steered)
    steered.wait_for_function("() => window.rates.has(4) && window.rates.has(1)")
    # Out of sight no script can be trusted to slow down again.
    steered.evaluate(
        """() => {
             Object.defineProperty(document, "hidden", { get: () => true });
             document.dispatchEvent(new Event("visibilitychange"));
             window.rates.clear();
           }"""
    )
    heard = wait_for(steered, lambda now: now["word"] >= 0)["sentence"]
    wait_for(steered, lambda now: now["word"] >= 0 and now["sentence"] != heard)
    assert steered.evaluate("[...window.rates]") in ([], [1])


def test_the_voice_is_made_louder_only_for_who_asks(steered: Page) -> None:
    play(steered)
    assert steered.evaluate("window.graphs") == 0
    choose(settings(steered), "Louder than the voice is", "Much")
    assert steered.evaluate("window.graphs") == 1
    steered.keyboard.press("Escape")
    time_s = wait_for(steered, lambda now: now["state"] == "playing")["time_s"]
    wait_for(steered, lambda now: now["state"] == "playing" and now["time_s"] > time_s + 1)
    choose(settings(steered), "Louder than the voice is", "Off")
    assert steered.evaluate("window.graphs") == 1


def test_pictures_and_what_is_not_read_stand_in_their_place(page: Page, daemon: Daemon, tmp_path: Path) -> None:
    picture = io.BytesIO()
    Image.new("RGB", (300, 200), "teal").save(picture, "PNG")
    files = {"OEBPS/gate.png": picture.getvalue(), "OEBPS/gone.png": picture.getvalue()[:400], "OEBPS/map.svg": DRAWING}
    book = daemon.add(build_epub(tmp_path / "gate.epub", {"c1.xhtml": PAGE}, files=files))
    open_book(page, daemon, book)
    image = page.locator("figure.picture img").first
    expect(image).to_have_js_property("complete", True)
    order = page.locator("chapter-text > *").evaluate_all("(all) => all.map((it) => it.className || it.localName)")
    assert order[:3] == ["heading", "paragraph", "picture"]
    drawing = page.get_by_role("img", name="Map")
    drawing.scroll_into_view_if_needed()
    expect(drawing).to_have_js_property("naturalWidth", 240)
    silent = page.locator(".silent")
    expect(silent).to_contain_text("Not read: notes")
    expect(silent).to_contain_text("Rain is wet.")
    hebrew = page.locator("p.paragraph", has_text="שלום")
    assert hebrew.evaluate("(it) => getComputedStyle(it).direction") == "rtl"
    page.get_by_role("button", name="Larger: Gate").click()
    expect(page.locator("dialog.enlarged img")).to_be_visible()
    page.keyboard.press("Escape")
    expect(page.locator("dialog.enlarged")).to_have_count(0)
    choose(settings(page), "What is not read aloud", "Left out")
    expect(silent).to_be_hidden()
