"""The tailnet followed while it comes, changes and goes; and who somebody is, remembered for a while."""

import asyncio
from collections.abc import AsyncIterator, Callable
from pathlib import Path

import pytest

from server.tailnet import presence
from server.tailnet.endpoint import finder
from server.tailnet.localapi import LocalApi, Unreachable
from server.tailnet.presence import Tailnet
from server.tailnet.serve import Front, read_fronts
from tests.fakes.tailscaled import ANNA, PHONE, FakeTailscaled

SOON_S = 60.0


class Clock:
    now = 1_000.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
async def tailscaled() -> AsyncIterator[FakeTailscaled]:
    """Not started yet."""
    fake = FakeTailscaled()
    yield fake
    await fake.stop()


@pytest.fixture
def tailnet(tmp_path: Path, clock: Clock) -> Tailnet:
    return Tailnet(LocalApi(finder(str(tmp_path / "ts.sock")), limit_s=2.0), clock)


async def until(true: Callable[[], bool]) -> None:
    async with asyncio.timeout(SOON_S):
        while not true():
            await asyncio.sleep(0.01)


async def test_what_has_no_interface_of_its_own_is_remembered_while_it_is_silent(
    tailnet: Tailnet, tailscaled: FakeTailscaled, tmp_path: Path
) -> None:
    """It goes on handing peers on from loopback, whether or not it answers."""
    assert not tailnet.userspace
    tailscaled.kernel = False
    await tailscaled.start(tmp_path / "ts.sock")
    await tailnet.look()
    assert tailnet.userspace
    await tailscaled.stop()
    await tailnet.look()
    assert tailnet.state is None and tailnet.userspace


