"""Devices that asked, and when last: for the owner to see who is who, and who waits to be let in."""

import logging
import threading
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Annotated, Final, Literal

from pydantic import Field, ValidationError

from server.access.model import Identity, Refusal, Via
from server.errors import LecternError
from server.render.files import write_atomically
from server.render.index import Record
from server.tailnet.shapes import Peer

log = logging.getLogger(__name__)

DEVICES: Final = "devices.json"
MOST: Final = 200
SAVED_EVERY: Final = timedelta(minutes=1)


class Device(Record):
    """A device of the tailnet, or the home network as a whole. `person` None: it was not let in, `refused` says why."""

    key: str
    name: str
    person: str | None = None
    login: str | None = None
    who: str = ""
    via: Via
    seen: datetime
    refused: str | None = None


class _Seen(Record):
    format: Literal[1] = 1
    devices: Annotated[tuple[Device, ...], Field(max_length=MOST)] = ()


class Devices:
    """Kept in memory, written now and then: it is an index of visits, and may be lost."""

    def __init__(self, folder: Path) -> None:
        self._path = folder / DEVICES
        self._lock = threading.Lock()
        self._saved = datetime.min.replace(tzinfo=UTC)
        self._dirty = False
        self._devices = {device.key: device for device in self._load()}

    def all(self) -> list[Device]:
        """The latest first."""
        return sorted(self._devices.values(), key=lambda device: device.seen, reverse=True)

    def note(self, peer: Peer, came: Identity | Refusal, via: Via, now: datetime) -> bool:
        """Remember a visit; True where it is time to `save`."""
        key = peer.device_id or f"{peer.login}/{peer.device}"
        self._devices[key] = Device(
            key=key[:200],
            name=(peer.device or "unknown")[:100],
            person=came.person if isinstance(came, Identity) else None,
            login=None if peer.tagged else peer.login[:254],
            who=peer.name[:100],
            via=via,
            seen=now,
            refused=came.code if isinstance(came, Refusal) else None,
        )
        while len(self._devices) > MOST:
            del self._devices[min(self._devices, key=lambda one: self._devices[one].seen)]
        self._dirty = True
        return now - self._saved >= SAVED_EVERY

    def save(self) -> None:
        """Write what is new. Never raises: nothing depends on it."""
        with self._lock:
            if not self._dirty:
                return
            self._dirty, self._saved = False, datetime.now(UTC)
            try:
                write_atomically(self._path, _Seen(devices=tuple(self.all())).to_json().encode())
            except LecternError as error:
                log.warning("devices are not remembered: %s", error)

    def _load(self) -> tuple[Device, ...]:
        try:
            return _Seen.model_validate_json(self._path.read_bytes()).devices
        except (OSError, ValidationError):
            return ()
