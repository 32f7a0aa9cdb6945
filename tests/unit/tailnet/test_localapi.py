"""Tailscale's LocalAPI, asked over a socket and over a port, as it is and as it should not be."""

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

import httpx
import pytest

from server.tailnet import endpoint
from server.tailnet.endpoint import Endpoint, finder, in_open_files, standalone
from server.tailnet.localapi import LocalApi, Unreachable
from server.tailnet.shapes import Peer, State, in_tailnet, read_peer, read_state
from tests.fakes.tailscaled import ADDRESSES, ANNA, KIOSK, NAME, OWN, OWNER, PHONE, FakeTailscaled

SOON_S = 60.0  # a time limit of the test, never one that is measured


@pytest.fixture
async def tailscaled(tmp_path: Path) -> AsyncIterator[FakeTailscaled]:
    fake = FakeTailscaled()
    await fake.start(tmp_path / "ts.sock")
    yield fake
    await fake.stop()


@pytest.fixture
async def api(tailscaled: FakeTailscaled, tmp_path: Path) -> AsyncIterator[LocalApi]:
    made = LocalApi(finder(str(tmp_path / "ts.sock")), limit_s=2.0)
    yield made
    await made.close()


async def test_state_of_this_machine(api: LocalApi) -> None:
    assert await api.status() == State(
        backend="Running",
        addresses=ADDRESSES,
        name=NAME,
        magic_dns=True,
        cert_domains=(NAME,),
        user_id=OWN,
        login=OWNER,
    )


async def test_who_somebody_is(api: LocalApi) -> None:
    phone = await api.whois(PHONE, 51_234)
    assert phone == Peer(OWN, OWNER, "Owner", "iphone", "niphoneCNTRL")
    assert await api.whois(ADDRESSES[1]) == Peer(OWN, OWNER, "Owner", "mac", "nmacCNTRL")
    kiosk = await api.whois(KIOSK)
    assert kiosk is not None
    assert kiosk.tagged
    assert await api.whois("192.168.1.4") is None


async def test_go_writes_null_for_an_empty_list(api: LocalApi, tailscaled: FakeTailscaled) -> None:
    tailscaled.state = "NeedsLogin"
    assert await api.status() == State(backend="NeedsLogin", user_id=OWN)
    tailscaled.state, tailscaled.addresses, tailscaled.cert_domains = "Running", None, None
    state = await api.status()
    assert (state.addresses, state.cert_domains, state.running) == ((), (), False)
    assert await api.serve_config() == {}


@pytest.mark.parametrize("told", [{}, {"Self": None, "TailscaleIPs": [None, 3, "no address"], "User": []}])
def test_an_answer_without_sense_is_an_empty_state(told: dict[str, object]) -> None:
    assert read_state(told) == State(backend="NoState")
    assert read_peer({"Node": None, "UserProfile": 1, **told}) == Peer(0, "", "", "")


def test_a_machine_with_a_tag_has_no_user_even_where_the_tag_has_one() -> None:
    """All tagged nodes share one user: taken for the owner's, each of them would be the owner."""
    state = read_state({"Self": {"UserID": 7}, "User": {"7": {"ID": 7, "LoginName": "tagged-devices"}}})
    assert (state.user_id, state.login, state.tagged) == (0, "", True)
    assert read_state({"Self": {"UserID": 7, "Tags": ["tag:x"]}}).user_id == 0


async def test_a_page_would_be_refused_and_we_are_not(tailscaled: FakeTailscaled, tmp_path: Path) -> None:
    """The fake is as strict as the real one: what passes here passes there."""
    transport = httpx.AsyncHTTPTransport(uds=str(tmp_path / "ts.sock"))
    async with httpx.AsyncClient(transport=transport, base_url="http://local-tailscaled.sock") as client:
        for headers in ({"origin": "http://evil.example"}, {"referer": "http://x/"}, {"host": "localhost"}):
            assert (await client.get("/localapi/v0/status", headers=headers)).status_code == 403
        assert (await client.get("/localapi/v0/status")).status_code == 200


async def test_absent(tmp_path: Path) -> None:
    with pytest.raises(Unreachable, match="not running here"):
        await LocalApi(finder(str(tmp_path / "none.sock"))).status()


