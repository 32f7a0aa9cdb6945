"""The way back: a backup is unpacked and checked beside what is there, then both change places in small steps.

What was there is put aside and never deleted. The steps are written down first: one that a crash broke off is gone on
with at the next start.
"""

import contextlib
import hashlib
import itertools
import json
import logging
import os
import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final

from server.backup import STEPS
from server.backup.archive import CONFIG, DATABASE, About, read_archive
from server.backup.gather import hand_work
from server.config import Settings
from server.db import Database, passes
from server.errors import LecternError, StoreError
from server.library.catalog import Catalog
from server.render.counting import recount
from server.render.files import sync_folder, write_atomically, write_error
from server.render.records import ChapterRecord
from server.render.store import Store

log = logging.getLogger(__name__)

STAGING: Final = ".restoring"
ASIDE: Final = "before-restore-"  # begins the name of the folder that has what was there
FOUND_CONFIG: Final = "config-from-backup.toml"
_SEARCH: Final = "search.db"
_KEPT_FREE_BYTES: Final = 200_000_000


@dataclass(frozen=True, slots=True)
class Restored:
    """What came back. `aside` has what was there before, None where there was nothing."""

    about: About
    books: int
    places: int
    sentences: int
    rendered: int
    aside: Path | None
    config: Path | None  # where the backup's configuration lies, where one came along and is not in use


def restore(settings: Settings, config: Path, archive: Path) -> Restored:
    """Put back what `archive` has. The data folder's lock must be held. Raises StoreError; nothing changed then."""
    staging = settings.data / STAGING
    try:
        settings.data.mkdir(parents=True, exist_ok=True)
        finish(settings)
        shutil.rmtree(staging, ignore_errors=True)
        about = _unpack(archive, staging)
    except OSError as error:
        shutil.rmtree(staging, ignore_errors=True)
        raise write_error(staging, error) from error
    except StoreError:
        shutil.rmtree(staging, ignore_errors=True)
        raise
    found = _settle_config(staging, settings, config)
    steps = {"aside": _free_name(settings.data), "old": _old(settings, config), "new": _new(staging)}
    write_atomically(settings.data / STEPS, json.dumps(steps).encode())
    aside = finish(settings)
    store = Store(settings.store)
    store.sweep()
    try:
        books, places, sentences, rendered = _count(settings, store)
    except LecternError as error:
        raise StoreError(
            f"The backup is back in its place, but not counted yet, which a start does: {error}"
        ) from error
    return Restored(about, books, places, sentences, rendered, aside, found)


def _unpack(archive: Path, staging: Path) -> About:
    """Put every member under `staging`. Raises StoreError where anything in the archive is not as it should be."""
    staging.mkdir(parents=True)
    room = shutil.disk_usage(staging).free - _KEPT_FREE_BYTES

    def take(name: str, size: int, chunks: Iterator[bytes]) -> None:
        path = staging / name
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("xb") as stream:
            for chunk in chunks:
                stream.write(chunk)

    try:
        about = read_archive(archive, take, max(room, 0))
    except (FileExistsError, NotADirectoryError, IsADirectoryError) as error:
        raise StoreError(f"{archive} cannot be used: two of its files are in each other's way.") from error
    except (FileNotFoundError, PermissionError) as error:
        if error.filename is not None and Path(error.filename) == archive:
            raise StoreError(f"{archive} cannot be read ({error.strerror}): name the file of a backup.") from error
        raise
    return about


def _settle_config(staging: Path, settings: Settings, config: Path) -> Path | None:
    """Use the backup's configuration where there is none; else lay it beside. Gives where, if it is not in use.

    One that speaks of another data folder would hide what is restored into this one: a person must look at it.
    """
    came = staging / CONFIG
    if not came.is_file():
        return None
    data = came.read_bytes()
    if config.is_file() and config.read_bytes() == data:
        return None
    if not config.exists() and b"data" not in data:
        with contextlib.suppress(OSError, StoreError):
            write_atomically(config, data)
            return None
    write_atomically(staging / "data" / FOUND_CONFIG, data)
    return settings.data / FOUND_CONFIG


def _old(settings: Settings, config: Path) -> list[str]:
    """What is put aside, as names in the data folder."""
    names = [settings.store.name]
    names += [settings.database.name + end for end in ("", "-wal", "-shm")]
    names += [path.relative_to(settings.data).as_posix() for path in hand_work(settings, config)]
    return [name for name in names if (settings.data / name).exists() and name != STEPS]


