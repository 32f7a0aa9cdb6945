"""Other people and other devices: the list and the address on the dashboard, the door of the home network."""

import asyncio
import contextlib
import json
import threading
import urllib.error
import urllib.request
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect

from server.access.token import LanToken
from server.api import create_app
from server.api.doors import Doors
from server.api.listener import Listener, open_sockets
from server.config import Settings
from tests.browser.conftest import open_page
from tests.contract.household import PaperHousehold
from tests.contract.test_live import free_port
from tests.fakes.tailscaled import ANNA, KIOSK, NAME, PHONE, FakeTailscaled

pytestmark = pytest.mark.browser


@dataclass
class Tailed:
    """A server with a tailscaled beside it, which serves it."""

    settings: Settings

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.settings.port}"

    def come(self, peer: str) -> int:
        """Somebody asks through `tailscale serve`; gives the status."""
        headers = {"host": NAME, "x-forwarded-for": peer}
        asked = urllib.request.Request(f"http://127.0.0.1:{self.settings.served_port}/api/v1/me", headers=headers)
        try:
            with urllib.request.urlopen(asked, timeout=30) as answer:
                return int(answer.status)
        except urllib.error.HTTPError as error:
            return error.code

    def get(self, path: str) -> Any:
        with urllib.request.urlopen(f"{self.url}/api/v1{path}", timeout=30) as answer:
            return json.load(answer)


@pytest.fixture(scope="module")
def tailed(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Tailed]:
    folder = tmp_path_factory.mktemp("tailed")
    settings = Settings(
        data=folder / "data",
        library=folder / "library",
        port=free_port(),
        serve_port=free_port(),
        tailscale_socket=str(folder / "ts.sock"),
        lan="listener",
    )
    ready = threading.Event()
    stop: list[tuple[asyncio.AbstractEventLoop, Listener]] = []
    serving = threading.Thread(target=lambda: asyncio.run(_serve(settings, folder, ready, stop)), daemon=True)
    serving.start()
    assert ready.wait(60)
    yield Tailed(settings)
    loop, listener = stop[0]
    loop.call_soon_threadsafe(listener.stop)
    serving.join(30)


async def _serve(
    settings: Settings, folder: Path, ready: threading.Event, stop: list[tuple[asyncio.AbstractEventLoop, Listener]]
) -> None:
    tailscaled = FakeTailscaled()
    proxy = {"/": {"Proxy": f"http://127.0.0.1:{settings.served_port}"}}
    tailscaled.serve = {"TCP": {"443": {"HTTPS": True}}, "Web": {f"{NAME}:443": {"Handlers": proxy}}}
    await tailscaled.start(folder / "ts.sock")
    house = PaperHousehold(settings)
    listener = Listener(create_app(house), house.hub, open_sockets(settings))
    doors = Doors(settings, house.access.tailnet, listener, house.hub)
    stop.append((asyncio.get_running_loop(), listener))

    async def started() -> None:
        while not doors.open:
            await asyncio.sleep(0.02)
        ready.set()

    tasks = [asyncio.create_task(doors.run()), asyncio.create_task(started())]
    await listener.run(signals=False)
    for task in tasks:
        task.cancel()
    with contextlib.suppress(asyncio.CancelledError):
        await asyncio.gather(*tasks)
    await tailscaled.stop()


@pytest.fixture
def dashboard(tailed: Tailed, chromium: Browser, size: str) -> Iterator[Page]:
    for page in open_page(chromium, size):
        page.goto(f"{tailed.url}/dashboard")
        yield page


def test_somebody_who_came_is_let_in_and_put_out(dashboard: Page, tailed: Tailed) -> None:
    assert (tailed.come(PHONE), tailed.come(ANNA), tailed.come(KIOSK)) == (200, 403, 403)
    dashboard.reload()
    card = dashboard.locator("people-list")
    expect(card).to_contain_text("owner@example.com")
    expect(card).to_contain_text("kiosk has a tag in Tailscale")
    card.get_by_role("button", name="Let anna@example.com listen").click()
    expect(card.get_by_label("What Anna may do")).to_have_value("listener")
    assert tailed.come(ANNA) == 200
    expect(card).to_contain_text("annas-phone, just now")
    card.get_by_label("What Anna may do").select_option("owner")
    dashboard.wait_for_function("fetch('/api/v1/people').then(r => r.json()).then(p => p.people[0].role === 'owner')")
    card.get_by_role("button", name="Remove Anna").click()
    card.get_by_role("button", name="Keep").click()
    expect(card.get_by_role("button", name="Remove Anna")).to_be_focused()
    card.get_by_role("button", name="Remove Anna").click()
    card.get_by_role("button", name="Let Anna listen no longer").click()
    expect(card.get_by_label("What Anna may do")).to_have_count(0)
    assert tailed.come(ANNA) == 403


def test_somebody_is_added_by_name_and_a_mistake_is_explained(dashboard: Page, tailed: Tailed) -> None:
    card = dashboard.locator("people-list")
    card.get_by_text("Add somebody").click()
    login = card.get_by_label("What they sign in to Tailscale with")
    login.fill("owner@example.com")
    card.get_by_role("button", name="Let them listen").last.click()
    expect(card.get_by_role("alert")).to_contain_text("That is you")
    login.fill("ben@example.com")
    login.press("Enter")
    expect(card.get_by_label("What ben@example.com may do")).to_be_visible()
    card.get_by_role("button", name="Remove ben@example.com").click()
    card.get_by_role("button", name="Let ben@example.com listen no longer").click()
    expect(card.get_by_label("What ben@example.com may do")).to_have_count(0)
    assert tailed.get("/people")["people"] == []


def test_the_address_is_shown_with_its_code(dashboard: Page) -> None:
    card = dashboard.locator("phone-address")
    expect(card.get_by_role("link", name=f"https://{NAME}")).to_have_attribute("href", f"https://{NAME}/")
    drawn = "image => image.complete && image.naturalWidth > 0"
    code = card.get_by_role("img", name="The address as a QR code")
    expect(code).to_be_visible()
    dashboard.wait_for_function(f"({drawn})(document.querySelector('phone-address img'))")


def test_the_door_of_the_home_network(chromium: Browser, tailed: Tailed, size: str) -> None:
    """The page that a device of the home network meets; here it is this machine's own."""
    token = LanToken(tailed.settings.data).value
    for page in open_page(chromium, size):
        page.goto(f"{tailed.url}/enter")
        page.get_by_label("Token").fill("guess")
        page.get_by_role("button", name="Come in").click()
        expect(page.get_by_role("alert")).to_contain_text("not the token")
        page.goto(f"{tailed.url}/enter#{token}")
        page.wait_for_url(f"{tailed.url}/")
        cookie = next(one for one in page.context.cookies() if one["name"] == "lectern")
        assert cookie["httpOnly"]
        assert cookie["sameSite"] == "Lax"
        assert cookie["value"] != token
        page.go_back()
        assert token not in page.url
