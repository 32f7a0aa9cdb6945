"""Whether the machine runs on its battery, and whether it is to save power. Asked seldom; it need not answer."""

import logging
import re
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

log = logging.getLogger(__name__)

SUPPLIES: Final = Path("/sys/class/power_supply")
PROFILE: Final = Path("/sys/firmware/acpi/platform_profile")
ASK_S: Final = 5.0  # a system that takes longer has other troubles
FRESH_S: Final = 20.0  # so old an answer may be


@dataclass(frozen=True, slots=True)
class Power:
    """How the machine is fed; None where it cannot be told, or has no such thing."""

    battery: bool | None = None
    low: bool | None = None


def on_battery(told: str) -> bool | None:
    """What `pmset -g batt` says: it names what the machine draws from."""
    source = re.search(r"drawing from '([^']*)'", told)
    return None if source is None else source[1] == "Battery Power"


def saving(told: str) -> bool | None:
    """What `pmset -g` says of Low Power Mode: `lowpowermode` is 1, or `powermode`, of newer machines."""
    modes = re.findall(r"^\s*(?:lowpowermode|powermode)\s+(\d+)", told, flags=re.M)
    return any(mode == "1" for mode in modes) if modes else None


def linux_power(supplies: Path = SUPPLIES, profile: Path = PROFILE) -> Power:
    """What Linux tells in files. A battery of a mouse or a phone is none of the machine's."""
    plugged, drained = [], []
    for supply in sorted(supplies.glob("*")):
        kind, scope = _word(supply / "type"), _word(supply / "scope")
        if scope == "Device":
            continue
        if kind == "Battery":
            drained.append(_word(supply / "status") == "Discharging")
        elif kind in ("Mains", "USB", "Wireless"):
            plugged.append(_word(supply / "online") == "1")
    battery = any(drained) and not any(plugged) if drained else None
    chosen = _word(profile)
    return Power(battery, chosen == "low-power" if chosen else None)


def _word(path: Path) -> str:
    try:
        return path.read_text().strip()
    except (OSError, ValueError):
        return ""


def mac_power(ask: Callable[[Sequence[str]], str]) -> Power:
    """What macOS tells its users' commands."""
    return Power(on_battery(ask(("pmset", "-g", "batt"))), saving(ask(("pmset", "-g"))))


def run(command: Sequence[str]) -> str:
    """What a command prints; nothing where it cannot be run, or takes too long."""
    try:
        return subprocess.run(command, capture_output=True, text=True, timeout=ASK_S, check=False).stdout
    except (OSError, subprocess.TimeoutExpired, UnicodeDecodeError) as error:
        log.info("%s does not answer: %s", command[0], error)
        return ""


def look() -> Power:
    """How this machine is fed. Blocks."""
    return mac_power(run) if sys.platform == "darwin" else linux_power()


class PowerMeter:
    """Remembers what `look` said for a while. Blocks now and then: call it in a thread."""

    def __init__(self, look: Callable[[], Power] = look, clock: Callable[[], float] = time.monotonic) -> None:
        self._look, self._clock = look, clock
        self._known: tuple[float, Power] | None = None

    def __call__(self) -> Power:
        now = self._clock()
        if self._known is None or now - self._known[0] > FRESH_S:
            self._known = now, self._look()
        return self._known[1]
