"""What the render process says besides books: previews, which go before all, and speech for programs, which waits."""

import asyncio
import contextlib
import time
from collections.abc import Callable
from typing import Final

from server.errors import Conflict, LecternError
from server.render.executor import Executor
from server.render.messages import PreviewDone, PreviewRequest

LOOK_S: Final = 0.1
PATIENCE_S: Final = 60.0  # so long a program waits for listeners, in all; then it is told to come back


class Asides:
    """Takes turns with the passes by `one`, the lock that is held while any of them runs.

    `busy` tells whether somebody listens who waits for the voice.
    """

    def __init__(self, executor: Executor, one: asyncio.Lock, busy: Callable[[], bool]) -> None:
        self._executor = executor
        self._one = one
        self._busy = busy
        self._speaking = False

    def give_way(self) -> None:
        """A listener waits: what is said for a program is broken off, and said again later."""
        if self._speaking:
            self._executor.stop_pass()

    async def preview(self, request: PreviewRequest) -> PreviewDone:
        """Have a text read, and said. Somebody sits and waits for it, so the pass in flight is broken off.

        Raises as `Executor.preview`.
        """
        if self._executor.in_flight or self._speaking:  # else it is another preview, which is as good as this one
            self._executor.stop_pass()
        async with self._one:
            return await self._executor.preview(request)

    async def speak(self, request: PreviewRequest) -> PreviewDone:
        """The same after everybody who listens. Cancelling it ends it in the render process too.

        Raises TimeoutError when listeners leave no time for it, and as `Executor.preview`.
        """
        waited_s = 0.0  # what it takes to be said does not count: a slow machine is no reason to give up
        while True:
            begun = time.monotonic()
            async with asyncio.timeout(max(0.0, PATIENCE_S - waited_s)):
                while self._busy():
                    await asyncio.sleep(LOOK_S)
                await self._one.acquire()
            try:
                waited_s += time.monotonic() - begun
                if self._busy():
                    continue
                with contextlib.suppress(Conflict):  # broken off for a listener, or for a preview
                    return await self._said(request)
            finally:
                self._one.release()

    async def _said(self, request: PreviewRequest) -> PreviewDone:
        self._speaking = True
        saying = asyncio.ensure_future(self._executor.preview(request))
        try:
            return await asyncio.shield(saying)
        except asyncio.CancelledError:
            # The answer must be heard before anything else is asked, and comes at once after that.
            self._executor.stop_pass()
            with contextlib.suppress(LecternError):
                await saying
            raise
        finally:
            self._speaking = False
