"""Decides between passes what is rendered next, and keeps the counters true to the store.

Nothing here is durable but the store: after a crash the index files say what is rendered and what is not.
"""

import asyncio
import contextlib
import logging
from collections.abc import AsyncIterator
from dataclasses import replace

from server.errors import LecternError, NotFound, SetupError, WorkerLost
from server.events import Hub
from server.library.catalog import Catalog
from server.render.asides import Asides
from server.render.attention import Attention
from server.render.blame import Blame, PassRefused
from server.render.chooser import Chooser, wanted
from server.render.conditions import Conditions, Permit
from server.render.counting import count_chapter, recount
from server.render.doing import Avoided, Doing, Now
from server.render.eta import Outlook
from server.render.executor import Executor
from server.render.houserules import HouseFile
from server.render.messages import PassBegun, PassDone, PassRequest, Size
from server.render.queue import Focus, Target
from server.render.store import Store

log = logging.getLogger(__name__)

BACK_OFF_S = (1.0, 2.0, 5.0, 15.0, 60.0)
MODEL_RETRY_S = 30.0
STOP_S = 10.0  # a pass asks between evaluations whether to stop: the longest takes about a second
AVOIDED_S = 15.0  # how long a book is passed over whose files, or the disk, would not do
IDLE_S = 60.0  # how soon it is looked whether there is something to do after all: people edit files by hand
LOOK_AGAIN_S = 20.0  # how soon what holds rendering back is looked at again, such as the plug


