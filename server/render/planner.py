"""Decides between passes what is rendered next, and keeps the counters true to the store.

Nothing here is durable but the store: after a crash the index files say what is rendered and what is not.
"""

import asyncio
import contextlib
import logging
import time
from collections.abc import AsyncIterator
from dataclasses import asdict, dataclass
from typing import Literal

from server.errors import LecternError, NotFound, SetupError, WorkerLost
from server.events import Hub
from server.library.catalog import Catalog
from server.library.shelf import Shelf
from server.render.counting import count_chapter, recount
from server.render.grouping import first_waiting
from server.render.index import SAMPLE_RATE
from server.render.messages import PassBegun, PassDone, PassRequest, PreviewDone, PreviewRequest, Size
from server.render.queue import Focus, Target, newcomers, order
from server.render.store import Store
from server.render.supervisor import Blame, PassRefused, Supervisor

log = logging.getLogger(__name__)

State = Literal["starting", "idle", "rendering", "down", "no-model"]
BACK_OFF_S = (1.0, 2.0, 5.0, 15.0, 60.0)
MODEL_RETRY_S = 30.0
STOP_S = 10.0  # a pass asks between evaluations whether to stop: the longest takes about a second
AVOIDED_S = 15.0  # how long a book is passed over whose files, or the disk, would not do
SMOOTHING = 0.2  # weight of the newest pass in the measured speed


@dataclass(frozen=True, slots=True)
class Now:
    """The sentence in flight."""

    book: str
    chapter: int
    sentence: str
    text: str


