"""Keeps the doors: asks Tailscale whom it must, and lets in or refuses. Nothing here raises into a request."""

import asyncio
import logging
import socket
from datetime import UTC, datetime
from typing import Final

from server.access.decision import FUNNEL, HERE, LAN_OFF, NO_SENDER, SILENT, door_of, judge, plain, question
from server.access.devices import Devices
from server.access.hosts import host_known
from server.access.model import OWNER, Arrival, Identity, Question, Refusal, Via
from server.access.people import People
from server.access.token import Attempts, LanToken
from server.config import Settings
from server.errors import LecternError
from server.tailnet.endpoint import finder
from server.tailnet.localapi import LocalApi, Unreachable
from server.tailnet.presence import Tailnet

log = logging.getLogger(__name__)

FAULT: Final = Refusal(503, "access-unknown", "It cannot be told who asks; the server's log says why.", retry_s=5)
TOKEN_WANTED: Final = Refusal(
    401, "token-wanted", "Open the address with the token that “lectern phone” shows on the computer Lectern runs on."
)
TOKEN_WRONG: Final = Refusal(
    403, "token-wrong", "That is not the token; “lectern phone” on the computer Lectern runs on shows it."
)


class Keeper:
    """`people`, `devices` and `tailnet` are what the rest of the house may ask and change."""

    def __init__(self, settings: Settings, tailnet: Tailnet | None = None) -> None:
        self._settings = settings
        self.tailnet = tailnet or Tailnet(LocalApi(finder(settings.tailscale_socket)))
        self.people = People(settings.data)
        self.devices = Devices(settings.data)
        self.token = LanToken(settings.data)
        self._attempts = Attempts()
        self._saving: asyncio.Future[None] | None = None

    def door(self, arrival: Arrival) -> Via:
        return door_of(arrival, self._settings.served_port, self.tailnet.state)

    def knows(self, host: str, via: Via) -> bool:
        """Whether a Host header names this server at that door."""
        known, state, machine = self._settings, self.tailnet.state, socket.gethostname().partition(".")[0].lower()
        return host_known(host.lower(), via, known.host, known.port, state, lan=known.lan != "off", machine=machine)

    async def admit(self, arrival: Arrival, via: Via) -> Identity | Refusal:
        """Who that is, or why they are refused. Never raises; at this machine's own port never waits."""
        try:
            ports = (self._settings.port, self._settings.served_port)
            asked = question(via, arrival, *ports, userspace=self.tailnet.userspace)
            if isinstance(asked, Refusal):
                return asked
            if asked is not None:
                return await self._ask(asked, via)
            return HERE if via == "loopback" else self._by_token(arrival)
        except (LecternError, OSError, ValueError) as error:
            log.error("it cannot be told who asks: %s", error)
            return FAULT

    def enter(self, address: str, said: str) -> str | Refusal:
        """The cookie for a device of the home network that has the token. Raises StoreError."""
        if self._settings.lan == "off":
            return LAN_OFF
        if (wrong := self._try(address, said)) is not None:
            return wrong
        return self.token.cookie

    def close(self) -> None:
        self.devices.save()

    async def _ask(self, asked: Question, via: Via) -> Identity | Refusal:
        if not self._settings.tailscale or self.tailnet.state is None:
            return SILENT
        try:
            peer = await self.tailnet.whois(asked.address, asked.port)
            # A port that Tailscale passes on as it is (`serve --tcp`, or no network interface) lets a peer write the
            # header of `tailscale serve` itself; Tailscale knows whose connection that is.
            behind = await self.tailnet.whois(*asked.behind) if asked.behind is not None else None
        except Unreachable:
            return SILENT
        if behind is not None and behind != peer:
            return NO_SENDER
        if peer is None and asked.unknown_is_owner:
            return HERE
        came = judge(via, peer, self.tailnet.state, self.people.find)
        if peer is not None and self.devices.note(peer, came, via, datetime.now(UTC)):
            self._saving = asyncio.ensure_future(asyncio.to_thread(self.devices.save))
        return came

    def _by_token(self, arrival: Arrival) -> Identity | Refusal:
        role = self._settings.lan
        if role not in ("owner", "listener"):
            return LAN_OFF
        if arrival.funnel:
            return FUNNEL
        if arrival.bearer:
            if (wrong := self._try(arrival.peer[0], arrival.bearer)) is not None:
                return wrong
        elif not self.token.cookie_fits(arrival.cookie):
            return TOKEN_WANTED
        # The household's own devices: they share the owner's place in each book.
        return Identity(OWNER, "owner" if role == "owner" else "listener", "Home network", "lan")

    def _try(self, address: str, said: str) -> Refusal | None:
        address = plain(address)
        if wait_s := self._attempts.wait_s(address):
            detail = f"Too many wrong tokens from this device. Wait {max(1, round(wait_s / 60))} minutes."
            return Refusal(429, "too-many-attempts", detail, retry_s=wait_s)
        if self.token.fits(said):
            return None
        self._attempts.failed(address, said)
        return TOKEN_WRONG
