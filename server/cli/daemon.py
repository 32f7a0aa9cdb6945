"""`lectern install`, `uninstall`, `restart` and `logs`: Lectern as a service of the system."""

import argparse
import sys
from collections.abc import Callable
from typing import Final

from server.cli.console import Console
from server.cli.exits import FAILED, OK
from server.cli.house import install_model
from server.cli.logs import logs
from server.config import Reading, Settings, read_settings
from server.daemon import Service, service
from server.daemon.service import environment, wait_until
from server.daemon.systemd import UserUnit
from server.errors import Conflict
from server.lock import holder
from server.setup.running import ask_running, reach

ANSWERS_S: Final = 90.0  # a big library is compared first, on a slow disk


def install(settings: Settings, arguments: argparse.Namespace, console: Console) -> int:
    """Have Lectern started at login, and now. May be repeated: what changed is brought up to date."""
    reading, manager = read_settings(), service()
    _refuse_by_hand(settings, manager, reading)
    install_model(settings, console)  # or the first start would fetch it where nobody sees that
    before = holder(settings)
    changed = manager.install(reading)
    if not changed and ask_running(settings) is not None:
        console.say(f"Lectern is installed already, and runs: {reach(settings)}")
        return OK
    console.say("Starting …")
    if not _answers(settings, before if changed else None):
        return _silent(console)
    console.say(f"Lectern is installed: it starts when you log in, and runs now: {reach(settings)}")
    if given := environment(reading):
        console.say(f"These settings went along from here: {', '.join(given)}. After a change, install again.")
    if isinstance(manager, UserUnit) and not manager.lingers():
        console.say("It ends when you log out. `sudo loginctl enable-linger $USER` has it run always.")
    return OK


def uninstall(settings: Settings, arguments: argparse.Namespace, console: Console) -> int:
    """Stop the service and have it started no more; books, audio and places stay."""
    if service().uninstall():
        console.say(f"Lectern is no longer started at login. Your books, audio and places stay in {settings.data}.")
    else:
        console.say("Lectern was not installed as a service.")
    return OK


def restart(settings: Settings, arguments: argparse.Namespace, console: Console) -> int:
    """Start the service again, for instance after settings changed, and wait until it answers."""
    reading, manager = read_settings(), service()
    _refuse_by_hand(settings, manager, reading)
    before = holder(settings)
    manager.restart()
    if not _answers(settings, before):
        return _silent(console)
    console.say(f"Lectern runs again: {reach(settings)}")
    return OK


def _refuse_by_hand(settings: Settings, manager: Service, reading: Reading) -> None:
    """Raise Conflict where a server runs that is not the service: launchd would find its place taken, and give up."""
    if ask_running(settings) is None:
        return
    held, own = holder(settings), manager.state(reading).pid
    if held is not None and held != own:
        raise Conflict(
            f"Lectern runs already, started by hand (process {held}). Stop it where it was started, with Ctrl-C, "
            "and try again."
        )


def _answers(settings: Settings, before: int | None) -> bool:
    """Wait until another process than `before` serves."""
    return wait_until(lambda: holder(settings) not in (None, before) and ask_running(settings) is not None, ANSWERS_S)


def _silent(console: Console) -> int:
    console.complain(f"It was started and does not answer within {ANSWERS_S:.0f} s. `lectern logs` says why.")
    return FAILED


def at_least_none(text: str) -> int:
    number = int(text)
    if not 0 <= number <= 1_000_000:
        raise argparse.ArgumentTypeError(f"{text} is not between 0 and 1000000")
    return number


def register(command: Callable[..., argparse.ArgumentParser]) -> None:
    """Add the four commands; `command` makes one by its name, a short and a long sentence."""
    where = "launchd" if sys.platform == "darwin" else "systemd"
    command(
        "install",
        "have Lectern started at every login, and now",
        f"Make Lectern a service of this system ({where}): started at login, and again after a fault. May be\n"
        "repeated: what changed in Lectern or in variables that are set here (LECTERN_PORT …) goes along.",
    ).set_defaults(run=install)
    command(
        "uninstall",
        "have it started no more",
        "Stop the service and take it away. Books, audio, places and settings stay.",
    ).set_defaults(run=uninstall)
    command(
        "restart",
        "start the service again, and wait until it answers",
        "Start the service again, for instance after the settings were changed, and wait until it answers.",
    ).set_defaults(run=restart)
    shown = command(
        "logs",
        "what the server wrote down",
        "Print the last lines of the server's log. At the level info no titles, texts, paths and tokens are in it.",
    )
    shown.add_argument("-f", "--follow", action="store_true", help="go on with what comes, until Ctrl-C")
    shown.add_argument("-n", "--lines", type=at_least_none, default=50, metavar="N", help="so many lines; 50")
    shown.set_defaults(run=logs)
