"""Makes the database agree with the library folder: what is new is read, what is gone is marked, nothing is deleted.

The scanner decides; the watcher only tells it where to look. Reading a book runs in a process of its own
(`read_book_aside`), so a bad file can hurt nobody.
"""

import asyncio
import contextlib
import logging
from collections.abc import Awaitable, Callable
from pathlib import Path

from server.errors import BookRefused, LecternError
from server.events import Hub
from server.library.files import FileTable
from server.library.model import Book
from server.library.sandbox import read_book_aside
from server.library.settle import candidates, is_candidate, signature_of

log = logging.getLogger(__name__)

PutBook = Callable[[Book, Path], Awaitable[None]]


class Scanner:
    """Reads files of one library folder into books. `put_book` stores a read book and makes its rows.

    `chosen_language` gives what a person chose for a book that is known.
    """

    def __init__(
        self,
        files: FileTable,
        hub: Hub,
        put_book: PutBook,
        chosen_language: Callable[[str], str | None] = lambda _book: None,
    ) -> None:
        self.root = files.root
        self.importing: list[str] = []
        self._files = files
        self._hub = hub
        self._put_book = put_book
        self._chosen_language = chosen_language
        self.one = asyncio.Lock()  # one import at a time: reading is heavy, and order keeps identity simple

    async def scan(self) -> None:
        """Compare the whole folder with the database. What cannot be looked into changes nothing."""
        found, whole = await asyncio.to_thread(self._walk)
        try:
            known = await asyncio.to_thread(self._files.known)
            if whole:
                for key in sorted(known.keys() - {self._files.key(path) for path in found}):
                    await self._forget(key)
        except LecternError as error:
            log.error("the library folder is not compared now: %s", error)
            return
        for path in found:
            signature = signature_of(path)
            if signature is not None and known.get(self._files.key(path)) != signature.text:
                await self._import(path)

    async def look_at(self, path: Path) -> None:
        """Read one path if it is new or changed; forget it if it is gone. Refusals are recorded, not raised."""
        if not is_candidate(path, self.root):
            return
        if path.exists():
            await self._import(path)
        elif self.root.is_dir():
            try:
                await self._forget(self._files.key(path))
            except LecternError as error:
                log.error("a file that is gone is not marked now: %s", error)

    async def import_path(self, path: Path, language: str | None = None) -> str:
        """Read a file of the library folder and store it as a book; gives its id. Called with `one` held.

        Raises BookRefused, recorded.
        """
        found = signature_of(path)
        signature = found.text if found is not None else ""
        try:
            book = await self.read(path, language)
            await self._put_book(book, path)
        except BookRefused as refusal:
            await self.refuse(path.name, refusal, path, signature)
            raise
        lost = await asyncio.to_thread(self._files.record_book, path, signature, book.id)
        self._changed(lost)
        return book.id

    async def read(self, path: Path, language: str | None = None) -> Book:
        """Read a file from anywhere, telling whoever watches; `language` whatever it says itself. Raises BookRefused.

        A book that a language was once chosen for keeps it.
        """
        self.importing.append(path.name)
        self._hub.publish("import.started", name=path.name)
        try:
            book = await read_book_aside(path, language=language)
            if language is None and (kept := await asyncio.to_thread(self._chosen_language, book.id)) is not None:
                book = await read_book_aside(path, language=kept)
            return book
        finally:
            self.importing.remove(path.name)

    async def refuse(self, name: str, refusal: BookRefused, path: Path | None = None, signature: str = "") -> None:
        """Record a refusal and tell whoever watches."""
        row, lost = await asyncio.to_thread(self._files.record_refusal, name, refusal, path, signature)
        self._changed(lost)
        self._hub.publish("import.refused", id=row.id, name=row.name, kind=row.kind, reason=row.reason)

    async def _import(self, path: Path) -> None:
        """Import a path unless it is known as it is, which is asked when its turn comes: others may have read it."""
        async with self.one:
            try:
                signature = signature_of(path)
                known = await asyncio.to_thread(self._files.signature, self._files.key(path))
                if signature is not None and signature.text != known:
                    await self.import_path(path)
            except BookRefused as refusal:
                log.info("a file was refused: %s", refusal.kind)
            except (LecternError, OSError) as error:  # a full disk, say, or it went away while it was read
                log.error("%s is not read in now: %s", path.name, error)
                if not path.exists():
                    return
                with contextlib.suppress(LecternError):
                    # Without its signature, so that the next scan tries again.
                    await self.refuse(path.name, BookRefused("unreadable", str(error)), path)

    async def _forget(self, key: str) -> None:
        self._changed(await asyncio.to_thread(self._files.forget, key))

    def _changed(self, book: str | None) -> None:
        if book is not None:
            self._hub.publish("book.changed", id=book)

    def _walk(self) -> tuple[list[Path], bool]:
        """The candidates in the folder, and whether all of it could be looked at."""
        found, closed = candidates(self.root, self.root)
        for error in closed:
            log.warning("%s cannot be looked into (%s); nothing is changed", error.filename, error.strerror)
        return found, not closed
