"""Another voice for a book, chosen on the dashboard and heard in the player, and blends of the household's own."""

import json
import urllib.request
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Locator, Page, expect

from tests.browser.conftest import Daemon, Start, open_page
from tests.epubs import build_epub, page

pytestmark = pytest.mark.browser

STORY = "".join(f"<p>It was day {n}. The lamp burned, and nobody came.</p>" for n in range(1, 9))


@pytest.fixture(scope="module")
def house(start: Start) -> Daemon:
    return start(0)


@pytest.fixture
def sized(house: Daemon, chromium: Browser, size: str) -> Iterator[Page]:
    yield from open_page(chromium, size)


def lamp(house: Daemon, folder: Path) -> tuple[str, str]:
    """Id and title of a book of its own for each test."""
    title = f"The Lamp {folder.name}"
    path = build_epub(folder / "lamp.epub", {"a.xhtml": page(f"<h1>One</h1>{STORY}")}, title=title)
    book = house.add(path)
    house.wait_until_rendered(book)
    return book, title


def patch(house: Daemon, book: str, body: dict[str, Any]) -> Any:
    request = urllib.request.Request(
        f"{house.url}/api/v1/books/{book}",
        data=json.dumps(body).encode(),
        headers={"content-type": "application/json"},
        method="PATCH",
    )
    with urllib.request.urlopen(request, timeout=60) as answer:
        return json.load(answer)


def fits(dialog: Locator) -> bool:
    """Whether nothing of it is out of sight to the side."""
    return bool(dialog.evaluate("sheet => sheet.scrollWidth <= sheet.clientWidth"))


def until(page: Page, true: Callable[[], bool]) -> None:
    for _ in range(300):
        if true():
            return
        page.wait_for_timeout(100)
    raise AssertionError("the page did not hear of it")


def test_a_voice_is_chosen_and_the_one_before_is_gone_back_to(sized: Page, house: Daemon, tmp_path: Path) -> None:
    book, title = lamp(house, tmp_path)
    before = house.get(f"/books/{book}")
    sized.goto(f"{house.url}/dashboard")
    sized.get_by_role("button", name=f"Voice and chapters of {title}").click()
    dialog = sized.get_by_role("dialog", name=title)
    chosen = dialog.get_by_label("Voice", exact=True)
    expect(chosen).to_have_value("af_heart")
    expect(dialog.locator(".cost")).to_have_text("This is how it is read now.")
    assert fits(dialog)
    expect(dialog.get_by_role("button", name="Read it with this voice")).to_be_hidden()
    chosen.select_option(label="Emma · British woman · very good")
    expect(dialog.locator(".cost")).to_contain_text("17 sentences will be rendered")
    expect(dialog.locator(".cost")).to_contain_text("What there is in Heart stays too")
    dialog.get_by_role("button", name="Hear it").click()
    expect(dialog.get_by_role("button", name="Stop")).to_be_visible()
    dialog.get_by_role("button", name="Read it with this voice").click()
    expect(dialog.get_by_role("button", name="Hear it")).to_be_visible()
    expect(dialog.locator(".kept-row")).to_contain_text("17 sentences")
    expect(chosen).to_be_focused()
    house.wait_until_rendered(book)
    assert house.get(f"/books/{book}")["voice"] == "bf_emma"
    dialog.get_by_role("button", name="Go back to Heart").press("Enter")
    expect(dialog.locator(".kept-row")).to_contain_text("Emma")
    after = house.get(f"/books/{book}")
    assert (after["rendition"], after["sentences"]) == (before["rendition"], before["sentences"])
    dialog.get_by_role("button", name="Delete the audio of Emma").click()
    expect(dialog.get_by_role("button", name="Keep it")).to_be_focused()
    dialog.get_by_role("button", name="Delete", exact=False).first.click()
    expect(dialog.locator(".kept-row")).to_have_count(0)
    assert len(house.get(f"/books/{book}/renditions")["renditions"]) == 1
    house.delete(book)


