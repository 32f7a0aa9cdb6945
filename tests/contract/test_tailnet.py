"""The doors with Tailscale behind them: a real application, a fake tailscaled, and all that should not come in."""

import asyncio
import socket
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import httpx
import pytest

from server.access.keeper import Keeper
from server.access.people import person_key
from server.access.token import FAILURES
from server.api.doors import CHANGED, Doors, wanted
from server.api.listener import Listener, open_sockets
from server.api.live import lines
from server.api.routes import create_app
from server.config import Settings
from server.tailnet import presence
from server.tailnet.endpoint import finder
from server.tailnet.localapi import LocalApi
from server.tailnet.presence import Tailnet
from server.tailnet.shapes import State
from tests.contract.household import PaperHousehold
from tests.contract.test_live import free_port
from tests.fakes.tailscaled import ADDRESSES, ANNA, KIOSK, NAME, OWN, OWNER, PHONE, FakeTailscaled

SOON_S = 60.0
SERVED = {"host": NAME}


@pytest.fixture
async def tailscaled(tmp_path: Path) -> AsyncIterator[FakeTailscaled]:
    fake = FakeTailscaled()
    await fake.start(tmp_path / "ts.sock")
    yield fake
    await fake.stop()


class House(PaperHousehold):
    """With Tailscale, and doors by the addresses of both ends alone."""

    def __init__(self, settings: Settings, tailnet: Tailnet) -> None:
        super().__init__(settings)
        self.keeper = Keeper(settings, tailnet)

    @property
    def access(self) -> Keeper:
        return self.keeper


@pytest.fixture
async def at(house: PaperHousehold, tailscaled: FakeTailscaled, tmp_path: Path) -> AsyncIterator[Callable[..., Any]]:
    """`at(local, peer, headers)` asks from `peer` at the socket `local`; the house is `at.house`."""
    tailnet = Tailnet(LocalApi(finder(str(tmp_path / "ts.sock")), limit_s=2.0))
    await tailnet.look()

    def made(**settings: Any) -> Callable[..., Any]:
        home = House(replace(house.settings, **settings), tailnet)
        app = create_app(home)

        async def ask(
            local: str, peer: str, method: str = "GET", path: str = "/api/v1/me", **more: Any
        ) -> httpx.Response:
            transport = httpx.ASGITransport(app, client=(peer, 50_000))  # type: ignore[arg-type]
            async with httpx.AsyncClient(transport=transport, base_url=f"http://{local}") as client:
                return await client.request(method, path, **more)

        ask.house = home  # type: ignore[attr-defined]
        ask.tailnet = tailnet  # type: ignore[attr-defined]
        return ask

    yield made
    await tailnet.close()


def serve(peer: str, **headers: str) -> dict[str, Any]:
    """A request as `tailscale serve` passes it on."""
    return {"headers": {**SERVED, "x-forwarded-for": peer, "tailscale-user-login": "mallory@example.com", **headers}}


HERE, FRONT, DIRECT = "127.0.0.1:8484", "127.0.0.1:8485", f"{ADDRESSES[0]}:8484"
LOOP = "127.0.0.1"


async def test_each_by_his_own_door(at: Callable[..., Any]) -> None:
    ask = at()
    ask.house.access.people.add("anna@example.com", "listener", "Anna")
    anna = person_key("anna@example.com")
    for reply, person, role, via in [
        (await ask(HERE, LOOP), "owner", "owner", "loopback"),
        (await ask(FRONT, LOOP, **serve(PHONE)), "owner", "owner", "serve"),
        (await ask(FRONT, LOOP, **serve(ADDRESSES[0])), "owner", "owner", "serve"),
        (await ask(FRONT, LOOP, **serve(ANNA)), anna, "listener", "serve"),
        (await ask(DIRECT, PHONE), "owner", "owner", "tailnet"),
        (await ask(DIRECT, ANNA, headers={"host": f"{NAME}:8484"}), anna, "listener", "tailnet"),
        (await ask(f"[{ADDRESSES[1]}]:8484", PHONE), "owner", "owner", "tailnet"),
    ]:
        assert reply.status_code == 200, reply.text
        me = reply.json()
        assert (me["person"], me["role"], me["via"]) == (person, role, via)


