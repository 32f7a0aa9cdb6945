"""Snake's polynomial against the sine it replaces."""

import math

import mlx.core as mx
import numpy as np
import pytest

from server.kokoro_mlx import snake
from tests.unit.kokoro_mlx.helpers import Doubles, Floats, normal


def wanted(x: Floats, scale: Floats, shift: Floats, alpha: Floats) -> Doubles:
    """y + sin²(αy) / α in float64, with y = x · scale + shift."""
    y = (x * scale + shift).astype(np.float64)
    bent: Doubles = y + np.sin(alpha.astype(np.float64) * y) ** 2 / alpha
    return bent


def test_the_coefficients_are_the_least_squares_fit() -> None:
    r = np.linspace(-0.5, 0.5, 8001)
    powers = np.stack([r ** (2 * i) for i in range(1, len(snake.COEFFICIENTS) + 1)], axis=1)
    fitted = np.linalg.lstsq(powers, np.sin(np.pi * r) ** 2, rcond=None)[0]
    np.testing.assert_allclose(snake.COEFFICIENTS, fitted, rtol=1e-6)
    assert np.abs(powers @ np.array(snake.COEFFICIENTS) - np.sin(np.pi * r) ** 2).max() < 2e-8


@pytest.mark.parametrize("native", [False, True], ids=["polynomial", "sine"])
@pytest.mark.parametrize("reach", [1.0, 30.0])
def test_error_against_float64(reach: float, native: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(snake, "native", lambda: native)
    x, scale, shift = reach * normal(1, 4000, 3), normal(2, 3), normal(3, 3)
    alpha = np.array([0.2, 1.0, 3.0], np.float32)
    rate = np.array(snake.rate(mx.array(alpha)))
    rows = [mx.array(np.tile(row, (len(x), 1))) for row in (scale * rate, shift * rate)]
    bent = snake.bend()(mx.array(x), *rows) * snake.gain(mx.array(alpha))
    # float32 rounds the phase itself: by 6e-8 of αy, whatever computes the sine
    inner = np.abs(x * scale) + np.abs(shift)
    allowed = 4e-6 + 4e-7 * inner * 3
    assert (np.abs(np.array(bent) - wanted(x, scale, shift, alpha)) < allowed).all()


def test_op_by_op_it_is_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    """A machine without a compiler does without."""
    fused = snake.bend()
    monkeypatch.setattr("server.kokoro_mlx.device.fuses", lambda: False)
    plain = snake.bend()
    given = [mx.array(normal(seed, 100, 4)) for seed in range(3)]
    np.testing.assert_allclose(np.array(plain(*given)), np.array(fused(*given)), atol=1e-6)


def test_rate_and_gain_undo_each_other_where_snake_is_straight() -> None:
    alpha = mx.array([0.5, 2.0])
    np.testing.assert_allclose(np.array(snake.rate(alpha) * snake.gain(alpha)), 1, rtol=1e-6)
    assert math.isclose(float(snake.gain(alpha)[0]), math.pi / 0.5, rel_tol=1e-6)
