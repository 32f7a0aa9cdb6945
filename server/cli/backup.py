"""`lectern backup` and `lectern restore`."""

import argparse
import shlex
from collections.abc import Callable
from pathlib import Path
from typing import Any

from server import lock
from server.backup.make import Backup, Kind, backups, make_backup, prune, require_room
from server.backup.restore import Restored, restore
from server.backup.wish import in_words
from server.cli.books import count
from server.cli.console import Console
from server.cli.exits import OK
from server.config import Settings, path_of, read_settings
from server.setup.typed import lectern


def backup(settings: Settings, arguments: argparse.Namespace, console: Console) -> int:
    """Make a backup, whether or not a server runs."""
    target = settings.backups if arguments.to is None else path_of(arguments.to).absolute()
    if arguments.to is None:
        require_room(settings)
    audio = settings.backup_audio if arguments.nightly else arguments.audio
    kind: Kind = "nightly" if arguments.nightly else "backup"
    made = make_backup(settings, read_settings().file, target, audio=audio, kind=kind)
    gone = prune(settings.backups, settings.backup_keep) if arguments.nightly else []
    if arguments.json:
        told: dict[str, Any] = {"path": str(made.path), "files": made.files, "bytes": made.bytes}
        console.answer(told | {"left_out": made.left_out, "pruned": [str(path) for path in gone]})
        return OK
    console.say(f"{made.path}: {count(made.files, 'file')}, {made.bytes / 1e6:,.1f} MB, read back and whole.")
    if not audio:
        console.say("Audio is not in it: after a restore it is rendered again. --audio takes it along.")
    return OK


def restore_backup(settings: Settings, arguments: argparse.Namespace, console: Console) -> int:
    """Put a backup back, while no server runs; without a file, list those there are."""
    if arguments.file is None:
        return _list(backups(settings.backups), settings, arguments, console)
    archive = path_of(arguments.file).absolute()
    with lock.hold(settings):
        restored = restore(settings, read_settings().file, archive)
    if arguments.json:
        console.answer(_as_json(restored))
    else:
        for line in in_words(restored):
            console.say(line)
    return OK


def _as_json(restored: Restored) -> dict[str, Any]:
    return {
        "made": restored.about.made.isoformat(),
        "books": restored.books,
        "places": restored.places,
        "sentences": restored.sentences,
        "rendered": restored.rendered,
        "aside": None if restored.aside is None else str(restored.aside),
        "config": None if restored.config is None else str(restored.config),
    }


def _list(found: list[Backup], settings: Settings, arguments: argparse.Namespace, console: Console) -> int:
    if arguments.json:
        listed = [
            {"path": str(one.path), "made": one.made.isoformat(), "nightly": one.nightly, "audio": one.audio,
             "bytes": one.bytes}
            for one in found
        ]  # fmt: skip
        console.answer({"folder": str(settings.backups), "backups": listed})
        return OK
    console.say(f"Backups in {settings.backups}:" if found else f"There are no backups in {settings.backups}.")
    for one in found:
        what = ", with audio" if one.audio else ""
        console.say(f"{one.made:%Y-%m-%d %H:%M} UTC  {one.bytes / 1e6:>8,.1f} MB  {Path(one.path).name}{what}")
    if found:
        console.say(f"\nexample: {lectern(Path.cwd())} restore {shlex.quote(str(found[0].path))}")
    return OK


def register(command: Callable[..., argparse.ArgumentParser]) -> None:
    """Add the two commands; `command` makes one by its name, a short and a long sentence."""
    kept = command(
        "backup",
        "put everything that was chosen and written into one file",
        "Make a backup: places, bookmarks, rules, choices, the texts, the database, people and settings; with --audio\n"
        "also what was rendered. It is read back before it counts. The server makes one every night by itself.",
    )
    kept.add_argument("--audio", action="store_true", help="the audio too, which makes it as large as that is")
    kept.add_argument("--to", metavar="FILE", help="a file or a folder; without it the folder for backups")
    kept.add_argument("--nightly", action="store_true", help=argparse.SUPPRESS)  # what the server calls
    kept.add_argument("--json", action="store_true", help="print what was made as JSON")
    kept.set_defaults(run=backup)
    back = command(
        "restore",
        "put a backup back",
        "Put back what a backup has, while no server runs. What is there now is put aside, not deleted. Without a\n"
        "file, those there are are listed.\n\n"
        "example: lectern restore lectern-nightly-20260701T010000Z.tar.gz",
    )
    back.add_argument("file", nargs="?", metavar="FILE", help="the file of a backup")
    back.add_argument("--json", action="store_true", help="print what came back as JSON")
    back.set_defaults(run=restore_backup)
