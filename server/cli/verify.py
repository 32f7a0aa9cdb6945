"""`lectern verify` and `lectern rebuild`: is the store whole, and the database made anew from it."""

import argparse
import contextlib
from collections.abc import Iterator
from dataclasses import asdict

from server import lock
from server.cli.books import count
from server.cli.console import Console
from server.cli.exits import FAILED, OK
from server.config import Settings
from server.render.mending import mend
from server.render.store import Store
from server.render.verify import Fault, Tally, verify

_WAYS = {
    "render": "it is rendered again after `lectern verify --mend`",
    "remove": "`lectern verify --mend` takes it away",
    "reread": "add the book's file again",
    "ask": "put it back from a backup, or delete the book and add it again",
}


def verify_store(settings: Settings, arguments: argparse.Namespace, console: Console) -> int:
    """Look at every file of the store; exit code 1 when something is wrong and was not mended."""
    store, tally = Store(settings.store), Tally()
    with lock.hold(settings) if arguments.mend else contextlib.nullcontext():
        found = list(_look(store, tally, arguments, console))
        mended = [fault for fault in found if arguments.mend and mend(store, fault)]
    left = [fault for fault in found if fault not in mended]
    if arguments.json:
        faults = [{**asdict(fault), "mended": fault in mended} for fault in found]
        console.answer({**asdict(tally), "faults": faults})
        return FAILED if left else OK
    for fault in found:
        console.say(f"{fault.path} {fault.what}.")
        console.say(f"  → {'mended' if fault in mended else _WAYS[fault.way]}")
    console.say(
        f"{count(tally.books, 'book')} in {count(tally.renditions, 'rendition')}, "
        f"{count(tally.chapters, 'chapter')} ({count(tally.journals, 'journal')}), "
        f"{count(tally.rendered, 'sentence')} with audio, {tally.bytes / 1e6:,.0f} MB: "
        + (f"{count(len(left), 'fault')}." if left else "all is well.")
    )
    return FAILED if left else OK


def _look(store: Store, tally: Tally, arguments: argparse.Namespace, console: Console) -> Iterator[Fault]:
    decoder = None
    if arguments.sound:
        from server.render.aac import decode

        def decoder(data: bytes) -> int:
            return len(decode(data))

    yield from verify(store, tally, decode=decoder)


def rebuild(settings: Settings, arguments: argparse.Namespace, console: Console) -> int:
    """Make the database anew from the store, while no server runs."""
    from server.db import Database
    from server.house import SEARCH
    from server.library.catalog import Catalog
    from server.render.counting import recount

    with lock.hold(settings):
        for path in (settings.database, settings.data / SEARCH):
            for name in ("", "-wal", "-shm"):
                path.with_name(path.name + name).unlink(missing_ok=True)
        store = Store(settings.store)
        store.sweep()
        with contextlib.closing(Database(settings.database)) as database:
            catalog = Catalog(database)
            recount(store, catalog)
            books = catalog.ids()
        places = sum(store.place(book) is not None for book in books)
    if arguments.json:
        console.answer({"books": len(books), "places": places})
    else:
        console.say(f"The database is made anew: {count(len(books), 'book')}, {count(places, 'place')} in them.")
        console.say("The library folder is compared with it, and the search index made, at the next start.")
    return OK
