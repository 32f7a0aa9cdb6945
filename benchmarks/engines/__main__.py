"""`make bench`: every engine on every length, in one run; the results go to benchmarks/results/engines.{json,md}."""

import argparse
import json
import os
import sys
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from benchmarks.engines import machine, models, report
from benchmarks.engines.catalogue import Engine, engines
from benchmarks.engines.environments import ROOT, PeerMissing, python_of
from benchmarks.engines.rounds import Measurement, Process, Runner, measure
from benchmarks.engines.text import PASSES, VOICE
from server.errors import SetupError
from server.kokoro_mlx import encode, load_voices

_HERE = ROOT / ".bench"
_SHORT_S = 5  # a slow engine is measured up to this length unless everything is asked for


def main() -> int:
    given = _arguments()
    try:
        models.make(given.work / "models")
    except SetupError as error:
        print(f"Nothing can be measured without the model: {error}", file=sys.stderr)
        return 1
    wanted = [one for one in engines(os.cpu_count() or 1) if not given.only or one.family in given.only]
    pythons, missing = _pythons(wanted, given.work / "venvs")
    able = [one for one in wanted if one.peer in pythons]
    measurements: list[Measurement] = []
    kept = report.other_lengths(given.results / "engines.json", given.lengths) if given.keep else []
    for length_s in given.lengths:
        print(f"{length_s} s passes …", flush=True)
        chosen = [one for one in able if given.full or not one.slow or length_s <= _SHORT_S]
        runners = [_runner(one, length_s, pythons[one.peer], given.work) for one in chosen]
        measure(runners, given.runs)
        measurements += [runner.measurement for runner in runners]
        _show(report.figures(runner.measurement for runner in runners))
        _write(measurements, kept, missing, given.results)
    print(f"Results are in {given.results}: engines.json and engines.md.")
    return 0


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=5, help="measured runs of each engine (%(default)s)")
    parser.add_argument("--full", action="store_true", help="mlx-audio on the long passes too: half an hour more")
    parser.add_argument("--lengths", type=int, nargs="+", default=list(PASSES), choices=list(PASSES), metavar="S")
    parser.add_argument("--only", nargs="+", metavar="FAMILY", help="such as lectern, pytorch, 'onnxruntime int8'")
    parser.add_argument("--keep", action="store_true", help="keep what an earlier run found of the other lengths")
    parser.add_argument("--results", type=Path, help="where to write; a run of a part does not go to the kept ones")
    parser.add_argument("--work", type=Path, default=_HERE, help="environments and models (%(default)s)")
    given = parser.parse_args()
    whole = not given.only and (given.keep or set(given.lengths) == set(PASSES))
    given.results = given.results or (ROOT / "benchmarks" / "results" if whole else given.work / "results")
    return given


def _pythons(wanted: Sequence[Engine], folder: Path) -> tuple[dict[str, Path], dict[str, str]]:
    """The Python of each peer that can be had, and why not for the engines of those that cannot."""
    pythons, missing = {"": Path(sys.executable)}, dict[str, str]()
    for peer in dict.fromkeys(one.peer for one in wanted if one.peer):
        try:
            pythons[peer] = python_of(peer, folder)
        except PeerMissing as error:
            print(f"{peer}: {error}", file=sys.stderr)
            missing |= {one.name: str(error) for one in wanted if one.peer == peer}
    return pythons, missing


def _runner(engine: Engine, length_s: int, python: Path, work: Path) -> Runner:
    phonemes, folder = PASSES[length_s], work / "models"
    voices = folder / models.VOICES
    order: dict[str, Any] = {
        "kind": engine.kind,
        "model": str(folder / engine.model),
        "packages": engine.packages,
        "threads": engine.threads,
        "phonemes": phonemes,
        "ids": encode(phonemes)[1:-1],
        "style": load_voices(voices)[VOICE][len(phonemes) - 1].tolist(),
        "voices": str(voices),
        "voice": VOICE,
        **engine.more,
    }
    logs = work / "logs"
    logs.mkdir(exist_ok=True)

    def start() -> list[Process]:
        names = [f"{engine.name}, {length_s} s, {number}.log" for number in range(engine.processes)]
        return [Process(python, order, logs / name) for name in names]

    return Runner(Measurement(engine, length_s), start)


def _show(found: Sequence[report.Figures]) -> None:
    for one in found:
        speed, cpu = f"{one.realtime_factor:7.3f} x real time", f"{one.cpu_s_per_audio_s:7.3f} CPU-s/s"
        print(f"  {one.engine:28} {speed} {cpu} {one.peak_rss_mb:6.0f} MB", flush=True)


def _write(
    measurements: Sequence[Measurement], kept: Sequence[report.Figures], missing: Mapping[str, str], folder: Path
) -> None:
    """After every length, so that a run that is broken off has not been for nothing."""
    versions = {name: version for one in measurements for name, version in one.versions.items()}
    found = sorted([*kept, *report.figures(measurements)], key=lambda one: one.length_s)
    untold = {**missing, **report.failures(measurements)}
    if kept and (folder / "engines.json").exists():
        versions = {**json.loads((folder / "engines.json").read_text())["versions"], **versions}
    result = report.as_json(found, untold, machine.describe(), versions)
    result["again"] = sorted({one.length_s for one in measurements}) if kept else []
    result["when"] = datetime.now(UTC).isoformat(timespec="minutes")
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "engines.json").write_text(json.dumps(result, indent=1, ensure_ascii=False) + "\n")
    (folder / "engines.md").write_text(report.as_table(result))


if __name__ == "__main__":
    sys.exit(main())
