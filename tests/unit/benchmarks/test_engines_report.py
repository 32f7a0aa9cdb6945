"""What `make bench` makes of its measurements: medians, ratios, verdicts in words, and a table."""

import json
from pathlib import Path
from typing import Any

import pytest

from benchmarks.engines import report
from benchmarks.engines.catalogue import ALL, ONE, Engine, engines
from benchmarks.engines.rounds import Measurement, Sample

MACHINE = {"processor": "a processor", "cores": 2, "memory_gb": 8, "system": "Linux"}


def _engine(name: str) -> Engine:
    return next(one for one in engines(2) if one.name == name)


def _measured(name: str, length_s: int, *walls_s: float, cpu_s: float = 1.0, rss_mb: float = 500) -> Measurement:
    engine = _engine(name)
    audio_s = length_s * engine.processes
    samples = [Sample(wall_s, cpu_s * audio_s, audio_s) for wall_s in walls_s]
    return Measurement(engine, length_s, samples, load_s=1.0, peak_rss_mb=rss_mb)


def _result(*measurements: Measurement, missing: dict[str, str] | None = None) -> dict[str, Any]:
    result = report.as_json(report.figures(measurements), missing or {}, MACHINE, {"mlx": "1"})
    return {**result, "when": "2026-01-01"}


def test_figures_are_medians_over_the_audio_of_all_processes() -> None:
    (one,) = report.figures([_measured(f"lectern, {ALL}", 5, 9.0, 4.0, 5.0, cpu_s=1.5, rss_mb=812.34)])
    assert (one.realtime_factor, one.cpu_s_per_audio_s, one.peak_rss_mb) == (2.0, 1.5, 812.3)
    assert (one.processes, one.audio_s, one.runs) == (2, 10, 3)


def test_a_ratio_is_ours_over_theirs_and_is_reached_on_the_right_side_of_its_bound() -> None:
    found = report.figures(
        [
            _measured(f"lectern, {ONE}", 2, 2.0, cpu_s=0.9),
            _measured(f"onnxruntime fp32, {ONE}", 2, 2.0, cpu_s=1.0),
            _measured(f"onnxruntime int8, {ONE}", 2, 2.0, cpu_s=0.6),
            _measured(f"pytorch, {ONE}", 2, 3.0),
            _measured("mlx-audio, as installed", 2, 100.0),
        ]
    )
    by_peer = {one.peer: (one.ratio, one.reached) for one in report.ratios(found)}
    assert by_peer == {
        f"onnxruntime fp32, {ONE}": (0.9, True),
        f"onnxruntime int8, {ONE}": (1.5, False),
        f"pytorch, {ONE}": (1.5, True),
        "mlx-audio, as installed": (50, False),
    }


def test_no_ratio_where_one_side_was_not_measured_on_that_length() -> None:
    found = report.figures([_measured(f"lectern, {ONE}", 5, 1.0), _measured(f"pytorch, {ONE}", 2, 1.0)])
    assert report.ratios(found) == []


def _ratio(length_s: int, reached: bool) -> report.Ratio:
    return report.Ratio("claim", "ours", "theirs", length_s, 1.0, reached)


@pytest.mark.parametrize(
    ("of", "said"),
    [
        ([], "not measured"),
        ([_ratio(2, True), _ratio(5, True)], "reached"),
        ([_ratio(2, False), _ratio(5, False)], "not reached"),
        ([_ratio(2, True), _ratio(5, False), _ratio(10, True)], "reached at 2 s, 10 s; not at 5 s"),
    ],
)
def test_verdicts_in_words(of: list[report.Ratio], said: str) -> None:
    assert report.verdict(of) == said


def test_the_table_reads_the_same_from_the_file_as_from_memory() -> None:
    result = _result(_measured(f"lectern, {ONE}", 2, 2.0), _measured("mlx-audio, as installed", 2, 64.0))
    table = report.as_table(json.loads(json.dumps(result)))
    assert table == report.as_table(result)
    assert "| lectern, one thread | 1.00 |" in table
    assert "| mlx-audio, as installed | 0.031 |" in table  # a figure that small keeps its digits
    asked = "| lectern, one thread | mlx-audio, as installed | realtime factor, at least 60 times |"
    assert f"{asked} 32.00 at 2 s | not reached |" in table


def test_an_engine_without_packages_or_that_fails_is_a_note_and_not_a_row() -> None:
    failed = _measured(f"pytorch, {ONE}", 2, 1.0)
    failed.failure = "MemoryError"
    missing = {"mlx-audio, as installed": "its packages could not be installed: no network"}
    result = _result(_measured(f"lectern, {ONE}", 2, 2.0), failed, missing={**missing, **report.failures([failed])})
    table = report.as_table(result)
    assert "- Not measured: mlx-audio, as installed: its packages could not be installed: no network." in table
    assert "- Not measured: pytorch, one thread, 2 s: MemoryError." in table
    assert [one["engine"] for one in result["engines"]] == ["lectern, one thread"]
    assert f"| lectern, {ONE} | pytorch, {ONE} | realtime factor, at least that | – | not measured |" in table


def test_a_length_that_an_engine_was_not_asked_for_is_a_dash() -> None:
    table = report.as_table(_result(_measured(f"lectern, {ONE}", 2, 2.0), _measured(f"pytorch, {ONE}", 5, 5.0)))
    assert "| lectern, one thread | 1.00 | – |" in table


def test_every_claim_is_about_engines_that_there_are() -> None:
    names = {one.name for one in engines(4)} | {"mlx-audio, fast BLAS"}  # the last is for Linux alone
    assert {name for claim in report.CLAIMS for name in (claim.ours, claim.theirs)} <= names


def test_other_lengths_are_kept_and_the_same_ones_are_not(tmp_path: Path) -> None:
    results = tmp_path / "engines.json"
    assert report.other_lengths(results, [2]) == []
    found = report.figures([_measured(f"lectern, {ONE}", length_s, 2.0) for length_s in (2, 5)])
    results.write_text(json.dumps(report.as_json(found, {}, {}, {})))
    assert report.other_lengths(results, [2, 10]) == [found[1]]
