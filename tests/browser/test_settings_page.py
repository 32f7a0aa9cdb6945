"""Settings, backups, the log and what is installed, on the dashboard."""

from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, Route, expect

from tests.browser.conftest import Daemon, open_page
from tests.browser.prepared import serving

pytestmark = pytest.mark.browser
LINE = "2026-07-01 10:00:0{} {} server.intake: /home/anna/My Diary.epub is a book {}\n"


@pytest.fixture(scope="module")
def house(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Daemon]:
    """An empty house with a log."""
    folder = tmp_path_factory.mktemp("settings")
    (folder / "data" / "logs").mkdir(parents=True)
    lines = [LINE.format("0,000", "INFO", "read"), LINE.format("1,000", "ERROR", "refused")]
    (folder / "data" / "logs" / "lectern.log").write_text("".join(lines))
    with serving(folder) as daemon:
        yield daemon


@pytest.fixture
def settings(house: Daemon, chromium: Browser) -> Iterator[Page]:
    for page in open_page(chromium, "phone"):
        page.goto(f"{house.url}/dashboard")
        page.get_by_label("Dashboard").get_by_role("link", name="Settings").press("Enter")
        expect(page.locator("setting-row")).not_to_have_count(0)
        yield page


def written(house: Daemon) -> Path:
    return house.folder / "config.toml"


def test_a_setting_is_changed_refused_and_put_back_by_keyboard(settings: Page, house: Daemon) -> None:
    written(house).write_text("# mine\nlog_mb = 9 # large\n")
    settings.reload()
    field = settings.get_by_label("Size of a log file")
    expect(field).to_have_value("9")
    row = settings.locator("setting-row").filter(has=field)
    field.fill("0")
    field.press("Enter")
    expect(row.get_by_role("alert")).to_have_text("Choose a number from 1 to 1,000.")
    field.fill("12")
    field.press("Enter")
    expect(row).to_contain_text("Holds after the next start. Until then: 5 MB.")
    expect(row.get_by_role("status")).to_have_text("Saved.")
    assert written(house).read_text() == "# mine\nlog_mb = 12 # large\n"
    expect(settings.get_by_text("Some changes hold once you have stopped Lectern")).to_be_visible()
    row.get_by_role("button", name="Back to 5 MB").press("Enter")
    expect(field).to_have_value("5")
    expect(settings.get_by_text("Some changes hold once")).to_have_count(0)
    assert written(house).read_text() == "# mine\n#log_mb = 5 # large\n"
    address = settings.get_by_label("Port", exact=True)
    expect(address).to_be_disabled()
    expect(settings.locator("setting-row").filter(has=address)).to_contain_text("Set by the variable LECTERN_PORT")


def test_choices_and_switches_are_kept_at_once_and_a_fault_of_the_file_is_told(settings: Page, house: Daemon) -> None:
    written(house).write_text("")
    settings.reload()
    voice = settings.get_by_label("Voice for new books")
    voice.select_option("bf_emma")
    expect(settings.locator("setting-row").filter(has=voice)).to_contain_text("Holds at once.")
    expect(settings.locator("setting-row").filter(has=voice).get_by_role("status")).to_have_text("Saved.")
    settings.get_by_role("switch", name="Audio in nightly backups").press("Space")
    row = settings.locator("setting-row").filter(has=settings.get_by_label("Audio in nightly backups"))
    expect(row.get_by_role("status")).to_have_text("Saved.")
    told = {one["name"]: one["value"] for one in house.get("/settings")["settings"]}
    assert (told["voice"], told["backup_audio"]) == ("bf_emma", True)
    written(house).write_text("port = = 1\n")
    voice.select_option("af_heart")
    expect(settings.locator("setting-row").filter(has=voice).get_by_role("alert")).to_contain_text("mended by hand")
    assert written(house).read_text() == "port = = 1\n"
    written(house).write_text("")


def test_a_backup_is_made_and_the_way_back_is_told(settings: Page, house: Daemon) -> None:
    written(house).write_text("")
    card = settings.locator("backup-card")
    card.get_by_role("button", name="Back up now").press("Enter")
    expect(card.get_by_role("button", name="Back up now")).to_be_enabled()
    backup = card.locator(".backup").first
    backup.get_by_text("Go back to it").click()
    expect(backup.get_by_text("restore /")).to_be_visible()
    expect(backup).to_contain_text("What is there now is put aside, not deleted.")