REFUSED: list[tuple[str, str, dict[str, Any], str]] = [
    (FRONT, LOOP, serve(KIOSK), "device-tagged"),
    (FRONT, LOOP, serve("100.64.7.7"), "device-unknown"),
    (FRONT, LOOP, serve("203.0.113.5"), "device-unknown"),
    (FRONT, LOOP, serve(ANNA), "not-on-the-list"),
    (FRONT, LOOP, serve(PHONE, **{"tailscale-funnel-request": "?1"}), "funnel-refused"),
    (FRONT, LOOP, serve(f"{PHONE}, 127.0.0.1"), "sender-unknown"),
    (FRONT, LOOP, {"headers": SERVED}, "sender-unknown"),
    (FRONT, LOOP, {"headers": {**SERVED, "tailscale-user-login": OWNER}}, "sender-unknown"),
    (FRONT, LOOP, {"headers": [*SERVED.items(), *[("x-forwarded-for", a) for a in (PHONE, PHONE)]]}, "sender-unknown"),
    (DIRECT, ANNA, {}, "not-on-the-list"),
    (DIRECT, ANNA, {"headers": {"x-forwarded-for": PHONE, "tailscale-user-login": OWNER}}, "not-on-the-list"),
    (DIRECT, ANNA, {"headers": {"forwarded": f"for={PHONE}", "x-real-ip": "127.0.0.1"}}, "not-on-the-list"),
    (DIRECT, KIOSK, {}, "device-tagged"),
    (DIRECT, "100.64.7.7", {}, "device-unknown"),
    (HERE, LOOP, {"headers": {"x-forwarded-for": "127.0.0.1"}}, "proxy-refused"),
    (HERE, LOOP, {"headers": {"tailscale-user-login": OWNER}}, "proxy-refused"),
    ("192.168.1.5:8484", "192.168.1.9", {"headers": {"host": HERE}}, "network-refused"),
    ("192.168.1.5:8484", PHONE, {"headers": {"host": HERE}}, "network-refused"),
]


@pytest.mark.parametrize(("local", "peer", "more", "code"), REFUSED)
async def test_whoever_is_nobody_is_refused_and_told_why(
    at: Callable[..., Any], local: str, peer: str, more: dict[str, Any], code: str
) -> None:
    ask = at()
    reply = await ask(local, peer, **more)
    assert (reply.status_code, reply.headers["content-type"]) == (403, "application/problem+json")
    assert reply.json()["code"] == code
    assert reply.json()["detail"].endswith((".", ")."))
    assert reply.headers["cache-control"] == "no-store"
    for path in ("/", "/dashboard", "/web/lib/api.js", "/api/v1/books", "/api/v1/nothing", "/enter"):
        assert (await ask(local, peer, path=path, **more)).status_code == 403, path


async def test_a_person_is_refused_on_a_page(at: Callable[..., Any]) -> None:
    reply = await at()(DIRECT, ANNA, path="/", headers={"accept": "text/html,*/*"})
    assert (reply.status_code, reply.headers["content-type"]) == (403, "text/html; charset=utf-8")
    assert "anna@example.com is not on the list" in reply.text
    assert reply.headers["content-security-policy"].startswith("default-src 'none'")


async def test_names_in_a_refusal_are_no_markup(at: Callable[..., Any], tailscaled: FakeTailscaled) -> None:
    tailscaled.add("100.64.6.6", "x", 6, "<script>alert(1)</script>@x", "X")
    reply = await at()(DIRECT, "100.64.6.6", path="/", headers={"accept": "text/html"})
    assert "<script>" not in reply.text
    assert "&lt;script&gt;" in reply.text


REBOUND = [
    (FRONT, LOOP, "evil.example"), (FRONT, LOOP, "localhost:8485"), (FRONT, LOOP, f"{NAME}.evil.example"),
    (DIRECT, PHONE, "evil.example:8484"), (DIRECT, PHONE, "localhost:8484"), (DIRECT, PHONE, "mac.evil:8484"),
    (HERE, LOOP, NAME), (HERE, LOOP, f"{NAME}:8484"), (HERE, LOOP, f"{ADDRESSES[0]}:8484"),
]  # fmt: skip


