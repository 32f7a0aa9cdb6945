"""The words of a book that the voice will have to guess: found by a process of its own, as `lectern words` finds them.

The text front end brings dictionaries and a tagger, which the daemon never loads, and the render process is left to
whoever listens.
"""

import asyncio
import contextlib
import json
import logging
import os
import shutil
import sys
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final

from server.api.wordlist import GuessedWord, State, WordList
from server.config import Settings, variables
from server.errors import Conflict, LecternError, StoreError
from server.events import Hub
from server.render.store import Store
from server.setup.typed import complaint

log = logging.getLogger(__name__)

COMMAND: Final = (sys.executable, "-m", "server", "words", "--json")
LONGEST_S: Final = 900.0  # a novel takes half a minute
MOST_WORDS: Final = 1_000  # that are listed
MOST_WAITING: Final = 5  # books
KEPT: Final = 30  # books whose words are remembered

_FAILED: Final = "The book could not be read through: try it again; the log says more."
_LONG: Final = "The book was not read through within a quarter of an hour, and was left: try it again later."

Stamp = tuple[object, ...]


@dataclass(frozen=True, slots=True)
class _Found:
    stamp: Stamp
    total: int
    words: list[GuessedWord]


class Surveying:
    """Implements `server.api.wordlist.Surveying`. One book is read at a time."""

    def __init__(
        self,
        settings: Callable[[], Settings],
        store: Store,
        hub: Hub,
        *,
        command: tuple[str, ...] = COMMAND,
        longest_s: float = LONGEST_S,
    ) -> None:
        self._settings = settings
        self._store = store
        self._hub = hub
        nice = shutil.which("nice")
        self._command = (nice, "-n", "10", *command) if nice else command
        self._longest_s = longest_s
        self._one = asyncio.Lock()
        self._tasks: dict[str, asyncio.Task[None]] = {}
        self._found: dict[str, _Found] = {}
        self._trouble: dict[str, str] = {}

    async def view(self, book: str) -> WordList:
        stamp = await asyncio.to_thread(self._stamp, book)
        found, trouble = self._found.get(book), self._trouble.get(book)
        state: State
        if book in self._tasks:
            state = "reading"
        elif trouble is not None:
            state = "failed"
        elif found is None:
            state = "none"
        else:
            state = "there" if found.stamp == stamp else "old"
        return WordList(
            book=book,
            state=state,
            trouble=trouble if state == "failed" else None,
            total=found.total if found is not None else 0,
            words=found.words if found is not None else [],
        )

    async def begin(self, book: str) -> None:
        await asyncio.to_thread(self._store.book, book)
        if book in self._tasks:
            return
        if len(self._tasks) >= MOST_WAITING:
            raise Conflict(f"{MOST_WAITING} other books are being read through: wait until one of them is done.")
        self._trouble.pop(book, None)
        self._tasks[book] = asyncio.create_task(self._survey(book), name="words")

    async def _survey(self, book: str) -> None:
        try:
            async with self._one:
                stamp = await asyncio.to_thread(self._stamp, book)
                told = await self._run(book)
            words = [GuessedWord(**word) for word in told["words"][:MOST_WORDS]]
            self._found.pop(book, None)
            self._found[book] = _Found(stamp, len(told["words"]), words)
            while len(self._found) > KEPT:
                del self._found[next(iter(self._found))]
        except TimeoutError:
            self._trouble[book] = _LONG
        except (LecternError, OSError, ValueError, KeyError, TypeError) as error:
            log.error("the words of a book are not found: %s", error)
            self._trouble[book] = str(error) if isinstance(error, StoreError) else _FAILED
        finally:
            del self._tasks[book]
        self._hub.publish("words.found", id=book)

    async def _run(self, book: str) -> dict[str, Any]:
        """What the command tells. Raises StoreError with its sentence, TimeoutError, OSError, ValueError."""
        process = await asyncio.create_subprocess_exec(
            *self._command,
            book,
            stdin=asyncio.subprocess.DEVNULL,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
            env=os.environ | variables(self._settings()),
        )
        try:
            async with asyncio.timeout(self._longest_s):
                answer, told = await process.communicate()
        finally:
            if process.returncode is None:
                with contextlib.suppress(ProcessLookupError):
                    process.kill()
                await process.wait()
        if process.returncode != 0:
            raise StoreError(complaint(told) or _FAILED)
        found: dict[str, Any] = json.loads(answer)
        return found

    def _stamp(self, book: str) -> Stamp:
        """What the words of a book depend on: its text, which of it is read, by which voice, with which rules."""
        record, lexicon = self._store.book(book), self._store.lexicon
        rules = [(path.name, lexicon.read(path).tag) for place in lexicon.places(record) for path in place.paths]
        read = tuple(chapter.enabled for chapter in record.chapters)
        return record.source.sha256, record.rendition, record.voice, read, tuple(rules)
