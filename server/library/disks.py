"""On what kind of disk is a folder? Network disks send no events for what other machines change on them."""

import os
import re
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

_MOUNTS = Path("/proc/self/mountinfo")
_ASK_S = 5.0  # `mount` asks no server; if it hangs all the same, nobody waits for it
_AGAIN_S = 60.0  # how long an answer counts: a disk may be put in the place of another
# Of Linux, where the type alone tells. Shared folders of virtual machines and FUSE are as silent as the network.
_SILENT = re.compile(r"(nfs|smb|cifs|afs|ceph|9p|virtiofs|vboxsf|drvfs|davfs|ncpfs|prl_fs|glusterfs|lustre|fuse\.).*")
_MAC_LINE = re.compile(r".+? on (?P<folder>/.*) \((?P<type>[^,()]+)(?P<rest>[^()]*)\)")
_OCTAL = re.compile(r"\\([0-7]{3})")


@dataclass(frozen=True, slots=True)
class Disk:
    """The disk that a folder is on: what its file system is called, and whether it tells of changes."""

    type: str
    tells: bool


def disk_of(folder: Path, mounts: Callable[[], Iterator[tuple[str, Disk]]] | None = None) -> Disk | None:
    """The disk that `folder`, or the nearest folder above it that is there, is on; None when nobody knows."""
    real = os.path.realpath(folder)
    best: tuple[int, Disk] | None = None
    for place, disk in (mounts or mounted)():
        inside = real == place or real.startswith(place.rstrip("/") + "/")
        if inside and (best is None or len(place) >= best[0]):  # the later one lies over the earlier
            best = (len(place), disk)
    return best[1] if best is not None else None


def mounted() -> Iterator[tuple[str, Disk]]:
    """Every disk that is mounted, with the folder in which it begins."""
    try:
        if sys.platform == "darwin":
            told = subprocess.run(["/sbin/mount"], capture_output=True, text=True, timeout=_ASK_S, check=True).stdout
            yield from mac_mounts(told)
        else:
            yield from linux_mounts(_MOUNTS.read_text(encoding="utf-8", errors="surrogateescape"))
    except (OSError, subprocess.SubprocessError):
        return


def linux_mounts(text: str) -> Iterator[tuple[str, Disk]]:
    """What /proc/self/mountinfo says."""
    for line in text.splitlines():
        before, dash, after = line.partition(" - ")
        fields = before.split(" ")
        if dash and len(fields) > 4:
            kind = after.split(" ")[0]
            folder = _OCTAL.sub(lambda found: chr(int(found[1], 8)), fields[4])
            yield folder, Disk(kind, _SILENT.fullmatch(kind) is None)


def mac_mounts(text: str) -> Iterator[tuple[str, Disk]]:
    """What macOS's `mount` says: `local` stands with every disk that is of this machine."""
    for line in text.splitlines():
        if found := _MAC_LINE.fullmatch(line):
            options = [option.strip() for option in found["rest"].split(",")]
            yield found["folder"], Disk(found["type"].strip(), "local" in options)


class Polling:
    """How often the library folder must be looked at because its disk tells of no changes."""

    def __init__(self, folder: Path, poll_s: float, *, always: bool) -> None:
        self._folder = folder
        self._poll_s = poll_s
        self._always = always
        self._disk: Disk | None = None
        self._asked = -_AGAIN_S

    def poll_s(self) -> float | None:
        """Seconds between two looks; None where the system tells of changes. Blocks."""
        if time.monotonic() - self._asked >= _AGAIN_S:
            self._disk = disk_of(self._folder)
            self._asked = time.monotonic()
        return self._poll_s if self._always or (self._disk is not None and not self._disk.tells) else None

    def told(self) -> str | None:
        """One sentence for the user where the folder is looked at again and again. Blocks."""
        poll_s = self.poll_s()
        if poll_s is None:
            return None
        every = f"is looked at every {poll_s:g} seconds"
        if self._disk is None or self._disk.tells:
            return f"The library folder {every}, as LECTERN_POLL asks."
        return f"The library folder is on a network disk ({self._disk.type}), which tells of no changes: it {every}."
