"""The file of a journal of places: plain lines, added to and now and then written anew.

A line that cannot be understood, because a newer version or another program wrote it, is passed over and kept. So is
what a line says beyond the fields that are known here.
"""

import logging
import os
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from pydantic import ValidationError

from server.errors import StoreError
from server.render.files import make_folder, sync_file, sync_folder, write_atomically, write_error
from server.render.reconcile import PlaceEntry

log = logging.getLogger(__name__)

_NUMBER = re.compile(rb'"entry" ?: ?([0-9]{1,15})[,}]')


@dataclass(slots=True)
class PlaceLines:
    """A journal as its file has it, oldest first.

    `written` are the lines as they stand there, by the numbers of their entries; `strange` those that cannot be
    understood, each with the number of the entry before it. `torn`: the last line has no end.
    """

    entries: list[PlaceEntry] = field(default_factory=list)
    written: dict[int, bytes] = field(default_factory=dict)
    strange: list[tuple[int, bytes]] = field(default_factory=list)
    torn: bool = False

    @property
    def next_number(self) -> int:
        """A number that no line has, also none of those that cannot be understood."""
        numbers = [int(found[1]) for _, line in self.strange if (found := _NUMBER.search(line)) is not None]
        return max([*numbers, *(entry.entry for entry in self.entries)], default=0) + 1


def read_lines(path: Path) -> PlaceLines:
    """The journal at `path`, empty where there is none. Raises StoreError.

    What stands after the last line feed is no line yet: the machine stopped in the middle of it.
    """
    try:
        *lines, torn = path.read_bytes().split(b"\n")
    except FileNotFoundError:
        return PlaceLines()
    except OSError as error:
        raise StoreError(f"{path} could not be read ({error.strerror}); check the disk.") from error
    found = PlaceLines(torn=bool(torn))
    for line in lines:
        try:
            entry = PlaceEntry.read(line)
        except ValidationError:
            found.strange.append((found.entries[-1].entry if found.entries else 0, line))
            continue
        found.entries.append(entry)
        found.written[entry.entry] = line
    if found.strange:
        log.warning("%d lines of %s cannot be understood and are passed over", len(found.strange), path)
    return found


def add_line(path: Path, entry: PlaceEntry) -> None:
    """Add a line to a file whose last line is whole, and see to it that it stays. Raises StoreError."""
    try:
        new = not path.exists()
        make_folder(path.parent)
        handle = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC, 0o644)
        try:
            os.write(handle, entry.to_json().encode())
            sync_file(handle)
        finally:
            os.close(handle)
        if new:
            sync_folder(path.parent)
    except OSError as error:
        raise write_error(path, error) from error


def write_lines(path: Path, before: PlaceLines, entries: Sequence[PlaceEntry]) -> None:
    """Write a journal anew with `entries`, and what was `strange` in it. Raises StoreError."""
    write_atomically(path, b"".join(line + b"\n" for line in _merged(before, entries)))


def _merged(before: PlaceLines, entries: Iterable[PlaceEntry]) -> Iterator[bytes]:
    same = {entry.entry: entry for entry in before.entries}
    strange = list(before.strange)
    for entry in entries:
        while strange and strange[0][0] < entry.entry:
            yield strange.pop(0)[1]
        known = before.written.get(entry.entry)
        yield known if known is not None and same[entry.entry] == entry else entry.to_json().rstrip("\n").encode()
    for _, line in strange:
        yield line
