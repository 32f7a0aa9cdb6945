"""The token of the home network, for households without Tailscale: in a file that only the owner can read."""

import hashlib
import hmac
import os
import secrets
import time
from collections import OrderedDict
from collections.abc import Callable
from pathlib import Path
from typing import Final

from server.errors import StoreError

TOKEN: Final = "lan-token"  # noqa: S105 - the name of the file
FAILURES: Final = 10  # wrong tokens from one address …
WINDOW_S: Final = 600.0  # … within so many seconds; then none is looked at until they are over
ADDRESSES: Final = 1_000


class LanToken:
    """Made when it is asked for first; whoever deletes the file puts every device out."""

    def __init__(self, folder: Path) -> None:
        self._path = folder / TOKEN

    @property
    def value(self) -> str:
        """The token. Raises StoreError when it can neither be read nor made."""
        try:
            try:
                return self._read() or self._make()
            except FileNotFoundError:
                return self._make()
        except OSError as error:
            raise StoreError(f"{self._path} cannot be read or made ({error.strerror}).") from error

    def fits(self, said: str) -> bool:
        return bool(said) and hmac.compare_digest(said.encode(), self.value.encode())

    @property
    def cookie(self) -> str:
        """What a device keeps instead of the token: the token cannot be had from it."""
        return hashlib.sha256(b"lectern cookie:" + self.value.encode()).hexdigest()

    def cookie_fits(self, said: str) -> bool:
        return bool(said) and hmac.compare_digest(said.encode(), self.cookie.encode())

    def _read(self) -> str:
        found = self._path.read_text().strip()
        if self._path.stat().st_mode & 0o077:
            self._path.chmod(0o600)
        return found if len(found) >= 20 else ""  # cut short, or made up by hand: too easily guessed

    def _make(self) -> str:
        made = secrets.token_urlsafe(24)
        self._path.parent.mkdir(parents=True, exist_ok=True)
        temporary = self._path.with_name(f".{TOKEN}.{os.getpid()}.tmp")
        temporary.unlink(missing_ok=True)
        with os.fdopen(os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as stream:
            stream.write(made + "\n")
        temporary.replace(self._path)
        return made


class Attempts:
    """Counts wrong tokens by address. The same one again is no new attempt: a forgotten device locks nobody out."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._failed: OrderedDict[str, list[tuple[float, bytes]]] = OrderedDict()

    def wait_s(self, address: str) -> int:
        """Seconds until a token from this address is looked at again; 0 for now."""
        failed = self._recent(address)
        return 0 if len(failed) < FAILURES else max(1, round(failed[0][0] + WINDOW_S - self._clock()))

    def failed(self, address: str, said: str) -> None:
        mark = hashlib.sha256(said.encode()).digest()
        failed = self._recent(address)
        if all(mark != other for _, other in failed):
            self._failed[address] = [*failed, (self._clock(), mark)][-FAILURES:]
            self._failed.move_to_end(address)
            while len(self._failed) > ADDRESSES:
                self._failed.popitem(last=False)

    def _recent(self, address: str) -> list[tuple[float, bytes]]:
        oldest = self._clock() - WINDOW_S
        return [one for one in self._failed.get(address, []) if one[0] > oldest]
