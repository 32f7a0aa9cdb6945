"""Where Tailscale's LocalAPI is: a socket's path, or a port with a token, by how Tailscale was installed."""

import asyncio
import contextlib
import os
import re
import stat
import sys
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

# Linux first, then the open-source tailscaled on a Mac.
SOCKETS: Final = (Path("/var/run/tailscale/tailscaled.sock"), Path("/var/run/tailscaled.socket"))
STANDALONE: Final = Path("/Library/Tailscale")  # of the Mac app that does not come from the App Store
LSOF_S: Final = 3.0
_PROOF: Final = re.compile(r"\.tailscale\.ipn\.macos/sameuserproof-(\d{1,5})-([0-9A-Za-z]+)")


@dataclass(frozen=True, slots=True)
class Endpoint:
    """A unix socket's `path`, or a `port` of 127.0.0.1 with its `token`."""

    path: str = ""
    port: int = 0
    token: str = field(default="", repr=False)


Finder = Callable[[], Awaitable[Endpoint | None]]


def finder(told: str = "") -> Finder:
    """Looks for the LocalAPI anew each time it is called; only at the socket `told` where one is named."""
    if told:
        return lambda: _only(Path(told))
    return find


async def find() -> Endpoint | None:
    """The LocalAPI of this machine's Tailscale, None where there is none. Never raises."""
    if sys.platform == "darwin":
        if (found := standalone()) is not None:
            return found
        if (found := in_open_files(await _lsof())) is not None:
            return found
    return next((Endpoint(path=str(path)) for path in SOCKETS if _is_socket(path)), None)


async def _only(path: Path) -> Endpoint | None:
    return Endpoint(path=str(path)) if _is_socket(path) else None


def standalone(folder: Path = STANDALONE) -> Endpoint | None:
    """The standalone Mac app: a link whose target is the port, and a file with the token beside it."""
    try:
        port = int((folder / "ipnport").readlink().name)
        token = (folder / f"sameuserproof-{port}").read_text().strip()
    except (OSError, ValueError):
        return None
    return Endpoint(port=port, token=token) if token and 0 < port < 65_536 else None


def in_open_files(listed: str) -> Endpoint | None:
    """The App Store's Mac app: port and token stand in the name of a file that it holds open, as lsof lists it."""
    found = _PROOF.search(listed)
    return Endpoint(port=int(found[1]), token=found[2]) if found else None


async def _lsof() -> str:
    command = ("/usr/sbin/lsof", "-n", "-a", f"-u{os.getuid()}", "-c", "IPNExtension", "-F")
    pipe, nothing = asyncio.subprocess.PIPE, asyncio.subprocess.DEVNULL
    try:
        child = await asyncio.create_subprocess_exec(*command, stdin=nothing, stdout=pipe, stderr=nothing)
    except OSError:
        return ""
    try:
        async with asyncio.timeout(LSOF_S):
            output, _ = await child.communicate()
    except TimeoutError:
        return ""
    finally:
        if child.returncode is None:
            with contextlib.suppress(ProcessLookupError):
                child.kill()
    return output.decode(errors="replace")


def _is_socket(path: Path) -> bool:
    try:
        return stat.S_ISSOCK(path.stat().st_mode)
    except OSError:
        return False
