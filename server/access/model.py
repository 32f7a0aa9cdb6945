"""What the decision is made from, and what it comes to."""

from dataclasses import dataclass, field
from typing import Final, Literal

Role = Literal["owner", "listener"]
# How somebody came in: this machine's own port, the one for `tailscale serve`, a tailnet address, the home network.
Via = Literal["loopback", "serve", "tailnet", "lan"]

OWNER: Final = "owner"  # the person whose machine this is, on whatever device


@dataclass(frozen=True, slots=True)
class Arrival:
    """A request as far as access goes: both ends of its connection as the system tells them, and what it claims."""

    local: tuple[str, int]
    peer: tuple[str, int]
    forwarded: tuple[str, ...] = ()  # every X-Forwarded-For, as sent
    proxied: bool = False  # it carries a header that only a proxy sets
    funnel: bool = False
    bearer: str = field(default="", repr=False)
    cookie: str = field(default="", repr=False)


@dataclass(frozen=True, slots=True)
class Identity:
    """Somebody who is let in. `person` is a key for files: it stays when names and devices change."""

    person: str
    role: Role
    name: str
    via: Via
    login: str | None = None
    device: str | None = None


@dataclass(frozen=True, slots=True)
class Refusal:
    """Why somebody is not let in, and what to do; `retry_s` where waiting helps."""

    status: int
    code: str
    detail: str
    retry_s: int | None = None


@dataclass(frozen=True, slots=True)
class Question:
    """Whom to ask Tailscale about. `unknown_is_owner`: whoever it does not know is on this machine."""

    address: str
    port: int = 0
    unknown_is_owner: bool = False
    # The other end of the connection that says so: where Tailscale passes that on for somebody else, it is forged.
    behind: tuple[str, int] | None = None
