"""Kills at random moments, the short way: benchmarks/kills.py does it two hundred times."""

from pathlib import Path

import pytest

from benchmarks.kills import own_books, run

pytestmark = [pytest.mark.speech, pytest.mark.timeout(900)]


def test_a_render_that_is_killed_again_and_again_ends_as_if_nothing_had_happened(models: Path, tmp_path: Path) -> None:
    result = run(tmp_path, 6, 2, models, own_books(tmp_path, count=1, chapters=2, sentences=4))
    assert (result.differences, result.faults) == ([], [])
    assert result.files == 10
    # Only the pass in flight is lost: one evaluation of the model.
    assert all(kill.evaluations <= 1 for kill in result.kills)
    lost = sum(kill.evaluations for kill in result.kills)
    assert result.disturbed["evaluation"] - result.calm["evaluation"] <= lost
