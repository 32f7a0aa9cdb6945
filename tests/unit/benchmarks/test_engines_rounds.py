"""The benchmark's processes: what a worker says, and what becomes of one that fails."""

import json
import sys
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from benchmarks.engines import environments
from benchmarks.engines.catalogue import Engine, engines
from benchmarks.engines.checkpoint import unfolded
from benchmarks.engines.environments import PeerMissing, python_of
from benchmarks.engines.rounds import Measurement, Process, Runner, measure
from server.kokoro_mlx.weights import fold_weight_norm
from server.setup.commands import CommandError


def _runner(tmp_path: Path, *orders: dict[str, Any], engine: Engine | None = None) -> Runner:
    def start() -> list[Process]:
        return [Process(Path(sys.executable), order, tmp_path / f"{at}.log") for at, order in enumerate(orders)]

    return Runner(Measurement(engine or engines(2)[0], 2), start)


def test_an_engine_that_cannot_load_is_a_failure_with_its_last_words_and_stops_no_other(tmp_path: Path) -> None:
    broken = _runner(tmp_path, {"kind": "onnxruntime", "model": "nowhere", "threads": 1})
    unknown = _runner(tmp_path, {"kind": "no such engine"})
    measure([broken, unknown], runs=1)
    assert "nowhere" in broken.measurement.failure
    assert "KeyError: 'no such engine'" in unknown.measurement.failure
    assert broken.measurement.samples == []


class _Steady:
    """A process that always takes as long and notes when it was asked."""

    def __init__(self, name: str, asked: list[str]) -> None:
        self._name, self._asked, self._loaded = name, asked, False

    def order(self) -> None:
        self._asked.append(self._name)

    def answer(self) -> dict[str, Any]:
        if not self._loaded:
            self._loaded = True
            return {"load_s": 1.0, "versions": {"package": "1"}}
        return {"wall_s": 1.0, "cpu_s": 2.0, "audio_s": 3.0, "peak_rss_mb": 100.0}

    def end(self) -> None:
        self._asked.append(f"{self._name} ends")


def _one_steady(name: str, asked: list[str]) -> list[_Steady]:
    return [_Steady(name, asked)]


def test_engines_take_turns_after_warming_up_and_slow_ones_run_once_and_cold() -> None:
    asked: list[str] = []
    quick = next(one for one in engines(2) if one.processes == 1)
    slow = next(one for one in engines(2) if one.slow)
    kinds = {"a": quick, "b": quick, "slow": slow}
    runners = [Runner(Measurement(engine, 2), partial(_one_steady, name, asked)) for name, engine in kinds.items()]
    measure(runners, runs=2)
    assert asked == ["a", "b", "a", "b", "slow", "a", "b", "a ends", "b ends", "slow ends"]
    assert [len(runner.measurement.samples) for runner in runners] == [2, 2, 1]


def test_processes_of_one_engine_are_added_up() -> None:
    asked: list[str] = []
    runner = Runner(Measurement(engines(2)[1], 2), lambda: [_Steady("a", asked), _Steady("b", asked)])
    measure([runner], runs=1)
    (sample,) = runner.measurement.samples
    assert (sample.cpu_s, sample.audio_s, runner.measurement.peak_rss_mb) == (4.0, 6.0, 200.0)


def test_packages_that_cannot_be_installed_make_a_peer_missing_and_are_tried_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    commands: list[list[str]] = []

    def run(command: list[str], folder: Path) -> None:
        commands.append(command)
        if "pip" in command:
            raise CommandError("ERROR: no network")
        (tmp_path / "pytorch" / "bin").mkdir(parents=True)
        (tmp_path / "pytorch" / "bin" / "python").touch()

    monkeypatch.setattr(environments, "run_command", run)
    for _ in range(2):
        with pytest.raises(PeerMissing, match="its packages could not be installed: ERROR: no network"):
            python_of("pytorch", tmp_path)
    assert len(commands) == 4


def test_an_environment_is_made_once_until_its_requirements_change(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    commands: list[list[str]] = []

    def run(command: list[str], folder: Path) -> None:
        commands.append(command)
        (tmp_path / "venvs" / "peer" / "bin").mkdir(parents=True, exist_ok=True)
        (tmp_path / "venvs" / "peer" / "bin" / "python").touch()

    monkeypatch.setattr(environments, "run_command", run)
    monkeypatch.setattr(environments, "REQUIREMENTS", tmp_path)
    (tmp_path / "peer.txt").write_text("numpy\n")
    (tmp_path / "peer.alone.txt").write_text("kokoro\n")
    python_of("peer", tmp_path / "venvs")
    assert [("--no-deps" in command) for command in commands] == [False, False, True]
    python_of("peer", tmp_path / "venvs")
    assert len(commands) == 3
    (tmp_path / "peer.txt").write_text("numpy==2\n")
    python_of("peer", tmp_path / "venvs")
    assert len(commands) == 6


def test_weight_norm_taken_apart_folds_to_the_same_weights() -> None:
    weight = np.random.default_rng(0).standard_normal((4, 3, 5), dtype=np.float32)
    weight[1] = 0  # a row quantised to nothing
    folded = {"decoder.encode.conv1.weight": weight, "predictor.F0_proj.weight": weight, "bert_encoder.bias": weight[0]}
    taken = dict(unfolded(folded))
    assert taken["decoder.encode.conv1.weight_g"].shape == (4, 1, 1)
    assert np.isfinite(taken["decoder.encode.conv1.weight_v"]).all()
    assert "predictor.F0_proj.weight" in taken
    again = fold_weight_norm(taken)
    assert again.keys() == folded.keys()
    for name, array in folded.items():
        np.testing.assert_allclose(again[name], array, rtol=1e-6)


def test_requirements_pin_what_is_measured() -> None:
    for engine in engines(2):
        for package in engine.packages if engine.peer else ():
            if package in ("torch", "kokoro", "onnxruntime", "mlx-audio"):
                asked = "".join(path.read_text() for path in environments.REQUIREMENTS.glob(f"{engine.peer}*.txt"))
                assert f"\n{package}==" in f"\n{asked}", json.dumps(package)
