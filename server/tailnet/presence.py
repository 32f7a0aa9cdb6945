"""The tailnet as it is now: followed while the daemon runs, and asked who somebody is."""

import asyncio
import contextlib
import logging
import time
from collections import OrderedDict
from collections.abc import Callable
from typing import Final

from server.tailnet.localapi import LocalApi, Unreachable
from server.tailnet.serve import Front, read_fronts
from server.tailnet.shapes import Peer, State

log = logging.getLogger(__name__)

KNOWN_S: Final = 60.0  # so long a peer is who it was; roles are looked up anew for each request
UNKNOWN_S: Final = 5.0  # somebody who has just joined is let in soon
DOWN_S: Final = 1.0  # after a question without answer: nobody else waits for the same
MOST: Final = 256  # peers remembered
POLL_S: Final = 30.0  # the news are a hint, this is the safety net
FIRST_WAIT_S: Final = 0.5
LONGEST_WAIT_S: Final = 15.0


class Tailnet:
    """`state` is None while Tailscale is absent or silent, and `why` says so in words."""

    def __init__(self, api: LocalApi | None = None, clock: Callable[[], float] = time.monotonic) -> None:
        self._api = api or LocalApi()
        self._clock = clock
        self.state: State | None = None
        self.why = "Tailscale has not been asked yet"
        self.userspace = False  # it has no network interface of its own; while it is silent, as it was when it spoke
        self.changed = asyncio.Event()  # set at every change; whoever waits for it clears it
        self._peers: OrderedDict[tuple[str, int], tuple[float, Peer | None]] = OrderedDict()
        self._asking: dict[tuple[str, int], asyncio.Task[Peer | None]] = {}
        self._down_until = 0.0

    async def follow(self) -> None:
        """Keep `state` true until cancelled, whatever becomes of Tailscale."""
        wait_s = FIRST_WAIT_S
        try:
            while True:
                await self.look()
                if self.state is None:
                    await asyncio.sleep(wait_s)
                    wait_s = min(LONGEST_WAIT_S, wait_s * 2)
                    continue
                wait_s = FIRST_WAIT_S
                begun = self._clock()
                with contextlib.suppress(Unreachable, TimeoutError):
                    async with asyncio.timeout(POLL_S):
                        async for _ in self._api.watch():  # the first comes at once: nothing falls between
                            await self.look()
                if self._clock() - begun < FIRST_WAIT_S:
                    await asyncio.sleep(FIRST_WAIT_S)
        finally:
            await self._api.close()

    async def look(self) -> State | None:
        """Ask for the state now. Never raises."""
        try:
            state, why = await self._api.status(), ""
        except Unreachable as error:
            state, why = None, str(error)
        self._take(state, why)
        return state

    async def whois(self, address: str, port: int = 0) -> Peer | None:
        """Who is at an address, None for nobody that Tailscale knows. Raises Unreachable, soon."""
        key = (address, port)
        if (known := self._peers.get(key)) is not None and self._clock() < known[0]:
            self._peers.move_to_end(key)
            return known[1]
        if self._clock() < self._down_until:
            raise Unreachable("Tailscale does not answer")
        if (task := self._asking.get(key)) is None:  # a page asks for twenty things at once: one question
            task = self._asking[key] = asyncio.create_task(self._ask(key))
            task.add_done_callback(lambda done: self._asked(key, done))
        return await asyncio.shield(task)  # whoever leaves does not take the answer from the others

    async def fronts(self) -> list[Front]:
        """What `tailscale serve` has in front; empty where it cannot be told."""
        try:
            return read_fronts(await self._api.serve_config())
        except Unreachable:
            return []

    async def close(self) -> None:
        """For whoever does not `follow`."""
        await self._api.close()

    async def _ask(self, key: tuple[str, int]) -> Peer | None:
        state = self.state
        try:
            peer = await self._api.whois(*key)
        except Unreachable:
            self._down_until = self._clock() + DOWN_S
            raise
        if state == self.state:  # else it may be somebody of another tailnet by now
            self._peers[key] = (self._clock() + (UNKNOWN_S if peer is None else KNOWN_S), peer)
            while len(self._peers) > MOST:
                self._peers.popitem(last=False)
        return peer

    def _asked(self, key: tuple[str, int], done: "asyncio.Task[Peer | None]") -> None:
        self._asking.pop(key, None)
        if not done.cancelled():
            done.exception()  # told to whoever waited, if anybody still does

    def _take(self, state: State | None, why: str) -> None:
        self.why = why
        if state is not None:
            self.userspace = not state.kernel
        if state == self.state:
            return
        log.info("Tailscale: %s", why if state is None else state.backend)
        self.state = state
        self._peers.clear()
        self._down_until = 0.0
        self.changed.set()
