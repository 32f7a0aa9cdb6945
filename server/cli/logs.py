"""`lectern logs`: the end of the server's log, and what comes after."""

import argparse
import contextlib
import os
import time
from collections import deque
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TextIO

from server.cli.console import Console
from server.cli.exits import OK
from server.config import Settings
from server.logs import FILE, OLDER


def logs(settings: Settings, arguments: argparse.Namespace, console: Console) -> int:
    """Print the last lines of the log, and with --follow those that come."""
    path = settings.logs / FILE
    if not path.exists() and not arguments.follow:
        console.say(f"There is no log yet: {path} begins with the first start of the server.")
        return OK
    for line in last_lines(settings.logs, arguments.lines):
        console.say(line)
    if arguments.follow:
        with contextlib.suppress(KeyboardInterrupt):
            for line in follow(path, lambda: time.sleep(0.3)):
                console.say(line)
    return OK


def last_lines(folder: Path, count: int) -> list[str]:
    """The last lines of the log, those of an older file before it where it is shorter."""
    found: deque[str] = deque(maxlen=count)
    for name in [f"{FILE}.{number}" for number in range(OLDER, 0, -1)] + [FILE]:
        try:
            with (folder / name).open(encoding="utf-8", errors="replace") as stream:
                found.extend(line.rstrip("\n") for line in stream)
        except OSError:
            continue
    return list(found)


def follow(path: Path, pause: Callable[[], None]) -> Iterator[str]:
    """The lines that are added from now on, also after the file turned over. Goes on for ever."""
    stream, rest = _opened(path, at_end=True), ""
    while True:
        if stream is not None:
            rest += stream.read()
            *lines, rest = rest.split("\n")
            yield from lines
        if stream is None or not _same(stream, path):
            after = _opened(path, at_end=False)
            if after is not None:
                if stream is not None:
                    yield from (stream.read()).splitlines()
                    stream.close()
                stream, rest = after, ""
                continue
        pause()


def _opened(path: Path, *, at_end: bool) -> TextIO | None:
    try:
        stream = path.open(encoding="utf-8", errors="replace")
    except OSError:
        return None
    if at_end:
        stream.seek(0, os.SEEK_END)
    return stream


def _same(stream: TextIO, path: Path) -> bool:
    try:
        return os.path.samestat(os.fstat(stream.fileno()), path.stat()) and path.stat().st_size >= stream.tell()
    except OSError:
        return True
