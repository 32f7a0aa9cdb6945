"""Half-precision weights speak, and nearly as the full ones do. More text: benchmarks/half_precision.py."""

from pathlib import Path

import mlx.core as mx
import numpy as np
import pytest

from server.kokoro_mlx import Take, load, load_voices, params, weights
from tests.parity.cases import CASES
from tests.parity.logmel import distance_db, log_mel, stretched
from tests.parity.measures import level_db

pytestmark = [pytest.mark.parity, pytest.mark.speech]

CASE = CASES[0]
# Rounding of the weights to 11 and to 8 binary digits, in decibels of log-mel distance; another noise is 0.19 dB.
FARTHEST_DB = {"float16": 0.25, "bfloat16": 1.0}
# A duration near a half may be rounded the other way: of 19, so many.
MOVED = {"float16": 1, "bfloat16": 3}


@pytest.fixture(scope="module")
def full(models: Path) -> Take:
    return _spoken(models / "kokoro.safetensors", models)


def _spoken(path: Path, models: Path) -> Take:
    voice = load_voices(models / "voices.safetensors")[CASE.voice]
    return load(path).render(CASE.phonemes, voice, seed=1)


@pytest.mark.parametrize("precision", ["float16", "bfloat16"])
def test_half_precision_speaks(precision: weights.Precision, full: Take, models: Path, tmp_path: Path) -> None:
    path = tmp_path / "half.safetensors"
    weights.save(path, weights.load(models / "kokoro.safetensors"), precision=precision)
    assert weights.check(path) == precision
    assert 160e6 < path.stat().st_size < 166e6
    assert params.load(path).at("bert_encoder")["weight"].dtype == mx.float32
    take = _spoken(path, models)
    path.unlink()
    assert np.isfinite(take.audio).all()
    assert 0.05 < np.abs(take.audio).max() < 1
    assert abs(level_db(take.audio) - level_db(full.audio)) < 0.5
    assert sum(one != other for one, other in zip(take.pred_dur, full.pred_dur, strict=True)) <= MOVED[precision]
    aligned = stretched(log_mel(take.audio), take.pred_dur, full.pred_dur)
    apart_db = distance_db(aligned, log_mel(full.audio))
    print(f"{precision} {apart_db:.3f} dB")
    assert apart_db < FARTHEST_DB[precision]
