"""What the planner needs of whatever renders: one order at a time, in messages that can cross a wire.

The local render process, kept by `supervisor.py`, is the one there is. docs/adr/0015 says why the boundary is here.
"""

from collections.abc import Callable
from typing import Protocol

from server.render.messages import (
    PassBegun,
    PassDone,
    PassRequest,
    PassStopped,
    PreviewDone,
    PreviewRequest,
    Quarantine,
)


class Executor(Protocol):
    """Takes orders from one task; `stop_pass` and `kill` from any.

    Orders and answers are the dataclasses of `messages.py`, which are JSON on the wire. Orders are idempotent: a pass
    names sentences, and what has its audio is not rendered again, so that an order whose answer was lost is given once
    more. What an answer tells of is in the store.
    """

    on_begin: Callable[[PassBegun], None] | None  # called when a pass begins, with what is in it

    @property
    def running(self) -> bool:
        """Is it ready for an order, or must it be started for the next?"""

    @property
    def device(self) -> str | None:
        """What is computed on, in words, once that is known."""

    @property
    def warning(self) -> str | None:
        """A sentence for the user where that is not what it should be."""

    @property
    def in_flight(self) -> tuple[str, ...]:
        """Sentences of the pass that is being rendered, or was when it was lost."""

    async def render(self, request: PassRequest) -> PassDone | PassStopped:
        """Render one pass. Raises WorkerLost, PassRefused, SetupError or DeviceWrong."""

    async def preview(self, request: PreviewRequest) -> PreviewDone:
        """Read a text, and say it. Raises WorkerLost and what the text, or the voice, is refused for."""

    async def quarantine(self, order: Quarantine) -> None:
        """Give up on a sentence."""

    def guilty(self, error: Exception) -> str | None:
        """The sentence to blame for a pass that failed; None where it was none."""

    def stop_pass(self) -> None:
        """Ask for the end of the pass in flight, if there is one."""

    def kill(self) -> None:
        """End it at once; the pass in flight is lost, and with it nothing else."""

    async def rest(self) -> None:
        """There is nothing to do for a while: let the machine sleep."""

    async def end(self) -> None:
        """End it in order."""
