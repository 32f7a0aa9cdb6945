"""`lectern again`: what is rendered and would be said otherwise now is rendered again."""

import argparse

import httpx

from server import lock
from server.cli.books import count
from server.cli.console import Bar, Console
from server.cli.exits import OK
from server.config import Settings
from server.errors import LecternError
from server.render.pronouncers import Pronouncers
from server.render.said import stale
from server.render.store import Store
from server.setup.running import ask_running, reach

AT_ONCE = 500  # sentences that the server takes with one request


def again(settings: Settings, arguments: argparse.Namespace, console: Console) -> int:
    """Find the sentences that rules, or a newer Lectern, say otherwise, and have them rendered again."""
    store = Store(settings.store)
    record = store.find(arguments.book)
    with Bar(console) as bar:

        def progress(done: int, whole: int) -> None:
            bar.show("Reading", done, whole, f"{done:,}/{count(whole, 'sentence')}")

        found = stale(store, record.id, Pronouncers()(record.voice), progress)
    total = sum(len(ids) for ids in found.values())
    if total and not arguments.dry_run:
        _ask(settings, store, record.id, found)
    if arguments.json:
        spots = [{"chapter": number, "sentence": sid} for number, ids in sorted(found.items()) for sid in sorted(ids)]
        console.answer({"book": record.id, "title": record.title, "asked": not arguments.dry_run, "sentences": spots})
    elif not total:
        console.say(f"All that is rendered of “{record.title}” is said as it would be now.")
    elif arguments.dry_run:
        console.say(f"{count(total, 'sentence')} of “{record.title}” would be said otherwise now.")
    else:
        console.say(
            f"{count(total, 'sentence')} of “{record.title}” will be rendered again; until then the old ones play."
        )
    return OK


def _ask(settings: Settings, store: Store, book: str, found: dict[int, set[str]]) -> None:
    """Tell the server, or write it into the store while none runs. Raises LecternError."""
    if ask_running(settings) is None:
        with lock.hold(settings):
            for number, ids in found.items():
                store.render_again(book, number, ids, "rule")
        return
    spots = [{"chapter": number, "sentence": sid} for number, ids in sorted(found.items()) for sid in sorted(ids)]
    for at in range(0, len(spots), AT_ONCE):
        try:
            httpx.post(
                f"{reach(settings)}/api/v1/books/{book}/again",
                json={"sentences": spots[at : at + AT_ONCE]},
                timeout=60.0,
                trust_env=False,
            ).raise_for_status()
        except httpx.HTTPError as error:
            raise LecternError(f"The server at {reach(settings)} did not take it ({error}).") from error
