"""A book's own page on the dashboard: text beside sound, guessed words, rules, what is read, what waits for ears."""

import io
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from PIL import Image
from playwright.sync_api import Browser, Locator, Page, expect

from server.library.model import Chapter, Silence
from server.render.ears import kept
from server.render.index import SentenceEntry
from server.render.store import Store
from tests.browser.conftest import Daemon, open_page
from tests.browser.prepared import serving, store_in
from tests.browser.test_accessible import faults
from tests.fakes.synthetic import chapter, put, render

pytestmark = pytest.mark.browser

NAMES = ("Raskolnikov", "Queequeg")
ARRIVAL = (
    "The Arrival",
    "Raskolnikov came up the hill on a wet evening.",
    "Nobody moved.",
    "“Go on,” said Queequeg.",
    "Raskolnikov waited.",
)
PARTS = {
    "text": "Text and sound",
    "words": "Guessed words",
    "rules": "Pronunciations",
    "read": "What is read",
    "listen": "Sentences to check",
    "about": "Title and cover",
}


def made(number: int, title: str, texts: tuple[str, ...], rule: str | None = None) -> Chapter:
    note = Silence("footnotes", 22, "He was a poor student.", "c.xhtml", 1)
    return replace(chapter(number, texts), title=title, enabled=rule is None, rule=rule, silences=(note,))


def png() -> bytes:
    target = io.BytesIO()
    Image.new("RGB", (400, 600), "navy").save(target, "PNG")
    return target.getvalue()


def guessed(entry: SentenceEntry) -> SentenceEntry:
    found = tuple(name for name in NAMES if name in entry.text)
    return entry.model_copy(update={"guessed": found}) if found else entry


def prepare(store: Store, folder: Path) -> str:
    """Two chapters that are read and rendered, and one that is not read; two sentences wait to be listened to."""
    contents = ("Contents", "1. The Arrival", "2. Night")
    night = ("Night", "It was night, and Queequeg slept.")
    chapters = [made(1, "Contents", contents, "toc"), made(2, "The Arrival", ARRIVAL), made(3, "Night", night)]
    record = put(store, folder, chapters)
    for number in (2, 3):
        index = render(store, record, number)
        store.add_audio(record.id, index.rendition, number, [guessed(entry) for entry in index.sentences])
    second, fourth = (store.chapter(record.id, 2).sentences[at] for at in (2, 4))
    otherwise = {"ears": "redone", "earlier": kept(second), "variant": 1}
    store.change_sentence(record.id, 2, second.id, lambda entry: entry.model_copy(update=otherwise))
    wrong = {"ears": "listener", "note": "It hums."}
    store.change_sentence(record.id, 2, fourth.id, lambda entry: entry.model_copy(update=wrong))
    return record.id


@pytest.fixture(scope="module")
def house(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Daemon]:
    folder = tmp_path_factory.mktemp("house")
    prepare(store_in(folder), folder)
    with serving(folder) as daemon:
        yield daemon


@pytest.fixture
def window(chromium: Browser) -> Iterator[Page]:
    yield from open_page(chromium, "desk")


@pytest.fixture(scope="module")
def book(house: Daemon) -> str:
    return str(house.get("/books")["books"][0]["id"])


def open_part(page: Page, house: Daemon, book: str, part: str) -> None:
    page.goto(f"{house.url}/dashboard#/book/{book}/{part}")
    expect(page.get_by_role("link", name=PARTS[part])).to_have_attribute("aria-current", "page")


def rules(house: Daemon, book: str) -> str:
    return str(house.get(f"/books/{book}/lexicon")["text"])


def rows(page: Page, element: str) -> Locator:
    return page.locator(f"{element} .row")


