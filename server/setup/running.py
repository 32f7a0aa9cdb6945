"""Is a Lectern running on the settings' port? Asked by the command line and by the doctor."""

import socket
from typing import Any

import httpx

from server.config import Settings

_ANY = {"": "127.0.0.1", "0.0.0.0": "127.0.0.1", "::": "[::1]"}  # noqa: S104 (a server on all addresses is asked on its own)


def reach(settings: Settings) -> str:
    """The address at which this machine reaches a server with these settings."""
    return f"http://{_ANY.get(settings.host, settings.host)}:{settings.port}"


def ask_running(settings: Settings, *, timeout_s: float = 2.0) -> dict[str, Any] | None:
    """The status of the Lectern that runs on the settings' port, None when none does."""
    try:
        # trust_env: a proxy of the environment must not come between a machine and itself.
        answer = httpx.get(f"{reach(settings)}/api/v1/status", timeout=timeout_s, trust_env=False)
        status = answer.json()
    except (httpx.HTTPError, ValueError):
        return None
    if isinstance(status, dict) and "worker" in status and "library" in status:
        return status
    return None


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
