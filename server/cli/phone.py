"""`lectern phone`: the address to open on a phone, as a code for its camera."""

import argparse
import subprocess
from typing import Final

from server.access.address import INSTALL, command
from server.access.qr import qr_lines
from server.cli.console import Console
from server.cli.exits import FAILED, OK
from server.config import Settings
from server.errors import LecternError
from server.setup.phone import look, phone_address, tailscale_program

SERVE_S: Final = 60.0


def phone(settings: Settings, arguments: argparse.Namespace, console: Console) -> int:
    """Show the address and its code; exit code 1 when no phone can come in."""
    if arguments.serve:
        console.say(serve(settings))
    found = phone_address(settings, look(settings))
    if arguments.json:
        told = {"url": found.url or None, "kind": found.kind, "secure": found.secure, "advice": found.advice}
        console.answer(told)
        return OK if found.url else FAILED
    if not found.url:
        console.say("No phone can come in yet.")
    else:
        show_code(console, found.url)
    if found.advice:
        console.say(found.advice)
    return OK if found.url else FAILED


def show_code(console: Console, url: str) -> None:
    """The address, under its code where the terminal can draw it."""
    lines = qr_lines(url)
    encoding = getattr(console.out, "encoding", None) or "ascii"
    try:
        "".join(lines).encode(encoding)
    except (UnicodeError, LookupError):
        lines = []
    # The colours are said where there are any: a camera may not know a code that is light on dark for dark on light.
    before, after = ("\x1b[97;40m", "\x1b[0m") if console.out.isatty() else ("", "")
    for line in lines:
        console.say(f"  {before}{line}{after}")
    console.say(f"On your phone: {url}")


def serve(settings: Settings) -> str:
    """Have Tailscale serve Lectern; gives what it says. Raises LecternError with the way out."""
    program = tailscale_program()
    if program is None:
        raise LecternError(f"Tailscale's command is not here. {INSTALL} Then try again, or run `{command(settings)}`.")
    asked = [program, *command(settings).split()[1:]]
    try:
        done = subprocess.run(
            asked, capture_output=True, text=True, timeout=SERVE_S, stdin=subprocess.DEVNULL, check=False
        )
    except subprocess.TimeoutExpired as error:
        # It waits for HTTPS to be turned on, at an address that it has told by now.
        said = error.stdout.decode(errors="replace") if isinstance(error.stdout, bytes) else (error.stdout or "")
        raise LecternError(f"Tailscale still waits. {' '.join(said.split())} Then run it again.") from error
    if done.returncode != 0:
        said = " ".join((done.stderr or done.stdout).split()) or f"exit code {done.returncode}"
        raise LecternError(f"Tailscale would not serve Lectern: {said}")
    return "Tailscale serves Lectern now."
