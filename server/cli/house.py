"""`lectern serve` and `lectern setup`."""

import argparse
import os
import sys
from collections.abc import Callable
from typing import Final

from server.cli.console import Bar, Console
from server.cli.exits import OK
from server.config import Settings
from server.logs import hear_stderr
from server.setup import Progress, run_setup
from server.setup.running import ask_running, reach

_BYTES_FROM: Final = 100_000  # a total above this is a size in bytes, below it a number of files


def serve(settings: Settings, arguments: argparse.Namespace, console: Console) -> int:
    """Run the server until Ctrl-C. One that runs already is not an error: what was asked for is there."""
    if ask_running(settings) is not None:
        console.say(f"Lectern is already running: {reach(settings)}")
        return OK
    stderr_back: Callable[[], None] = hear_stderr() if arguments.service else lambda: None
    install_model(settings, console)
    console.say("Starting …")
    from server.app import run_server  # loads the web server and more: only where it is needed

    def announce(line: str) -> None:
        console.say(line)
        console.say(f"Put EPUBs into {settings.library}, or drop them on {reach(settings)}/dashboard.")
        if settings.lan != "off":
            console.say("`lectern phone` shows the address for a phone in the home network, as a code for its camera.")
        console.say("Ctrl-C stops it.")

    if run_server(settings, announce):
        stderr_back()
        begin_again()
    return OK


def begin_again() -> None:
    """Become a new process with the same words; under a service manager it stays the process that that one knows."""
    os.execv(sys.executable, [sys.executable, *sys.orig_argv[1:]])  # noqa: S606 (the very words it was begun with)


def setup(settings: Settings, arguments: argparse.Namespace, console: Console) -> int:
    """Install model and voices."""
    manifest = install_model(settings, console)
    console.say(manifest)
    return OK


def install_model(settings: Settings, console: Console) -> str:
    """Install model and voices unless they are there; gives a sentence on them. Raises SetupError."""
    with Bar(console) as bar:
        manifest = run_setup(settings, lambda progress: show(bar, progress))
    return f"Model and voices are in {settings.models} (from {manifest.source}, {manifest.licence})."


def show(bar: Bar, progress: Progress) -> None:
    """Put one step of setup on the bar."""
    done, total = progress.done, progress.total
    note = ""
    if (total or done) > _BYTES_FROM:
        note = f"{done / 1e6:.1f} MB" if total is None else f"{done / 1e6:.1f} of {total / 1e6:.1f} MB"
    bar.show(progress.step, done, total, note)
