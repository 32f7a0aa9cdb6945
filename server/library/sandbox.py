"""Reading in a process of its own, with limits: no book can hurt the daemon, whatever it does to the parser.

The child is `child.py` run afresh, not a fork and not a copy of the parent's main module: it starts in a fraction of a
second, holds nothing of the parent, and takes only what `server.library` imports.
"""

import asyncio
import json
import logging
import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import server
from server.errors import BookRefused, RefusalKind
from server.library.model import Book, Notes
from server.library.wire import BOOK, REFUSAL, load

log = logging.getLogger(__name__)


def read_book_safely(
    path: Path,
    *,
    language: str | None = None,
    notes: Notes = "skipped",
    memory_bytes: int = 2_000_000_000,
    seconds: float = 120,
) -> Book:
    """`read_book_aside` for callers without an event loop: blocks until it is done."""
    return asyncio.run(
        read_book_aside(path, language=language, notes=notes, memory_bytes=memory_bytes, seconds=seconds)
    )


async def read_book_aside(
    path: Path,
    *,
    language: str | None = None,
    notes: Notes = "skipped",
    memory_bytes: int = 2_000_000_000,
    seconds: float = 120,
) -> Book:
    """Read a book in a limited child process, within `seconds`. Who is cancelled meanwhile leaves no child behind.

    Raises BookRefused, also when the child runs out of time or memory or dies.
    """
    asked = (str(path), str(memory_bytes), str(int(seconds) + 1), notes, *([language] if language else []))
    try:
        done = await run_aside("server.library.child", asked, seconds)
    except TimeoutError:
        raise BookRefused(
            "timeout",
            f"{path.name} was not read within {seconds:.0f} seconds; it is no ordinary book, so try another copy.",
        ) from None
    return await asyncio.to_thread(_answer, path, done)


async def run_aside(module: str, asked: Sequence[str], seconds: float) -> "subprocess.CompletedProcess[bytes]":
    """Run a module of ours in a process of its own until it ends. Raises TimeoutError after `seconds`.

    Who is cancelled meanwhile leaves no child behind.
    """
    # -P keeps the working folder out of the child's module path; the package's own root replaces it.
    command = [sys.executable, "-P", "-m", module, *asked]
    root = str(Path(server.__file__).resolve().parent.parent)
    search = os.pathsep.join(filter(None, [root, os.environ.get("PYTHONPATH", "")]))
    environment = {**os.environ, "PYTHONPATH": search, "PYTHONIOENCODING": "utf-8"}
    deadline = asyncio.get_running_loop().time() + seconds
    child = await asyncio.create_subprocess_exec(
        *command,
        stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
        env=environment,
        start_new_session=True,  # Ctrl-C in the terminal is no fault of the book: the caller ends the child
    )
    try:
        async with asyncio.timeout_at(deadline):
            output, errors = await child.communicate()
    finally:
        if child.returncode is None:
            child.kill()
            await child.wait()
    return subprocess.CompletedProcess(command, child.returncode or 0, output, errors)


def _answer(path: Path, done: "subprocess.CompletedProcess[bytes]") -> Book:
    kind, body = done.stdout[:1], done.stdout[1:]
    try:
        if kind == BOOK:
            return load(body)
        if kind == REFUSAL:
            refusal: tuple[RefusalKind, str] = json.loads(body)
            raise BookRefused(*refusal)
    except (ValueError, KeyError, TypeError):
        log.warning("reading %s gave an answer that cannot be understood", path)
    log.warning(
        "reading %s failed with code %s: %s", path, done.returncode, done.stderr[-2000:].decode("utf-8", "replace")
    )
    if done.returncode in (-9, -24):  # killed for memory, or for processor time
        raise BookRefused(
            "too-large", f"{path.name} takes more memory or time to read than a book should; try another copy."
        )
    raise BookRefused(
        "unreadable",
        f"{path.name} could not be read: something in it is beyond Lectern; please report it with the file.",
    )
