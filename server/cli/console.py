"""Where the command line writes: answers to standard output, progress and complaints to standard error."""

import json
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, TextIO

from server.setup.typed import typed

BAR_CELLS = 28
REDRAW_S = 0.1
LINE_S = 15.0  # without a terminal, one line now and then is enough for a log


class Console:
    """Two streams. `out` None is standard output, looked up when it is written to."""

    def __init__(self, out: TextIO | None = None, err: TextIO | None = None) -> None:
        self._out, self._err = out, err

    @property
    def out(self) -> TextIO:
        return self._out or sys.stdout

    @property
    def err(self) -> TextIO:
        return self._err or sys.stderr

    def say(self, line: str = "") -> None:
        """Write a line at once, also where the output is a file or a pipe; a command in it as it can be typed here."""
        self._write(_typed(line))

    def answer(self, data: Any) -> None:
        """Write JSON for a script."""
        self._write(json.dumps(data, ensure_ascii=False, indent=2, default=str))

    def _write(self, line: str) -> None:
        self.out.write(line + "\n")
        self.out.flush()

    def complain(self, sentence: str) -> None:
        self.err.write(f"lectern: {_typed(sentence)}\n")
        self.err.flush()

    def flush(self) -> None:
        self.out.flush()
        self.err.flush()


def _typed(text: str) -> str:
    try:
        return typed(text, Path.cwd())
    except OSError:  # the folder that one is in is no more
        return typed(text, None)


class Bar:
    """A progress bar in place on a terminal; elsewhere a line now and then. Use as a context manager."""

    def __init__(self, console: Console, clock: Callable[[], float] = time.monotonic) -> None:
        self._stream = console.err
        self._live = self._stream.isatty()
        self._clock = clock
        self._drawn = -1e9
        self._label = ""
        self._open = False
        full, empty = "█", "░"
        try:
            (full + empty).encode(self._stream.encoding or "ascii")
        except (UnicodeError, LookupError):
            full, empty = "#", "."
        self._cells = (full, empty)

    def __enter__(self) -> "Bar":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def show(self, label: str, done: float, total: float | None, note: str = "") -> None:
        """Tell how far it is: `done` of `total`, in any unit; `total` None when nobody knows."""
        now = self._clock()
        new = label != self._label
        if new:
            self.close()
            self._label = label
        complete = total is not None and done >= total
        if new or complete or now - self._drawn >= (REDRAW_S if self._live else LINE_S):
            self._drawn = now
            self._draw(label, done, total, note)

    def close(self) -> None:
        """End the line; what is shown next begins below."""
        if self._open and self._live:
            self._stream.write("\n")
            self._stream.flush()
        self._open, self._label, self._drawn = False, "", -1e9

    def _draw(self, label: str, done: float, total: float | None, note: str) -> None:
        if not total:
            text = f"{label}  {note}".rstrip()
        else:
            share = min(1.0, max(0.0, done / total))
            filled = round(share * BAR_CELLS)
            bar = self._cells[0] * filled + self._cells[1] * (BAR_CELLS - filled)
            text = f"{label}  {bar if self._live else ''} {share:4.0%}  {note}".rstrip()
        self._stream.write(f"\r\033[K{text}" if self._live else f"{' '.join(text.split())}\n")
        self._stream.flush()
        self._open = True