async def test_hung_is_given_up(api: LocalApi, tailscaled: FakeTailscaled) -> None:
    tailscaled.hang = True
    async with asyncio.timeout(SOON_S):
        for ask in (api.status, lambda: api.whois(PHONE), api.serve_config, lambda: anext(api.watch())):
            with pytest.raises(Unreachable, match="does not answer"):
                await ask()
    tailscaled.hang = False
    assert (await api.status()).running


async def test_restarted_on_the_same_socket(api: LocalApi, tailscaled: FakeTailscaled, tmp_path: Path) -> None:
    assert (await api.status()).running
    await tailscaled.stop()
    with pytest.raises(Unreachable):
        await api.status()
    await tailscaled.start(tmp_path / "ts.sock")
    assert (await api.status()).running
    await tailscaled.stop()
    await tailscaled.start(tmp_path / "ts.sock")
    assert (await api.status()).running  # with a connection kept that nobody holds any more


async def test_wrong_token_and_then_another_port() -> None:
    """The Mac app: after an update port and token are others, which is noticed within one question."""
    first, second = FakeTailscaled(token="cafe"), FakeTailscaled(token="beef")
    ports = [await first.start(), await second.start()]
    found = Endpoint(port=ports[0], token="wrong")

    async def find() -> Endpoint:
        return found

    api = LocalApi(find, limit_s=2)
    try:
        with pytest.raises(Unreachable, match="wrong token"):
            await api.status()
        found = Endpoint(port=ports[0], token="cafe")
        assert (await api.status()).running
        found = Endpoint(port=ports[1], token="beef")
        first.token = "changed"
        assert (await api.status()).running
        assert second.asked
    finally:
        await api.close()
        await first.stop()
        await second.stop()


async def test_news_come_as_they_happen(api: LocalApi, tailscaled: FakeTailscaled) -> None:
    news = api.watch()
    async with asyncio.timeout(SOON_S):
        assert (await anext(news))["State"] == 6
        tailscaled.tell(addresses=["100.9.9.9"])
        assert "SelfChange" in await anext(news)
        await tailscaled.stop()
        with pytest.raises(Unreachable):
            await anext(news)


def test_the_mac_app_from_outside_the_store(tmp_path: Path) -> None:
    assert standalone(tmp_path) is None
    (tmp_path / "ipnport").symlink_to("61577")
    assert standalone(tmp_path) is None
    (tmp_path / "sameuserproof-61577").write_text("2ae2ec9e\n")
    assert standalone(tmp_path) == Endpoint(port=61_577, token="2ae2ec9e")
    assert "2ae2ec9e" not in repr(standalone(tmp_path))


def test_the_mac_app_from_the_store() -> None:
    line = "n/Users/x/Library/Group Containers/ABC.io.tailscale.ipn.macos/sameuserproof-61577-2ae2ec9e"
    assert in_open_files(f"p123\nf4\n{line}\nf5\n") == Endpoint(port=61_577, token="2ae2ec9e")
    assert in_open_files("p123\nn/dev/null\n") is None


async def test_lsof_that_hangs_is_ended(monkeypatch: pytest.MonkeyPatch) -> None:
    real = asyncio.create_subprocess_exec

    async def slow(*_: str, **options: object) -> asyncio.subprocess.Process:
        return await real("sleep", "60", **options)  # type: ignore[arg-type]

    monkeypatch.setattr(asyncio, "create_subprocess_exec", slow)
    monkeypatch.setattr(endpoint, "LSOF_S", 0.1)
    async with asyncio.timeout(SOON_S):
        assert await endpoint._lsof() == ""


@pytest.mark.parametrize(
    ("address", "inside"),
    [
        ("100.64.0.1", True), ("100.127.255.254", True), ("100.128.0.1", False), ("192.168.1.5", False),
        ("fd7a:115c:a1e0::7", True), ("fd7a:115c:a1e1::7", False), ("", False), ("mac", False),
    ],
)  # fmt: skip
def test_addresses_of_the_tailnet(address: str, inside: bool) -> None:
    assert in_tailnet(address) is inside


async def test_questions_are_few(api: LocalApi, tailscaled: FakeTailscaled) -> None:
    await api.status()
    assert tailscaled.asked == ["GET /localapi/v0/status?peers=false"]
    await api.whois(ANNA)
    assert tailscaled.asked[1] == f"GET /localapi/v0/whois?proto=tcp&addr={ANNA}%3A0"
