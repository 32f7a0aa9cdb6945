"""Is a Lectern running on the settings' port? Asked by the command line and by the doctor."""

import socket
from pathlib import Path
from typing import Any

import httpx

from server.config import Settings
from server.errors import Conflict


def reach(settings: Settings) -> str:
    """The address at which this machine reaches a server with these settings: loopback, where it is the owner."""
    host = {"::1": "[::1]", "localhost": "localhost"}.get(settings.host, "127.0.0.1")
    return f"http://{host}:{settings.port}"


def ask_running(settings: Settings, *, timeout_s: float = 2.0) -> dict[str, Any] | None:
    """The status of the Lectern that runs on the settings' port, None when none does.

    Raises Conflict where that one has another data folder: it is not the one that is meant.
    """
    try:
        # trust_env: a proxy of the environment must not come between a machine and itself.
        answer = httpx.get(f"{reach(settings)}/api/v1/status", timeout=timeout_s, trust_env=False)
        status = answer.json()
    except (httpx.HTTPError, ValueError):
        return None
    if isinstance(status, dict) and "worker" in status and "library" in status:
        if (other := _other_folder(settings, status)) is not None:
            raise Conflict(
                f"Port {settings.port} is used by the Lectern of another data folder ({other}). Give that of "
                f"{settings.data} a port of its own with LECTERN_PORT, or set LECTERN_DATA to the folder that is meant."
            )
        return status
    return None


def _other_folder(settings: Settings, status: dict[str, Any]) -> str | None:
    """The data folder of the Lectern that answered, None where it is ours. An older one does not say."""
    told = status.get("data")
    if not isinstance(told, str) or not told:
        return None
    try:
        # Not by its name: that may be written in several ways, and lead over links.
        return None if Path(told).samefile(settings.data) else told
    except (OSError, ValueError):
        return None if Path(told) == settings.data.absolute() else told


def port_taken(settings: Settings) -> str | None:
    """Why the settings' host and port cannot be listened on, in the system's words; None when they can."""
    family = socket.AF_INET6 if ":" in settings.host else socket.AF_INET
    with socket.socket(family, socket.SOCK_STREAM) as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((settings.host, settings.port))
            probe.listen(1)
        except OSError as error:
            return error.strerror or str(error)
    return None
