"""A book that is read anew while it is open, and what of it is read: chosen on the dashboard, heard in the player."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, Route, expect

from tests.browser.conftest import Daemon, Start, open_page
from tests.epubs import build_epub, page

pytestmark = pytest.mark.browser

NOTED = (
    '<h1>The Lamp</h1><p>The lamp was old.<a epub:type="noteref" href="#n1">1</a> It burned all night.</p>'
    "<p>Nobody came to put it out.</p>"
    '<aside epub:type="footnote" id="n1"><p>It was made of brass.</p></aside>'
)
DAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
STORY = "".join(
    f"<p>On {day} the rain came over the hill, and nobody went out. By {day} night they said it would not last.</p>"
    for day in DAYS
)


@pytest.fixture(scope="module")
def house(start: Start) -> Daemon:
    return start(0)


@pytest.fixture
def sized(house: Daemon, chromium: Browser, size: str) -> Iterator[Page]:
    yield from open_page(chromium, size)


def noted(path: Path, title: str) -> Path:
    pages = {"contents.xhtml": page('<section epub:type="toc"><h1>Contents</h1><p>The Lamp</p></section>')}
    return build_epub(path, {**pages, "lamp.xhtml": page(NOTED)}, title=title, identifier=f"urn:{title}")


def test_chapters_and_notes_are_chosen_on_the_dashboard(sized: Page, house: Daemon, tmp_path: Path) -> None:
    title = f"The Lamp {tmp_path.name}"  # each size of window has its own
    book = house.add(noted(tmp_path / "lamp.epub", title))
    house.wait_until_rendered(book)
    sized.goto(f"{house.url}/dashboard")
    sized.get_by_role("button", name=f"Voice and chapters of {title}").click()
    dialog = sized.get_by_role("dialog", name=title)
    contents = dialog.get_by_role("switch", name="Contents")
    expect(contents).not_to_be_checked()
    expect(dialog).to_contain_text("Not read: table of contents")
    contents.focus()
    contents.press("Space")
    expect(dialog).not_to_contain_text("Not read:")
    expect(contents).to_be_checked()
    expect(contents).to_be_focused()
    assert house.get(f"/books/{book}")["chapters"] == 2
    dialog.get_by_label("After the paragraph").check()
    expect(dialog.get_by_role("heading", name="What changed")).to_be_visible()
    expect(dialog).to_contain_text("1 sentence new or changed, 0 gone")
    texts = [entry["text"] for entry in house.get(f"/books/{book}/chapters/2")["sentences"]]
    assert texts[-2:] == ["It was made of brass.", "Nobody came to put it out."]
    house.delete(book)


def test_a_choice_that_cannot_be_had_says_why_and_goes_back(sized: Page, house: Daemon, tmp_path: Path) -> None:
    title = f"The Lost Lamp {tmp_path.name}"
    book = house.add(noted(tmp_path / "lost.epub", title))
    sized.goto(f"{house.url}/dashboard")
    sized.get_by_role("button", name=f"Voice and chapters of {title}").click()
    dialog = sized.get_by_role("dialog", name=title)
    expect(dialog.get_by_label("Not read", exact=True)).to_be_checked()
    for path in (house.folder / "library").glob("lost*"):
        path.unlink()
    dialog.get_by_label("At the end").click()
    expect(dialog.locator(".said")).to_contain_text("is not in the library folder")
    expect(dialog.get_by_label("Not read", exact=True)).to_be_checked()
    house.delete(book)


def test_a_chapter_is_one_click_from_being_read(sized: Page, house: Daemon, tmp_path: Path) -> None:
    book = house.add(noted(tmp_path / "lamp.epub", f"The Other Lamp {tmp_path.name}"))
    house.wait_until_rendered(book)
    sized.goto(f"{house.url}/#/book/{book}")
    sized.get_by_role("button", name="Chapters", exact=True).click()
    sized.get_by_role("button", name="Read Contents aloud").click()
    expect(sized.get_by_role("button", name="Read Contents aloud")).to_have_count(0)
    assert house.get(f"/books/{book}")["chapters_list"][0]["enabled"] is True
    house.delete(book)


def test_the_chapters_that_are_asked_for_too_early_come_with_the_book(
    sized: Page, house: Daemon, tmp_path: Path
) -> None:
    book = house.add(noted(tmp_path / "lamp.epub", f"The Early Lamp {tmp_path.name}"))
    held: list[Route] = []
    pattern = f"**/api/v1/books/{book}"
    sized.route(pattern, lambda route: held.append(route))
    with sized.expect_request(pattern):
        sized.goto(f"{house.url}/#/book/{book}")
    sized.get_by_role("button", name="Chapters", exact=True).click()
    while held:
        held.pop().continue_()
    sized.unroute(pattern)
    expect(
        sized.get_by_role("dialog", name="Chapters").get_by_role("button", name="Read Contents aloud")
    ).to_be_visible()
    house.delete(book)


def test_the_voice_goes_on_where_it_was_when_the_file_is_corrected(sized: Page, house: Daemon, tmp_path: Path) -> None:
    title = f"Rain {tmp_path.name}"
    whole = page("<h1>Rain</h1>" + STORY)
    build_epub(tmp_path / "rain.epub", {"rain.xhtml": whole}, title=title, identifier=f"urn:{title}")
    book = house.add(tmp_path / "rain.epub")
    house.wait_until_rendered(book)
    sized.goto(f"{house.url}/#/book/{book}")
    reader = sized.locator("book-reader")
    sized.locator("[data-sentence]", has_text="On Wednesday").locator(".word").first.click()
    sized.get_by_role("button", name="Play").click()
    expect(reader).to_have_attribute("data-state", "playing")
    preface = page("<h1>Preface</h1><p>This edition has a preface.</p>")
    corrected = page("<h1>Rain</h1>" + STORY.replace("On Monday", "On one Monday"))
    pages = {"preface.xhtml": preface, "rain.xhtml": corrected}
    corrected_file = build_epub(tmp_path / "rain 2.epub", pages, title=title, identifier=f"urn:{title}")
    assert house.add(corrected_file) == book
    expect(reader).to_have_attribute("data-chapter", "2", timeout=120_000)
    expect(reader).to_have_attribute("data-state", "playing")
    lit = sized.locator("[data-sentence]", has=sized.locator(".word.lit")).inner_text()
    # Some time went by: it is there or later, and never at the beginning again.
    assert not lit.startswith(("Rain", "On one Monday", "On Tuesday")), lit
    sized.get_by_role("button", name="Pause").click()
    kept = house.get(f"/books/{book}/position")
    assert kept["chapter"] == 2
    house.delete(book)


def test_a_sentence_that_is_said_otherwise_now_is_heard_so_when_the_voice_comes_to_it(
    sized: Page, house: Daemon, tmp_path: Path
) -> None:
    title = f"Weather {tmp_path.name}"
    path = build_epub(tmp_path / "weather.epub", {"w.xhtml": page("<h1>Weather</h1>" + STORY)}, title=title)
    book = house.add(path)
    house.wait_until_rendered(book)
    sized.goto(f"{house.url}/#/book/{book}")
    reader = sized.locator("book-reader")
    sized.locator("[data-sentence]", has_text="By Monday").locator(".word").first.click()
    sized.get_by_role("button", name="Play").click()
    expect(reader).to_have_attribute("data-state", "playing")
    before = house.get(f"/books/{book}/chapters/1")
    change = sized.evaluate(
        """(book) => fetch(`/api/v1/books/${book}/lexicon?apply=true`, {
             method: "PUT", headers: {"content-type": "application/json", "if-match": "*"},
             body: JSON.stringify({text: "Tuesday = the second day of the week, as they call it\\n"}),
           }).then((answer) => answer.json())""",
        book,
    )
    assert change["applied"] == 2, change
    for _ in range(150):
        after = house.get(f"/books/{book}/chapters/1")
        if not any("again" in entry for entry in after["sentences"]):
            break
        sized.wait_for_timeout(100)
    pairs = list(zip(before["sentences"], after["sentences"], strict=True))
    changed = [one["text"] for one, two in pairs if one["sha256"] != two["sha256"]]
    assert changed == [one["text"] for one in before["sentences"] if "Tuesday" in one["text"]]
    # The voice comes to the new one, word by word to its end, and on to what follows.
    last = next(one for one in after["sentences"] if "By Tuesday" in one["text"])
    spoken = sized.locator(f"[data-sentence='{last['id']}'] .word.lit")
    expect(spoken.filter(has_text="last")).to_have_count(1, timeout=120_000)
    expect(sized.locator("[data-sentence]", has_text="On Wednesday").locator(".word.lit")).to_have_count(1)
    expect(reader).to_have_attribute("data-state", "playing")
    house.delete(book)