async def test_rebinding_is_refused_at_every_door(at: Callable[..., Any]) -> None:
    """A page whose name was made to point here is known by the name in Host, also from a device that is let in."""
    ask = at()
    for local, peer, host in REBOUND:
        headers = {"x-forwarded-for": PHONE} if local == FRONT else {}
        for method, path in [("GET", "/api/v1/books"), ("PUT", "/api/v1/rendering"), ("GET", "/")]:
            reply = await ask(local, peer, method, path, headers={**headers, "host": host})
            assert (reply.status_code, reply.json()["code"]) == (421, "host-refused"), (local, host, path)


FOREIGN = [
    {"origin": "https://evil.example"}, {"origin": "null"}, {"origin": f"https://{NAME}.evil.example"},
    {"origin": "http://localhost:8484"}, {"origin": f"http://{NAME}:8484"}, {"sec-fetch-site": "cross-site"},
    {"origin": f"https://x.{NAME}"}, {"sec-fetch-site": "same-site"},
]  # fmt: skip


async def test_another_sites_page_changes_nothing_through_serve(at: Callable[..., Any]) -> None:
    ask = at()
    for foreign in FOREIGN:
        reply = await ask(FRONT, LOOP, "POST", "/api/v1/people", json={"login": "evil@x"}, **serve(PHONE, **foreign))
        assert (reply.status_code, reply.json()["code"]) == (403, "origin-refused"), foreign
    assert ask.house.access.people.all() == []


async def test_the_own_page_does_through_serve(at: Callable[..., Any]) -> None:
    own = serve(PHONE, origin=f"https://{NAME}")
    assert (await at()(FRONT, LOOP, "POST", "/api/v1/people", json={"login": "ben@x"}, **own)).status_code == 201


async def test_a_port_that_tailscale_passes_on_raw_lets_nobody_write_the_header(
    at: Callable[..., Any], tailscaled: FakeTailscaled
) -> None:
    """`serve --tcp`, or a tailscaled without network interface: the peer speaks to the serve port itself."""
    ask = at()
    tailscaled.passed_on["127.0.0.1:50000"] = ANNA
    refused = await ask(FRONT, LOOP, **serve(PHONE))
    assert (refused.status_code, refused.json()["code"]) == (403, "sender-unknown")


async def test_without_a_network_interface_loopback_is_asked_about(
    at: Callable[..., Any], tailscaled: FakeTailscaled
) -> None:
    ask = at()
    tailscaled.kernel = False
    await ask.tailnet.look()
    assert (await ask(HERE, LOOP)).json()["role"] == "owner"
    tailscaled.passed_on["127.0.0.1:50000"] = ANNA
    ask.tailnet._peers.clear()
    assert (await ask(HERE, LOOP)).json()["code"] == "not-on-the-list"


async def test_on_a_machine_with_a_tag_no_tagged_device_is_its_owner(
    at: Callable[..., Any], tailscaled: FakeTailscaled
) -> None:
    ask = at()
    tailscaled.tags, tailscaled.user_id, tailscaled.login = ["tag:server"], 1_002, "tagged-devices"
    await ask.tailnet.look()
    assert (await ask(DIRECT, KIOSK)).json()["code"] == "device-tagged"
    assert (await ask(DIRECT, PHONE)).json()["code"] == "not-on-the-list"


@pytest.mark.parametrize("trouble", ["absent", "hung", "off"])
async def test_while_tailscale_is_silent_everybody_waits_outside_and_loopback_does_not_care(
    at: Callable[..., Any], tailscaled: FakeTailscaled, trouble: str
) -> None:
    ask = at(tailscale=trouble != "off")
    if trouble == "absent":
        await tailscaled.stop()
    tailscaled.hang = trouble == "hung"
    async with asyncio.timeout(SOON_S):
        for local, peer, more in [(DIRECT, PHONE, {}), (FRONT, LOOP, serve(PHONE))]:
            reply = await ask(local, peer, **more)
            assert (reply.status_code, reply.json()["code"]) == (503, "tailscale-silent")
            assert int(reply.headers["retry-after"]) > 0
    asked = len(tailscaled.asked)
    assert (await ask(HERE, LOOP)).json()["role"] == "owner"
    assert len(tailscaled.asked) == asked  # it is not even tried


