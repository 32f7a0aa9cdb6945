"""The render process: reads orders on standard input, renders, answers on standard output.

It is the only writer of chapter indexes while it lives, and holds the store's writer lock for that: a process whose
daemon was killed finishes or drops its pass before the next one may begin. When its input ends, it ends.
"""

import argparse
import fcntl
import io
import logging
import os
import queue
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import IO, Any, BinaryIO

from server.errors import LecternError, RenderError
from server.render.engine import Stopped
from server.render.index import Engine
from server.render.messages import (
    Failed,
    Message,
    PassBegun,
    PassDone,
    PassFailed,
    PassRequest,
    PassStopped,
    Quarantine,
    Ready,
    Stop,
    decode,
    encode,
)
from server.render.store import Store

log = logging.getLogger(__name__)

NICE = 5  # below the daemon, so that serving audio never waits for rendering


class Orders:
    """Reads orders in a thread of its own, so that a stop is heard while a pass is computed."""

    def __init__(self, stream: io.RawIOBase | BinaryIO) -> None:
        self._stream = stream
        self._queue: queue.SimpleQueue[Message | None] = queue.SimpleQueue()
        self._stop = threading.Event()
        self._ended = False
        threading.Thread(target=self._read, name="orders", daemon=True).start()

    def next(self) -> Message | None:
        """The next order; None when there will be no more."""
        order = self._queue.get()
        if order is not None:
            self._stop.clear()
        return order

    def stopping(self) -> bool:
        """Should the pass in flight end?"""
        return self._ended or self._stop.is_set()

    def _read(self) -> None:
        for line in self._stream:
            order = decode(line)
            if isinstance(order, Stop):
                self._stop.set()
            else:
                self._queue.put(order)
        # The daemon is gone, or wants this process gone: nothing may keep the store's lock from the next one.
        self._ended = True
        self._queue.put(None)


def main(arguments: list[str] | None = None, load: Callable[[Store, Any], tuple[Any, str]] | None = None) -> int:
    """Run until the orders end. `load` builds the renderer and names its device; None loads Kokoro."""
    options = _parse(arguments)
    # Unbuffered: a buffered reader's lock, held by the reading thread, would abort the interpreter as it ends.
    orders = Orders(io.FileIO(sys.stdin.fileno(), closefd=False))
    answers = _own_stdout()
    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(levelname)s render: %(message)s", stream=sys.stderr)
    os.nice(NICE)
    data: Path = options.data
    with _writer_lock(data / "store"):
        store = Store(data / "store")
        for path in store.sweep():
            log.info("swept %s", path.name)
        try:
            renderer, device = (load or load_kokoro)(store, options)
        except LecternError as error:
            _say(answers, Failed(str(error)))
            return 1
        _say(answers, Ready(device))
        while (order := orders.next()) is not None:
            _obey(order, renderer, store, orders, answers)
    return 0


def _parse(arguments: list[str] | None) -> Any:
    parser = argparse.ArgumentParser(prog="lectern render process")
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--threads", type=int, default=0)
    parser.add_argument("--bitrate", type=int, default=48_000)
    parser.add_argument("--engine", type=Engine.model_validate_json, required=True)
    return parser.parse_args(arguments)


def _own_stdout() -> IO[bytes]:
    """Keep standard output for answers: whatever a library prints goes to standard error."""
    own = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    return own


def _writer_lock(folder: Path) -> IO[bytes]:
    """Wait until no other render process writes this store."""
    folder.mkdir(parents=True, exist_ok=True)
    stream = (folder / ".writer.lock").open("wb")
    fcntl.flock(stream, fcntl.LOCK_EX)
    return stream


def load_kokoro(store: Store, options: Any) -> tuple[Any, str]:
    # Imported late: the lock and the sweep should not wait for seconds of loading, nor tests of Orders for mlx.
    from server.render.g2p import G2P
    from server.render.renderer import Renderer
    from server.render.synth import KokoroSynth

    synth = KokoroSynth(options.data / "models", options.engine, options.threads)
    accents: dict[bool, G2P] = {}

    def pronouncer(british: bool) -> G2P:
        if british not in accents:
            accents[british] = G2P(british)
        return accents[british]

    pronouncer(False)
    return Renderer(store, synth, pronouncer), synth.device


def _obey(order: Message, renderer: Any, store: Store, orders: Orders, answers: IO[bytes]) -> None:
    match order:
        case PassRequest():
            _say(answers, _render(order, renderer, orders, answers))
        case Quarantine(book, chapter, sentence, reason):
            try:
                give_up(store, book, chapter, sentence, reason)
            except LecternError as error:
                log.error("a sentence could not be given up: %s", error)
        case other:
            log.warning("the daemon said %s, which is no order", type(other).__name__)


def _render(order: PassRequest, renderer: Any, orders: Orders, answers: IO[bytes]) -> Message:
    in_flight: tuple[str, ...] = (order.start,) if order.start else ()

    def begun(sentences: tuple[str, ...], text: str) -> None:
        nonlocal in_flight
        in_flight = sentences
        _say(answers, PassBegun(order.id, sentences, text))

    began = time.monotonic()
    try:
        done = renderer.render(
            order.book, order.chapter, order.start, size=order.size, begun=begun, stop=orders.stopping
        )
    except Stopped:
        return PassStopped(order.id)
    except RenderError as error:
        return PassFailed(order.id, in_flight, str(error))
    except LecternError as error:  # a full disk, a damaged index: no sentence is to blame
        return PassFailed(order.id, (), str(error))
    return PassDone(order.id, done.sentences, done.audio_samples, time.monotonic() - began, done.revision)


def give_up(store: Store, book: str, chapter: int, sentence: str, reason: str) -> None:
    """Mark a sentence as failed in its chapter's index. Raises NotFound, StoreError."""
    index = store.chapter(book, chapter)
    entries = [entry for entry in index.sentences if entry.id == sentence and not entry.settled]
    store.add_audio(book, index.rendition, chapter, [entry.model_copy(update={"failed": reason}) for entry in entries])


def _say(answers: IO[bytes], message: Message) -> None:
    try:
        answers.write(encode(message))
        answers.flush()
    except BrokenPipeError:
        log.info("the daemon is gone")


if __name__ == "__main__":
    sys.exit(main())
