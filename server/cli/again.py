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

        pronouncer = Pronouncers()
        found = stale(store, record.id, pronouncer(record.voice), progress)
        others = {
            kept.record.id: stale(store, record.id, pronouncer(kept.record.voice), progress, kept.record.id)
            for kept in store.renditions.of(record.id)
            if kept.current and not kept.plays
        }
    total = sum(len(ids) for ids in found.values())
    if not arguments.dry_run:
        if total:
            _ask(settings, store, record.id, found)
        for rendition, marked in others.items():  # which nobody renders, or counts, before it plays
            for number, ids in marked.items():
                store.render_again(record.id, number, ids, "rule", rendition)
    if arguments.json:
        spots = [{"chapter": number, "sentence": sid} for number, ids in sorted(found.items()) for sid in sorted(ids)]
        told = {"book": record.id, "title": record.title, "asked": not arguments.dry_run, "sentences": spots}
        counted = {name: sum(map(len, marked.values())) for name, marked in others.items()}
        console.answer({**told, "others": [{"rendition": name, "sentences": n} for name, n in counted.items()]})
    elif not total:
        console.say(f"All that is rendered of “{record.title}” is said as it would be now.")
    elif arguments.dry_run:
        console.say(f"{count(total, 'sentence')} of “{record.title}” would be said otherwise now.")
    else:
        console.say(
            f"{count(total, 'sentence')} of “{record.title}” will be rendered again; until then the old ones play."
        )
    if (beside := sum(len(ids) for marked in others.values() for ids in marked.values())) and not arguments.json:
        console.say(f"{count(beside, 'sentence')} in other voices that it has will follow once they are gone back to.")
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
