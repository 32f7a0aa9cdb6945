"""Who comes in: the whole decision as a table."""

from dataclasses import replace
from typing import Any

import pytest

from server.access.decision import (
    FUNNEL,
    HERE,
    NO_SENDER,
    UNKNOWN,
    door_of,
    judge,
    question,
)
from server.access.hosts import host_known
from server.access.model import Arrival, Identity, Question, Refusal, Via
from server.access.people import Person, person_key
from server.tailnet.shapes import Peer, State

PORT, SERVED = 8484, 8485
OWN4, OWN6 = "100.101.102.103", "fd7a:115c:a1e0::1234:5678"
NAME = "mac.tail1234.ts.net"
UP = State("Running", (OWN4, OWN6), NAME, True, (NAME,), 1001, "owner@example.com")
PHONE = "100.64.0.7"


def came(local: str, peer: str, port: int = PORT, **told: Any) -> Arrival:
    return replace(Arrival((local, port), (peer, 50_000)), **told)


@pytest.mark.parametrize(
    ("local", "port", "peer", "door"),
    [
        ("127.0.0.1", PORT, "127.0.0.1", "loopback"),
        ("::1", PORT, "::1", "loopback"),
        ("127.0.0.1", SERVED, "127.0.0.1", "serve"),
        (OWN4, PORT, PHONE, "tailnet"),
        (OWN6, PORT, "fd7a:115c:a1e0::7", "tailnet"),
        (OWN4, PORT, OWN4, "tailnet"),  # this machine by its own tailnet name: asked about like any other
        (OWN4, PORT, "127.0.0.1", "tailnet"),  # no such connection should exist; not loopback at both ends
        ("127.0.0.1", PORT, PHONE, "lan"),
        ("192.168.1.5", PORT, "192.168.1.9", "lan"),
        ("192.168.1.5", PORT, "192.168.1.5", "lan"),  # netstack hands subnet traffic on from the machine's own address
        ("192.168.1.5", PORT, PHONE, "lan"),
        ("100.70.0.1", PORT, PHONE, "tailnet"),  # an address that was ours a moment ago
        ("192.168.1.5", SERVED, "192.168.1.9", "lan"),
        ("", 0, "", "lan"),
    ],
)
def test_doors(local: str, port: int, peer: str, door: Via) -> None:
    assert door_of(came(local, peer, port), SERVED, UP) == door
    if local != "100.70.0.1":
        assert door_of(came(local, peer, port), SERVED, None) == door  # also while Tailscale is silent


def ask(via: Via, arrival: Arrival, state: State | None = UP) -> Question | Refusal | None:
    return question(via, arrival, PORT, SERVED, userspace=state is not None and not state.kernel)


def test_at_this_machine_nobody_is_asked() -> None:
    assert ask("loopback", came("127.0.0.1", "127.0.0.1")) is None
    assert ask("loopback", came("127.0.0.1", "127.0.0.1"), None) is None
    assert HERE.role == "owner"


def test_a_proxy_before_the_owners_port_would_make_everybody_the_owner() -> None:
    refused = ask("loopback", came("127.0.0.1", "127.0.0.1", proxied=True))
    assert isinstance(refused, Refusal)
    assert refused.code == "proxy-refused"
    assert "tailscale serve --bg http://127.0.0.1:8485" in refused.detail


def test_without_a_network_interface_of_its_own_tailnet_peers_come_from_loopback() -> None:
    """tailscaled with userspace networking dials 127.0.0.1 for them: loopback is not the owner then."""
    asked = ask("loopback", came("127.0.0.1", "127.0.0.1"), replace(UP, kernel=False))
    assert asked == Question("127.0.0.1", 50_000, unknown_is_owner=True)


@pytest.mark.parametrize(
    ("forwarded", "asked"),
    [
        ((PHONE,), Question(PHONE, behind=("127.0.0.1", 50_000))),
        (("fd7a:115c:a1e0::7",), Question("fd7a:115c:a1e0::7", behind=("127.0.0.1", 50_000))),
        ((), NO_SENDER),
        (("",), NO_SENDER),
        (("anna",), NO_SENDER),
        ((f"{PHONE}, {OWN4}",), NO_SENDER),
        ((PHONE, OWN4), NO_SENDER),
        ((f"{PHONE}:80",), NO_SENDER),
    ],
)
def test_at_the_serve_port_tailscale_says_where_from(forwarded: tuple[str, ...], asked: object) -> None:
    assert ask("serve", came("127.0.0.1", "127.0.0.1", SERVED, forwarded=forwarded)) == asked


def test_the_internet_is_refused_whatever_else_it_says() -> None:
    assert ask("serve", came("127.0.0.1", "127.0.0.1", SERVED, forwarded=(PHONE,), funnel=True)) == FUNNEL


def test_a_tailnet_peer_is_its_own_address_and_no_header() -> None:
    arrival = came(OWN4, PHONE, forwarded=(OWN4,), proxied=True, funnel=True)
    assert ask("tailnet", arrival) == Question(PHONE)


