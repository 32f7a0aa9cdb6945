"""By which names each door goes: a page that makes its own name point here (DNS rebinding) has that name in Host."""

import ipaddress
from typing import Final

from server.access.model import Via
from server.tailnet.shapes import State

LOOPBACK: Final = frozenset({"localhost", "127.0.0.1", "[::1]"})
ANYWHERE: Final = ("0.0.0.0", "::")  # noqa: S104 - compared with, not bound to


def host_known(
    host: str, via: Via, configured: str, port: int, state: State | None, lan: bool = False, machine: str = ""
) -> bool:
    """Whether a Host header, in small letters, is a name of the door that it came to, with or without its port.

    `machine` is the name of this computer in the home network, without `.local`.
    """
    name, said = _split(host)
    if said and not said.isdecimal():
        return False
    if via == "serve":  # the port is Tailscale's: 443, 8443 or whatever it was told
        return state is not None and name in _names(state)
    if said not in ("", str(port)):
        return False
    if name in LOOPBACK or name == bracketed(configured.lower()):
        return via != "tailnet" or name not in LOOPBACK
    if via == "tailnet":
        return state is not None and (
            name in _names(state) or name == _short(state) or name in {bracketed(a) for a in state.addresses}
        )
    if via == "lan" and lan and machine and name == f"{machine}.local":
        return True
    # Bound to every address, any literal address may be its own. Rebinding needs a name, so that stays safe.
    return (lan or configured in ANYWHERE) and _is_address(name)


def _names(state: State) -> set[str]:
    return {name for name in (state.name, *state.cert_domains) if name}


def _short(state: State) -> str | None:
    """What MagicDNS lets people type. Nobody owns a name without a dot, so no other site's page can have it."""
    short, dot, _ = state.name.partition(".")
    return short if dot and short else None


def bracketed(address: str) -> str:
    """An address as it stands in a URL."""
    return f"[{address}]" if ":" in address else address


def _split(host: str) -> tuple[str, str]:
    """Host header → name, port (empty if none)."""
    name, colon, port = host.rpartition(":")
    return (name.rstrip("."), port) if colon and not host.endswith("]") else (host.rstrip("."), "")


def _is_address(name: str) -> bool:
    try:
        ipaddress.ip_address(name.removeprefix("[").removesuffix("]"))
    except ValueError:
        return False
    return True
