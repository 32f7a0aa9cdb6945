"""Keeps one render process alive and speaks with it. Its death costs the pass in flight and nothing else."""

import asyncio
import contextlib
import logging
import math
import os
import signal
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass, field

from server.config import Settings
from server.errors import (
    BadRequest,
    Conflict,
    DeviceWrong,
    DiskFull,
    LecternError,
    NotFound,
    OutOfMemory,
    RenderError,
    SetupError,
    StoreError,
    WorkerLost,
)
from server.render.awake import Awake
from server.render.blame import PassRefused, WorkerKilled
from server.render.index import Engine
from server.render.memory import resident_mb
from server.render.messages import (
    COMPUTES,
    Compute,
    Failed,
    Message,
    PassBegun,
    PassDone,
    PassFailed,
    PassRequest,
    PassStopped,
    PreviewDone,
    PreviewFailed,
    PreviewRequest,
    Quarantine,
    Ready,
    Stop,
    Unfit,
    decode,
    encode,
)

log = logging.getLogger(__name__)

START_S = 180.0  # loading the weights from a cold disk
PASS_S = 600.0  # the longest pass is half a minute of audio; a process that takes this long hangs
END_S = 1.0  # Ctrl-C is to be prompt, and a process that is killed leaves nothing half-written
LINE_BYTES = 1 << 20
TRUST_AGAIN_S = 3600.0  # a GPU that computed wrong numbers is asked again after this: it may only have slept badly
RECYCLE_PASSES = 10  # so many passes it renders at least, however much memory it takes: starting costs seconds


# Errors of the render process that are raised here again as what they are.
_RAISED: dict[str, type[LecternError]] = {
    kind.code: kind for kind in (BadRequest, Conflict, NotFound, StoreError, DiskFull, RenderError)
}


def _failure(failed: Failed) -> LecternError:
    """What kept the process from working, as an error: mostly the model, but it may be the disk, or memory."""
    kinds: tuple[type[LecternError], ...] = (StoreError, DiskFull, OutOfMemory)
    return next((kind for kind in kinds if kind.code == failed.code), SetupError)(failed.message)