OWNERS = Peer(1001, "owner@example.com", "Owner", "iphone", "n1")
ANNAS = Peer(1003, "anna@example.com", "Anna", "annas-phone", "n3")
KIOSK = Peer(1002, "tagged-devices", "Tagged Devices", "kiosk", "n2", tagged=True)
LISTED = {
    "anna@example.com": Person(login="anna@example.com"),
    "ben@example.com": Person(login="ben@example.com", role="owner", name="Ben"),
    "tagged-devices": None,
}


@pytest.mark.parametrize(
    ("peer", "state", "result"),
    [
        (OWNERS, UP, ("owner", "owner")),
        (ANNAS, UP, (person_key("anna@example.com"), "listener")),
        (replace(ANNAS, login="ben@example.com"), UP, (person_key("ben@example.com"), "owner")),
        (replace(ANNAS, login="carl@example.com"), UP, "not-on-the-list"),
        (KIOSK, UP, "device-tagged"),
        (replace(OWNERS, tagged=True), UP, "device-tagged"),  # the owner's login on a tagged node is nobody's
        (replace(OWNERS, login=""), UP, "device-tagged"),
        (None, UP, "device-unknown"),
        # Where the machine itself is tagged nobody is its own user, no tagged node and no user number 0.
        (replace(OWNERS, user_id=0), replace(UP, user_id=0, tagged=True), "not-on-the-list"),
        (replace(KIOSK, tagged=False, login="x@y"), replace(UP, user_id=0), "not-on-the-list"),
        (ANNAS, replace(UP, user_id=0, tagged=True), (person_key("anna@example.com"), "listener")),
        (OWNERS, None, "not-on-the-list"),
    ],
)
def test_who_a_peer_is(peer: Peer | None, state: State | None, result: object) -> None:
    found = judge("tailnet", peer, state, LISTED.get)
    if isinstance(found, Identity):
        assert (found.person, found.role) == result
    else:
        assert (found.status, found.code) == (403, result)


def test_a_refusal_says_who_and_what_to_do() -> None:
    stranger = judge("serve", replace(ANNAS, login="carl@example.com"), UP, LISTED.get)
    assert isinstance(stranger, Refusal)
    assert "carl@example.com" in stranger.detail
    assert "under People" in stranger.detail
    tagged = judge("serve", KIOSK, UP, LISTED.get)
    assert isinstance(tagged, Refusal)
    assert "kiosk" in tagged.detail
    assert "Sign" in UNKNOWN.detail


@pytest.mark.parametrize(
    ("via", "host", "known"),
    [
        ("loopback", "localhost:8484", True), ("loopback", NAME, False), ("loopback", OWN4, False),
        ("loopback", "evil.example", False),
        ("serve", NAME, True), ("serve", f"{NAME}:443", True), ("serve", f"{NAME}:8443", True),
        ("serve", f"{NAME}.", True),
        ("serve", "localhost:8485", False), ("serve", "127.0.0.1:8485", False), ("serve", "evil.example", False),
        ("serve", f"{NAME}:evil", False), ("serve", "", False), ("serve", f"x.{NAME}", False),
        ("tailnet", NAME, True), ("tailnet", f"{NAME}:8484", True), ("tailnet", f"{NAME}:80", False),
        ("tailnet", f"{OWN4}:8484", True), ("tailnet", f"[{OWN6}]:8484", True), ("tailnet", PHONE, False),
        ("tailnet", "localhost:8484", False), ("tailnet", "mac", True),
        ("tailnet", "mac:8484", True), ("tailnet", "ma", False), ("loopback", "mac", False), ("lan", "mac", False),
        ("tailnet", "evil.example:8484", False),
        ("lan", "192.168.1.5:8484", False), ("lan", NAME, False),
    ],
)  # fmt: skip
def test_names_of_the_doors(via: Via, host: str, known: bool) -> None:
    assert host_known(host, via, "127.0.0.1", PORT, UP) is known


def test_while_tailscale_is_silent_its_names_are_nobodys() -> None:
    assert not host_known(NAME, "serve", "127.0.0.1", PORT, None)
    assert not host_known(f"{OWN4}:8484", "tailnet", "127.0.0.1", PORT, None)
    assert not host_known("", "serve", "127.0.0.1", PORT, State("NeedsLogin"))
    assert not host_known("", "tailnet", "127.0.0.1", PORT, State("NeedsLogin"))


def test_in_the_home_network_addresses_are_taken_and_names_are_not() -> None:
    assert host_known("192.168.1.5:8484", "lan", "127.0.0.1", PORT, None, lan=True)
    assert not host_known("evil.example:8484", "lan", "127.0.0.1", PORT, None, lan=True)


def test_in_the_home_network_the_computers_own_name_is_taken() -> None:
    def known(host: str, machine: str = "reader", *, lan: bool = True, via: Via = "lan") -> bool:
        return host_known(host, via, "127.0.0.1", PORT, None, lan=lan, machine=machine)

    assert known("reader.local:8484") and known("reader.local")
    assert not any(known(host) for host in ("reader", "other.local:8484", "reader.local.evil.example", ".local"))
    assert not known(".local", machine="")
    assert not known("reader.local", lan=False)
    assert not known("reader.local", via="loopback") and not known("reader.local", via="serve")
