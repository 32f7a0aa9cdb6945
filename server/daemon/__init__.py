"""Lectern as a service of the system: launchd's on a Mac, systemd's for the user on Linux. See docs/daemon.md."""

import sys

from server.daemon.launchd import LaunchAgent
from server.daemon.service import Service, State
from server.daemon.systemd import UserUnit

__all__ = ["Service", "State", "service"]


def service() -> Service:
    """The service of this system."""
    return LaunchAgent() if sys.platform == "darwin" else UserUnit()