def test_speed_and_size_are_chosen_too(sized: Page, house: Daemon, tmp_path: Path) -> None:
    book, title = lamp(house, tmp_path)
    sized.goto(f"{house.url}/dashboard")
    sized.get_by_role("button", name=f"Voice and chapters of {title}").click()
    dialog = sized.get_by_role("dialog", name=title)
    dialog.get_by_text("Speed and size").click()
    dialog.get_by_role("slider", name="Speed of the voice").fill("1.2")
    dialog.get_by_role("button", name="Small").click()
    expect(dialog.get_by_role("button", name="Small")).to_have_attribute("aria-pressed", "true")
    dialog.get_by_role("button", name="Read it with this voice").click()
    expect(dialog.locator(".kept-row .name")).to_have_text("Heart")
    plays = house.get(f"/books/{book}/renditions")["renditions"][0]
    assert (plays["speed"], plays["bitrate"], plays["plays"]) == (1.2, 32_000, True)
    house.delete(book)


def test_an_open_player_goes_on_in_the_new_voice_where_it_is(sized: Page, house: Daemon, tmp_path: Path) -> None:
    book, _ = lamp(house, tmp_path)
    with sized.expect_response(lambda reply: reply.url.endswith("/events")):  # from then on it hears of changes
        sized.goto(f"{house.url}/#/book/{book}")
    reader = sized.locator("book-reader")
    spoken = sized.locator(".sentence.spoken")
    sized.locator("[data-sentence]", has_text="It was day 4.").locator(".word").first.click()
    expect(spoken).to_have_text("It was day 4.")
    fetched: list[str] = []
    sized.on("response", lambda reply: fetched.append(reply.url) if reply.url.endswith("/chapters/1") else None)
    patch(house, book, {"voice": "bf_emma"})
    until(sized, lambda: len(fetched) > 0)
    house.wait_until_rendered(book)
    expect(spoken).to_have_text("It was day 4.")
    sized.get_by_role("button", name="Play", exact=True).click()
    expect(reader).to_have_attribute("data-state", "playing")
    fetched.clear()
    patch(house, book, {"voice": "af_heart"})  # while it plays
    until(sized, lambda: len(fetched) > 0)
    expect(reader).to_have_attribute("data-state", "playing")
    texts = [entry["text"] for entry in house.get(f"/books/{book}/chapters/1")["sentences"]]
    assert texts.index(spoken.inner_text()) >= texts.index("It was day 4.")
    sized.get_by_role("button", name="Pause").click()
    place = house.get(f"/books/{book}/position")["sentence"]
    ids = [entry["id"] for entry in house.get(f"/books/{book}/chapters/1")["sentences"]]
    assert ids.index(place) >= texts.index("It was day 4.")
    house.delete(book)


def test_a_blend_is_made_chosen_and_forgotten(sized: Page, house: Daemon, tmp_path: Path) -> None:
    book, title = lamp(house, tmp_path)
    name = f"Evening {tmp_path.name}"[-40:]
    sized.goto(f"{house.url}/dashboard")
    sized.get_by_role("button", name="New blend …").click()
    form = sized.get_by_role("dialog", name="New blend")
    assert fits(form)
    form.get_by_label("Name").fill("af_heart")
    form.get_by_role("button", name="Save").click()
    expect(form.get_by_role("alert")).to_contain_text("is a voice already")
    form.get_by_label("Name").fill(name)
    form.get_by_role("button", name="Add a voice").click()
    form.get_by_role("button", name="Leave it out").last.click()
    form.get_by_label("Share of voice 2").fill("60")
    expect(form.locator("output").first).to_have_text("50 %")
    form.get_by_role("button", name="Save").click()
    expect(sized.locator("voice-blends")).to_contain_text("Bella 50 %, Heart 50 %")
    sized.get_by_role("button", name=f"Voice and chapters of {title}").click()
    dialog = sized.get_by_role("dialog", name=title)
    dialog.get_by_label("Voice", exact=True).select_option(label=name)
    dialog.get_by_role("button", name="Read it with this voice").click()
    expect(dialog.locator(".cost")).to_have_text("This is how it is read now.")
    assert house.get(f"/books/{book}")["voice"] == "af_bella*0.5+af_heart*0.5"
    sized.keyboard.press("Escape")
    sized.get_by_role("button", name=f"Delete {name}").click()
    sized.get_by_role("button", name="Delete the blend").click()
    expect(sized.locator("voice-blends")).not_to_contain_text(name)
    sized.get_by_role("button", name=f"Voice and chapters of {title}").click()
    expect(dialog.get_by_label("Voice", exact=True).locator("option:checked")).to_have_text("Bella 50 %, Heart 50 %")
    house.delete(book)
