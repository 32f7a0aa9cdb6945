"""One process per engine and length, all of a length alive together and run in turn, so that noise hits all alike."""

import json
import subprocess
import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from time import perf_counter
from typing import Any, Protocol

from benchmarks.engines.catalogue import Engine
from benchmarks.engines.environments import ROOT

_PATIENCE_S = 2400  # for one answer: a 20 s pass at a fortieth of real time, twice over


class EngineFailed(Exception):
    """An engine's process ended or did not answer; the message is the last line it wrote."""


@dataclass(slots=True)
class Sample:
    """One run: seconds from the order to the last answer, CPU-seconds and audio of all processes together."""

    wall_s: float
    cpu_s: float
    audio_s: float


@dataclass(slots=True)
class Measurement:
    """One engine on one length."""

    engine: Engine
    length_s: int
    samples: list[Sample] = field(default_factory=list)
    load_s: float = 0.0
    peak_rss_mb: float = 0.0
    versions: dict[str, str] = field(default_factory=dict)
    failure: str = ""


class Worker(Protocol):
    """What one engine's process is to the rounds."""

    def order(self) -> None:
        """Tell it to render the pass."""

    def answer(self) -> dict[str, Any]:
        """Wait for its next answer."""

    def end(self) -> None:
        """Have it gone."""


class Process:
    """A worker.py of its own. Starting does not wait for it; `answer` does."""

    def __init__(self, python: Path, order: Mapping[str, Any], log: Path) -> None:
        self._log = log
        with log.open("w") as errors:
            self._child = subprocess.Popen(
                [str(python), "-m", "benchmarks.engines.worker", json.dumps(order)],
                cwd=ROOT,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=errors,
                text=True,
            )

    def order(self) -> None:
        """Tell it to render the pass. Raises EngineFailed when it is gone."""
        assert self._child.stdin is not None
        try:
            self._child.stdin.write("run\n")
            self._child.stdin.flush()
        except OSError as error:
            raise EngineFailed(self._last_words()) from error

    def answer(self) -> dict[str, Any]:
        """Its next answer. Raises EngineFailed when it ends without one, or takes longer than anything here may."""
        assert self._child.stdout is not None
        watch = threading.Timer(_PATIENCE_S, self._child.kill)
        watch.start()
        try:
            line = self._child.stdout.readline()
        finally:
            watch.cancel()
        if not line:
            raise EngineFailed(self._last_words())
        answer: dict[str, Any] = json.loads(line)
        return answer

    def end(self) -> None:
        self._child.kill()
        self._child.wait()

    def _last_words(self) -> str:
        code = self._child.wait()
        lines = [line.strip() for line in self._log.read_text(errors="replace").splitlines() if line.strip()]
        return lines[-1] if lines else f"it ended with exit status {code} and said nothing"


class Runner:
    """One engine's processes for one length; a failure is noted and ends them."""

    def __init__(self, measurement: Measurement, start: Callable[[], Sequence[Worker]]) -> None:
        self.measurement = measurement
        self._start = start
        self._processes: Sequence[Worker] = ()

    def load(self) -> None:
        """Start the processes, wait till they are ready, and let them render once unmeasured unless that takes long."""
        self._processes = self._start()
        try:
            loaded = [process.answer() for process in self._processes]
            self.measurement.load_s = max(one["load_s"] for one in loaded)
            self.measurement.versions = loaded[0]["versions"]
            if not self.measurement.engine.slow:
                self._run()
        except EngineFailed as error:
            self._fail(error)

    def run(self) -> None:
        if self.measurement.failure:
            return
        try:
            self.measurement.samples.append(self._run())
        except EngineFailed as error:
            self._fail(error)

    def end(self) -> None:
        for process in self._processes:
            process.end()

    def _run(self) -> Sample:
        began = perf_counter()
        for process in self._processes:
            process.order()
        answers = [process.answer() for process in self._processes]
        wall_s = perf_counter() - began
        self.measurement.peak_rss_mb = sum(one["peak_rss_mb"] for one in answers)
        return Sample(wall_s, sum(one["cpu_s"] for one in answers), sum(one["audio_s"] for one in answers))

    def _fail(self, error: EngineFailed) -> None:
        self.measurement.failure = str(error)
        self.end()


def measure(runners: Sequence[Runner], runs: int) -> None:
    """Load and warm each in turn, then let them run in rounds; slow ones run once and cold, in the first round."""
    try:
        for runner in runners:
            runner.load()
        for round_ in range(runs):
            for runner in runners:
                if round_ == 0 or not runner.measurement.engine.slow:
                    runner.run()
    finally:
        for runner in runners:
            runner.end()
