"""Makes the database agree with the library folder: what is new is read, what is gone is marked, nothing is deleted.

The scanner decides; the watcher only tells it where to look. Reading a book runs in a process of its own
(`read_book_aside`), so a bad file can hurt nobody.
"""

import asyncio
import contextlib
import logging
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from server.errors import BookRefused, LecternError
from server.events import Hub
from server.library.compare import Difference, compare, is_bare, is_news, told, under
from server.library.files import IN_CLOUD, FileTable
from server.library.identity import content_sha256
from server.library.model import Book, Notes
from server.library.sandbox import read_book_aside
from server.library.settle import in_cloud, is_candidate, signature_of
from server.library.walk import as_listed

log = logging.getLogger(__name__)

PutBook = Callable[[Book, Path], Awaitable[str]]


@dataclass(frozen=True, slots=True)
class Reading:
    """How a book is read where that is not as it says itself."""

    language: str | None = None
    notes: Notes = "skipped"


AS_IT_IS = Reading()


class Scanner:
    """Reads files of one library folder into books. `put_book` stores a read book, makes its rows and gives its id.

    `chosen` gives how a person wants a book read that is known; `stored` the book that was read from exactly the bytes
    with this SHA-256, if it is in the store.
    """

    def __init__(
        self,
        files: FileTable,
        hub: Hub,
        put_book: PutBook,
        chosen: Callable[[Book, Path], Reading] = lambda _book, _path: AS_IT_IS,
        stored: Callable[[str], str | None] = lambda _sha256: None,
    ) -> None:
        self.root = files.root
        self.importing: list[str] = []
        self.waiting = 0  # files that are known to be new and whose turn has not come
        self.notice: str | None = None  # what of the folder is left alone, and why, in a sentence
        self._files = files
        self._hub = hub
        self._put_book = put_book
        self._chosen = chosen
        self._stored = stored
        self.one = asyncio.Lock()  # one import at a time: reading is heavy, and order keeps identity simple

    async def scan(self) -> None:
        """Compare the whole folder with the database. What cannot be looked into changes nothing."""
        try:
            found = await self.differences()
            await self._import_all(found.moved)  # first: what was only moved is gone nowhere
            await self._forget(found.gone)
            await self._import_all(found.new)
            for path in found.clouded:
                await self._wait_for_cloud(path)
        except LecternError as error:
            log.error("the library folder is not compared now: %s", error)

    async def differences(self) -> Difference:
        """What of the folder is new, gone or out of reach; says so in `notice`. Raises StoreError."""
        found = await asyncio.to_thread(compare, self._files)
        notice = told(found)
        if notice is not None and notice != self.notice:
            log.warning("%s", notice)
        if notice != self.notice:
            self.notice = notice
            self._hub.publish("library.notice", notice=notice)
        return found

    async def differing(self) -> list[Path]:
        """The paths that differ from what is known; none while that cannot be told."""
        try:
            found = await self.differences()
        except LecternError as error:
            log.error("the library folder is not compared now: %s", error)
            return []
        return [*found.moved, *found.new, *found.clouded, *(self.root / key for key in found.gone)]

    async def look_at(self, *paths: Path) -> None:
        """Read the paths that are new or changed; forget those that are gone. Refusals are recorded, not raised."""
        candidates = [path for path in paths if is_candidate(path, self.root)]
        listed = await asyncio.to_thread(lambda: [as_listed(path, self.root) for path in candidates])
        try:
            await self._import_all([path for path in listed if path is not None])
            gone = [path for path, there in zip(candidates, listed, strict=True) if there is None]
            clouded = [path for path in gone if in_cloud(path)]
            for path in clouded:
                await self._wait_for_cloud(path)
            away = await asyncio.to_thread(self._away)
            lost = [path for path in gone if not any(path.is_relative_to(folder) for folder in away)]
            await self._forget([self._files.key(path) for path in lost if path not in clouded])
        except LecternError as error:
            log.error("files that are gone are not marked now: %s", error)

    def away(self) -> bool:
        """Is the folder of known books not there, or only the bare folder in which its disk should begin? Blocks."""
        return self.root in self._away()

    def _away(self) -> list[Path]:
        """The folders in which a disk should begin that is not there, among them the library itself."""
        known = self._files.known()
        if not self.root.is_dir():
            return [self.root] if known else []
        return [
            folder
            for folder, inode in self._files.disks().items()
            if is_bare(folder, inode)
            and next(folder.glob("[!.]*"), None) is None
            and any(under(key, self._files.key(folder)) for key in known)
        ]

    async def import_path(self, path: Path, language: str | None = None) -> str:
        """Read a file of the library folder and store it as a book; gives its id. Called with `one` held.

        Raises BookRefused, recorded.
        """
        found = await asyncio.to_thread(signature_of, path)
        signature = found.text if found is not None else ""
        try:
            identity = await self._put_book(await self.read(path, language), path)
        except BookRefused as refusal:
            await self.refuse(path.name, refusal, path, signature)
            raise
        await self._record(path, signature, identity)
        return identity

    async def read(self, path: Path, language: str | None = None) -> Book:
        """Read a file from anywhere, telling whoever watches; `language` whatever it says itself. Raises BookRefused.

        A book that something was once chosen for keeps it.
        """
        self.importing.append(path.name)
        self._hub.publish("import.started", name=path.name, waiting=self.waiting)
        try:
            book = await read_book_aside(path, language=language)
            chosen = await asyncio.to_thread(self._chosen, book, path)
            wanted = Reading(language or chosen.language, chosen.notes)
            if wanted != Reading(language):
                book = await read_book_aside(path, language=wanted.language, notes=wanted.notes)
            return book
        finally:
            self.importing.remove(path.name)

    async def refuse(self, name: str, refusal: BookRefused, path: Path | None = None, signature: str = "") -> None:
        """Record a refusal and tell whoever watches."""
        row, lost = await asyncio.to_thread(self._files.record_refusal, name, refusal, path, signature)
        self._changed(lost)
        self._hub.publish("import.refused", id=row.id, name=row.name, kind=row.kind, reason=row.reason)

    async def _import_all(self, paths: Sequence[Path]) -> None:
        """Import what is not known as it is. Whoever watches can see how many wait."""
        left = len(paths)
        self.waiting += left
        try:
            for path in paths:
                self.waiting -= 1
                left -= 1
                await self._import(path)
        finally:
            self.waiting -= left

    async def _import(self, path: Path) -> None:
        """Import a path unless it is known as it is, which is asked when its turn comes: others may have read it."""
        async with self.one:
            try:
                signature = await asyncio.to_thread(signature_of, path)
                known = await asyncio.to_thread(self._files.of, path)
                if signature is None:
                    if in_cloud(path):
                        await self._wait_for_cloud(path)
                elif (known is None or known.signature != signature.text) and not await self._recognised(
                    path, signature.text
                ):
                    await self.import_path(path)
            except BookRefused as refusal:
                log.info("a file was refused: %s", refusal.kind)
            except (LecternError, OSError) as error:  # a full disk, say, or it went away while it was read
                log.error("a file is not read in now: %s", error)
                log.debug("that file is %s", path)
                if not path.exists():
                    return
                with contextlib.suppress(LecternError):
                    # Without its signature, so that the next scan tries again.
                    await self.refuse(path.name, BookRefused("unreadable", str(error)), path)

    async def _recognised(self, path: Path, signature: str) -> bool:
        """Is it a book that is here, moved, copied or touched? Then it is written down and not read again."""
        before = await asyncio.to_thread(self._moved_from, path, signature)
        if before is not None:
            self._changed(await asyncio.to_thread(self._files.move, before, path))
            return True
        book = await asyncio.to_thread(self._same_bytes, path)
        if book is not None:
            await self._record(path, signature, book)
        return book is not None

    def _same_bytes(self, path: Path) -> str | None:
        try:
            return self._stored(content_sha256(path))
        except OSError:  # reading it will say why
            return None

    def _moved_from(self, path: Path, signature: str) -> Path | None:
        """Where this very file was before; None for one that came from elsewhere, or has another name beside it."""
        for before in self._files.alike(path, signature):
            if as_listed(before, self.root) != before:
                return before
        return None

    async def _record(self, path: Path, signature: str, book: str) -> None:
        """Write down what a file was read into. A book that lies here under another name too is told of."""
        self._changed(await asyncio.to_thread(self._files.record_book, path, signature, book))
        others = await asyncio.to_thread(self._others, book, path)
        if others:
            log.info("book %s lies in the library under %d names", book, len(others) + 1)
            self._hub.publish("import.duplicate", id=book, name=self._files.key(path), there=others)

    def _others(self, book: str, path: Path) -> list[str]:
        """Where else in the folder the same book lies."""
        paths = [there for there in self._files.paths_of(book) if there != path]
        return [self._files.key(there) for there in paths if as_listed(there, self.root) == there]

    async def _wait_for_cloud(self, path: Path) -> None:
        """Say that a file is only in iCloud, once. When its bytes come it is another file, and is read."""
        if is_news(await asyncio.to_thread(self._files.of, path)):
            refusal = BookRefused(
                "in-cloud",
                f"{path.name} is waiting in iCloud: open it once in Finder, or choose Keep Downloaded there.",
            )
            await self.refuse(path.name, refusal, path, IN_CLOUD)

    async def _forget(self, keys: Sequence[str]) -> None:
        for book in await asyncio.to_thread(self._files.forget, keys) if keys else []:
            self._changed(book)

    def _changed(self, book: str | None) -> None:
        if book is not None:
            self._hub.publish("book.changed", id=book)
