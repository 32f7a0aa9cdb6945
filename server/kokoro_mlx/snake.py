"""Snake, the generator's periodic activation: x + sin²(αx) / α, joined with the affine map of the AdaIN before it.

sin² has the period π / α, so after range reduction to r ∈ [−½, ½] it is a short even polynomial in r: ten times
faster on a CPU than calling the sine, and within float32 rounding of it.
"""

import logging
import shutil
from collections.abc import Callable

import mlx.core as mx

from server.kokoro_mlx.conv import native

log = logging.getLogger(__name__)

# sin²(πr) = r² (c₀ + c₁r² + … + c₅r¹⁰) on [−½, ½]: least squares over 8,001 points, error below 2·10⁻⁸.
# tests/unit/kokoro_mlx/test_snake.py fits it again.
COEFFICIENTS = (9.869603238, -32.46960173, 42.72580817, -30.08968645, 13.0055018, -3.294496946)

Snake = Callable[[mx.array, mx.array, mx.array, mx.array, mx.array], mx.array]


def affine_snake(x: mx.array, scale: mx.array, shift: mx.array, rate: mx.array, height: mx.array) -> mx.array:
    """y + height · sin²(π · rate · y) with y = x · scale + shift; (T, C) and four times (C,) → (T, C).

    `rate` is α / π, `height` 1 / α.
    """
    y = x * scale + shift
    turns = y * rate
    turns = turns - mx.round(turns)
    square = turns * turns
    power = square * COEFFICIENTS[-1] + COEFFICIENTS[-2]
    for coefficient in COEFFICIENTS[-3::-1]:
        power = power * square + coefficient
    return y + height * (square * power)


def snake() -> Snake:
    """`affine_snake` as one fused kernel where MLX can make one, else op by op.

    On a CPU MLX compiles with the system's C++ compiler, which a home machine may not have.
    """
    if not native() and shutil.which("g++") is None:
        return affine_snake
    fused: Snake = mx.compile(affine_snake, shapeless=True)
    one = mx.ones((1,))
    try:
        mx.eval(fused(mx.ones((2, 1)), one, one, one, one))
    except RuntimeError as error:
        log.info("snake runs unfused, the compiler does not help: %s", error)
        return affine_snake
    return fused
