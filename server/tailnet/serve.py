"""What `tailscale serve` puts in front of Lectern, read from its configuration."""

from dataclasses import dataclass
from typing import Any, Final
from urllib.parse import urlsplit

HERE: Final = ("127.0.0.1", "localhost", "[::1]", "::1")


@dataclass(frozen=True, slots=True)
class Front:
    """One address that Tailscale serves. `port` is where it passes requests on to, 0 where that is not this machine."""

    host: str
    front_port: int
    path: str
    port: int
    secure: bool
    funnel: bool  # open to the whole internet

    @property
    def url(self) -> str:
        usual = 443 if self.secure else 80
        port = "" if self.front_port == usual else f":{self.front_port}"
        return f"{'https' if self.secure else 'http'}://{self.host}{port}{self.path}"


def read_fronts(config: dict[str, Any]) -> list[Front]:
    """Every proxy in a serve configuration, those of a `tailscale serve` in some terminal included."""
    found = _fronts(config)
    for session in _part(config, "Foreground").values():
        if isinstance(session, dict):
            found += _fronts(session)
    return found


def _fronts(config: dict[str, Any]) -> list[Front]:
    ports, funnels = _part(config, "TCP"), _part(config, "AllowFunnel")
    found = []
    for place, site in _part(config, "Web").items():
        host, _, number = place.rpartition(":")
        if not host or not number.isdecimal():
            continue
        secure = _part(ports, number).get("HTTP") is not True
        for path, handler in _part(site if isinstance(site, dict) else {}, "Handlers").items():
            proxy = handler.get("Proxy") if isinstance(handler, dict) else None
            if isinstance(proxy, str):
                funnel = funnels.get(place) is True
                found.append(Front(host.lower(), int(number), path, _port_here(proxy), secure, funnel))
    return found


def _port_here(proxy: str) -> int:
    try:
        parts = urlsplit(proxy if "://" in proxy else f"http://{proxy}")
        if parts.scheme != "http" or (parts.hostname or "") not in HERE or parts.path not in ("", "/"):
            return 0
        return parts.port or 80
    except ValueError:
        return 0


def _part(told: dict[str, Any], name: str) -> dict[str, Any]:
    found = told.get(name)
    return found if isinstance(found, dict) else {}
