"""The real `lectern serve`, whose render process writes down what it begins, so that lost work can be counted.

    python -m benchmarks.counted serve

`LECTERN_COUNT` names the file; each line is one thing that happened, as JSON: `loaded`; `pass` and `kept` with the
sentences; `evaluation` of the model. A line is there even when the process is killed right after it. Journals are kept
for the smallest chapters already, so that the kills hit them too.
"""

import json
import os
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from server.render import journal, worker
from server.render.store import Store
from server.render.worker import Voice, load_kokoro

COUNT = "LECTERN_COUNT"
setattr(journal, "SMALL_BYTES", 1_024)  # noqa: B010


def note(what: str, sentences: tuple[str, ...] = ()) -> None:
    """Add a line in one write, which goes into the file whole or not at all."""
    line = {"at": time.time(), "pid": os.getpid(), "what": what, "sentences": sentences}
    handle = os.open(os.environ[COUNT], os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o644)
    os.write(handle, json.dumps(line).encode() + b"\n")
    os.close(handle)


def noted(path: Path) -> list[dict[str, Any]]:
    """What was written down in `path` so far."""
    return [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []


class CountedRenderer:
    """A renderer that tells of what it begins and of what it has kept."""

    def __init__(self, renderer: Any) -> None:
        self._renderer = renderer

    def render(self, *given: Any, begun: Callable[[tuple[str, ...], str], None], **named: Any) -> Any:
        def told(sentences: tuple[str, ...], text: str) -> None:
            note("pass", sentences)
            begun(sentences, text)

        done = self._renderer.render(*given, begun=told, **named)
        note("kept", done.sentences)
        return done


def load(store: Store, options: Any) -> Voice:
    """Kokoro as ever, counted."""
    from server.render.synth import KokoroSynth

    evaluate = KokoroSynth.render

    def counted(self: KokoroSynth, *given: Any, **named: Any) -> Any:
        note("evaluation")
        return evaluate(self, *given, **named)

    setattr(KokoroSynth, "render", counted)  # noqa: B010  (a plain assignment is refused by the type checker)
    voice = load_kokoro(store, options)
    voice.renderer = CountedRenderer(voice.renderer)
    note("loaded")
    return voice


def serve() -> int:
    """The daemon, which starts this file for its render process."""
    from server import app
    from server.cli import main
    from server.house import House

    class CountedHouse(House):
        def __init__(self, *given: Any) -> None:
            super().__init__(*given)
            self.supervisor.command = (sys.executable, "-m", "benchmarks.counted")

    setattr(app, "House", CountedHouse)  # noqa: B010
    return main()


if __name__ == "__main__":
    sys.exit(serve() if sys.argv[1:2] == ["serve"] else worker.main(load=load))
