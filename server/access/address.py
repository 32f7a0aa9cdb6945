"""The address for a phone: the best there is now, and what would make it better."""

import socket
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Literal

from server.access.hosts import ANYWHERE, bracketed
from server.config import Settings
from server.tailnet.serve import Front
from server.tailnet.shapes import State

Kind = Literal["serve", "tailnet", "lan", "none"]
INSTALL: Final = (
    "Install Tailscale on this computer and on the phone (tailscale.com/download), sign in on both as the same person."
)


@dataclass(frozen=True, slots=True)
class Address:
    """`url` is empty where no phone can come in; `advice` None where there is nothing to do."""

    url: str
    kind: Kind
    advice: str | None = None

    @property
    def secure(self) -> bool:
        return self.url.startswith("https:")


def best_address(
    settings: Settings, state: State | None, fronts: Sequence[Front], lan_address: str = "", token: str = ""
) -> Address:
    """The address to open on a phone."""
    if settings.tailscale and state is not None and state.running:
        if (front := our_front(settings, fronts)) is not None:
            return Address(front.url, "serve", None if front.secure else f"For a certificate: `{command(settings)}`.")
        if state.kernel:
            name = state.name if state.magic_dns and state.name else bracketed(state.addresses[0])
            return Address(
                f"http://{name}:{settings.port}/",
                "tailnet",
                f"To listen without a connection too, it needs HTTPS. Type in a terminal: `{command(settings)}`.",
            )
        return Address("", "none", f"Run `{command(settings)}`: Tailscale has no network interface of its own here.")
    if settings.lan != "off" and lan_address:
        # In the fragment, which no browser sends and no log keeps.
        return Address(f"http://{bracketed(lan_address)}:{settings.port}/enter#{token}", "lan")
    if not settings.tailscale:
        return Address(
            "",
            "none",
            "Turn on “Through Tailscale” or “From the home network” in the dashboard’s settings "
            "(LECTERN_TAILSCALE, LECTERN_LAN), and start Lectern again.",
        )
    if state is None:
        return Address("", "none", INSTALL)
    return Address("", "none", f"Sign in to Tailscale on this computer ({state.backend}).")


def our_front(settings: Settings, fronts: Sequence[Front]) -> Front | None:
    """What Tailscale serves of ours, HTTPS first. One below a path is none: our pages lie at the root."""
    ours = [front for front in fronts if front.port == settings.served_port and front.path == "/" and not front.funnel]
    return max(ours, key=lambda front: (front.secure, -front.front_port), default=None)


def command(settings: Settings) -> str:
    """What has Tailscale serve Lectern with a certificate."""
    return f"tailscale serve --bg http://127.0.0.1:{settings.served_port}"


def home_address(settings: Settings) -> str:
    """This machine's address in the home network, empty where there is none. Sends nothing."""
    if settings.lan == "off":
        return ""
    if settings.host not in (*ANYWHERE, "127.0.0.1", "localhost", "::1"):
        return settings.host
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            probe.connect(("192.0.2.1", 9))  # an address that nobody has: it only asks which way packets would go
            found: str = probe.getsockname()[0]
        except OSError:
            return ""
    return "" if found.startswith("127.") else found
