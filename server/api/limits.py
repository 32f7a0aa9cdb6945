"""How much anybody may ask: a bucket of tokens for each device, and bounds for what comes before a body.

No player and no dashboard comes near them. They keep a program that went wrong, or somebody who means harm, from
keeping the others waiting.
"""

import re
import time
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from litestar.enums import ScopeType
from litestar.types import ASGIApp, HTTPScope, Receive, Scope, Send

from server.access.model import Identity, Refusal
from server.api.access import refuse
from server.api.identity import SCOPE

MOST_DEVICES: Final = 1_000
MOST_HEADER_BYTES: Final = 32_000
MOST_ADDRESS_BYTES: Final = 8_000

_EXPENSIVE: Final = re.compile(
    r"/api/v1/(search|doctor|preview|audition/takes|audio/speech|address|books/[^/]+/(coverage|guesses))(/.*)?|/v1/audio/speech"
)
_SAFE: Final = frozenset({"GET", "HEAD", "OPTIONS"})


@dataclass(frozen=True, slots=True)
class Allowance:
    """So many requests at once, and so many a second in the long run."""

    burst: float
    a_second: float


WRITES: Final = Allowance(600, 20)
EXPENSIVE: Final = Allowance(120, 4)


class Buckets:
    """One bucket for each key; of too many keys the longest unused is forgotten, which only ever is in its favour."""

    def __init__(self, allowance: Allowance, clock: Callable[[], float]) -> None:
        self._allowance = allowance
        self._clock = clock
        self._levels: OrderedDict[str, tuple[float, float]] = OrderedDict()

    def take(self, key: str) -> float:
        """Take one token; gives 0.0, or the seconds until there is one."""
        now, allowance = self._clock(), self._allowance
        level, at = self._levels.pop(key, (allowance.burst, now))
        level = min(allowance.burst, level + (now - at) * allowance.a_second)
        enough = level >= 1
        self._levels[key] = (level - 1 if enough else level, now)
        while len(self._levels) > MOST_DEVICES:
            self._levels.popitem(last=False)
        return 0.0 if enough else (1 - level) / allowance.a_second


class Limits:
    """ASGI layer inside the gate, which knows who asks."""

    def __init__(
        self,
        app: ASGIApp,
        writes: Allowance = WRITES,
        expensive: Allowance = EXPENSIVE,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._app = app
        self._writes = Buckets(writes, clock)
        self._expensive = Buckets(expensive, clock)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == ScopeType.HTTP and (refusal := self._refusal(scope)) is not None:
            await refuse(send, refusal, page=False)
            return
        await self._app(scope, receive, send)

    def _refusal(self, scope: HTTPScope) -> Refusal | None:
        if sum(len(name) + len(value) for name, value in scope["headers"]) > MOST_HEADER_BYTES:
            return Refusal(431, "headers-too-large", "The headers of the request are too long.")
        if len(scope.get("raw_path") or b"") + len(scope["query_string"]) > MOST_ADDRESS_BYTES:
            return Refusal(414, "address-too-long", "The address is too long.")
        wait_s = 0.0
        if scope["method"] not in _SAFE:
            wait_s = self._writes.take(_key(scope))
        if wait_s == 0 and _EXPENSIVE.fullmatch(scope["path"]):
            wait_s = self._expensive.take(_key(scope))
        if wait_s == 0:
            return None
        return Refusal(429, "too-many-requests", "That is too much at once; wait a little.", retry_s=int(wait_s) + 1)


def _key(scope: HTTPScope) -> str:
    """One device: all that comes through `tailscale serve` has one address, but not one name."""
    found: Identity | None = scope.get(SCOPE)  # type: ignore[assignment]
    client = scope.get("client")
    address = client[0] if client else ""
    return address if found is None else f"{found.person} {found.device or address}"
