"""The render process: reads orders on standard input, renders, answers on standard output.

It is the only writer of chapter indexes while it lives, and holds the store's writer lock for that: a process whose
daemon was killed finishes or drops its pass before the next one may begin. When its input ends, it ends.
"""

import argparse
import io
import logging
import os
import queue
import sys
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Any, BinaryIO

from server.errors import Conflict, DeviceWrong, LecternError, NotSpeech, OutOfMemory, RenderError
from server.library.languages import ENGLISH
from server.logs import to_stderr
from server.render.engine import Stopped
from server.render.holding import own_stdout, swept, writer_lock
from server.render.index import Engine
from server.render.messages import (
    COMPUTES,
    PREVIEWS,
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
from server.render.store import Store

log = logging.getLogger(__name__)

NICE = 5  # below the daemon, so that serving audio never waits for rendering
# A device is checked again between passes when the last check is so long ago: most of all after a night's sleep.
RECHECK_S = 600.0

WARNINGS: dict[Compute, str | None] = {
    "device": None,
    "no-tf32": "The GPU computes wrong numbers in its fast mode, TF32. Lectern computes without it, which is slower.",
    "cpu": "The GPU computes wrong numbers. Lectern computes on the CPU instead, which is slower.",
}
# Where there is no GPU the next process computes on what the last one did.
WITHOUT_GPU = "The processor computed wrong numbers a while ago, and right ones since. Its memory may be failing."


@dataclass
class Voice:
    """What renders and previews, what it computes on in words, and what checks its numbers: None, or their fault."""

    renderer: Any
    device: str
    check: Callable[[], str | None] = lambda: None
    previewer: Any = None
    compute: Compute = "device"
    gpu: bool = True  # whether the machine has one, whatever is computed on
    _checked_at: float = field(default=float("-inf"), init=False)

    @property
    def warning(self) -> str | None:
        """A sentence for the user where what is computed on is not what it should be."""
        return WARNINGS[self.compute] if self.gpu or self.compute == COMPUTES[0] else WITHOUT_GPU

    @property
    def last(self) -> bool:
        """Is there nothing else to compute on?"""
        return self.compute == COMPUTES[-1] or not self.gpu

    def fault(self, *, now: bool = False) -> str | None:
        """What is wrong with the numbers; looked for only where the last look is long ago, or `now`."""
        # Wall time: the other clocks stand still while the machine sleeps.
        if not now and 0 <= time.time() - self._checked_at < RECHECK_S:
            return None
        fault = self.check()
        self._checked_at = time.time()
        return fault


OUT_OF_MEMORY = "There is not enough memory to render. Close what you do not need, and it goes on."


class UnfitDevice(Exception):
    """The numbers are wrong: this process has to end."""


class Orders:
    """Reads orders in a thread of its own, so that a stop is heard while a pass is computed."""

    def __init__(self, stream: io.RawIOBase | BinaryIO) -> None:
        self._stream = stream
        self._queue: queue.SimpleQueue[Message | None] = queue.SimpleQueue()
        self._given = self._taken = 0  # orders, so far
        self._stopped = -1  # the last order that is to end: a stop may come before its order is taken
        self._ended = False
        threading.Thread(target=self._read, name="orders", daemon=True).start()

    def next(self) -> Message | None:
        """The next order; None when there will be no more."""
        order = self._queue.get()
        self._taken += 1
        return order

    def stopping(self) -> bool:
        """Should the pass in flight end?"""
        return self._ended or self._stopped >= self._taken

    def _read(self) -> None:
        try:
            for line in self._stream:
                order = decode(line)
                if isinstance(order, Stop):
                    self._stopped = self._given
                else:
                    self._given += 1
                    self._queue.put(order)
        except (LecternError, OSError) as error:
            log.error("the orders cannot be understood any more: %s", error)
        finally:
            # The daemon is gone, or wants this process gone: nothing may keep the store's lock from the next one.
            self._ended = True
            self._queue.put(None)


def main(arguments: list[str] | None = None, load: Callable[[Store, Any], Voice] | None = None) -> int:
    """Run until the orders end. `load` builds what renders; None loads Kokoro."""
    options = _parse(arguments)
    # Unbuffered: a buffered reader's lock, held by the reading thread, would abort the interpreter as it ends.
    orders = Orders(io.FileIO(sys.stdin.fileno(), closefd=False))
    answers = own_stdout()
    to_stderr()
    os.nice(NICE)
    data: Path = options.data
    try:
        with writer_lock(data / "store"):
            store = swept(data / "store")
            voice = (load or load_kokoro)(store, options)
            _require(voice.fault())
            _say(answers, Ready(voice.device, voice.warning))
            while (order := orders.next()) is not None:
                _obey(order, voice, store, orders, answers)
    except (DeviceWrong, UnfitDevice) as error:
        _say(answers, Unfit(str(error)))
        return 1
    except MemoryError:
        _say(answers, Failed(OUT_OF_MEMORY, OutOfMemory.code))
        return 1
    except LecternError as error:
        _say(answers, Failed(str(error), error.code))
        return 1
    return 0


def _require(fault: str | None) -> None:
    if fault is not None:
        raise UnfitDevice(fault)


def _parse(arguments: list[str] | None) -> Any:
    parser = argparse.ArgumentParser(prog="lectern render process")
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--threads", type=int, default=0)
    parser.add_argument("--bitrate", type=int, default=48_000)
    parser.add_argument("--engine", type=Engine.model_validate_json, required=True)
    parser.add_argument("--compute", choices=COMPUTES, default="device")
    return parser.parse_args(arguments)


def load_kokoro(store: Store, options: Any) -> Voice:
    """Kokoro, with pronunciation. Raises RenderError when the model cannot be loaded, DeviceWrong on this device."""
    # Imported late: the lock and the sweep should not wait for seconds of loading, nor tests of Orders for mlx.
    from server.render.preview import Previewer
    from server.render.pronouncers import Pronouncers
    from server.render.renderer import Renderer
    from server.render.synth import KokoroSynth
    from server.render.voices import DEFAULTS

    synth = KokoroSynth(options.data / "models", options.engine, options.threads, options.compute)
    pronouncer = Pronouncers()
    pronouncer(DEFAULTS[ENGLISH])  # what nearly every book needs, before anybody waits; the others when they are asked
    previewer = Previewer(store, synth, pronouncer, options.data / PREVIEWS, options.bitrate)
    renderer = Renderer(store, synth, pronouncer)
    return Voice(renderer, synth.device, synth.check, previewer, options.compute, synth.gpu)


def _obey(order: Message, voice: Voice, store: Store, orders: Orders, answers: IO[bytes]) -> None:
    match order:
        case PassRequest():
            _require(voice.fault())
            _say(answers, _render(order, voice, orders, answers))
        case PreviewRequest():
            _require(voice.fault())
            _say(answers, _preview(order, voice, orders))
        case Quarantine(book, rendition, chapter, sentence, reason):
            try:
                give_up(store, book, rendition, chapter, sentence, reason)
            except LecternError as error:
                log.error("a sentence could not be given up: %s", error)
        case other:
            log.warning("the daemon said %s, which is no order", type(other).__name__)


def _render(order: PassRequest, voice: Voice, orders: Orders, answers: IO[bytes]) -> Message:
    """One pass. What comes out as no speech is rendered once more if the numbers are right, else raises UnfitDevice."""
    in_flight: tuple[str, ...] = (order.start,) if order.start else ()

    def begun(sentences: tuple[str, ...], text: str) -> None:
        nonlocal in_flight
        in_flight = sentences
        _say(answers, PassBegun(order.id, sentences, text))

    began = time.monotonic()

    def attempt() -> Any:
        return voice.renderer.render(
            order.book, order.chapter, order.start, size=order.size, begun=begun, stop=orders.stopping
        )

    try:
        try:
            done = attempt()
        except NotSpeech as error:
            log.warning("pass %d is tried once more: %s", order.id, error)
            _require(voice.fault(now=True))
            done = attempt()
    except Stopped:
        return PassStopped(order.id)
    except UnfitDevice:
        raise
    except NotSpeech as error:
        # Twice, though the device passed its check. It is not believed: the sentence is blamed only on the CPU.
        if not voice.last:
            raise UnfitDevice(str(error)) from error
        return PassFailed(order.id, in_flight, str(error))
    except RenderError as error:
        return PassFailed(order.id, in_flight, str(error))
    except LecternError as error:  # a full disk, a damaged index, no memory: no sentence is to blame
        return PassFailed(order.id, (), str(error))
    except MemoryError:
        return PassFailed(order.id, (), OUT_OF_MEMORY)
    except Exception as error:  # of a library, over this text: the next sentence may fare better
        log.warning("pass %d failed: %s", order.id, type(error).__name__)
        log.debug("pass %d failed", order.id, exc_info=True)
        return PassFailed(order.id, in_flight, f"It could not be read ({type(error).__name__}).")
    return PassDone(order.id, done.sentences, done.audio_samples, time.monotonic() - began, done.revision)


def _preview(order: PreviewRequest, voice: Voice, orders: Orders) -> Message:
    """One preview. What comes out as no speech raises UnfitDevice where the numbers are wrong."""
    try:
        done: PreviewDone = voice.previewer.preview(order, orders.stopping)
        return done
    except Stopped:
        return PreviewFailed(order.id, Conflict.code, "The preview was broken off; ask for it again.")
    except LecternError as error:
        if isinstance(error, NotSpeech):
            _require(voice.fault(now=True))
        return PreviewFailed(order.id, error.code, str(error))


def give_up(store: Store, book: str, rendition: str, chapter: int, sentence: str, reason: str) -> None:
    """Mark a sentence as failed in its chapter's index; one that has audio keeps that. Raises NotFound, StoreError."""
    index = store.chapter(book, chapter, rendition)
    entries = [
        entry.model_copy(update={"again": None} if entry.rendered else {"failed": reason})
        for entry in index.sentences
        if entry.id == sentence and not entry.settled
    ]
    store.add_audio(book, index.rendition, chapter, entries)


def _say(answers: IO[bytes], message: Message) -> None:
    try:
        answers.write(encode(message))
        answers.flush()
    except BrokenPipeError:
        log.info("the daemon is gone")


if __name__ == "__main__":
    sys.exit(main())
