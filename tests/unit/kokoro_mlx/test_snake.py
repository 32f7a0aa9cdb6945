"""Snake's polynomial against the sine it replaces."""

import mlx.core as mx
import numpy as np
import pytest

from server.kokoro_mlx import snake as module
from tests.unit.kokoro_mlx.helpers import normal


def test_the_coefficients_are_the_least_squares_fit() -> None:
    r = np.linspace(-0.5, 0.5, 8001)
    powers = np.stack([r ** (2 * i) for i in range(1, len(module.COEFFICIENTS) + 1)], axis=1)
    fitted = np.linalg.lstsq(powers, np.sin(np.pi * r) ** 2, rcond=None)[0]
    np.testing.assert_allclose(module.COEFFICIENTS, fitted, rtol=1e-6)
    assert np.abs(powers @ np.array(module.COEFFICIENTS) - np.sin(np.pi * r) ** 2).max() < 2e-8


@pytest.mark.parametrize("reach", [1.0, 30.0])
def test_error_against_float64(reach: float) -> None:
    x, scale, shift = reach * normal(1, 4000, 3), normal(2, 3), normal(3, 3)
    alpha = np.float32([0.2, 1.0, 3.0])
    y = module.snake()(*(mx.array(a) for a in (x, scale, shift, alpha / np.float32(np.pi), 1 / alpha)))
    inner = (x * scale + shift).astype(np.float64)
    wanted = inner + np.sin(alpha.astype(np.float64) * inner) ** 2 / alpha
    # float32 rounds the phase itself: by 6e-8 of αx, whatever computes the sine
    allowed = 4e-6 + 2.5e-7 * np.abs(inner) * 3
    assert (np.abs(np.array(y) - wanted) < allowed).all()


def test_a_machine_without_a_compiler_does_without(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "native", lambda: False)
    monkeypatch.setenv("PATH", "")
    assert module.snake() is module.affine_snake
