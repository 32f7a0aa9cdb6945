"""The exponential made here against numpy's in float64."""

import mlx.core as mx
import numpy as np
import pytest

from server.kokoro_mlx import exponential
from tests.unit.kokoro_mlx.helpers import normal


def test_the_coefficients_are_the_least_squares_fit() -> None:
    r = np.linspace(-0.5, 0.5, 8001)
    powers = np.stack([r**i for i in range(len(exponential.COEFFICIENTS))], axis=1)
    fitted = np.linalg.lstsq(powers / (2**r)[:, None], np.ones_like(r), rcond=None)[0]
    np.testing.assert_allclose(exponential.COEFFICIENTS, fitted, rtol=1e-6)
    assert np.abs(powers @ np.array(exponential.COEFFICIENTS) / 2**r - 1).max() < 2e-8


def test_the_error_is_that_of_float32() -> None:
    x = np.linspace(-87, 88, 100_001, dtype=np.float32)
    found = np.array(exponential.exp(mx.array(x))).astype(np.float64)
    # float32 rounds x · log₂e itself: by 6e-8 of it
    allowed = 3e-7 + 1.2e-7 * np.abs(x)
    assert (np.abs(found / np.exp(x.astype(np.float64)) - 1) < allowed).all()


def test_what_has_no_exponent_is_held_at_the_ends() -> None:
    found = np.array(exponential.exp(mx.array([-1e30, -200.0, 0.0, 200.0, 1e30])))
    assert np.isfinite(found).all()
    assert found[0] == found[1] < 1.7e-38
    assert found[2] == 1
    assert found[3] == found[4] > 1.6e38


@pytest.mark.parametrize("native", [False, True])
def test_softmax(native: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(exponential, "native", lambda: native)
    x = 30 * normal(1, 3, 7, 9)
    e = np.exp(x.astype(np.float64) - x.max(-1, keepdims=True))
    np.testing.assert_allclose(np.array(exponential.softmax(mx.array(x))), e / e.sum(-1, keepdims=True), atol=1e-6)