# The first: a word that was said otherwise once is no guess any more, and the list is shorter for those that follow.
def test_no_part_has_a_fault_that_axe_knows(chromium: Browser, house: Daemon, book: str) -> None:
    for page in open_page(chromium, "phone"):
        found = {}
        for part in PARTS:
            open_part(page, house, book, part)
            page.emulate_media(color_scheme="dark" if part in ("words", "listen") else "light", reduced_motion="reduce")
            expect(page.get_by_text("One moment …")).to_have_count(0)
            found[part] = faults(page)
        open_part(page, house, book, "words")
        page.get_by_role("button", name="Say it otherwise").first.click()
        page.get_by_role("button", name="In phonemes").click()
        found["editor"] = faults(page)
        assert found == {part: [] for part in (*PARTS, "editor")}
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")


def test_the_text_is_heard_from_the_keyboard(window: Page, house: Daemon, book: str) -> None:
    window.goto(f"{house.url}/dashboard")
    window.get_by_role("link", name="Text, words and pronunciations").click()
    expect(window.get_by_role("heading", name="A Short Walk")).to_be_visible()
    expect(window.locator("chapter-text .sentence")).to_have_count(len(ARRIVAL))  # the first chapter that is read
    window.keyboard.press("ArrowRight")
    expect(window.locator(".sentence.spoken")).to_have_text(ARRIVAL[1])
    expect(window.locator("sentence-card").get_by_role("button", name="Raskolnikov")).to_be_visible()
    window.keyboard.press("Space")
    expect(window.get_by_role("button", name="Pause")).to_be_visible()
    expect(window.locator(".word.lit")).to_have_count(1)
    expect(window.locator(".sentence.spoken")).to_have_text(ARRIVAL[2])  # it goes on by itself
    window.keyboard.press("Space")
    expect(window.get_by_role("button", name="Play from here")).to_be_visible()
    window.locator(".word", has_text="Queequeg").click()
    window.keyboard.press("e")
    expect(window.get_by_label("Word, as the book writes it")).to_have_value("Queequeg")
    window.keyboard.press("Escape")
    window.get_by_role("combobox", name="Chapter").select_option("3")
    expect(window.locator(".sentence").last).to_have_text("It was night, and Queequeg slept.")
    window.get_by_role("link", name="Dashboard", exact=True).click()
    expect(window.locator("library-list .book-row")).to_be_visible()


def test_a_guessed_word_is_heard_said_otherwise_used_everywhere_and_taken_back(
    window: Page, house: Daemon, book: str
) -> None:
    open_part(window, house, book, "words")
    row = rows(window, "guess-list").filter(has=window.locator(".name", has_text="Raskolnikov"))
    expect(rows(window, "guess-list").first).to_contain_text("in 2 sentences")
    row.get_by_role("button", name="Hear “Raskolnikov” in its sentence").click()
    expect(row.locator(".round.on")).to_have_count(1)
    expect(row.locator("mark")).to_have_text("Raskolnikov")
    row.get_by_role("button", name="Say it otherwise").click()
    form = window.get_by_role("dialog")
    sound = form.get_by_label("Say it like")
    expect(sound).to_be_focused()
    form.get_by_role("button", name="In phonemes").press("Enter")
    sound.fill("ɹə7")
    expect(form.locator(".check")).to_contain_text("7")
    expect(form.locator(".check")).to_have_attribute("data-kind", "bad")
    sound.fill("ɹə")
    form.get_by_role("button", name="Stress mark before the stressed syllable").click()
    form.get_by_role("button", name="k as in cat").press("ArrowRight")
    expect(form.get_by_role("button", name="ɡ as in get")).to_be_focused()
    window.keyboard.press("Enter")
    form.get_by_role("button", name="ɔ as in law").click()
    expect(sound).to_have_value("ɹəˈɡɔ")
    expect(form.locator(".check")).to_contain_text("Understood as /ɹə")
    expect(form.locator(".cost-line")).to_contain_text("Changes 2 sentences")
    new = form.get_by_role("button", name="Hear it the new way")
    new.click()
    expect(form.get_by_role("button", name="Stop").or_(new)).to_be_visible()
    assert rules(house, book) == ""  # tried, and not written
    form.get_by_role("button", name="Use it", exact=True).click()
    expect(form.locator(".said")).to_contain_text("From now on it is said so. 2 sentences will be rendered again")
    assert rules(house, book) == "Raskolnikov = /ɹəˈɡɔ/\n"
    sound.fill("ɹəˈɡɔl")
    form.get_by_role("button", name="Use it", exact=True).click()
    expect(form.get_by_role("button", name="Use it", exact=True)).to_be_enabled()
    assert rules(house, book) == "Raskolnikov = /ɹəˈɡɔl/\n"  # once more is the same rule, not another one
    form.get_by_role("button", name="Use it in every book").click()
    expect(form.locator(".said")).to_contain_text("every book says it so")
    assert rules(house, book) == ""
    assert house.get("/lexicon/household")["text"] == "Raskolnikov = /ɹəˈɡɔl/\n"
    form.get_by_role("button", name="Undo").click()
    expect(form.locator(".said")).to_contain_text("It is said as before.")
    assert house.get("/lexicon/household")["text"] == ""