async def test_late_changing_stopped_gone_and_back(
    tailnet: Tailnet, tailscaled: FakeTailscaled, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(presence, "FIRST_WAIT_S", 0.02)
    monkeypatch.setattr(presence, "LONGEST_WAIT_S", 0.05)
    following = asyncio.create_task(tailnet.follow())
    try:
        await until(lambda: "not running" in tailnet.why)
        assert tailnet.state is None
        await tailscaled.start(tmp_path / "ts.sock")  # late
        await until(lambda: tailnet.state is not None and tailnet.state.running)
        tailscaled.tell(addresses=["100.9.9.9"])
        await until(lambda: tailnet.state is not None and tailnet.state.addresses == ("100.9.9.9",))
        tailscaled.tell(state="Stopped")
        await until(lambda: tailnet.state is not None and not tailnet.state.running)
        await tailscaled.stop()
        await until(lambda: tailnet.state is None)
        tailscaled.state = "Running"
        await tailscaled.start(tmp_path / "ts.sock")  # restarted
        await until(lambda: tailnet.state is not None and tailnet.state.running)
        assert not following.done()
    finally:
        following.cancel()
        await asyncio.gather(following, return_exceptions=True)


async def test_somebody_is_asked_about_once_a_minute(
    tailnet: Tailnet, tailscaled: FakeTailscaled, tmp_path: Path, clock: Clock
) -> None:
    await tailscaled.start(tmp_path / "ts.sock")
    found = await asyncio.gather(*(tailnet.whois(PHONE) for _ in range(20)))
    assert len(tailscaled.asked) == 1
    assert all(peer is not None and peer.device == "iphone" for peer in found)
    clock.now += presence.KNOWN_S - 1
    await tailnet.whois(PHONE)
    assert len(tailscaled.asked) == 1
    clock.now += 2
    await tailnet.whois(PHONE)
    assert len(tailscaled.asked) == 2
    assert await tailnet.whois("100.64.9.9") is None
    clock.now += presence.UNKNOWN_S + 1  # somebody who has just joined
    tailscaled.add("100.64.9.9", "new", 1_003, "anna@example.com", "Anna")
    assert await tailnet.whois("100.64.9.9") is not None
    await tailnet.close()


async def test_another_state_forgets_who_everybody_was(
    tailnet: Tailnet, tailscaled: FakeTailscaled, tmp_path: Path
) -> None:
    await tailscaled.start(tmp_path / "ts.sock")
    await tailnet.look()
    await tailnet.whois(ANNA)
    tailscaled.add(ANNA, "other", 9, "mallory@example.com", "Mallory")
    tailscaled.user_id = 5
    await tailnet.look()
    peer = await tailnet.whois(ANNA)
    assert peer is not None
    assert peer.login == "mallory@example.com"
    await tailnet.close()


async def test_no_more_are_remembered_than_that(
    tailnet: Tailnet, tailscaled: FakeTailscaled, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(presence, "MOST", 8)
    await tailscaled.start(tmp_path / "ts.sock")
    for number in range(20):
        await tailnet.whois(f"100.64.1.{number}")
    assert len(tailnet._peers) == 8
    await tailnet.close()


async def test_hung_makes_one_wait_and_the_rest_not(
    tailnet: Tailnet, tailscaled: FakeTailscaled, tmp_path: Path, clock: Clock
) -> None:
    await tailscaled.start(tmp_path / "ts.sock")
    tailscaled.hang = True
    waiting = [asyncio.create_task(tailnet.whois(f"100.64.2.{number}")) for number in range(3)]
    async with asyncio.timeout(SOON_S):
        assert all(isinstance(e, Unreachable) for e in await asyncio.gather(*waiting, return_exceptions=True))
        asked = len(tailscaled.asked)
        for number in range(50):
            with pytest.raises(Unreachable):
                await tailnet.whois(f"100.64.3.{number}")
    assert len(tailscaled.asked) == asked  # told at once, nobody asked
    tailscaled.hang = False
    clock.now += presence.DOWN_S + 1
    assert await tailnet.whois(PHONE) is not None
    await tailnet.close()


async def test_whoever_leaves_takes_no_answer_from_the_others(
    tailnet: Tailnet, tailscaled: FakeTailscaled, tmp_path: Path
) -> None:
    await tailscaled.start(tmp_path / "ts.sock")
    one, two = (asyncio.create_task(tailnet.whois(PHONE)) for _ in range(2))
    await asyncio.sleep(0)
    one.cancel()
    assert await two is not None
    await tailnet.close()


def test_what_is_served_is_read_from_its_configuration() -> None:
    config = {
        "TCP": {"443": {"HTTPS": True}, "8080": {"HTTP": True}},
        "Web": {
            "mac.tail1234.ts.net:443": {
                "Handlers": {"/": {"Proxy": "http://127.0.0.1:8485"}, "/files": {"Path": "/srv"}}
            },
            "mac.tail1234.ts.net:8080": {"Handlers": {"/x": {"Proxy": "http://localhost:8485"}}},
            "mac.tail1234.ts.net:8443": {"Handlers": {"/": {"Proxy": "https+insecure://127.0.0.1:8485"}}},
        },
        "AllowFunnel": {"mac.tail1234.ts.net:8443": True},
        "Foreground": {
            "s": {"TCP": None, "Web": {"mac.tail1234.ts.net:10000": {"Handlers": {"/": {"Proxy": "3000"}}}}}
        },
    }
    host = "mac.tail1234.ts.net"
    assert read_fronts(config) == [
        Front(host, 443, "/", 8485, True, False),
        Front(host, 8080, "/x", 8485, False, False),
        Front(host, 8443, "/", 0, True, True),
        Front(host, 10_000, "/", 0, True, False),
    ]
    assert [front.url for front in read_fronts(config)][:2] == [f"https://{host}/", f"http://{host}:8080/x"]


@pytest.mark.parametrize(
    "config",
    [{}, {"Web": None}, {"Web": {"x": None, "x:1": None, "x:y": {}}}, {"Web": {"x:1": {"Handlers": {"/": 1}}}}],
)
def test_a_configuration_without_sense_serves_nothing(config: dict[str, object]) -> None:
    assert read_fronts(config) == []
