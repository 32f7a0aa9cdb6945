"""What the renderer is doing, how fast it is, and the books it passes over for a while."""

import asyncio
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass
from datetime import datetime
from typing import Literal

from server.events import Hub
from server.render.executor import Executor
from server.render.index import SAMPLE_RATE
from server.render.messages import PassDone
from server.render.speeds import Speeds

# waiting: there is something to render, and it is not the time for it.
State = Literal["starting", "idle", "rendering", "waiting", "down", "no-model"]
SMOOTHING = 0.2  # weight of the newest pass in the measured speed


@dataclass(frozen=True, slots=True)
class Now:
    """The sentence in flight."""

    book: str
    chapter: int
    sentence: str
    text: str


class Doing:
    """Told to whoever asks, and each change to the hub."""

    def __init__(self, hub: Hub, executor: Executor) -> None:
        self.state: State = "starting"
        self.detail: str | None = None
        self.until: datetime | None = None  # when the state ends, where that is known
        self.now: Now | None = None
        self.speed: float | None = None  # seconds of audio per second of work, lately
        self.speeds: Speeds | None = None  # where that is kept hour by hour
        self._hub = hub
        self._executor = executor

    @property
    def device(self) -> str | None:
        """What is computed on, in words, once that is known."""
        return self._executor.device

    @property
    def warning(self) -> str | None:
        """A sentence for the user where that is not what it should be."""
        return self._executor.warning

    async def clocked(self, done: PassDone) -> None:
        """Count a pass into the speed."""
        if done.work_s > 0 and done.audio_samples:
            speed = done.audio_samples / SAMPLE_RATE / done.work_s
            self.speed = speed if self.speed is None else self.speed + SMOOTHING * (speed - self.speed)
            if self.speeds is not None:
                await asyncio.to_thread(self.speeds.count, done.audio_samples, done.work_s)

    def set_state(
        self, state: State, detail: str | None = None, *, until: datetime | None = None, now: Now | None = None
    ) -> None:
        self.state, self.detail, self.until, self.now = state, detail, until, now
        self._hub.publish(
            "render.state",
            state=state,
            detail=detail,
            until=until.isoformat() if until is not None else None,
            now=asdict(now) if now is not None else None,
            warning=self.warning,
        )


class Avoided:
    """Books that are passed over for `for_s` seconds, because their files, or the disk, would not do."""

    def __init__(self, for_s: Callable[[], float]) -> None:
        self._for_s = for_s
        self._kept: dict[str, tuple[float, str]] = {}

    def add(self, book: str, error: Exception) -> None:
        self._kept[book] = (time.monotonic() + self._for_s(), str(error))

    def forget(self, book: str | None = None) -> None:
        """Try a book again, None: all of them."""
        if book is None:
            self._kept.clear()
        else:
            self._kept.pop(book, None)

    def books(self) -> list[str]:
        """Those that are still passed over."""
        now = time.monotonic()
        self._kept = {book: kept for book, kept in self._kept.items() if kept[0] > now}
        return list(self._kept)

    def soonest(self) -> tuple[float, str] | None:
        """In how many seconds the first is tried again, and why it is passed over; None where none is."""
        if not self._kept:
            return None
        until, reason = min(self._kept.values())
        return max(0.0, until - time.monotonic()), reason
