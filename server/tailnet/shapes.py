"""What Tailscale's LocalAPI tells, as values. It is Go's JSON: a list that is empty may come as null."""

import ipaddress
from dataclasses import dataclass
from typing import Any, Final

RUNNING: Final = "Running"
TAGGED: Final = "tagged-devices"  # the login of every node that belongs to a tag and to nobody
RANGES: Final = (ipaddress.ip_network("100.64.0.0/10"), ipaddress.ip_network("fd7a:115c:a1e0::/48"))


@dataclass(frozen=True, slots=True)
class State:
    """This machine in its tailnet. `user_id` and `login` are empty where the machine is a tagged one, nobody's own."""

    backend: str  # NoState, NeedsLogin, NeedsMachineAuth, Stopped, Starting, Running
    addresses: tuple[str, ...] = ()
    name: str = ""  # in MagicDNS, without the dot at its end
    magic_dns: bool = False
    cert_domains: tuple[str, ...] = ()
    user_id: int = 0
    login: str = ""
    tagged: bool = False
    kernel: bool = True  # False: no network interface, so that tailnet peers arrive from loopback

    @property
    def running(self) -> bool:
        return self.backend == RUNNING and bool(self.addresses)


@dataclass(frozen=True, slots=True)
class Peer:
    """Whose machine somebody asks from. A tagged one is nobody's."""

    user_id: int
    login: str
    name: str
    device: str
    device_id: str = ""
    tagged: bool = False


def read_state(told: dict[str, Any]) -> State:
    """The answer to `status`; what is missing or null is empty."""
    own, net, users = _part(told, "Self"), _part(told, "CurrentTailnet"), _part(told, "User")
    tagged = bool(_texts(own.get("Tags")))
    user_id = 0 if tagged else _whole(own.get("UserID"))
    login = _text(_part(users, str(user_id)).get("LoginName"))
    if login == TAGGED:  # every tagged node has this user: it must never count as the owner
        tagged, user_id, login = True, 0, ""
    return State(
        backend=_text(told.get("BackendState")) or "NoState",
        addresses=tuple(a for a in (_address(text) for text in _texts(told.get("TailscaleIPs"))) if a),
        name=_text(own.get("DNSName")).rstrip(".").lower(),
        magic_dns=net.get("MagicDNSEnabled") is True,
        cert_domains=tuple(domain.lower() for domain in _texts(told.get("CertDomains"))),
        user_id=user_id,
        login=login,
        tagged=tagged,
        kernel=told.get("TUN") is not False,
    )


def read_peer(told: dict[str, Any]) -> Peer:
    """The answer to `whois`."""
    node, user = _part(told, "Node"), _part(told, "UserProfile")
    login = _text(user.get("LoginName"))
    full = _text(node.get("Name")).rstrip(".")
    return Peer(
        user_id=_whole(user.get("ID")),
        login=login,
        name=_text(user.get("DisplayName")) or login,
        device=_text(node.get("ComputedName")) or full.partition(".")[0],
        device_id=_text(node.get("StableID")),
        tagged=bool(_texts(node.get("Tags"))) or login == TAGGED,
    )


def in_tailnet(address: str) -> bool:
    """Whether an address lies where only Tailscale gives addresses (and some providers, for IPv4)."""
    try:
        parsed = ipaddress.ip_address(address.partition("%")[0])
    except ValueError:
        return False
    return any(parsed in block for block in RANGES)


def _address(text: str) -> str:
    try:
        return str(ipaddress.ip_address(text))
    except ValueError:
        return ""


def _part(told: dict[str, Any], name: str) -> dict[str, Any]:
    found = told.get(name)
    return found if isinstance(found, dict) else {}


def _texts(value: Any) -> list[str]:
    return [item for item in value if isinstance(item, str)] if isinstance(value, list) else []


def _text(value: Any) -> str:
    return value if isinstance(value, str) else ""


def _whole(value: Any) -> int:
    return value if isinstance(value, int) and not isinstance(value, bool) else 0
