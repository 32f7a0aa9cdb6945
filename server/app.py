"""Puts the daemon together and runs it. The only file that knows every part."""

import asyncio
import contextlib
import logging
import os
import shutil
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from server import __version__
from server.api import create_app
from server.api.doors import Doors
from server.api.listener import Listener, open_sockets
from server.backup.nightly import Nightly
from server.backup.wish import grant
from server.config import Settings, read_settings
from server.errors import BookRefused, LecternError
from server.events import Hub
from server.house import House, prepare
from server.intake import INCOMING
from server.library.sample import sample_epub
from server.library.watcher import Watcher
from server.lock import hold
from server.render.index import SAMPLE_RATE
from server.render.store import Store
from server.searching import Indexer

log = logging.getLogger(__name__)

OFFERED = "sample-offered"  # file in the data folder: the sample book was added once and is not added again


@dataclass(frozen=True, slots=True)
class AddedBook:
    """What `lectern add` tells."""

    id: str
    title: str
    chapters: int
    sentences: int
    there: bool = False  # it was on the shelf already


def run_server(settings: Settings, announce: Callable[[str], None]) -> bool:
    """Serve until told to stop; gives whether to begin again. Raises LecternError for what keeps it from starting."""
    engine = prepare(settings)
    with hold(settings):
        grant(settings, read_settings().file)
        sockets = open_sockets(settings)
        log.info("Lectern %s begins (process %d)", __version__, os.getpid())
        with contextlib.closing(House(settings, engine)) as house:
            again = asyncio.Event()
            house.configuration.again = lambda: _end(house, again)
            asyncio.run(_serve(settings, house, Listener(create_app(house), house.hub, sockets), announce))
    log.info("Lectern has ended")
    return again.is_set()


def _end(house: House, again: asyncio.Event) -> None:
    again.set()
    house.hub.close()


async def _serve(settings: Settings, house: House, listener: Listener, announce: Callable[[str], None]) -> None:
    watcher = Watcher(
        settings.library,
        settle_s=settings.settle_s,
        rescan_s=settings.rescan_s,
        look_at=house.scanner.look_at,
        scan=house.scanner.scan,
        differing=house.scanner.differing,
        poll_s=house.polling.poll_s,
    )
    listening = asyncio.create_task(
        listener.run(on_started=lambda: announce(f"Lectern is ready: {settings.url}")), name="listener"
    )
    nightly = Nightly(settings)
    house.heeding.append(nightly.hold)
    tasks = [
        asyncio.create_task(house.planner.run(), name="planner"),
        asyncio.create_task(Doors(settings, house.access.tailnet, listener, house.hub).run(), name="doors"),
        asyncio.create_task(_watch(settings, house, watcher), name="watcher"),
        asyncio.create_task(nightly.run(), name="backups"),
        asyncio.create_task(Indexer(house.store, house.search, house.hub).run(), name="indexer"),
    ]
    # A part that fails ends the daemon with its error: whoever keeps it running starts it again, silence would not.
    # Being told to stop closes the hub, at once: rendering and reading end while the last answers are given.
    stopping = asyncio.create_task(_until_closed(house.hub), name="stopping")
    done, _ = await asyncio.wait([stopping, listening, *tasks], return_when=asyncio.FIRST_COMPLETED)
    listener.stop()
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)
    await asyncio.gather(listening, stopping)
    for task in done:
        if not task.cancelled() and (error := task.exception()) is not None:
            raise error


async def _until_closed(hub: Hub) -> None:
    async for _ in hub.subscribe():
        pass


async def _watch(settings: Settings, house: House, watcher: Watcher) -> None:
    await offer_sample(settings, house)
    await watcher.run()


async def offer_sample(settings: Settings, house: House) -> None:
    """Add the sample book once, when there is nothing else to hear. What keeps it out keeps nothing else waiting."""
    mark = settings.data / OFFERED
    if not settings.sample or mark.exists():
        return
    try:
        if not house.store.books() and not any(settings.library.rglob("*.epub")):
            made = await asyncio.to_thread(sample_epub, settings.data)
            book = await house.scanner.read(made)
            house.intake.samples.add(book.id)
            await house.import_file(made.name, made)
        mark.touch()
    except (LecternError, OSError) as error:  # a library that may only be read, a full disk
        log.warning("the sample book is not offered now: %s", error)


async def add_directly(settings: Settings, house: House, path: Path, language: str | None = None) -> AddedBook:
    """Copy a file into the library as an upload would and import it. Raises BookRefused."""
    incoming = settings.data / INCOMING
    incoming.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory(dir=incoming) as folder:
        copy = Path(folder) / path.name
        try:
            if path.is_dir():
                await asyncio.to_thread(shutil.copytree, path, copy)
            else:
                await asyncio.to_thread(shutil.copyfile, path, copy)
        except OSError as error:
            raise BookRefused("unreadable", f"{path} cannot be read ({error.strerror}).") from error
        before = await asyncio.to_thread(house.store.books)
        book = await house.import_file(path.name, copy, language)
    record = await asyncio.to_thread(house.store.book, book)
    spoken = [chapter for chapter in record.chapters if chapter.enabled]
    return AddedBook(book, record.title, len(spoken), sum(chapter.sentences for chapter in spoken), book in before)


def status(settings: Settings) -> dict[str, object]:
    """What the store holds, asked without a server. Raises StoreError."""
    store = Store(settings.store)
    books = []
    for book in store.books():
        record = store.book(book)
        entries = [e for c in record.chapters if c.enabled for e in store.chapter(book, c.number).sentences]
        rendered = [entry for entry in entries if entry.rendered]
        audio_s = sum(entry.length_samples for entry in rendered) / SAMPLE_RATE
        books.append(
            {
                "id": book,
                "title": record.title,
                "sentences": len(entries),
                "rendered": len(rendered),
                "audio_s": audio_s,
            }
        )
    return {"running": False, "data": str(settings.data), "library": str(settings.library), "books": books}


def add_file(settings: Settings, path: Path, language: str | None = None) -> AddedBook:
    """Add a book while no server runs. Raises BookRefused, Conflict when a server does run."""
    engine = prepare(settings)
    with hold(settings), contextlib.closing(House(settings, engine)) as house:
        return asyncio.run(add_directly(settings, house, path, language))