class Planner(Doing):
    """Feeds one executor with passes until it is cancelled."""

    def __init__(
        self, store: Store, catalog: Catalog, executor: Executor, hub: Hub, conditions: Conditions | None = None
    ) -> None:
        super().__init__(hub, executor)
        self.permit = Permit()  # what was permitted when it was looked at last
        self.attention = Attention()
        self._store = store
        self._catalog = catalog
        self.chooser = Chooser(store, catalog)
        self.conditions = conditions or Conditions(HouseFile(store.root))
        self._greeted = False  # the pass before was a new book's first
        self._wake = asyncio.Event()
        self._hurry = asyncio.Event()  # somebody waits: no rest now
        self._one = asyncio.Lock()  # held while a pass runs; deletions take it too
        self.asides = Asides(executor, self._one, self._pressed)
        self._blame = Blame()
        self._avoided = Avoided(lambda: AVOIDED_S)
        self._losses = 0
        self._id = 0
        self._current: Target | None = None
        self._rendition = ""  # of the current pass
        self._worked_s = 0.0  # what the last pass took
        executor.on_begin = self._began

    def hint(self, book: str, chapter: int, sentence: str | None) -> None:
        """Somebody waits to hear this: render from here next, a short pass first."""
        self._avoided.forget(book)
        self.attention.hint(Focus(book, chapter, sentence))
        self.asides.give_way()
        self._wake.set()
        self._hurry.set()

    def follow(self, book: str, chapter: int, sentence: str | None) -> None:
        """The listener has come this far: stay ahead of it."""
        self.attention.follow(Focus(book, chapter, sentence))
        self._wake.set()

    def outlook(self) -> Outlook:
        """What can be told of when things will be rendered."""
        return Outlook(self.speed, self.permit, self.conditions.file.rules, self.conditions.now())

    def leave(self, book: str) -> None:
        """Nobody listens to this book any more."""
        self.attention.leave(book)

    def wake(self) -> None:
        """Something changed: a book came or went, or what is to be rendered."""
        self._avoided.forget()
        self._wake.set()
        self._hurry.set()

    def _pressed(self) -> bool:
        """Does somebody who listens wait for the voice?"""
        urgent = self._current is not None and self._current.urgent
        return self.attention.fresh or (urgent and self.state == "rendering")

    @contextlib.asynccontextmanager
    async def quiet(self) -> AsyncIterator[None]:
        """Hold rendering: the pass in flight is ended and none begins until the block is left."""
        self._executor.stop_pass()
        try:
            async with asyncio.timeout(STOP_S):
                await self._one.acquire()
        except TimeoutError:
            self._executor.kill()  # it hangs: whoever waits here waits for nothing
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
                self._hurry.clear()
                self.permit = await asyncio.to_thread(self.conditions.look)
                async with self._one:
                    target, worked = await self._step()
                if target is None:
                    await self._rest()
                elif not worked:
                    await self._pause()
                else:
                    await self._breathe(target)
        finally:
            await self._executor.end()

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
        soonest = self._avoided.soonest()  # before those whose time is up are forgotten: they were passed over just now
        await self._executor.rest()
        books = self._avoided.books()
        if self.permit.most is not None and await asyncio.to_thread(self.chooser.held, books, self.permit):
            self.set_state("waiting", self.permit.reason, until=self.permit.until)
            left_s = LOOK_AGAIN_S
            if self.permit.until is not None:
                left_s = min(left_s, (self.permit.until - self.conditions.now()).total_seconds())
        elif soonest is not None:
            left_s, reason = soonest
            self.set_state("down", reason)
        else:
            left_s = IDLE_S
            if self.state != "idle":
                self.set_state("idle")
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(max(0.0, left_s)):
                await self._wake.wait()

    async def _breathe(self, target: Target) -> None:
        """Leave the machine to others for their share of the time. Nobody who listens waits for that."""
        share, worked_s, self._worked_s = self.permit.share, self._worked_s, 0.0
        if share < 1 and not target.urgent and not self.attention.fresh:
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(worked_s * (1 / share - 1)):
                    await self._hurry.wait()

    async def _next(self) -> Target | None:
        """What comes now: the beginning of a new book, so that there is something to hear of it at once, else the
        first in order. They take turns: a hundred new books keep nobody waiting. A listener who waits goes before all.
        """
        avoided = self._avoided.books()
        begin = None
        if self.permit.most is None and not self._greeted and not self.attention.fresh:
            begin = await asyncio.to_thread(self.chooser.newcomer, avoided, self.permit.reach)
        self._greeted = begin is not None
        if begin is not None:
            return begin
        target = await asyncio.to_thread(self.chooser.next, self.attention.present(), avoided, self.permit)
        if target is None or not target.urgent:
            self.attention.settle(target.book if target is not None else None)
        return target

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
        if not self._executor.running:
            self.set_state("starting")
        try:
            await self._pass(target)
        except (WorkerLost, PassRefused) as error:
            return await self._blame_for(target, error)
        except NotFound as error:  # a file was taken out of the store by hand: the other books go on
            log.warning("a book is passed over: %s", error)
            self._avoided.add(target.book, error)
        except LecternError as error:
            self._avoided.add(target.book, error)
            self._stand(error)
            return False
        self._losses = 0
        return True

    async def _pass(self, target: Target) -> None:
        index = await asyncio.to_thread(self._store.chapter, target.book, target.chapter)
        first = wanted(index, target) or wanted(index, replace(target, start=None))
        if first is None:
            await asyncio.to_thread(count_chapter, self._store, self._catalog, target.book, target.chapter)
            return
        self._id += 1
        fresh = self.attention.take(target.book)  # who moves while this pass runs waits for the next
        size: Size = "short" if fresh or self._greeted else "usual"
        self._rendition = index.rendition
        if self._blame.suspected(target.book, self._rendition, target.chapter, first.id):
            size = "alone"
        request = PassRequest(self._id, target.book, target.chapter, first.id, size)
        done = None
        try:
            done = await self._executor.render(request)
        finally:
            if not isinstance(done, PassDone):
                self._undone(target, fresh)
        if isinstance(done, PassDone):
            self._blame.acquit(target.book, self._rendition, target.chapter, done.sentences)
            await self._finished(target, done)

    def _undone(self, target: Target, fresh: bool) -> None:
        """A pass was broken off: the next is the same one, because the sound of a sentence depends on its pass."""
        self._greeted = False
        if fresh:
            self.attention.give_back(target.book)

    async def _finished(self, target: Target, done: PassDone) -> None:
        self._worked_s = done.work_s
        await self.clocked(done)
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
        self.set_state("no-model" if isinstance(error, SetupError) else "down", str(error))

    async def _blame_for(self, target: Target, error: LecternError) -> bool:
        """Count the failure against the sentence in flight; give it up when it failed too often.

        False when the process was lost with it and needs a pause.
        """
        sentence = self._executor.guilty(error)
        if sentence is None:
            if isinstance(error, PassRefused):  # its files or the disk: another book may fare better
                self._avoided.add(target.book, error)
            self._stand(error)
            return False
        log.warning("a pass failed: %s", error)
        if isinstance(error, WorkerLost):
            self.set_state("down", str(error))
        order_ = self._blame.note(target.book, self._rendition, target.chapter, sentence, error)
        if order_ is not None:
            log.warning("a sentence is given up: it failed too often")
            try:
                await self._executor.quarantine(order_)
            except LecternError as worse:
                self._stand(worse)
                return False
        return not isinstance(error, WorkerLost)

    async def _pause(self) -> None:
        """Wait before the process is started again: longer each time it is lost in a row, unless somebody waits."""
        wait_s = MODEL_RETRY_S if self.state == "no-model" else BACK_OFF_S[min(self._losses, len(BACK_OFF_S) - 1)]
        self._losses += self.state != "no-model"
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(wait_s):
                await self._hurry.wait()

    def _began(self, begun: PassBegun) -> None:
        if self._current is not None:
            now = Now(self._current.book, self._current.chapter, begun.sentences[0], begun.text)
            self.set_state("rendering", now=now)