def _free_name(data: Path) -> str:
    """What the folder for what was here will be called. Two restores within a second each have their own."""
    stamp = datetime.now(UTC).strftime("%Y%m%dT%H%M%SZ")
    names = (f"{ASIDE}{stamp}{f'-{number}' if number > 1 else ''}" for number in itertools.count(1))
    return next(name for name in names if not os.path.lexists(data / name))


def _new(staging: Path) -> dict[str, str]:
    """What comes: name in the data folder → name in the staging folder."""
    new = {path.relative_to(staging / "data").as_posix(): path for path in (staging / "data").rglob("*")}
    new |= {Path(DATABASE).name: staging / DATABASE, "store": staging / "store"}
    return {
        name: path.relative_to(staging).as_posix()
        for name, path in new.items()
        if path.is_file() or (name == "store" and path.is_dir())
    }


def finish(settings: Settings) -> Path | None:
    """Do the steps that are written down, or what is left of them; gives where the former state lies now.

    Nothing where none are. Called with the data folder's lock held, before anything else looks at the store.
    """
    path = settings.data / STEPS
    try:
        steps: dict[str, Any] = json.loads(path.read_bytes())
    except FileNotFoundError:
        return None
    except (OSError, ValueError) as error:
        raise StoreError(f"{path} cannot be understood: what was restored lies in {STAGING} beside it.") from error
    data, staging = settings.data, settings.data / STAGING
    aside = data / str(steps["aside"])
    try:
        for name in steps["old"]:
            # moved already where it is aside; what then has its name has come from the backup
            if (data / name).exists() and not (aside / name).exists():
                (aside / name).parent.mkdir(parents=True, exist_ok=True)
                (data / name).rename(aside / name)
        for end in ("", "-wal", "-shm"):
            (data / (_SEARCH + end)).unlink(missing_ok=True)  # made again from the store
        for name, come in steps["new"].items():
            if (staging / come).exists():
                (data / name).parent.mkdir(parents=True, exist_ok=True)
                (staging / come).rename(data / name)
        _keep_audio(aside / "store", data / "store")
        sync_folder(data)
        path.unlink()
        shutil.rmtree(staging, ignore_errors=True)
    except OSError as error:
        raise write_error(data, error) from error
    return aside if aside.exists() else None


def _keep_audio(before: Path, now: Path) -> None:
    """Give sentences of a backup without audio the files that are here, under a second name: no space, no rendering."""
    store = Store(now)
    for path in sorted(now.glob("books/*/*/chapter-*.json")):
        book, rendition = path.parts[-3:-1]
        try:
            index = store.chapter(book, int(path.stem.removeprefix("chapter-")), rendition)
        except (LecternError, ValueError) as error:
            log.warning("a chapter that was restored cannot be read: %s", error)
            continue
        for take in [take for entry in index.sentences for take in (entry, entry.earlier) if take is not None]:
            file = before.joinpath(*path.parts[-4:-1], take.file or "-")
            place = path.parent / (take.file or "-")
            if file.is_file() and not place.exists() and hashlib.sha256(file.read_bytes()).hexdigest() == take.sha256:
                place.parent.mkdir(exist_ok=True)
                try:
                    os.link(file, place)
                except OSError:  # a disk that knows no second names
                    shutil.copyfile(file, place)


def _count(settings: Settings, store: Store) -> tuple[int, int, int, int]:
    """Make the database agree with the store; gives books, places, sentences read aloud and those with audio."""
    try:
        database = Database(settings.database)
    except StoreError as error:  # of a newer Lectern, or damaged: it is an index, and made anew
        if passes(error):
            raise
        for end in ("", "-wal", "-shm"):
            settings.database.with_name(settings.database.name + end).unlink(missing_ok=True)
        database = Database(settings.database)
    with contextlib.closing(database):
        catalog = Catalog(database)
        recount(store, catalog)
        books = catalog.ids()
    sentences = rendered = places = 0
    for book in books:
        places += store.place(book) is not None
        chapters: tuple[ChapterRecord, ...] = ()
        with contextlib.suppress(LecternError):  # lost or damaged before the backup was made: `lectern verify` tells
            chapters = store.book(book).chapters
        for chapter in chapters:
            with contextlib.suppress(LecternError):
                entries = store.chapter(book, chapter.number).sentences if chapter.enabled else ()
                sentences += len(entries)
                rendered += sum(entry.rendered for entry in entries)
    return len(books), places, sentences, rendered