@dataclass
class Supervisor:
    """One render process at a time, started when it is needed. Used from one task; `stop_pass` from any."""

    settings: Settings
    engine: Engine
    on_begin: Callable[[PassBegun], None] | None = None
    command: tuple[str, ...] = (sys.executable, "-m", "server.render.worker")
    device: str | None = None  # what the process computes on, in words
    warning: str | None = None  # a sentence for the user where that is not what it should be
    compute: Compute = COMPUTES[0]
    in_flight: tuple[str, ...] = ()  # sentences of the pass that is being rendered, or was when the process died
    awake: Awake = field(default_factory=Awake)
    recycled: int = field(default=0, init=False)  # so often it was ended because it took too much memory
    _passes: int = field(default=0, init=False)  # of this process
    _process: asyncio.subprocess.Process | None = field(default=None, init=False)
    _fell_at: float = field(default=0.0, init=False)

    @property
    def running(self) -> bool:
        return self._process is not None and self._process.returncode is None

    @property
    def pid(self) -> int | None:
        return self._process.pid if self._process is not None and self.running else None

    async def start(self) -> None:
        """Start the process and wait until its engine is loaded and its numbers are right, on whatever they are.

        Raises SetupError, WorkerLost, or DeviceWrong when they are right on nothing there is.
        """
        while not self.running:
            await self._launch()
            match await self._hear(START_S):
                case Ready(device, warning):
                    self.device, self.warning = device, warning
                    log.info("the render process is ready on %s", device)
                case Unfit(message):
                    await self._fall(message)
                case Failed() as failed:
                    await self.end()
                    raise _failure(failed)
                case other:
                    await self.end()
                    raise WorkerLost(f"The render process began with {type(other).__name__}.")

    async def _launch(self) -> None:
        tf32 = {} if self.compute == "device" else {"MLX_ENABLE_TF32": "0"}
        self._passes = 0
        self._process = await asyncio.create_subprocess_exec(
            *self.command,
            *("--data", str(self.settings.data), "--threads", str(self.settings.threads)),
            *("--bitrate", str(self.settings.bitrate), "--engine", self.engine.model_dump_json()),
            *("--compute", self.compute),
            env=os.environ | tf32,  # MLX reads it once, at its first product: a running process cannot be changed
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            limit=LINE_BYTES,
            start_new_session=True,  # Ctrl-C in the terminal is for the daemon, which ends the process in order
        )

    async def _fall(self, message: str) -> None:
        """The process computes wrong numbers: the next one computes on the next best. Raises DeviceWrong after that."""
        await self.end()
        log.error("wrong numbers (%s): %s", self.compute, message)
        below = COMPUTES.index(self.compute) + 1
        self.device = self.warning = None
        self._fell_at = time.monotonic()
        self.compute = COMPUTES[below % len(COMPUTES)]
        if below == len(COMPUTES):
            raise DeviceWrong(
                f"Nothing is rendered: the numbers are wrong on the CPU too ({message}). Run `lectern doctor --deep`."
            )

    async def _trust_again(self) -> None:
        """After a while, between passes, begin again with what should be the best."""
        if self.compute != COMPUTES[0] and time.monotonic() - self._fell_at > TRUST_AGAIN_S:
            await self.end()
            self.compute = COMPUTES[0]

    async def _recycle(self) -> None:
        """Between passes, end a process that takes more memory than it should; the next begins with little."""
        ceiling_mb, pid = self.settings.memory_mb, self.pid
        if not ceiling_mb or pid is None or self._passes < RECYCLE_PASSES:
            return
        taken_mb = await asyncio.to_thread(resident_mb, pid)
        if taken_mb is not None and taken_mb > ceiling_mb:
            log.info("the render process takes %.0f MB of memory: another takes its place", taken_mb)
            self.recycled += 1
            await self.end()

    async def render(self, request: PassRequest) -> PassDone | PassStopped:
        """Render one pass, anew where the numbers turn out wrong in the middle of it.

        Raises WorkerLost when the process dies or hangs, PassRefused when the pass cannot be, and as `start` does.
        """
        self.in_flight = ()
        await self._trust_again()
        await self._recycle()
        await self.start()
        await self.awake.hold(self.pid)
        self.in_flight = (request.start,) if request.start else ()  # it may die before it says what is in it
        fell = False
        self._passes += 1
        self._say(request)
        while True:
            match await self._hear(PASS_S):
                case PassBegun(id=id_) as begun if id_ == request.id:
                    self.in_flight = begun.sentences
                    if self.on_begin is not None:
                        self.on_begin(begun)
                case PassDone(id=id_) | PassStopped(id=id_) as done if id_ == request.id:
                    self.in_flight = ()
                    return done
                case PassFailed(id=id_, sentences=sentences, message=message) if id_ == request.id:
                    self.in_flight = ()
                    if fell and self.compute == COMPUTES[-1]:
                        self._fell_at = -math.inf  # no speech anywhere: it was the sentence, and no device is to blame
                    raise PassRefused(sentences, message)
                case Failed() as failed:
                    self.in_flight = ()
                    await self.end()
                    raise _failure(failed)
                case Unfit(message):
                    self.in_flight = ()
                    await self._fall(message)
                    fell = True
                    await self.start()
                    self._say(request)
                case other:
                    log.warning("the render process said %s out of turn", type(other).__name__)

    async def preview(self, request: PreviewRequest) -> PreviewDone:
        """Read a text, and say it, anew where the numbers turn out wrong in the middle of it.

        Raises WorkerLost when the process dies or hangs, as `start` does, and what the process answers.
        """
        await self._trust_again()
        await self.start()
        self._say(request)
        while True:
            match await self._hear(PASS_S):
                case PreviewDone(id=id_) as done if id_ == request.id:
                    return done
                case PreviewFailed(id=id_, code=code, message=message) if id_ == request.id:
                    raise _RAISED.get(code, RenderError)(message)
                case Unfit(message):
                    await self._fall(message)
                    await self.start()
                    self._say(request)
                case other:
                    log.warning("the render process said %s out of turn", type(other).__name__)

    def guilty(self, error: Exception) -> str | None:
        """The sentence to blame for a failed pass: the first that was in flight."""
        sentences = error.sentences if isinstance(error, PassRefused) else self.in_flight
        return sentences[0] if sentences else None

    async def quarantine(self, order: Quarantine) -> None:
        await self.start()
        self._say(order)

    def stop_pass(self) -> None:
        """Ask for the end of the pass in flight, if there is one."""
        if self.running:
            with contextlib.suppress(WorkerLost):
                self._say(Stop())

    def kill(self) -> None:
        """End the process at once; the pass in flight is lost, and with it nothing else."""
        if self._process is not None and self.running:
            self._process.kill()

    async def rest(self) -> None:
        """There is nothing to do for a while: let the machine sleep."""
        await self.awake.release()

    async def end(self) -> None:
        """End the process: ask, wait, then kill."""
        await self.awake.release()
        process, self._process = self._process, None
        if process is None or process.returncode is not None:
            return
        if process.stdin is not None:
            process.stdin.close()
        try:
            async with asyncio.timeout(END_S):
                await process.wait()
        except TimeoutError:
            process.kill()
            await process.wait()

    def _say(self, message: Message) -> None:
        if self._process is None or self._process.stdin is None or self._process.stdin.is_closing():
            raise WorkerLost("The render process is not running.")
        self._process.stdin.write(encode(message))

    async def _hear(self, patience_s: float) -> Message:
        process = self._process
        if process is None or process.stdout is None:
            raise WorkerLost("The render process is not running.")
        try:
            # Not wait_for: before Python 3.12 it loses a cancellation that comes together with the answer.
            async with asyncio.timeout(patience_s):
                line = await process.stdout.readline()
        except TimeoutError:
            process.kill()
            await process.wait()
            raise WorkerLost(f"The render process said nothing for {patience_s:.0f} seconds and was ended.") from None
        except ValueError:  # a line that does not end
            raise await self._not_understood(process) from None
        if not line.endswith(b"\n"):
            code = await process.wait()
            if code == -signal.SIGKILL:
                raise WorkerKilled("The render process was killed, by somebody or by a system short of memory.")
            raise WorkerLost(f"The render process died (exit {code}).")
        try:
            return decode(line)
        except RenderError:
            raise await self._not_understood(process) from None

    async def _not_understood(self, process: asyncio.subprocess.Process) -> WorkerLost:
        """What is said after something that is no message cannot be trusted either."""
        process.kill()
        await process.wait()
        return WorkerLost("The render process said something that cannot be understood and was ended.")