async def test_a_person_is_let_in_changed_and_put_out_at_once(at: Callable[..., Any]) -> None:
    ask = at()

    async def owner(method: str, path: str = "/api/v1/people", **more: Any) -> Any:
        reply = await ask(HERE, LOOP, method, path, **more)
        assert reply.status_code < 300, reply.text
        return reply.json() if reply.content else None

    assert (await ask(DIRECT, ANNA)).status_code == 403
    assert [visitor["login"] for visitor in (await owner("GET"))["visitors"]] == ["anna@example.com"]
    made = await owner("POST", json={"login": "anna@example.com", "name": "Anna"})
    assert (await ask(DIRECT, ANNA)).json()["role"] == "listener"
    assert (await ask(DIRECT, ANNA, path="/api/v1/people")).status_code == 403
    listed = await owner("GET")
    assert listed["visitors"] == []
    assert listed["owner"] == OWNER
    assert [device["name"] for device in listed["people"][0]["devices"]] == ["annas-phone"]
    await owner("PATCH", f"/api/v1/people/{made['id']}", json={"role": "owner"})
    assert (await ask(DIRECT, ANNA, path="/api/v1/people")).status_code == 200
    await owner("DELETE", f"/api/v1/people/{made['id']}")
    assert (await ask(DIRECT, ANNA)).status_code == 403
    mine = await ask(HERE, LOOP, "POST", "/api/v1/people", json={"login": OWNER.upper()})
    assert (mine.status_code, "That is you" in mine.json()["detail"]) == (400, True)


LAN = ("192.168.1.5:8484", "192.168.1.9")


async def test_the_home_network_comes_in_with_the_token(at: Callable[..., Any]) -> None:
    ask = at(lan="listener")
    token = ask.house.access.token.value
    asked = await ask(*LAN)
    assert (asked.status_code, asked.json()["code"]) == (401, "token-wanted")
    assert asked.headers["www-authenticate"].startswith("Bearer")
    page = await ask(*LAN, path="/", headers={"accept": "text/html"})
    assert (page.status_code, page.headers["location"]) == (303, "/enter")
    assert (await ask(*LAN, path="/enter")).status_code == 200
    assert (await ask(*LAN, path="/web/enter.js")).status_code == 200
    assert (await ask(*LAN, path="/api/v1/books")).status_code == 401
    entered = await ask(*LAN, "POST", "/api/v1/enter", json={"token": token})
    cookie = entered.headers["set-cookie"]
    assert "HttpOnly" in cookie
    assert "SameSite=Lax" in cookie
    assert token not in cookie
    me = (await ask(*LAN, headers={"cookie": "a=b; " + cookie.partition(";")[0]})).json()
    assert (me["person"], me["role"], me["via"]) == ("owner", "listener", "lan")
    assert (await ask(*LAN, headers={"authorization": f"Bearer {token}"})).status_code == 200
    kept = {"cookie": cookie.partition(";")[0]}
    assert (await ask(*LAN, path="/api/v1/people", headers=kept)).status_code == 403
    assert (await ask(*LAN, headers={**kept, "host": "evil.example:8484"})).status_code == 421
    assert (await ask(*LAN, headers={"cookie": f"lectern={token}"})).status_code == 401


async def test_guessing_the_token_is_stopped(at: Callable[..., Any]) -> None:
    ask = at(lan="owner")
    token = ask.house.access.token.value
    for number in range(FAILURES):
        reply = await ask(*LAN, "POST", "/api/v1/enter", json={"token": f"guess {number}"})
        assert (reply.status_code, reply.json()["code"]) == (403, "token-wrong")
    for more in ({"json": {"token": token}}, {"json": {"token": "one more"}}):
        reply = await ask(*LAN, "POST", "/api/v1/enter", **more)
        assert (reply.status_code, reply.json()["code"]) == (429, "too-many-attempts")
        assert int(reply.headers["retry-after"]) > 0
    assert (await ask(*LAN, headers={"authorization": f"Bearer {token}"})).status_code == 429
    another = await ask("192.168.1.5:8484", "192.168.1.10", "POST", "/api/v1/enter", json={"token": token})
    assert another.status_code == 200