def test_a_backup_is_gone_back_to_by_keyboard_once_somebody_said_so(settings: Page, house: Daemon) -> None:
    name = house.get("/backups")["backups"][0]["name"]
    asked: list[str] = []

    def listed(route: Route) -> None:
        told = {**route.fetch().json(), "can_restore": True}
        if asked:
            words = ["Restored as it was.", "What was here before lies in /data/before-restore-1."]
            told["restored"] = {"name": name, "at": "2026-07-02T03:00:00Z", "told": words, "trouble": None}
        route.fulfill(json=told)

    def restore(route: Route) -> None:
        asked.append(route.request.url)
        route.fulfill(status=202, json={})

    settings.route("**/api/v1/backups", listed)
    settings.route("**/restore", restore)
    settings.reload()
    card = settings.locator("backup-card")
    go = card.get_by_role("button", name="Go back to").first
    go.press("Enter")
    dialog = settings.get_by_role("dialog")
    expect(dialog).to_contain_text("Nothing is deleted")
    expect(dialog.get_by_role("button", name="Keep everything as it is")).to_be_focused()
    settings.keyboard.press("Enter")
    expect(dialog).to_be_hidden()
    assert asked == []
    expect(go).to_be_focused()
    settings.keyboard.press("Enter")
    dialog.get_by_role("button", name="Go back to it").press("Enter")
    expect(card.locator(".restored")).to_contain_text("What was here before lies in /data/before-restore-1.")
    expect(dialog).to_be_hidden()
    assert [url.rpartition("/backups/")[2] for url in asked] == [f"{name}/restore"]


def test_the_log_holds_nothing_private_and_about_names_licences(settings: Page) -> None:
    log = settings.locator("log-view")
    expect(log.locator(".log > li").first).to_contain_text("(a file)")
    assert "Diary" not in log.inner_text() and "anna" not in log.inner_text()
    log.get_by_label("What of it").select_option("error")
    expect(log.locator(".log > li")).to_have_count(1)
    log.get_by_label("Look for").fill("no such word")
    expect(log).to_contain_text("Nothing in it is called that.")
    about = settings.locator("about-card")
    expect(about).to_contain_text("AGPL-3.0-or-later")
    about.get_by_text("that it is built on").click()
    expect(about.get_by_role("row", name="EbookLib")).to_contain_text("Affero")


def test_insight_shows_listening_space_and_a_sentence(chromium: Browser, daemon: Daemon, book: str) -> None:
    begun = daemon.get(f"/books/{book}/chapters/1")["sentences"][0]["id"]
    body = {"chapter": 1, "sentence": begun, "device": "radio", "counter": 1, "reason": "jump"}
    later = {**body, "counter": 2, "reason": "played", "heard_s": 5}
    hour = {"at": datetime.now(UTC).isoformat(), "audio_s": 90, "work_s": 60}
    for page in open_page(chromium, "desk"):
        page.route("**/api/v1/speed", lambda route: route.fulfill(json={"days": 30, "hours": [hour]}))
        page.goto(f"{daemon.url}/dashboard")
        put = "([book, body]) => fetch(`/api/v1/books/${book}/position`, {method: 'PUT', body: JSON.stringify(body), "
        put += "headers: {'content-type': 'application/json'}}).then((answer) => answer.ok)"
        assert all(page.evaluate(put, [book, one]) for one in (body, later))
        page.get_by_label("Dashboard").get_by_role("link", name="Insight").press("Enter")
        insight = page.locator("insight-page")
        kept = sum(1 for one in daemon.get("/books")["books"] if one["audio_bytes"])
        told = f"The audio of {kept} {'book' if kept == 1 else 'books'} takes"
        expect(insight.get_by_text(told)).to_be_visible()
        expect(insight.get_by_text("in the last 30 days")).to_be_visible()
        expect(insight.get_by_role("img", name="The wave of the sentence")).to_be_visible()
        expect(insight.get_by_role("img", name="How the pitch")).to_be_visible()
        speed = insight.locator("render-speed")
        expect(speed.get_by_role("img", name="Speed of rendering in each hour of the last 48 hours")).to_be_visible()
        expect(speed).to_contain_text("1.5× the speed of speech in the last 48 hours: 2 min of audio in 1 min of work.")
        first = insight.locator(".heard").inner_text()
        assert insight.locator(".plot .span").count() == len(first.split())
        insight.get_by_role("combobox", name="Sentence").select_option(index=1)
        expect(insight.locator(".heard")).not_to_have_text(first)