def test_rules_are_read_from_a_file_changed_saved_and_removed(
    window: Page, house: Daemon, book: str, tmp_path: Path
) -> None:
    open_part(window, house, book, "rules")
    card = window.locator("rule-list")
    expect(card).to_contain_text("Nothing is said otherwise in this book yet.")
    (bad := tmp_path / "bad.txt").write_bytes(b"caf\xe9 = x\n")
    card.get_by_label("File with pronunciations").set_input_files(bad)
    expect(card.locator(".said")).to_contain_text("“bad.txt” is no text in UTF-8.")
    (file := tmp_path / "names.txt").write_text("# ours\nQueequeg = KWEE-kweg\nno rule at all\n")
    card.get_by_label("File with pronunciations").set_input_files(file)
    expect(card.locator(".import")).to_contain_text("1 pronunciation that is not here yet. Changes 2 sentences")
    expect(card.locator(".import")).to_contain_text("“no rule at all” is passed over")
    assert rules(house, book) == ""
    card.get_by_role("button", name="Add them").press("Enter")
    expect(rows(window, "rule-list")).to_have_count(1)
    expect(rows(window, "rule-list")).to_contain_text("Queequeg")
    with window.expect_download() as saved:
        card.get_by_role("button", name="Save as a file").click()
    assert saved.value.suggested_filename == "A Short Walk, pronunciations.txt"
    assert Path(saved.value.path()).read_text() == rules(house, book) == file.read_text()
    card.get_by_role("button", name="Change: Queequeg").click()
    form = window.get_by_role("dialog")
    expect(form.get_by_label("Say it like")).to_have_value("KWEE-kweg")
    form.get_by_label("Say it like").fill("KWAY-kweg")
    form.get_by_role("button", name="Use it", exact=True).click()
    expect(form.locator(".said")).to_contain_text("From now on it is said so.")
    form.get_by_role("button", name="Close").click()
    assert rules(house, book) == "# ours\nQueequeg = KWAY-kweg\nno rule at all\n"
    card.get_by_role("button", name="Remove: Queequeg").click()
    expect(rows(window, "rule-list")).to_have_count(0)
    card.get_by_role("button", name="Undo").click()
    expect(rows(window, "rule-list")).to_have_count(1)
    card.get_by_role("button", name="Remove: Queequeg").click()
    expect(rows(window, "rule-list")).to_have_count(0)


def test_a_chapter_that_is_not_read_is_found_looked_at_and_turned_on(window: Page, house: Daemon, book: str) -> None:
    open_part(window, house, book, "read")
    line = rows(window, "coverage-bars")
    expect(line).to_have_count(3)
    window.get_by_label("Only chapters that are not read").check()
    expect(line.filter(visible=True)).to_have_count(1)
    bar = line.first.get_by_role("button")
    bar.press("Enter")
    expect(bar).to_have_attribute("aria-expanded", "true")
    expect(line.first.locator(".passed")).to_contain_text("Not read: table of contents")
    expect(line.first.locator(".passed")).to_contain_text("2. Night")
    expect(line.first.locator(".passed")).to_contain_text("He was a poor student.")
    line.first.get_by_role("switch", name="Read Contents").press("Space")
    expect(window.locator("coverage-bars .said")).to_contain_text("“Contents” is read from now on.")
    expect(line.first.locator(".told")).not_to_contain_text(". 0 characters read")
    assert house.get(f"/books/{book}")["chapters_list"][0]["enabled"]
    window.get_by_label("Only chapters that are not read").uncheck()
    line.first.get_by_role("switch", name="Read Contents").press("Space")
    expect(window.locator("coverage-bars .said")).to_contain_text("“Contents” is passed over.")
    assert not house.get(f"/books/{book}")["chapters_list"][0]["enabled"]