async def test_the_token_opens_no_other_door(at: Callable[..., Any]) -> None:
    ask = at(lan="owner")
    bearer = {
        "authorization": f"Bearer {ask.house.access.token.value}",
        "cookie": f"lectern={ask.house.access.token.cookie}",
    }
    assert (await ask(DIRECT, ANNA, headers=bearer)).status_code == 403
    assert (await ask(FRONT, LOOP, headers={**bearer, **SERVED})).status_code == 403
    off = at()
    assert (await off(*LAN, headers={**bearer, "host": HERE})).json()["code"] == "network-refused"


async def test_the_address_for_a_phone(at: Callable[..., Any], tailscaled: FakeTailscaled) -> None:
    ask = at()
    found = (await ask(HERE, LOOP, path="/api/v1/address")).json()
    assert (found["url"], found["kind"]) == (f"http://{NAME}:8484/", "tailnet")
    assert "tailscale serve --bg http://127.0.0.1:8485" in found["advice"]
    tailscaled.serve = {"Web": {f"{NAME}:443": {"Handlers": {"/": {"Proxy": "http://127.0.0.1:8485"}}}}}
    found = (await ask(HERE, LOOP, path="/api/v1/address")).json()
    assert found == {"url": f"https://{NAME}/", "kind": "serve", "secure": True, "advice": None}
    code = await ask(HERE, LOOP, path="/api/v1/address/qr.svg")
    assert (code.status_code, code.headers["content-type"]) == (200, "image/svg+xml")
    assert code.text.startswith("<svg")


def test_which_addresses_are_listened_on() -> None:
    up = State("Running", ADDRESSES, NAME)
    tailnet = {(address, 8484) for address in ADDRESSES}
    served = ("127.0.0.1", 8485)
    assert wanted(Settings(), up) == {served, *tailnet}
    assert wanted(Settings(), State("Stopped")) == {served}
    assert wanted(Settings(), None) == set()
    assert wanted(Settings(), None, frozenset({served, *tailnet})) == {served}
    assert wanted(Settings(tailscale=False), up) == set()
    assert wanted(Settings(host="0.0.0.0"), up) == {served}  # all of them are listened on already
    assert wanted(Settings(lan="listener"), up) == {served}
    assert wanted(Settings(host=ADDRESSES[0]), up) == {served, (ADDRESSES[1], 8484)}
    assert wanted(Settings(), replace(up, kernel=False)) == {served}
    assert wanted(Settings(serve_port=9), up) == {("127.0.0.1", 9), *tailnet}
    assert wanted(Settings(port=65_535), None, frozenset({("127.0.0.1", 65_534)})) == {("127.0.0.1", 65_534)}


def reachable(address: str, port: int) -> bool:
    with socket.socket() as probe:
        probe.settimeout(5)
        return probe.connect_ex((address, port)) == 0


@asynccontextmanager
async def running(house: PaperHousehold, tailnet: Tailnet) -> AsyncIterator[Doors]:
    listener = Listener(create_app(house), house.hub, open_sockets(house.settings))
    doors = Doors(house.settings, tailnet, listener, house.hub)
    tasks = [asyncio.create_task(listener.run(signals=False)), asyncio.create_task(doors.run())]
    try:
        yield doors
    finally:
        listener.stop()
        tasks[1].cancel()
        async with asyncio.timeout(SOON_S):
            await asyncio.gather(*tasks, return_exceptions=True)


