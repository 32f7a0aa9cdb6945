"""The decision, without any asking of its own: who comes in by which door, and as whom.

No header makes anybody anybody. Identity is where the connection comes from, as the system tells it, and what Tailscale
says of that address; only at the port for `tailscale serve` is the address the one that Tailscale put into a header.
"""

import ipaddress
from collections.abc import Callable
from typing import Final

from server.access.model import OWNER, Arrival, Identity, Question, Refusal, Via
from server.access.people import Person
from server.tailnet.shapes import Peer, State, in_tailnet

HERE: Final = Identity(OWNER, "owner", "You", "loopback")

FUNNEL: Final = Refusal(403, "funnel-refused", "This Lectern is not open to the internet: it refuses Tailscale Funnel.")
SILENT: Final = Refusal(
    503,
    "tailscale-silent",
    "Tailscale does not answer on the computer that Lectern runs on, so that nobody can be told apart. Try again soon; "
    "“lectern doctor” on that computer says more.",
    retry_s=5,
)
NO_SENDER: Final = Refusal(
    403, "sender-unknown", "This port is for `tailscale serve` only, which says who asks. Use Lectern's own address."
)
UNKNOWN: Final = Refusal(
    403,
    "device-unknown",
    "Tailscale does not know this device. Sign in to Tailscale on it, then open the page again.",
)
LAN_OFF: Final = Refusal(
    403,
    "network-refused",
    "Lectern lets devices of the home network in only when its owner turns that on with LECTERN_LAN (docs/access.md).",
)


def door_of(arrival: Arrival, served_port: int, state: State | None) -> Via:
    """By which door somebody came, from both ends of the connection alone."""
    here, there = arrival.local[0], arrival.peer[0]
    if is_loopback(here) and is_loopback(there):
        return "serve" if arrival.local[1] == served_port else "loopback"
    if in_tailnet(here) or (state is not None and here in state.addresses):
        return "tailnet"
    return "lan"


def question(
    via: Via, arrival: Arrival, port: int, served_port: int, *, userspace: bool = False
) -> Question | Refusal | None:
    """Whom Tailscale must be asked about; None where it need not be."""
    if via == "serve":
        if arrival.funnel:
            return FUNNEL
        sender = _one_address(arrival.forwarded)
        return NO_SENDER if sender is None else Question(sender, behind=arrival.peer)
    if via == "tailnet":
        return Question(plain(arrival.peer[0]))
    if via == "loopback":
        if arrival.proxied:
            return Refusal(
                403,
                "proxy-refused",
                f"A proxy passes this on to port {port}, which is the owner's own, so that everybody would be the "
                f"owner. With Tailscale, run `tailscale serve --bg http://127.0.0.1:{served_port}` instead.",
            )
        if userspace:
            # Without a network interface of its own Tailscale hands every tailnet peer on from loopback.
            return Question(*arrival.peer, unknown_is_owner=True)
    return None


def judge(
    via: Via, peer: Peer | None, state: State | None, listed: Callable[[str], Person | None]
) -> Identity | Refusal:
    """Who a peer is here. `peer` None: Tailscale does not know that address."""
    if peer is None:
        return UNKNOWN
    if peer.tagged or not peer.login:
        return Refusal(
            403,
            "device-tagged",
            f"{_device(peer)} belongs to nobody: in Tailscale it has a tag, not a person. Sign it in as a person.",
        )
    if state is not None and state.user_id and peer.user_id == state.user_id:
        return Identity(OWNER, "owner", peer.name, via, peer.login, peer.device or None)
    if (person := listed(peer.login)) is not None:
        return Identity(person.id, person.role, person.name or peer.name, via, peer.login, peer.device or None)
    return Refusal(
        403,
        "not-on-the-list",
        f"{peer.login} is not on the list of people who may listen here. Whoever runs this Lectern can add them on its "
        "dashboard, under People.",
    )


def is_loopback(address: str) -> bool:
    if address in ("127.0.0.1", "::1"):
        return True
    try:
        return ipaddress.ip_address(plain(address)).is_loopback
    except ValueError:
        return False


def plain(address: str) -> str:
    """An address without its zone, and IPv4 as such."""
    bare = address.partition("%")[0]
    return bare.removeprefix("::ffff:") if "." in bare else bare


def _one_address(forwarded: tuple[str, ...]) -> str | None:
    """The one address that Tailscale put there: more than one, or something else, was put together by somebody."""
    if len(forwarded) != 1:
        return None
    try:
        return str(ipaddress.ip_address(plain(forwarded[0].strip())))
    except ValueError:
        return None


def _device(peer: Peer) -> str:
    return f"The device “{peer.device}”" if peer.device else "This device"