def test_what_waits_is_listened_to_with_single_keys(window: Page, house: Daemon, book: str) -> None:
    open_part(window, house, book, "listen")
    card = window.locator("ears-queue")
    expect(card).to_contain_text("1 of 2 sentences")
    if "Nobody moved" not in card.locator(".it").inner_text():
        window.keyboard.press("ArrowRight")
    expect(card.locator(".it")).to_have_text(ARRIVAL[2])
    for key, name in (("1", "This take"), ("2", "The earlier take")):
        with window.expect_response(lambda answer: ".m4a" in answer.url) as asked:
            window.keyboard.press(key)
        assert ("take=earlier" in asked.value.url) == (key == "2")
        expect(card.get_by_role("button", name=name)).to_be_visible()
    window.keyboard.press("z")
    expect(card.locator(".said")).to_contain_text("The earlier take is back.")
    expect(card).not_to_contain_text(ARRIVAL[2])  # that one was never complained of
    expect(card.locator(".it")).to_have_text(ARRIVAL[4])
    expect(card).to_contain_text("“It hums.”")
    window.keyboard.press("e")
    expect(window.get_by_role("dialog")).to_be_visible()
    window.keyboard.press("g")  # is typed, and no answer
    window.keyboard.press("Escape")
    expect(window.get_by_role("dialog")).to_be_hidden()
    window.keyboard.press("g")
    expect(card).to_contain_text("Nothing waits to be listened to.")
    assert house.get("/ears")["total"] == 0


def test_a_book_is_called_otherwise_and_has_another_cover_by_keyboard(
    window: Page, house: Daemon, book: str, tmp_path: Path
) -> None:
    (picture := tmp_path / "cover.png").write_bytes(png())
    open_part(window, house, book, "about")
    title = window.get_by_label("Title", exact=True)
    title.focus()
    title.press("ControlOrMeta+a")
    window.keyboard.type("A Long Walk")
    for _ in range(3):
        window.keyboard.press("Tab")
    window.keyboard.type("Walks")
    window.keyboard.press("Tab")
    window.keyboard.type("two")
    window.keyboard.press("Enter")
    expect(window.get_by_label("Number in it")).to_be_focused()
    expect(window.locator("book-about").get_by_role("alert").first).to_contain_text("one such as 2 or 2.5")
    window.keyboard.press("ControlOrMeta+a")
    window.keyboard.type("2")
    window.keyboard.press("Enter")
    expect(window.get_by_role("heading", name="A Long Walk")).to_be_visible()
    expect(window.locator("#own-title")).to_contain_text("The book says: A Short Walk")
    told = house.get(f"/books/{book}")
    assert (told["title"], told["series"], told["series_index"]) == ("A Long Walk", "Walks", 2.0)
    window.get_by_label("Picture for the cover").set_input_files(picture)
    expect(window.locator("book-about").get_by_text("This is the cover now.")).to_be_visible()
    expect(window.locator("book-about img")).to_have_attribute("src", house.get(f"/books/{book}")["thumbnail"])
    window.get_by_role("button", name="Back to the book's own", exact=True).press("Enter")
    expect(window.locator("book-about").get_by_text("It is the book's own cover again.")).to_be_visible()
    window.get_by_role("button", name="Back to the book's own series").press("Enter")
    expect(window.get_by_label("Series", exact=True)).to_have_value("")
    window.get_by_role("button", name="Back to the book's own title").press("Enter")
    expect(window.get_by_role("heading", name="A Short Walk")).to_be_visible()
    assert house.get(f"/books/{book}")["by_hand"] == []
