"""The doors that come and go with Tailscale: its addresses on this machine, and the port that it serves."""

import asyncio
import contextlib
import logging
import socket
from typing import Final

from server.access.hosts import ANYWHERE
from server.api.listener import Listener, open_socket
from server.config import Settings
from server.errors import SettingsError
from server.events import Hub
from server.tailnet.presence import Tailnet
from server.tailnet.shapes import State

log = logging.getLogger(__name__)

CHANGED: Final = "tailnet.changed"
AGAIN_S: Final = 5.0  # an address may be there a moment before it can be listened on

Place = tuple[str, int]


def wanted(settings: Settings, state: State | None, opened: frozenset[Place] = frozenset()) -> frozenset[Place]:
    """Addresses and ports to listen on besides the configured ones; `opened` are those that are."""
    served = ("127.0.0.1", settings.served_port)
    if not settings.tailscale:
        return frozenset()
    if state is None:
        return opened & {served}  # it costs nothing, and Tailscale comes back
    places = {served}
    everywhere = settings.host in ANYWHERE or settings.lan != "off"
    if state.running and state.kernel and not everywhere:
        places |= {(address, settings.port) for address in state.addresses if address != settings.host}
    return frozenset(places)


class Doors:
    """Opens and shuts them on a listener. What cannot be opened is tried again, and stops nothing."""

    def __init__(self, settings: Settings, tailnet: Tailnet, listener: Listener, hub: Hub) -> None:
        self._settings = settings
        self._tailnet = tailnet
        self._listener = listener
        self._hub = hub
        self._open: dict[Place, socket.socket] = {}
        self._told: set[Place] = set()

    @property
    def open(self) -> frozenset[Place]:
        return frozenset(self._open)

    async def run(self) -> None:
        """Follow the tailnet until cancelled."""
        if not self._settings.tailscale:
            await asyncio.Event().wait()
        while not self._listener.started:
            await asyncio.sleep(0.02)
        following = asyncio.create_task(self._tailnet.follow(), name="tailnet")
        try:
            while True:
                places = wanted(self._settings, self._tailnet.state, self.open)
                for place in self.open - places:
                    self._shut(place)
                for place in places - self.open:
                    await self._try(place)
                limit_s = AGAIN_S if places - self.open else None
                with contextlib.suppress(TimeoutError):
                    async with asyncio.timeout(limit_s):
                        await self._tailnet.changed.wait()
                if self._tailnet.changed.is_set():
                    self._tailnet.changed.clear()
                    self._hub.publish(CHANGED)  # the address for a phone may be another one
        finally:
            following.cancel()
            await asyncio.gather(following, return_exceptions=True)

    def _shut(self, place: Place) -> None:
        self._listener.drop(self._open.pop(place))
        self._told.discard(place)
        log.info("no longer listening on %s, port %d", *place)

    async def _try(self, place: Place) -> None:
        try:
            sock = open_socket(*place)
            try:
                await self._listener.add(sock)
            except BaseException:
                sock.close()
                raise
        except (SettingsError, OSError) as error:
            if place not in self._told:  # once, not every five seconds
                log.warning("not listening on %s, port %d: %s", *place, error)
                self._told.add(place)
            return
        self._open[place] = sock
        self._told.discard(place)
        log.info("listening on %s, port %d", *place)
