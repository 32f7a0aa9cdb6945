"""`lectern status`, `doctor`, `voices` and `version`."""

import argparse
from dataclasses import asdict
from typing import Any

import httpx

from server.cli.books import count, duration
from server.cli.console import Console
from server.cli.exits import FAILED, OK
from server.cli.phone import show_code
from server.config import Settings
from server.errors import LecternError
from server.library.languages import SPOKEN
from server.library.languages import chosen as chosen_language
from server.render.store import Store
from server.render.voices import VOICES
from server.setup.check import Check
from server.setup.doctor import examine
from server.setup.phone import look, phone_address
from server.setup.running import ask_running, reach

_SIGNS = {True: "ok", None: "note", False: "FAILS"}


def status(settings: Settings, arguments: argparse.Namespace, console: Console) -> int:
    """Ask the running server, or else look into the store; the answer has one shape."""
    told = ask_running(settings, timeout_s=10.0)
    told = of_server(settings, told) if told is not None else of_store(settings)
    if arguments.json:
        console.answer(told)
    else:
        for line in status_lines(told):
            console.say(line)
    return OK


def of_server(settings: Settings, told: dict[str, Any]) -> dict[str, Any]:
    """What the running server says of itself and of its shelf. Raises LecternError when it stops answering."""
    try:
        answer = httpx.get(f"{reach(settings)}/api/v1/books", timeout=30.0, trust_env=False).raise_for_status()
    except httpx.HTTPError as error:
        raise LecternError(f"The server at {reach(settings)} stopped answering ({error}).") from error
    shelf = [
        {
            "id": book["id"],
            "title": book["title"],
            "sentences": book["sentences"]["total"],
            "rendered": book["sentences"]["rendered"],
            "audio_s": book["audio_s"],
        }
        for book in answer.json()["books"]
    ]
    named = {name: told.get(name) for name in ("version", "url", "library", "worker", "importing")}
    named |= {name: told.get(name) for name in ("waiting", "notice", "polled", "space")}
    return {"running": True, **named, "books": shelf}


def of_store(settings: Settings) -> dict[str, Any]:
    from server.app import status as look

    found = look(settings)
    nobody: dict[str, Any] = {
        "version": None,
        "url": None,
        "worker": None,
        "importing": [],
        "waiting": 0,
        "notice": None,
        "polled": None,
        "space": None,
    }
    return {"running": False, **nobody, "library": found["library"], "books": found["books"]}


def status_lines(told: dict[str, Any]) -> list[str]:
    """The status as a person reads it."""
    lines = [f"Lectern is running: {told['url']}" if told["running"] else "Lectern is not running."]
    lines.append(f"Library: {told['library']}")
    if worker := told["worker"]:
        doing = f"Renderer: {worker.get('state')}"
        if worker.get("device"):
            doing += f" on {worker['device']}"
        if worker.get("detail"):
            doing += f". {worker['detail']}"
        if worker.get("speed"):
            doing += f" ({worker['speed']:.1f} × as fast as it is spoken)"
        lines.append(doing)
        if worker.get("warning"):
            lines.append(f"Note: {worker['warning']}")
        if now := worker.get("now"):
            lines.append(f"Now: “{now['text']}”")
    if told["importing"]:
        more = f", and {told['waiting']} more" if told.get("waiting") else ""
        lines.append(f"Reading in: {', '.join(told['importing'])}{more}")
    lines += [f"Note: {told[note]}" for note in ("notice", "polled", "space") if told.get(note)]
    if not told["books"]:
        lines.append("The shelf is empty.")
    for book in told["books"]:
        share = book["rendered"] / book["sentences"] if book["sentences"] else 1.0
        lines.append(f"{share:>5.0%}  {duration(book['audio_s']):>11}  {book['id']}  {book['title']}")
    return lines


def doctor(settings: Settings, arguments: argparse.Namespace, console: Console) -> int:
    """Run every check; exit code 1 when one fails."""
    checks = examine(settings, deep=arguments.deep)
    if arguments.json:
        console.answer({"checks": [asdict(check) for check in checks]})
    else:
        for check in checks:
            for line in check_lines(check):
                console.say(line)
        failures = sum(check.ok is False for check in checks)
        console.say()
        console.say("All is well." if not failures else f"{count(failures, 'check')} failed.")
        if console.out.isatty() and (found := phone_address(settings, look(settings))).url:
            console.say()
            show_code(console, found.url)
    return FAILED if any(check.ok is False for check in checks) else OK


def check_lines(check: Check) -> list[str]:
    lines = [f"{_SIGNS[check.ok]:<6} {check.name}: {check.detail}"]
    if check.remedy and check.ok is not True:
        lines.append(f"{'':<6} → {check.remedy}")
    return lines


def voices(settings: Settings, arguments: argparse.Namespace, console: Console) -> int:
    """List the voices, those of one language if that is asked for."""
    wanted = SPOKEN[chosen_language(arguments.language)] if arguments.language else None
    chosen = [voice for voice in VOICES if wanted in (None, voice.speaks)]
    blends = Store(settings.store).blends
    mixed = {name: made for name, made in blends.all().items() if wanted in (None, made.lead.speaks)}
    if arguments.json:
        names = ("id", "name", "language", "gender", "grade")
        console.answer(
            {
                "voices": [{name: getattr(voice, name) for name in names} for voice in chosen],
                "blends": [{"name": name, "voice": str(made)} for name, made in mixed.items()],
            }
        )
        return OK
    yours = str(blends.find(settings.voice))
    for voice in chosen:
        mark = "  (yours)" if voice.id == yours else ""
        console.say(f"{voice.id:<14} {voice.language:<6} {voice.gender:<7} {voice.grade or '':<3}{mark}".rstrip())
    for name, made in mixed.items():
        console.say(f"{name:<14} {made.lead.language:<6} = {made}{'  (yours)' if str(made) == yours else ''}")
    return OK


def version(console: Console, number: str) -> int:
    console.say(f"lectern {number}")
    return OK
