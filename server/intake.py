"""How books come in: a file is read, judged by its language, put into the store and on the planner's list."""

import asyncio
import contextlib
import errno
import functools
import glob
import re
import shutil
import uuid
from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

from server.config import Settings
from server.errors import BookRefused, Conflict, NotFound, StoreError
from server.events import Hub
from server.library.catalog import Catalog
from server.library.files import FileTable
from server.library.identity import ID_DIGITS, content_sha256
from server.library.kinds import BOOK_SUFFIXES, suffix_of
from server.library.languages import chosen, name_of, require_spoken, spoken
from server.library.model import Book, Notes
from server.library.scanner import AS_IT_IS, Reading, Scanner
from server.library.settle import signature_of
from server.render.counting import put_rows
from server.render.files import make_folder, write_error
from server.render.index import Engine
from server.render.kinship import Kinship, files_of
from server.render.records import BookRecord
from server.render.store import Store
from server.render.voices import voice_for

SHUT = (errno.EROFS, errno.EACCES, errno.EPERM)  # of a library folder that may only be read
INCOMING = "incoming"  # folder beside the store where files wait that are being read in
_PART = re.compile(r"\.[0-9a-f]{32}\.part")  # a copy on its way into the library folder


class Intake:
    """Takes files in, one at a time.

    `on_book` is called when there is something new to render, `on_renewed` when a book's text changed; within `quiet`
    nothing is rendered.
    """

    def __init__(
        self, settings: Settings, store: Store, catalog: Catalog, files: FileTable, hub: Hub, engine: Engine
    ) -> None:
        self._kinship = Kinship(store, catalog.relations)
        self.scanner = Scanner(files, hub, self.put_book, self._chosen, self._kinship.stored)
        self.samples: set[str] = set()
        self.on_book: Callable[[], object] = lambda: None
        self.on_renewed: Callable[[str], object] = lambda _book: None
        self.quiet: Callable[[], AbstractAsyncContextManager[None]] = contextlib.nullcontext
        self._settings = settings
        self._store = store
        self._catalog = catalog
        self._files = files
        self._hub = hub
        self._engine = engine

    def hold(self, settings: Settings) -> None:
        """Heed these settings from now on."""
        self._settings = settings

    async def put_book(self, book: Book, path: Path) -> str:
        """Store a read book, make its rows and put it on the planner's list; gives its id, which an edition shares.

        Raises BookRefused for its language, Conflict where it has audio in another one.
        """
        language = book.read_as or book.language
        require_spoken(language, path.name)
        owner = await asyncio.to_thread(self._whose, book, path)
        old = await asyncio.to_thread(self._record_of, owner)
        if old is not None and await asyncio.to_thread(self._superseded, old, book, path):
            return owner
        book = replace(book, id=owner)
        await asyncio.to_thread(self._keep_language, book, language)
        async with contextlib.nullcontext() if old is None else self.quiet():
            record = await asyncio.to_thread(
                self._store.put_book,
                book,
                source=path,
                voice=voice_for(language, str(self._store.blends.find(self._settings.voice))),
                engine=self._engine,
                bitrate=self._settings.bitrate,
                added=datetime.now(UTC),
            )
            new = await asyncio.to_thread(put_rows, self._store, self._catalog, record, sample=owner in self.samples)
        if old is not None and old.before != record.before:
            self.on_renewed(owner)
            self._hub.publish("book.renewed", id=owner)
        self._hub.publish("book.added" if new else "book.changed", id=owner)
        self.on_book()
        return owner

    async def import_file(self, name: str, path: Path, language: str | None = None) -> str:
        """Take the file at `path` into the library folder under `name`; gives the book's id.

        `language` counts for more than what the book says. Raises BookRefused, Conflict, BadRequest for a language
        that nothing reads.
        """
        language = chosen(language) if language else None
        # A folder of its own lets the file carry its real name, so that every message names it.
        folder = self._settings.data / INCOMING / uuid.uuid4().hex
        incoming = folder / Path(name).name
        try:
            folder.mkdir(parents=True)
            await asyncio.to_thread(shutil.move, path, incoming)
            async with self.scanner.one:
                return await self._import(incoming, language)
        except OSError as error:
            raise write_error(Path(error.filename2 or error.filename or folder), error) from error
        finally:
            await asyncio.to_thread(shutil.rmtree, folder, ignore_errors=True)

    async def read_refused(self, refusal: int, language: str) -> str:
        """Read a refused file of the library folder once more, in `language`; gives the book's id.

        Raises NotFound without such a file, BookRefused, BadRequest for a language that nothing reads.
        """
        language = chosen(language)
        path = await asyncio.to_thread(self._files.path_of_refusal, refusal)
        if path is None or not path.exists():
            raise NotFound("That file is not in the library folder: add it again and choose its language.")
        async with self.scanner.one:
            return await self.scanner.import_path(path, language)

    async def choose_notes(self, book: str, notes: Notes) -> None:
        """Read a book anew with its notes elsewhere, where that is another choice than before.

        Raises NotFound, Conflict where its file is not in the library folder, BookRefused.
        """
        await asyncio.to_thread(self._store.book, book)  # that there is none is said at once
        async with self.scanner.one:  # whoever chose before is done now, and the file may be another
            record, before = await asyncio.to_thread(lambda: (self._store.book(book), self._store.choices(book)))
            if notes == (before.notes or "skipped"):
                return
            path = await asyncio.to_thread(self._here, book, record.source.sha256)
            if path is None:
                raise Conflict(
                    f"The file of “{record.title}” is not in the library folder: put {record.source.name} back, then "
                    "choose again."
                )
            choose = functools.partial(self._store.change_choices, book)
            await asyncio.to_thread(choose, notes=None if notes == "skipped" else notes)
            try:
                await self.put_book(await self.scanner.read(path), path)
            except BaseException:
                await asyncio.to_thread(choose, notes=before.notes)
                raise

    async def _import(self, incoming: Path, language: str | None) -> str:
        try:
            book = await self.scanner.read(incoming, language)
            require_spoken(book.read_as or book.language, incoming.name)
        except BookRefused as refusal:
            await self.scanner.refuse(incoming.name, refusal)
            raise
        kept = await asyncio.to_thread(self._take_in, incoming, book)
        if language is not None:  # before the book is told of: who hears of it looks at the refusals too
            await asyncio.to_thread(self._files.forgive, incoming.name)
        identity = await self.put_book(book, kept)
        found = signature_of(kept)
        await asyncio.to_thread(self._files.record_book, kept, found.text if found else "", identity)
        return identity

    def _take_in(self, incoming: Path, book: Book) -> Path:
        """Copy a read file into the library folder, unless it is there already."""
        if (there := self._here(self._whose(book, incoming), book.id)) is not None:
            return there
        root = self._settings.library
        if self.scanner.away():
            raise StoreError(
                f"{root} is empty, and its books are not there: is its disk connected? Nothing is put into it until it "
                "is back; if you emptied the folder yourself, put a book into it."
            )
        root.mkdir(parents=True, exist_ok=True)
        target = free_name(root / shelf_name(incoming.name))
        hidden = root / f".{uuid.uuid4().hex}.part"
        try:
            if incoming.is_dir():
                shutil.copytree(incoming, hidden)
            else:
                shutil.copyfile(incoming, hidden)
            hidden.replace(target)
        except OSError as error:
            shutil.rmtree(hidden, ignore_errors=True)
            with contextlib.suppress(OSError):
                hidden.unlink(missing_ok=True)
            if error.errno not in SHUT:
                raise
            raise Conflict(
                f"The library folder may only be read ({error.strerror}): put {incoming.name} into it yourself, or "
                "let Lectern write there."
            ) from error
        return target

    def _whose(self, book: Book, path: Path) -> str:
        known = self._files.of(path) if path.is_relative_to(self._files.root) else None
        return self._kinship.whose(book, known.book if known is not None else None)

    def _chosen(self, book: Book, path: Path) -> Reading:
        """How somebody wants a book read that is here."""
        owner = self._whose(book, path)
        record = self._record_of(owner)
        if record is None:
            return AS_IT_IS
        return Reading(record.read_as, self._store.choices(owner).notes or "skipped")

    def _record_of(self, book: str) -> BookRecord | None:
        try:
            return self._store.book(book)
        except NotFound:
            return None

    def _superseded(self, record: BookRecord, book: Book, path: Path) -> bool:
        """Whether a file is an earlier edition of a book whose later one is in the library folder too."""
        if book.id not in files_of(record)[1:] or record.source.sha256.startswith(book.id):
            return False
        named = self._files.root.rglob(glob.escape(record.source.name))
        return self._here(record.id, record.source.sha256, *named) is not None

    def _here(self, book: str, content: str, *others: Path) -> Path | None:
        """Where in the library folder the file of a book lies whose hash begins as `content` does."""
        for path in dict.fromkeys((*self._files.paths_of(book), *others)):
            with contextlib.suppress(OSError):
                if content_sha256(path).startswith(content[:ID_DIGITS]):
                    return path
        return None

    def _keep_language(self, book: Book, language: str) -> None:
        """Raise Conflict where the book has audio in another language: its sentences would not be the same."""
        try:
            old = self._store.book(book.id)
        except NotFound:
            return
        before = old.read_as or old.language
        if spoken(before) != spoken(language) and any(self._store.book_folder(book.id).glob("*/chapter-*/*.m4a")):
            raise Conflict(
                f"“{old.title}” has audio in {name_of(before)} already: delete that on the dashboard, then add the "
                f"file again to read it in {name_of(language)}."
            )

    def clear(self) -> None:
        """Take away what was on its way in when Lectern ended, however it ended."""
        shutil.rmtree(self._settings.data / INCOMING, ignore_errors=True)
        with contextlib.suppress(OSError):  # a library that may only be read has none of ours
            for part in self._settings.library.glob(".*.part"):
                if _PART.fullmatch(part.name):
                    shutil.rmtree(part) if part.is_dir() else part.unlink(missing_ok=True)


def shelf_name(name: str) -> str:
    """`name` as the scanner takes it for a book: one without a book's ending, or a hidden one, would count as gone."""
    plain = name.lstrip(".~ ") or "book"
    return plain if suffix_of(plain) in BOOK_SUFFIXES else f"{plain}.epub"


def free_name(path: Path) -> Path:
    """`path`, or the first of `name 2.epub`, `name 3.epub` … that is free."""
    number, candidate = 2, path
    while candidate.exists():
        candidate = path.with_stem(f"{path.stem} {number}")
        number += 1
    return candidate


def put_aside(path: Path, folder: Path) -> None:
    """Move a file of the library into `folder`. Raises Conflict where it may not be, having left nothing behind."""
    target = free_name(folder / path.name)
    try:
        make_folder(folder)
        shutil.move(path, target)
    except OSError as error:
        if error.errno not in SHUT:
            raise write_error(target, error) from error
        if path.exists():  # on another disk it is copied first
            shutil.rmtree(target, ignore_errors=True)
            target.unlink(missing_ok=True)
        raise Conflict(
            f"{path.name} cannot be taken out of the library folder ({error.strerror}): take it away there yourself "
            "and delete the book then, or delete its audio alone."
        ) from error