class Planner:
    """Feeds one supervisor with passes until it is cancelled."""

    def __init__(self, store: Store, catalog: Catalog, supervisor: Supervisor, hub: Hub) -> None:
        self.state: State = "starting"
        self.detail: str | None = None
        self.now: Now | None = None
        self.speed: float | None = None  # seconds of audio per second of work, lately
        self._store = store
        self._catalog = catalog
        self._shelf = Shelf(catalog.database)
        self._supervisor = supervisor
        self._hub = hub
        self._focus: Focus | None = None
        self._fresh = False  # the listener moved: the next pass is a short one
        self._greeted = False  # the pass before was a new book's first
        self._wake = asyncio.Event()
        self._one = asyncio.Lock()  # held while a pass runs; deletions take it too
        self._blame = Blame()
        self._avoided: dict[str, tuple[float, str]] = {}  # book → until when it is passed over, and why
        self._losses = 0
        self._id = 0
        self._current: Target | None = None
        supervisor.on_begin = self._began

    def hint(self, book: str, chapter: int, sentence: str | None) -> None:
        """Somebody waits to hear this: render from here next, a short pass first."""
        self._avoided.pop(book, None)
        self.follow(book, chapter, sentence)
        self._fresh = True

    def follow(self, book: str, chapter: int, sentence: str | None) -> None:
        """The listener has come this far: stay ahead of it."""
        self._focus = Focus(book, chapter, sentence)
        self._wake.set()

    @property
    def focus(self) -> Focus | None:
        """Where somebody listens."""
        return self._focus

    @property
    def device(self) -> str | None:
        """What is computed on, in words, once that is known."""
        return self._supervisor.device

    @property
    def warning(self) -> str | None:
        """A sentence for the user where that is not what it should be."""
        return self._supervisor.warning

    def leave(self, book: str) -> None:
        """Nobody listens to this book any more."""
        if self._focus is not None and self._focus.book == book:
            self._focus = None

    def wake(self) -> None:
        """Something changed: a book came or went."""
        self._avoided.clear()
        self._wake.set()

    async def preview(self, request: PreviewRequest) -> PreviewDone:
        """Have a text read, and said. Somebody sits and waits for it, so the pass in flight is broken off.

        Raises as `Supervisor.preview`.
        """
        if self._supervisor.in_flight:  # else it is another preview, which is as good as this one
            self._supervisor.stop_pass()
        async with self._one:
            return await self._supervisor.preview(request)

    @contextlib.asynccontextmanager
    async def quiet(self) -> AsyncIterator[None]:
        """Hold rendering: the pass in flight is ended and none begins until the block is left."""
        self._supervisor.stop_pass()
        try:
            async with asyncio.timeout(STOP_S):
                await self._one.acquire()
        except TimeoutError:
            self._supervisor.kill()  # it hangs: whoever waits here waits for nothing
            await self._one.acquire()
        try:
            yield
        finally:
            self._one.release()

    async def run(self) -> None:
        """Render for ever. Ends the render process when cancelled."""
        try:
            await self._recount()
            while True:
                self._wake.clear()
                async with self._one:
                    target, worked = await self._step()
                if target is None:
                    await self._rest()
                elif not worked:
                    await self._pause()
        finally:
            await self._supervisor.end()

    async def _recount(self) -> None:
        """Make the counters true; until that can be done nothing is rendered by them."""
        while True:
            try:
                return await asyncio.to_thread(recount, self._store, self._catalog)
            except LecternError as error:
                self._stand(error)
                await self._pause()

    async def _rest(self) -> None:
        """Nothing to render: wait until something changes, or until what would not do is tried again."""
        if not self._avoided:
            self._set_state("idle")
            await self._wake.wait()
            return
        until, reason = min(self._avoided.values())
        self._set_state("down", reason)
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(max(0.0, until - time.monotonic())):
                await self._wake.wait()

    def _avoid(self, book: str, error: LecternError) -> None:
        self._avoided[book] = (time.monotonic() + AVOIDED_S, str(error))

    async def _next(self) -> Target | None:
        """What comes now: the beginning of a new book, so that there is something to hear of it at once, else the
        first in order. They take turns: a hundred new books keep nobody waiting. A listener who waits goes before all.
        """
        now = time.monotonic()
        self._avoided = {book: kept for book, kept in self._avoided.items() if kept[0] > now}
        avoided = list(self._avoided)
        begin = None
        if not self._fresh and not self._greeted:
            begin = next(newcomers(await asyncio.to_thread(self._shelf.newcomer, avoided)), None)
        self._greeted = begin is not None
        if begin is not None:
            return begin
        focus = self._focus
        line = await asyncio.to_thread(self._shelf.line, focus.book if focus else None, avoided, 1)
        return next(order(line, focus), None)

    async def _step(self) -> tuple[Target | None, bool]:
        """Choose and attempt: what was chosen, and whether the next may follow at once."""
        try:
            target = await self._next()
        except LecternError as error:  # the database does not answer
            self._stand(error)
            return Target("", 0, None), False
        return target, target is not None and await self._attempt(target)

    async def _attempt(self, target: Target) -> bool:
        """One pass at the target; False when the process needs a pause before the next."""
        self._current = target
        if not self._supervisor.running:
            self._set_state("starting")
        try:
            await self._pass(target)
        except (WorkerLost, PassRefused) as error:
            return await self._blame_for(target, error)
        except NotFound as error:  # a file was taken out of the store by hand: the other books go on
            log.warning("a book is passed over: %s", error)
            self._avoid(target.book, error)
        except LecternError as error:
            self._avoid(target.book, error)
            self._stand(error)
            return False
        self._losses = 0
        return True

    async def _pass(self, target: Target) -> None:
        index = await asyncio.to_thread(self._store.chapter, target.book, target.chapter)
        known = any(entry.id == target.start for entry in index.sentences)
        start = target.start if known else None
        first = first_waiting(index, start) or first_waiting(index, None)
        if first is None:
            await asyncio.to_thread(count_chapter, self._store, self._catalog, target.book, target.chapter)
            return
        self._id += 1
        fresh, self._fresh = self._fresh, False  # who moves while this pass runs waits for the next
        size: Size = "short" if fresh or self._greeted else "usual"
        if self._blame.suspected(target.book, target.chapter, first.id):
            size = "alone"
        request = PassRequest(self._id, target.book, target.chapter, first.id, size)
        try:
            done = await self._supervisor.render(request)
        except LecternError:
            self._fresh = self._fresh or fresh
            raise
        if not isinstance(done, PassDone):
            self._fresh = self._fresh or fresh
        else:
            self._blame.acquit(target.book, target.chapter, done.sentences)
            await self._finished(target, done)

    async def _finished(self, target: Target, done: PassDone) -> None:
        if done.work_s > 0 and done.audio_samples:
            speed = done.audio_samples / SAMPLE_RATE / done.work_s
            self.speed = speed if self.speed is None else self.speed + SMOOTHING * (speed - self.speed)
        await asyncio.to_thread(count_chapter, self._store, self._catalog, target.book, target.chapter)
        shelved = await asyncio.to_thread(self._catalog.book, target.book)
        self._hub.publish(
            "render.progress",
            book=target.book,
            chapter=target.chapter,
            sentences=list(done.sentences),
            revision=done.revision,
            rendered=sum(chapter.rendered for chapter in shelved.spoken),
            total=sum(chapter.sentences for chapter in shelved.spoken),
            speed=self.speed,
        )

    def _stand(self, error: LecternError) -> None:
        """Something that is no sentence's fault: say it, and try again later."""
        log.warning("rendering stands still: %s", error)
        self._set_state("no-model" if isinstance(error, SetupError) else "down", str(error))

    async def _blame_for(self, target: Target, error: LecternError) -> bool:
        """Count the failure against the sentence in flight; give it up when it failed too often.

        False when the process was lost with it and needs a pause.
        """
        sentence = self._supervisor.guilty(error)
        if sentence is None:
            if isinstance(error, PassRefused):  # its files or the disk: another book may fare better
                self._avoid(target.book, error)
            self._stand(error)
            return False
        log.warning("a pass failed: %s", error)
        if isinstance(error, WorkerLost):
            self._set_state("down", str(error))
        order_ = self._blame.note(target.book, target.chapter, sentence, error)
        if order_ is not None:
            log.warning("a sentence is given up: it failed too often")
            try:
                await self._supervisor.quarantine(order_)
            except LecternError as worse:
                self._stand(worse)
                return False
        return not isinstance(error, WorkerLost)

    async def _pause(self) -> None:
        """Wait before the process is started again: longer each time it is lost in a row."""
        if self.state == "no-model":
            wait_s = MODEL_RETRY_S
        else:
            wait_s = BACK_OFF_S[min(self._losses, len(BACK_OFF_S) - 1)]
            self._losses += 1
        await asyncio.sleep(wait_s)

    def _began(self, begun: PassBegun) -> None:
        if self._current is not None:
            self.now = Now(self._current.book, self._current.chapter, begun.sentences[0], begun.text)
            self._set_state("rendering")

    def _set_state(self, state: State, detail: str | None = None) -> None:
        if state != "rendering":
            self.now = None
        self.state, self.detail = state, detail
        now = asdict(self.now) if self.now is not None else None
        self._hub.publish("render.state", state=state, detail=detail, now=now, warning=self.warning)