async def test_doors_come_and_go_with_tailscale_and_without_a_restart(
    house: PaperHousehold, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Absent at first, late, another address, restarting; the second address is not there yet and does no harm."""
    if not reachable_after_bind("127.0.0.3"):
        pytest.skip("127.0.0.3 is no address of this system")
    monkeypatch.setattr(presence, "FIRST_WAIT_S", 0.02)
    monkeypatch.setattr(presence, "LONGEST_WAIT_S", 0.05)
    port, front = free_port(), free_port()
    house.settings = replace(house.settings, port=port, serve_port=front)
    tailnet = Tailnet(LocalApi(finder(str(tmp_path / "ts.sock")), limit_s=2.0))
    tailscaled = FakeTailscaled()
    tailscaled.addresses = ["127.0.0.2", "192.0.2.1"]
    tailed = House(house.settings, tailnet)
    async with (
        asyncio.timeout(SOON_S),
        running(tailed, tailnet) as doors,
        httpx.AsyncClient() as client,
    ):
        await until(lambda: reachable("127.0.0.1", port))
        assert not reachable("127.0.0.1", front)
        await tailscaled.start(tmp_path / "ts.sock")
        await until(lambda: doors.open == {("127.0.0.1", front), ("127.0.0.2", port)})
        # So that a dashboard shows the address for a phone.
        await until(lambda: CHANGED in [event.kind for event in tailed.hub._kept])
        assert (await client.get(f"http://127.0.0.2:{port}/api/v1/me")).status_code == 421  # it answers
        tailscaled.tell(addresses=["127.0.0.3"])
        await until(lambda: doors.open == {("127.0.0.1", front), ("127.0.0.3", port)})
        assert not reachable("127.0.0.2", port)
        await tailscaled.stop()
        await until(lambda: doors.open == {("127.0.0.1", front)})
        assert not reachable("127.0.0.3", port)
        assert (await client.get(f"http://127.0.0.1:{port}/api/v1/me")).json()["role"] == "owner"
        headers = {**SERVED, "x-forwarded-for": PHONE}
        assert (await client.get(f"http://127.0.0.1:{front}/api/v1/me", headers=headers)).status_code == 421
        await tailscaled.start(tmp_path / "ts.sock")
        await until(lambda: len(doors.open) == 2)
        through = await client.get(f"http://127.0.0.1:{front}/api/v1/me", headers=headers)
        assert through.json().get("via") == "serve", through.text
    await tailscaled.stop()
    assert not reachable("127.0.0.1", front)


def reachable_after_bind(address: str) -> bool:
    with socket.socket() as probe:
        try:
            probe.bind((address, 0))
        except OSError:
            return False
    return True


async def until(true: Callable[[], bool]) -> None:
    while not true():
        await asyncio.sleep(0.02)


async def test_with_the_home_network_every_address_is_listened_on() -> None:
    sockets = open_sockets(Settings(port=free_port(), lan="listener"))
    try:
        assert sockets[0].getsockname()[0] == "0.0.0.0"
    finally:
        for sock in sockets:
            sock.close()
    assert OWN


async def test_whoever_is_put_out_hears_no_more(house: PaperHousehold) -> None:
    """An open event stream was let in once: at any change of the list it is looked whether they still may."""

    async def out() -> bool:
        return False

    annas, owners = lines(house.hub, person="a1b2c3d4e5f6", owner=False, same=out), lines(house.hub)
    async with asyncio.timeout(SOON_S):
        for stream in (annas, owners):
            assert (await anext(stream)).startswith(b"retry: ")
        house.hub.publish("people.changed")
        with pytest.raises(StopAsyncIteration):
            await anext(annas)
        assert b"people.changed" in await anext(owners)
        house.hub.close()
        with pytest.raises(StopAsyncIteration):
            await anext(owners)


async def test_a_hung_tailscale_keeps_nobody_from_starting_and_stopping(house: PaperHousehold, tmp_path: Path) -> None:
    house.settings = replace(house.settings, port=free_port(), serve_port=free_port())
    tailscaled = FakeTailscaled()
    tailscaled.hang = True
    await tailscaled.start(tmp_path / "ts.sock")
    tailnet = Tailnet(LocalApi(finder(str(tmp_path / "ts.sock"))))
    home = House(house.settings, tailnet)
    async with asyncio.timeout(SOON_S), running(home, tailnet) as doors, httpx.AsyncClient() as client:
        await until(lambda: len(tailscaled.asked) > 0)
        url = f"http://127.0.0.1:{house.settings.port}/api/v1/me"
        assert (await client.get(url)).json()["role"] == "owner"
        assert doors.open == set()
    await tailscaled.stop()
